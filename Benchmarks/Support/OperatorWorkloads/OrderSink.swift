internal import CommonStream
internal import WeirCore

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
