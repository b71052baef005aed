public import WeirCore

extension EventStream {
    /// Emits all elements in one array at the end, in an order.
    ///
    ///     readings.sorted(limit: 10_000) { $0.celsius > $1.celsius }
    ///
    /// Emits the array when the stream has finished, at the time of the youngest element or the last watermark, whichever is
    /// later; elements that are equal in the order stay in the order of arrival. Nothing when the stream broke off. Remembers
    /// the first `limit` elements; the others go to ``Sorted/refused``. Watermarks pass, the completion after the array.
    ///
    /// - Parameters:
    ///   - limit: How many elements to remember; positive.
    ///   - isBefore: Whether an element comes before another; a strict order.
    /// - Returns: A stream of one array.
    /// - Complexity: O(1) amortised per element, O(*n* log *n*) at the end.
    @inlinable
    public func sorted(
        limit: Int = 1 << 20,
        by isBefore: @escaping @Sendable (Element, Element) -> Bool
    ) -> Sorted<Self> {
        precondition(limit > 0, "sorted: limit must be positive, but is \(limit)")
        return Sorted(self, limit, isBefore)
    }
}

extension EventStream where Element: Comparable {
    /// Emits all elements in one array at the end, in ascending order.
    ///
    ///     readings.map { $0.celsius }.sorted(limit: 10_000)
    ///
    /// As `sorted(limit:by:)` with `<`.
    ///
    /// - Parameter limit: How many elements to remember; positive.
    /// - Returns: A stream of one array.
    /// - Complexity: O(1) amortised per element, O(*n* log *n*) at the end.
    @inlinable
    public func sorted(limit: Int = 1 << 20) -> Sorted<Self> {
        sorted(limit: limit) { $0 < $1 }
    }
}

/// All elements of a stream in one array in an order; made by `sorted`.
@frozen
public struct Sorted<Upstream: EventStream>: EventStream {
    public typealias Element = [Upstream.Element]

    /// The elements that the limit left no room for.
    public let refused = SideOutput<Upstream.Element>()

    @usableFromInline let upstream: Upstream
    @usableFromInline let limit: Int
    @usableFromInline let isBefore: @Sendable (Upstream.Element, Upstream.Element) -> Bool

    @inlinable
    init(
        _ upstream: Upstream,
        _ limit: Int,
        _ isBefore: @escaping @Sendable (Upstream.Element, Upstream.Element) -> Bool
    ) {
        self.upstream = upstream
        self.limit = limit
        self.isBefore = isBefore
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(CollectSink(limit, refused, SortSink(isBefore, sink)))
    }
}

extension Sorted: GroupableStream where Upstream: GroupableStream {}

/// Sorts arrays.
@frozen
@usableFromInline
struct SortSink<Value: Sendable, Downstream: Sink>: Sink where Downstream.Input == [Value] {
    @usableFromInline let isBefore: @Sendable (Value, Value) -> Bool
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ isBefore: @escaping @Sendable (Value, Value) -> Bool, _ downstream: consuming Downstream) {
        self.isBefore = isBefore
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing [Value], at time: Timestamp) {
        // The sort of the standard library keeps the order of equal elements, but does not promise it.
        let sorted = (copy element).enumerated().sorted { left, right in
            if isBefore(left.element, right.element) { return true }
            return !isBefore(right.element, left.element) && left.offset < right.offset
        }
        downstream.receive(sorted.map(\.element), at: time)
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
        try downstream.exchangeState(&state)
    }
}
