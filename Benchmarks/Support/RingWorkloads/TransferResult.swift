/// What the threads of a transfer leave behind; each property belongs to one of them until all have returned.
final class TransferResult: @unchecked Sendable {
    var start: Int64 = 0
    var end: Int64 = 0
    var sum: UInt64 = 0

    /// How long the transfer took; traps when the sum is wrong.
    func nanoseconds(expecting expected: UInt64) -> Int64 {
        guard sum == expected else {
            fatalError("the sum of what came out of the ring is wrong: \(sum) instead of \(expected)")
        }
        return end - start
    }
}
