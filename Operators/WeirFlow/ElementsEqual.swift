public import WeirCore

extension EventStream where Element: Equatable {
    /// Tells whether another stream has the same elements in the same order.
    ///
    ///     live.elementsEqual(recorded, limit: 1000)
    ///
    /// Emits one value: `false` when two elements at one position differ, or when a stream has finished and the other has
    /// more; `true` when both have finished. It comes at the latest of the times of elements and watermarks so far; then it
    /// finishes, and detaches. Times are not compared. Remembers the elements of one stream that wait for those of the
    /// other, at most `limit`: then it fails with ``FlowError/overflow(limit:)``. Watermarks pass: the earlier one of the two
    /// streams. Ends when one fails or is interrupted.
    ///
    /// - Parameters:
    ///   - other: The other stream; it may run on another thread.
    ///   - limit: How many elements one stream may be ahead; positive.
    /// - Returns: One value.
    /// - Complexity: O(1) amortised per element.
    @inlinable
    public func elementsEqual<Other: EventStream>(_ other: Other, limit: Int = 1 << 20) -> ElementsEqual<Self, Other>
    where Other.Element == Element {
        precondition(limit > 0, "elementsEqual: limit must be positive, but is \(limit)")
        return ElementsEqual(self, other, limit)
    }
}

/// Whether two streams have the same elements; made by `elementsEqual`.
@frozen
public struct ElementsEqual<First: EventStream, Second: EventStream>: EventStream
where First.Element == Second.Element, First.Element: Equatable {
    public typealias Element = Bool

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
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Bool {
        let own = DeferredSubscription()
        let junction = Junction(ElementsEqualState<First.Element, S>(limit, own, sink), inputs: 2)
        return own.set(
            junction.subscription(
                first.attach(junction.input(0, PlainPort())),
                second.attach(junction.input(1, PlainPort()))
            )
        )
    }
}

/// Compares the elements of two inputs.
@frozen
@usableFromInline
struct ElementsEqualState<Compared: Equatable & Sendable, Downstream: Sink>: JunctionState
where Downstream.Input == Bool {
    @usableFromInline typealias Signal = Compared

    @usableFromInline let limit: Int
    @usableFromInline let own: DeferredSubscription
    // Of the input that is ahead.
    @usableFromInline var waiting = Deque<Compared>()
    @usableFromInline var ahead = 0
    @usableFromInline var finishedInput: Int?
    @usableFromInline var time = Timestamp.distantPast
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ limit: Int, _ own: DeferredSubscription, _ downstream: consuming Downstream) {
        self.limit = limit
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: Compared, from input: Int, at time: Timestamp) {
        guard !isFinished else { return }
        self.time = max(self.time, time)
        if waiting.isEmpty || input == ahead {
            if finishedInput != nil { return answer(false) }
            guard waiting.count < limit else { return finish(.failed(FlowError.overflow(limit: limit))) }
            ahead = input
            waiting.append(signal)
        } else if waiting.removeFirst() != signal {
            answer(false)
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard !isFinished else { return }
        time = max(time, watermark)
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finishInput(_ input: Int) -> Bool {
        guard !isFinished else { return true }
        if !waiting.isEmpty, input != ahead {
            answer(false)
        } else if finishedInput == nil {
            finishedInput = input
        } else {
            answer(waiting.isEmpty)
        }
        return isFinished
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        isFinished = true
        waiting.removeAll()
        downstream.finish(completion)
        own.cancel()
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("elementsEqual")
        try state.exchange(&waiting)
        try state.exchange(&ahead)
        try state.exchange(&finishedInput)
        try state.exchange(&time)
        try state.exchange(&isFinished)
        if state.isRestoring, isFinished { own.cancel() }
        try downstream.exchangeState(&state)
    }

    @inlinable
    mutating func answer(_ areEqual: Bool) {
        downstream.receive(areEqual, at: time)
        finish(.finished)
    }
}
