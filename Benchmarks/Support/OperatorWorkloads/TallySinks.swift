internal import CommonStream
internal import Synchronization
internal import WeirCore
internal import WeirWindows

/// Where a sink leaves its tally at the end.
final class TallyResult: Sendable {
    private let value = Mutex(Tally())

    var tally: Tally {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// What a sink counts of an element.
protocol Tallied: Sendable {
    func add(to tally: inout Tally)
}

/// Counts the elements and sums them up.
struct TallySink<Input: Tallied>: Sink {
    private let result: TallyResult
    private var tally = Tally()

    init(_ result: TallyResult) {
        self.result = result
    }

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        element.add(to: &tally)
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {
        result.tally = tally
    }
}

extension Double: Tallied {
    func add(to tally: inout Tally) {
        tally.count += 1
        tally.sum += self
    }
}

extension WindowResult: Tallied where Value == Double {
    func add(to tally: inout Tally) {
        tally.count += 1
        tally.sum += value
    }
}

/// Counts the elements and remembers the last.
struct LastValueSink: Sink {
    private let result: TallyResult
    private var tally = Tally()

    init(_ result: TallyResult) {
        self.result = result
    }

    mutating func receive(_ element: borrowing Double, at time: Timestamp) {
        tally.count += 1
        tally.sum = copy element
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {
        result.tally = tally
    }
}

/// Counts the elements that come in the order of their times, and sums up their values weighted by their places.
struct OrderSink: Sink {
    private let result: TallyResult
    private var tally = Tally()
    private var last = Timestamp.distantPast

    init(_ result: TallyResult) {
        self.result = result
    }

    mutating func receive(_ element: borrowing StreamEvent, at time: Timestamp) {
        if time > last { tally.count += 1 }
        last = time
        tally.sum += element.value * Double(tally.count & 1023)
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {
        result.tally = tally
    }
}
