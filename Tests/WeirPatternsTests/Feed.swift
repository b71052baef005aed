import WeirCore

/// A stream that a test drives by hand.
final class Feed<Element: Sendable>: EventStream {
    private let handle = Handle()

    private final class Handle: @unchecked Sendable {
        // Tests drive a feed on one thread.
        var receive: (Element, Timestamp) -> Void = { _, _ in }
        var advance: (Timestamp) -> Void = { _ in }
        var finish: (Completion) -> Void = { _ in }
    }

    @discardableResult
    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let box = SinkHandle(sink)
        handle.receive = box.receive
        handle.advance = box.advance
        handle.finish = box.finish
        return Subscription()
    }

    func send(_ element: Element, at time: Timestamp) { handle.receive(element, time) }

    func advance(to watermark: Timestamp) { handle.advance(watermark) }

    func finish(_ completion: Completion = .finished) { handle.finish(completion) }
}
