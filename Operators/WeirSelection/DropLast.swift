public import WeirCore

extension EventStream {
    /// Leaves out the elements that arrive last.
    ///
    ///     lines.dropLast(1)  // all but the footer
    ///
    /// Emits an element when `count` further ones have arrived, with its own time. Remembers `count` elements, which are
    /// given up at the completion. Watermarks pass, but none that is later than the oldest element that it remembers, so
    /// that no element is late when it is emitted; the completion passes.
    ///
    /// - Parameter count: How many elements, in the order of arrival; positive.
    /// - Returns: All elements but the last ones.
    /// - Complexity: O(1) per element, without allocation once there were `count`; O(`count`) per watermark.
    @inlinable
    public func dropLast(_ count: Int = 1) -> DropLast<Self> {
        precondition(count > 0, "dropLast: count must be positive, but is \(count)")
        return DropLast(self, count)
    }
}

/// The elements of a stream without the last ones; made by `dropLast`.
@frozen
public struct DropLast<Upstream: EventStream>: EventStream {
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
        upstream.attach(DropLastSink(count, sink))
    }
}

extension DropLast: GroupableStream where Upstream: GroupableStream {}

/// Holds elements back until others have followed.
@frozen
@usableFromInline
struct DropLastSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline var last: LastElements<Input>
    @usableFromInline var sentWatermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ count: Int, _ downstream: consuming Downstream) {
        last = LastElements(count)
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if let (element, time) = last.add(copy element, time) { downstream.receive(element, at: time) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        let safe = min(watermark, last.earliest)
        guard safe > sentWatermark else { return }
        sentWatermark = safe
        downstream.advance(to: safe)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        last.removeAll()
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("dropLast")
        try last.exchangeState(&state)
        try state.exchange(&sentWatermark)
        try downstream.exchangeState(&state)
    }
}
