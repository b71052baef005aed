/// What handles the messages of one partition.
///
/// Thread safety: one thread at a time.
package protocol PartitionProcessor: AnyObject {
    /// Takes a message, to be handled with the next ``process()``.
    func take(_ payload: ArraySlice<UInt8>)

    /// Takes a mark of time: it is behind the messages that were taken before it.
    ///
    /// - Parameters:
    ///   - mark: The mark.
    ///   - source: The part of the input that it is of.
    func take(_ mark: TimeMark, of source: Int)

    /// Handles what was taken.
    ///
    /// - Throws: ``GroupError`` where it can never work.
    func process() throws(GroupError)

    /// Lets time pass for a partition to which nothing comes: what waits for others may be due.
    ///
    /// - Throws: ``GroupError`` where it can never work.
    func passTime() throws(GroupError)

    /// Whether something that was taken waits for what comes later.
    var isWaiting: Bool { get }

    /// How many bytes of outputs wait for a commit.
    var outputByteCount: Int { get }

    /// Hands over the outputs that wait: lines, each with its end.
    func takeOutputs() -> [UInt8]

    /// What is known by now: with it and what follows, another processor finds the same.
    ///
    /// - Throws: ``GroupError`` where it cannot be saved.
    func save() throws(GroupError) -> [UInt8]

    /// The greatest time of an event so far, in nanoseconds since 1970; `nil` where there was none.
    var time: Int64? { get }
}

extension PartitionProcessor {
    package func take(_ mark: TimeMark, of source: Int) {}

    package var time: Int64? { nil }

    package func passTime() throws(GroupError) {}

    package var isWaiting: Bool { false }

}
