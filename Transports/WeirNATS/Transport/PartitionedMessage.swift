/// A message on its way to one of several subjects: its length in four bytes, the partition in two, and what it says.
package enum PartitionedMessage {
    /// How many partitions there may be.
    package static let limit = 1 << 16

    private static let headLength = 6

    /// Writes a message.
    ///
    /// - Parameters:
    ///   - payload: What it says.
    ///   - partition: The number behind the subject, below ``limit``.
    ///   - bytes: Where to write it.
    package static func append(_ payload: ArraySlice<UInt8>, to partition: Int, into bytes: inout [UInt8]) {
        let count = UInt32(payload.count + 2)
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(count >> shift & 0xFF)) }
        bytes.append(UInt8(partition >> 8))
        bytes.append(UInt8(partition & 0xFF))
        bytes += payload
    }

    /// Reads a message.
    ///
    /// - Returns: `nil` for what is none.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> (partition: Int, payload: UnsafeBufferPointer<UInt8>)? {
        guard bytes.count >= headLength else { return nil }
        let partition = unsafe Int(bytes[4]) << 8 | Int(bytes[5])
        return unsafe (partition, UnsafeBufferPointer(rebasing: bytes.dropFirst(headLength)))
    }
}
