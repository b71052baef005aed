internal import CBench
internal import Synchronization

/// Counts what arrives on one thread, and tells another one when all is there.
final class Arrivals: @unchecked Sendable {
    private let expected: Int
    private let count = PlainCounter()
    private let sum = PlainCounter()
    private let end = Atomic<Int64>(0)
    // Written by the first producer before all else; read after the producers have ended.
    var start: Int64 = 0

    init(expecting expected: Int) {
        self.expected = expected
    }

    @inline(__always)
    func add(_ number: UInt64) {
        sum.add(number)
        count.add(1)
        if count.value.pointee == UInt64(expected) { end.store(cbench_now(), ordering: .releasing) }
    }

    /// Waits until all is there.
    ///
    /// - Parameter sum: What the numbers must add up to.
    /// - Returns: Nanoseconds per arrival since the start.
    func wait(forSum sum: UInt64) -> Double {
        var tries: UInt32 = 0
        while end.load(ordering: .acquiring) == 0 { cbench_wait(&tries) }
        check(self.sum.value.pointee == sum, "the sum of what arrived is wrong")
        return Double(end.load(ordering: .relaxed) - start) / Double(expected)
    }
}
