public import WeirCore

extension EventStream {
    /// Drops the first elements.
    ///
    ///     readings.drop(3)
    ///
    /// Emits every later element when it arrives, with its time. Remembers how many are still to be dropped. Watermarks
    /// and the completion pass.
    ///
    /// - Parameter count: How many elements, in the order of arrival; not negative.
    /// - Returns: The elements after them.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func drop(_ count: Int) -> Drop<Self> {
        precondition(count >= 0, "drop: count must not be negative, but is \(count)")
        return Drop(self, count)
    }
}

/// The elements of a stream after its first ones; made by `drop(_:)`.
@frozen
public struct Drop<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let count: Int

    @inlinable
    init(_ upstream: Upstream, _ count: Int) {
        self.upstream = upstream
        self.count = count
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(DropSink(count, sink))
    }
}

extension Drop: GroupableStream where Upstream: GroupableStream {}

/// Forwards the elements after the first ones.
@frozen
@usableFromInline
struct DropSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline var unwanted: Int
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ unwanted: Int, _ downstream: consuming Downstream) {
        self.unwanted = unwanted
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if unwanted > 0 {
            unwanted -= 1
        } else {
            downstream.receive(element, at: time)
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("drop")
        try state.exchange(&unwanted)
        try downstream.exchangeState(&state)
    }
}
