internal import CommonStream
internal import Comparing
internal import OpenCombine

/// Events that are sent one by one through a filter and a map to a subscriber: with OpenCombine.
enum OpenCombineSubject {
    static func send() throws -> Double {
        let events = Numbers.events.prefix(500_000)
        let subject = PassthroughSubject<StreamEvent, Never>()
        var sum = 0.0
        let subscription = subject.filter { $0.value > 0.5 }.map { $0.value * 2 }.sink { sum += $0 }
        let cost = nanoseconds(per: events.count) {
            for event in events { subject.send(event) }
        }
        subscription.cancel()
        return try Subjects.checked(cost, sum, events)
    }
}
