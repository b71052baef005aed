package import WeirCore
package import WeirRecords

/// A transport that can keep what a group reads, finds and knows.
package protocol GroupTransport: Transport {
    /// Checks that a group can be kept, and makes ready what it needs.
    ///
    /// - Parameter request: What is wanted.
    /// - Returns: The group.
    /// - Throws: ``GroupError`` with what is wrong and what to do.
    func openGroup(_ request: GroupRequest) throws(GroupError) -> any GroupBackend

    /// Finds a group that there is, to look at it.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - address: A server of it.
    /// - Returns: What its members share.
    /// - Throws: ``GroupError``.
    func findGroup(_ name: String, at address: String) throws(GroupError) -> any SharedValues
}

/// What a member wants of the transport.
package struct GroupRequest: Sendable {
    package var name: String

    /// Where records come from, and matches go; places of addresses, without the scheme.
    package var input: String
    package var output: String
    package var partitionCount: Int

    /// Whether to go on where messages were removed before they were read.
    package var skipsRemoved = false

    /// Says what people should know.
    package var notice: @Sendable (String) -> Void

    package init(
        name: String,
        input: String,
        output: String,
        partitionCount: Int,
        notice: @escaping @Sendable (String) -> Void
    ) {
        self.name = name
        self.input = input
        self.output = output
        self.partitionCount = partitionCount
        self.notice = notice
    }
}

/// A group as a transport keeps it.
package protocol GroupBackend: Sendable {
    /// How many parts the input has that say how far time is, so that they can be merged by time; 0 where none does.
    var sourceCount: Int { get }

    /// Connects to what the members share.
    ///
    /// - Throws: ``GroupError``.
    func makeValues() throws(GroupError) -> any SharedValues

    /// Connects to the partitions.
    ///
    /// - Parameter clock: The clock of the member, for how long to wait.
    /// - Returns: The partitions.
    /// - Throws: ``GroupError``.
    func makeLog(clock: any TimeSource) throws(GroupError) -> any PartitionLog
}
