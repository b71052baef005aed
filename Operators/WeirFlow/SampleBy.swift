public import WeirCore

extension EventStream {
    /// Emits the latest element whenever another stream has one.
    ///
    ///     readings.sample(by: Ticks(every: .seconds(1), on: scheduler))
    ///
    /// Emits the element that arrived last since the other stream had its last one, at the later of the two times; nothing
    /// if none has arrived. Remembers one element. Watermarks pass: the earlier one of the two streams. Finishes when either
    /// stream has, after the element that waits, at its own time or that of the last watermark; ends when one fails or is
    /// interrupted, which discards it.
    ///
    /// - Parameter other: The stream that says when; it may run on another thread.
    /// - Returns: At most one element for each of the other stream.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func sample<Other: EventStream>(by other: Other) -> SampleBy<Self, Other> {
        SampleBy(self, other)
    }

    /// Collects elements into an array until another stream has one.
    ///
    ///     readings.buffer(by: buttons, limit: 1000)
    ///
    /// Emits what has arrived since the other stream had its last element, in the order of arrival, at the time of the
    /// youngest or of the other stream's element, whichever is later; nothing if none has arrived. Remembers these, at most
    /// `limit`; further ones go to ``BufferBy/refused``. Watermarks pass: the earlier one of the two streams. Finishes when
    /// either stream has, after what waits, at the time of the youngest or of the last watermark; ends when one fails or is
    /// interrupted, which discards it.
    ///
    /// - Parameters:
    ///   - other: The stream that says when; it may run on another thread.
    ///   - limit: How many elements to remember; positive.
    /// - Returns: An array for each element of the other stream before which elements have arrived.
    /// - Complexity: O(1) amortised per element, one allocation per array.
    @inlinable
    public func buffer<Other: EventStream>(by other: Other, limit: Int = 1 << 20) -> BufferBy<Self, Other> {
        precondition(limit > 0, "buffer: limit must be positive, but is \(limit)")
        return BufferBy(self, other, limit)
    }
}

/// The latest elements at the elements of another stream; made by `sample(by:)`.
@frozen
public struct SampleBy<First: EventStream, Second: EventStream>: EventStream {
    public typealias Element = First.Element

    @usableFromInline let first: First
    @usableFromInline let second: Second

    @inlinable
    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let junction = Junction(SampleByState<Second.Element, S>(sink), inputs: 2)
        return junction.subscription(
            first.attach(junction.input(0, LeftPort())),
            second.attach(junction.input(1, RightPort()))
        )
    }
}

/// The elements between those of another stream, in arrays; made by `buffer(by:)`.
@frozen
public struct BufferBy<First: EventStream, Second: EventStream>: EventStream {
    public typealias Element = [First.Element]

    /// The elements that the limit left no room for.
    public let refused = SideOutput<First.Element>()

    @usableFromInline let first: First
    @usableFromInline let second: Second
    @usableFromInline let limit: Int

    @inlinable
    init(_ first: First, _ second: Second, _ limit: Int) {
        self.first = first
        self.second = second
        self.limit = limit
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let state = BufferByState<First.Element, Second.Element, S>(limit, refused, sink)
        let junction = Junction(state, inputs: 2)
        return junction.subscription(
            first.attach(junction.input(0, LeftPort())),
            second.attach(junction.input(1, RightPort()))
        )
    }
}

/// Remembers the latest element of the first input until the second has one.
@frozen
@usableFromInline
struct SampleByState<Right: Sendable, Downstream: Sink>: JunctionState {
    @usableFromInline typealias Signal = Either<Downstream.Input, Right>

    @usableFromInline var held: Downstream.Input?
    @usableFromInline var time = Timestamp.distantPast
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ downstream: consuming Downstream) {
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: Signal, from input: Int, at time: Timestamp) {
        switch signal {
        case .first(let element):
            held = element
            self.time = time
        case .second: emit(at: time)
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        self.watermark = watermark
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finishInput(_ input: Int) -> Bool { true }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion { emit(at: watermark) }
        held = nil
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("sample(by:)")
        try state.exchange(&held)
        try state.exchange(&time)
        try state.exchange(&watermark)
        try downstream.exchangeState(&state)
    }

    @inlinable
    mutating func emit(at time: Timestamp) {
        if let element = held.take() { downstream.receive(element, at: max(self.time, time)) }
    }
}

/// Remembers the elements of the first input until the second has one.
@frozen
@usableFromInline
struct BufferByState<Left: Sendable, Right: Sendable, Downstream: Sink>: JunctionState
where Downstream.Input == [Left] {
    @usableFromInline typealias Signal = Either<Left, Right>

    @usableFromInline let limit: Int
    @usableFromInline let refused: SideOutput<Left>
    @usableFromInline var elements: [Left] = []
    @usableFromInline var youngest = Timestamp.distantPast
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ limit: Int, _ refused: SideOutput<Left>, _ downstream: consuming Downstream) {
        self.limit = limit
        self.refused = refused
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: Signal, from input: Int, at time: Timestamp) {
        switch signal {
        case .first(let element):
            guard elements.count < limit else { return refused.send(element, at: time) }
            youngest = elements.isEmpty ? time : max(youngest, time)
            elements.append(element)
        case .second: emit(at: time)
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        self.watermark = watermark
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finishInput(_ input: Int) -> Bool { true }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion { emit(at: watermark) }
        elements = []
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("buffer(by:)")
        try state.exchange(refused)
        try state.exchange(&elements)
        try state.exchange(&youngest)
        try state.exchange(&watermark)
        try downstream.exchangeState(&state)
    }

    @inlinable
    mutating func emit(at time: Timestamp) {
        guard !elements.isEmpty else { return }
        let full = elements
        elements = []
        downstream.receive(full, at: max(youngest, time))
    }
}
