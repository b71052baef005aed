public import WeirCore

extension EventStream {
    /// Emits an element in place of none.
    ///
    ///     alarms.first().replaceEmpty(with: Alarm())
    ///
    /// Emits each element when it arrives, with its time; when the stream has finished without one, the replacement, at the
    /// time of the last watermark, or `time` if that is later. Remembers one time and whether there was an element.
    /// Watermarks pass; the completion passes after the replacement. A stream that broke off has no replacement.
    ///
    /// - Parameters:
    ///   - replacement: The element.
    ///   - time: Its earliest event time, for streams without watermarks.
    /// - Returns: The same elements, or the replacement.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func replaceEmpty(with replacement: Element, notBefore time: Timestamp = .distantPast) -> ReplaceEmpty<Self>
    {
        ReplaceEmpty(self, replacement, time)
    }
}

/// The elements of a stream, or another one if there are none; made by `replaceEmpty`.
@frozen
public struct ReplaceEmpty<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let replacement: Element
    @usableFromInline let time: Timestamp

    @inlinable
    init(_ upstream: Upstream, _ replacement: Element, _ time: Timestamp) {
        self.upstream = upstream
        self.replacement = replacement
        self.time = time
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(ReplaceEmptySink(replacement, time, sink))
    }
}

extension ReplaceEmpty: GroupableStream where Upstream: GroupableStream {}

/// Emits an element at the end if there was none.
@frozen
@usableFromInline
struct ReplaceEmptySink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let replacement: Input
    @usableFromInline var time: Timestamp
    @usableFromInline var isEmpty = true
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ replacement: Input, _ time: Timestamp, _ downstream: consuming Downstream) {
        self.replacement = replacement
        self.time = time
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        isEmpty = false
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        time = max(time, watermark)
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion, isEmpty { downstream.receive(replacement, at: time) }
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("replaceEmpty")
        try state.exchange(&time)
        try state.exchange(&isEmpty)
        try downstream.exchangeState(&state)
    }
}
