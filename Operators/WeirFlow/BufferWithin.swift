public import WeirCore

extension EventStream {
    /// Collects elements into arrays, until there are enough or time is up.
    ///
    ///     readings.buffer(100, within: .seconds(1))
    ///
    /// Emits an array when it has `count` elements, at the time of the youngest of them or the last watermark, whichever is
    /// later; or what there is when a watermark or an element is at least `duration` after the first of its elements, at that
    /// time. Then the next element begins another array; there are no empty ones. Elements that are older than the watermark
    /// go to ``BufferWithin/late``. Remembers the elements of one array. Watermarks pass. The completion emits what there is,
    /// at the time at which it would have been due; a failure or an interruption discards it.
    ///
    /// - Parameters:
    ///   - count: How many elements an array has at most; positive.
    ///   - duration: How long an array waits for more, in event time; positive.
    /// - Returns: The arrays, in the order of arrival.
    /// - Complexity: O(1) amortised per element, one allocation per array of up to 1,024 elements.
    @inlinable
    public func buffer(_ count: Int, within duration: Duration) -> BufferWithin<Self> {
        precondition(count > 0, "buffer: count must be positive, but is \(count)")
        return BufferWithin(self, count, Nanoseconds.positive(duration, "how long an array waits"))
    }
}

/// The elements of a stream in arrays that are full or for which time is up; made by `buffer(_:within:)`.
@frozen
public struct BufferWithin<Upstream: EventStream>: EventStream {
    public typealias Element = [Upstream.Element]

    /// The elements that were older than the watermark.
    public let late = SideOutput<Upstream.Element>()

    @usableFromInline let upstream: Upstream
    @usableFromInline let count: Int
    @usableFromInline let duration: Int64

    @inlinable
    init(_ upstream: Upstream, _ count: Int, _ duration: Int64) {
        self.upstream = upstream
        self.count = count
        self.duration = duration
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(BufferWithinSink(count, duration, late, sink))
    }
}

extension BufferWithin: GroupableStream where Upstream: GroupableStream {}

/// Collects elements until there are enough or time is up.
@frozen
@usableFromInline
struct BufferWithinSink<Input: Sendable, Downstream: Sink>: Sink where Downstream.Input == [Input] {
    @usableFromInline let count: Int
    @usableFromInline let duration: Int64
    @usableFromInline let late: SideOutput<Input>
    @usableFromInline var elements: [Input] = []
    @usableFromInline var youngest = Timestamp.distantPast
    // When time is up for the elements.
    @usableFromInline var end = Timestamp.distantPast
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ count: Int, _ duration: Int64, _ late: SideOutput<Input>, _ downstream: consuming Downstream) {
        self.count = count
        self.duration = duration
        self.late = late
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard time >= watermark else { return late.send(copy element, at: time) }
        if time >= end { emit(at: end) }
        if elements.isEmpty {
            elements.reserveCapacity(min(count, 1024))
            end = time.shifted(byNanoseconds: duration)
            youngest = time
        }
        elements.append(copy element)
        youngest = max(youngest, time)
        // More than that where the state is of a pipeline with a greater count.
        if elements.count >= count { emit(at: max(youngest, watermark)) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        self.watermark = max(self.watermark, watermark)
        if watermark >= end { emit(at: end) }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion { emit(at: end) }
        elements = []
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("buffer(within:)")
        try state.exchange(late)
        try state.exchange(&elements)
        try state.exchange(&youngest)
        try state.exchange(&end)
        try state.exchange(&watermark)
        try downstream.exchangeState(&state)
    }

    @inlinable
    mutating func emit(at time: Timestamp) {
        guard !elements.isEmpty else { return }
        let full = elements
        elements = []
        downstream.receive(full, at: time)
    }
}
