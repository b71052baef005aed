public import WeirCore

extension EventStream {
    /// Emits the elements that arrived last, when the stream has finished.
    ///
    ///     readings.takeLast(10)
    ///
    /// Emits up to `count` elements at the completion, in the order of arrival, with their own times; none if the stream
    /// broke off. Remembers these. Watermarks pass, but none that is later than the oldest element that it remembers, so
    /// that no element is late when it is emitted; the completion passes after the elements.
    ///
    /// - Parameter count: How many elements; positive.
    /// - Returns: The elements that arrived last.
    /// - Complexity: O(1) per element, without allocation once there are `count`; O(`count`) per watermark.
    @inlinable
    public func takeLast(_ count: Int) -> TakeLast<Self> {
        precondition(count > 0, "takeLast: count must be positive, but is \(count)")
        return TakeLast(self, count)
    }
}

/// The last elements of a stream; made by `takeLast`.
@frozen
public struct TakeLast<Upstream: EventStream>: EventStream {
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
        upstream.attach(TakeLastSink(count, sink))
    }
}

extension TakeLast: GroupableStream where Upstream: GroupableStream {}

/// Keeps the last elements for the completion.
@frozen
@usableFromInline
struct TakeLastSink<Downstream: Sink>: Sink {
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
        _ = last.add(copy element, time)
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
        if case .finished = completion { last.forEach { downstream.receive($0, at: $1) } }
        last.removeAll()
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("takeLast")
        try last.exchangeState(&state)
        try state.exchange(&sentWatermark)
        try downstream.exchangeState(&state)
    }
}

/// The elements that came last, and their times, in a ring.
@frozen
@usableFromInline
struct LastElements<Element: Sendable>: Sendable {
    @usableFromInline let limit: Int
    @usableFromInline var elements: [(element: Element, time: Timestamp)] = []
    // Once there are as many as may be.
    @usableFromInline var oldest = 0

    @inlinable
    init(_ limit: Int) {
        self.limit = limit
    }

    /// Adds an element, and returns the one that it takes the place of.
    @inlinable
    mutating func add(_ element: Element, _ time: Timestamp) -> (element: Element, time: Timestamp)? {
        guard elements.count == limit else {
            elements.append((element, time))
            return nil
        }
        let replaced = elements[oldest]
        elements[oldest] = (element, time)
        oldest = oldest + 1 == limit ? 0 : oldest + 1
        return replaced
    }

    /// The earliest of the times.
    @inlinable
    var earliest: Timestamp {
        var earliest = Timestamp.distantFuture
        for element in elements { earliest = min(earliest, element.time) }
        return earliest
    }

    @inlinable
    func forEach(_ body: (Element, Timestamp) -> Void) {
        for index in elements.indices {
            let position = oldest + index
            let element = elements[position < elements.count ? position : position - elements.count]
            body(element.element, element.time)
        }
    }

    @inlinable
    mutating func removeAll() {
        elements = []
        oldest = 0
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        state.require(limit)
        try state.exchange(&elements)
        try state.exchange(&oldest)
        if state.isRestoring, oldest != 0, elements.count != limit || !elements.indices.contains(oldest) {
            throw .damaged("the oldest of \(elements.count) elements is not at \(oldest)", offset: 0)
        }
    }
}
