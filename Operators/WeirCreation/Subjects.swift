public import WeirCore

/// A stream that is driven by calls.
///
/// Sinks run one at a time, in the order in which they were attached, on the thread that sends; a concurrent sender, or
/// a sink that sends, enqueues the element. Watermarks and the completion are sent like elements, and reach every sink,
/// unless a kind of subject says otherwise. A sink that comes after the completion gets what the subject keeps, and the
/// completion.
///
/// Thread safety: all members, from any thread, also from inside a sink.
public protocol Subject<Element>: EventStream, AnyObject {
    /// The sinks that the calls drive.
    var multicast: Multicast<Element> { get }
}

extension Subject {
    /// Sends an element to all sinks.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - time: Its event time.
    /// - Complexity: O(*s*) for *s* sinks, without allocation or lock.
    @inlinable
    public func send(_ element: Element, at time: Timestamp) {
        multicast.send(element, at: time)
    }

    /// Sends a watermark: no older element will follow.
    ///
    /// - Parameter watermark: One that is not after the last is ignored.
    @inlinable
    public func advance(to watermark: Timestamp) {
        multicast.advance(to: watermark)
    }

    /// Ends the stream; signals sent afterwards are ignored.
    ///
    /// - Parameter completion: Whether the stream ended or broke off. Only the first call counts.
    @inlinable
    public func finish(_ completion: Completion = .finished) {
        multicast.finish(completion)
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        multicast.attach(sink)
    }
}

extension Subject where Element: Event {
    /// Sends an event to all sinks.
    ///
    /// - Parameter event: The event.
    @inlinable
    public func send(_ event: Element) {
        multicast.send(event, at: event.timestamp)
    }
}

/// A subject without memory: a sink gets what is sent while it is attached.
///
///     let alarms = PassthroughSubject<Alarm>()
///     alarms.subscribe(ring)
///     alarms.send(alarm)
public final class PassthroughSubject<Element: Sendable>: Subject {
    public let multicast: Multicast<Element>

    /// Creates a subject without sinks.
    ///
    /// - Parameter capacity: How many signals may wait while another one is being handled; a power of two.
    public init(capacity: Int = 1024) {
        multicast = Multicast(capacity: capacity)
    }
}

/// A subject that has a value: a sink starts with the latest element.
///
///     let mode = CurrentValueSubject(Mode.idle, at: start)
///     mode.send(.running, at: now)
///     mode.value
///
/// A sink that comes after the completion gets that alone.
public final class CurrentValueSubject<Element: Sendable>: Subject {
    public let multicast: Multicast<Element>
    private let current: Latest<Element>

    /// Creates a subject without sinks.
    ///
    /// - Parameters:
    ///   - value: Its first value.
    ///   - time: The event time of that.
    ///   - capacity: How many signals may wait while another one is being handled; a power of two.
    public init(_ value: Element, at time: Timestamp, capacity: Int = 1024) {
        multicast = Multicast(replaying: .current(value, time), capacity: capacity)
        current = Latest(value)
        multicast.attach(LatestSink(latest: current))
    }

    /// The element that was sent last; after the completion too.
    public var value: Element { current.value.withLock { $0 } }
}

/// A subject that remembers its last elements: a sink starts with these, also after the completion.
///
///     let log = ReplaySubject<Line>(limit: 100)
public final class ReplaySubject<Element: Sendable>: Subject {
    public let multicast: Multicast<Element>

    /// Creates a subject without sinks.
    ///
    /// - Parameters:
    ///   - capacity: How many signals may wait while another one is being handled; a power of two.
    ///   - limit: How many elements to remember; positive. Older ones are forgotten.
    public init(capacity: Int = 1024, limit: Int = 1024) {
        multicast = Multicast(replaying: .last(limit), capacity: capacity)
    }
}

/// A subject that emits only its last element, and that at the completion; after a failure or an interruption none.
///
///     let result = LastValueSubject<Total>()
///
/// Watermarks do not pass: the element would be late.
public final class LastValueSubject<Element: Sendable>: Subject {
    public let multicast: Multicast<Element>

    /// Creates a subject without sinks.
    ///
    /// - Parameter capacity: How many signals may wait while another one is being handled; a power of two.
    public init(capacity: Int = 1024) {
        multicast = Multicast(replaying: .onlyLast, capacity: capacity)
    }
}

/// The element that was sent last.
private final class Latest<Element: Sendable>: Sendable {
    let value: Locked<Element>

    init(_ first: Element) {
        value = Locked(first)
    }
}

/// Notes each element.
private struct LatestSink<Input: Sendable>: Sink {
    let latest: Latest<Input>

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let element = copy element
        latest.value.withLock { $0 = element }
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {}

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        var value = latest.value.withLock { $0 }
        try state.begin("value")
        try state.exchange(&value)
        if state.isRestoring { latest.value.withLock { $0 = value } }
    }
}
