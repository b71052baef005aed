/// What handles the messages of one partition.
///
/// Thread safety: one thread at a time.
package protocol PartitionProcessor: AnyObject {
    /// Takes a message, to be handled with the next ``process()``.
    func take(_ payload: ArraySlice<UInt8>)

    /// Handles what was taken.
    ///
    /// - Throws: ``GroupError`` where it can never work.
    func process() throws(GroupError)

    /// How many bytes of outputs wait for a commit.
    var outputByteCount: Int { get }

    /// Hands over the outputs that wait: lines, each with its end.
    func takeOutputs() -> [UInt8]

    /// What is known by now: with it and what follows, another processor finds the same.
    ///
    /// - Throws: ``GroupError`` where it cannot be saved.
    func save() throws(GroupError) -> [UInt8]

    /// Called when what was handed over is kept.
    func noteCommit()
}

extension PartitionProcessor {
    package func noteCommit() {}
}
