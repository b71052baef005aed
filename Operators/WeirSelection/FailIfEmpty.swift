public import WeirCore

/// Why an operator of this module ends a stream.
public enum SelectionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stream finished without an element.
    case noElement

    public var description: String {
        switch self {
        case .noElement: "the stream has ended without an element"
        }
    }
}

extension EventStream {
    /// Fails when the stream finishes without an element.
    ///
    ///     laps.element(at: 2).failIfEmpty()
    ///     readings.first { $0.celsius > 30 }.failIfEmpty()
    ///
    /// Emits each element when it arrives, with its time. Fails with ``SelectionError/noElement`` instead of finishing if
    /// there was none. Remembers whether there was one. Watermarks pass, and so do the completion after an element and
    /// failures.
    ///
    /// - Returns: The same elements, at least one of them.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func failIfEmpty() -> FailIfEmpty<Self> {
        FailIfEmpty(self)
    }
}

/// The elements of a stream that must have one; made by `failIfEmpty`.
@frozen
public struct FailIfEmpty<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream

    @inlinable
    init(_ upstream: Upstream) {
        self.upstream = upstream
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(FailIfEmptySink(sink))
    }
}

extension FailIfEmpty: GroupableStream where Upstream: GroupableStream {}

/// Forwards the elements, and fails at the end if there was none.
@frozen
@usableFromInline
struct FailIfEmptySink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline var isEmpty = true
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ downstream: consuming Downstream) {
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        isEmpty = false
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion, isEmpty {
            downstream.finish(.failed(SelectionError.noElement))
        } else {
            downstream.finish(completion)
        }
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("failIfEmpty")
        try state.exchange(&isEmpty)
        try downstream.exchangeState(&state)
    }
}
