public import WeirCore

/// What code that calls back sends, as a stream.
///
///     ContinuationStream<Reading> { continuation in
///         let sensor = Sensor()
///         sensor.start { continuation.send($0, at: $0.timestamp) }
///         continuation.onEnd { sensor.stop() }
///     }
///
/// `begin` is called for each sink, while that is being attached. Elements come when they are sent, on the thread that sends;
/// a concurrent sender, or a sink that sends, enqueues the element. Remembers nothing else.
///
/// - Complexity: O(1) per element, without allocation or lock.
public struct ContinuationStream<Element: Sendable>: EventStream {
    let capacity: Int
    let begin: @Sendable (StreamContinuation<Element>) -> Void

    /// Creates the stream.
    ///
    /// - Parameters:
    ///   - capacity: How many signals may wait while another one is being handled; a power of two.
    ///   - begin: Starts to send; called once for each sink.
    public init(capacity: Int = 1024, _ begin: @escaping @Sendable (StreamContinuation<Element>) -> Void) {
        self.capacity = capacity
        self.begin = begin
    }

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let continuation = StreamContinuation<Element>(capacity: capacity)
        let attached = continuation.multicast.attach(sink)
        begin(continuation)
        return Subscription {
            attached.cancel()
            continuation.end()
        }
    }
}

/// Sends the signals of a ``ContinuationStream`` to one sink.
///
/// Thread safety: all members, from any thread, also from inside the sink.
public final class StreamContinuation<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var hasEnded = false
        var actions: [@Sendable () -> Void] = []
    }

    let multicast: Multicast<Element>
    private let state = Locked(State())

    init(capacity: Int) {
        multicast = Multicast(capacity: capacity)
    }

    /// Whether the stream has ended, or its subscription was cancelled: nobody gets what is sent.
    public var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Sends an element.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - time: Its event time.
    public func send(_ element: Element, at time: Timestamp) {
        multicast.send(element, at: time)
    }

    /// Sends a watermark: no older element will follow.
    ///
    /// - Parameter watermark: One that is not after the last is ignored.
    public func advance(to watermark: Timestamp) {
        multicast.advance(to: watermark)
    }

    /// Ends the stream; what is sent afterwards is ignored.
    ///
    /// - Parameter completion: How it ended. Only the first call counts.
    public func finish(_ completion: Completion = .finished) {
        multicast.finish(completion)
        end()
    }

    /// Calls `action` when the stream has ended or its subscription was cancelled; at once if that is so.
    ///
    /// - Parameter action: Called once, on the thread that ends it.
    public func onEnd(_ action: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.actions.append(action) }
            return state.hasEnded
        }
        if hasEnded { action() }
    }

    func end() {
        let actions = state.withLock { state in
            state.hasEnded = true
            defer { state.actions = [] }
            return state.actions
        }
        for action in actions { action() }
    }
}
