public import WeirCore

extension EventStream {
    /// Collects a number of elements into arrays.
    ///
    ///     readings.buffer(100)
    ///
    /// Emits an array of `count` elements, in the order of arrival, with the last one of them, at the time of the
    /// youngest, or the last watermark if that is later. Remembers the elements of one array. Watermarks pass; the
    /// completion emits the elements that are left, a failure or an interruption discards them.
    ///
    /// - Parameter count: How many elements an array has; positive.
    /// - Returns: The arrays.
    /// - Complexity: O(1) amortised per element, one allocation per array of up to 1,024 elements.
    @inlinable
    public func buffer(_ count: Int) -> Buffer<Self> {
        precondition(count > 0, "buffer: count must be positive, but is \(count)")
        return Buffer(self, count)
    }
}

/// The elements of a stream in arrays of a given size; made by `buffer(_:)`.
@frozen
public struct Buffer<Upstream: EventStream>: EventStream {
    public typealias Element = [Upstream.Element]

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
        upstream.attach(BufferSink(count, sink))
    }
}

extension Buffer: GroupableStream where Upstream: GroupableStream {}

/// Collects elements into arrays.
@frozen
@usableFromInline
struct BufferSink<Input: Sendable, Downstream: Sink>: Sink where Downstream.Input == [Input] {
    @usableFromInline let count: Int
    @usableFromInline var elements: [Input] = []
    @usableFromInline var youngest = Timestamp.distantPast
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ count: Int, _ downstream: consuming Downstream) {
        self.count = count
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        // Not the whole count, which can be an upper bound that is never reached.
        if elements.isEmpty { elements.reserveCapacity(min(count, 1024)) }
        elements.append(copy element)
        youngest = max(youngest, time)
        // More than that where the state is of a pipeline with a greater count.
        if elements.count >= count { emit() }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        self.watermark = watermark
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion, !elements.isEmpty { emit() }
        elements = []
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("buffer")
        try state.exchange(&elements)
        try state.exchange(&youngest)
        try state.exchange(&watermark)
        try downstream.exchangeState(&state)
    }

    @inlinable
    mutating func emit() {
        let full = elements
        elements = []
        downstream.receive(full, at: max(youngest, watermark))
        youngest = .distantPast
    }
}
