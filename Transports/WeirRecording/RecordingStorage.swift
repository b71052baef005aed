/// The bytes of one recording, on a disk or elsewhere.
package protocol RecordingStorage: AnyObject {
    /// What to call it in errors.
    var path: String { get }

    /// How many bytes there are.
    func size() throws(RecordingError) -> Int

    /// Appends up to `count` bytes at `offset` to `buffer`; returns how many, 0 only at the end.
    func read(at offset: Int, upTo count: Int, into buffer: inout [UInt8]) throws(RecordingError) -> Int

    /// Writes all bytes at the end. After an error some of them may have been written.
    func append(_ bytes: [UInt8]) throws(RecordingError)

    /// Removes what is after the first `size` bytes.
    func truncate(to size: Int) throws(RecordingError)

    /// Waits until everything is on the disk.
    func synchronize() throws(RecordingError)
}
