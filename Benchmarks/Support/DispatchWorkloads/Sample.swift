internal import CBench
internal import WeirCore

/// What is dispatched: 24 bytes.
struct Sample: Event {
    let timestamp: Timestamp
    let number: UInt64
    /// When it was sent, by `cbench_now`; zero where nobody asks.
    let sent: Int64

    init(_ number: UInt64, sent: Int64 = 0) {
        timestamp = .epoch
        self.number = number
        self.sent = sent
    }
}

/// A plain counter, which one thread at a time changes: the least work that a handler can do.
final class PlainCounter: @unchecked Sendable {
    let value: UnsafeMutablePointer<UInt64>

    init() {
        value = .allocate(capacity: 1)
        value.initialize(to: 0)
    }

    deinit {
        value.deallocate()
    }

    @inline(__always)
    func add(_ number: UInt64) {
        value.pointee &+= number
    }
}

/// Says why a result is wrong, and ends the run.
func check(_ isRight: Bool, _ complaint: @autoclosure () -> String) {
    guard isRight else { fatalError(complaint()) }
}
