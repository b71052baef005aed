public import WeirCore

/// Elements that are known beforehand, with their event times.
///
///     Values(of: [Reading(timestamp: start, celsius: 21), Reading(timestamp: now, celsius: 22)])
///     Values([(1, start), (2, start + .seconds(1))])
///
/// Each sink gets, while it is being attached and on the thread that attaches it, all elements in order and then the
/// completion. Sends no watermarks. Remembers the elements; each sink starts with the first.
///
/// - Complexity: O(1) per element, without allocation.
@frozen
public struct Values<Element: Sendable>: EventStream {
    @usableFromInline let elements: [(element: Element, time: Timestamp)]

    /// Creates a stream of elements and their times.
    ///
    /// - Parameter elements: The elements with their event times, in the order to emit them in.
    @inlinable
    public init(_ elements: some Sequence<(Element, Timestamp)>) {
        self.elements = elements.map { (element: $0.0, time: $0.1) }
    }

    /// Creates a stream of the elements of a sequence.
    ///
    /// - Parameters:
    ///   - elements: The elements, in the order to emit them in; the sequence must be finite.
    ///   - time: The event time of an element.
    @inlinable
    public init(_ elements: some Sequence<Element>, at time: (Element) -> Timestamp) {
        self.elements = elements.map { (element: $0, time: time($0)) }
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        for (element, time) in elements { sink.receive(element, at: time) }
        sink.finish(.finished)
        return Subscription()
    }
}

extension Values where Element: Event {
    /// Creates a stream of events.
    ///
    /// - Parameter events: The events, in the order to emit them in; the sequence must be finite.
    @inlinable
    public init(of events: some Sequence<Element>) {
        self.init(events) { $0.timestamp }
    }
}
