internal import CommonStream
internal import Synchronization
internal import WeirCore
internal import WeirWindows

/// Where handlers and sinks leave what they have counted.
final class TallyResult: Sendable {
    private let value = Mutex(Tally())

    var tally: Tally {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }

    /// Counts a value.
    func add(_ number: Double) {
        value.withLock {
            $0.count += 1
            $0.sum += number
        }
    }
}

/// What a sink counts of an element.
protocol Tallied: Sendable {
    var number: Double { get }
}

extension Double: Tallied {
    var number: Double { self }
}

extension WindowResult: Tallied where Value == Double {
    var number: Double { value }
}

/// Counts the elements and sums them up.
struct TallySink<Input: Tallied>: Sink {
    private let result: TallyResult
    private var tally = Tally()

    init(_ result: TallyResult) {
        self.result = result
    }

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        tally.count += 1
        tally.sum += element.number
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {
        result.tally = tally
    }
}
