/// A value that several programs share.
package struct SharedValue: Sendable, Hashable {
    package let bytes: [UInt8]

    /// Grows with each change of the value.
    package let revision: UInt64

    package init(bytes: [UInt8], revision: UInt64) {
        self.bytes = bytes
        self.revision = revision
    }
}

/// Small values by key, which several programs share, such as who is a member of a group.
///
/// What is read may be older than what was written last. A value is replaced only where it is known: that decides between
/// programs, and not what was read.
///
/// Thread safety: one thread at a time.
package protocol SharedValues: AnyObject {
    /// Reads values.
    ///
    /// - Parameter keys: Their keys; one that ends with `*` stands for all with the same beginning.
    /// - Returns: The values that there are, by their keys.
    /// - Throws: ``GroupError``.
    func values(_ keys: [String]) throws(GroupError) -> [String: SharedValue]

    /// Sets a value, whatever was there.
    ///
    /// - Throws: ``GroupError``.
    func put(_ key: String, _ bytes: [UInt8]) throws(GroupError)

    /// Replaces a value.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - bytes: The new value.
    ///   - revision: That of the value which is replaced; 0 where there is to be none.
    /// - Throws: ``GroupError``; ``GroupError/Kind/outdated`` where it has another revision.
    func replace(_ key: String, _ bytes: [UInt8], revision: UInt64) throws(GroupError)

    /// Removes a value.
    ///
    /// - Throws: ``GroupError``.
    func remove(_ key: String) throws(GroupError)

    /// The last message of each partition of the input, as far as there are some and the server tells.
    ///
    /// - Throws: ``GroupError``.
    func lastMessages() throws(GroupError) -> [Int: UInt64]

    /// How many subjects of the input are of no partition, so that no member reads them: counted by ``lastMessages()``.
    var foreignSubjectCount: Int { get }
}

extension SharedValues {
    package func lastMessages() throws(GroupError) -> [Int: UInt64] { [:] }

    package var foreignSubjectCount: Int { 0 }
}
