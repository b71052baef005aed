public import WeirCore

extension EventStream {
    /// Emits the elements of whichever of two streams is first.
    ///
    ///     north.race(with: south)
    ///
    /// The first stream that has an element, or ends, wins: its signals pass when they come, with their times. The other is
    /// detached then, whatever it does. Remembers which has won; before that, the watermarks, of which the winner's passes
    /// with its first element.
    ///
    /// - Parameter other: The other stream; it may run on another thread.
    /// - Returns: The elements of one of the streams.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func race<Other: EventStream>(with other: Other) -> Race<Self, Other> where Other.Element == Element {
        Race(self, other)
    }
}

extension Sequence where Element: EventStream {
    /// Emits the elements of whichever of the streams is first.
    ///
    ///     [north, south].race()
    ///
    /// Signals and memory are those of `race(with:)`. Streams behind one that emits or ends while it is being attached are
    /// not attached at all.
    ///
    /// - Returns: The elements of one of the streams; of no streams, a stream that finishes at once.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func race() -> RaceOfMany<Element> {
        RaceOfMany(Array(self))
    }
}

/// The elements of one of two streams; made by `race(with:)`.
@frozen
public struct Race<First: EventStream, Second: EventStream>: EventStream where First.Element == Second.Element {
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
        let inputs = (0..<2).map { _ in DeferredSubscription() }
        let junction = Junction(RaceState(inputs, sink), inputs: 1)
        inputs[0].set(first.attach(RaceSink(junction, 0)))
        if !inputs[1].isCancelled { inputs[1].set(second.attach(RaceSink(junction, 1))) }
        return junction.subscription(Subscription { for input in inputs { input.cancel() } })
    }
}

/// The elements of one of several streams; made by `race()`.
@frozen
public struct RaceOfMany<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let streams: [Upstream]

    @inlinable
    init(_ streams: [Upstream]) {
        self.streams = streams
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        guard !streams.isEmpty else {
            sink.finish(.finished)
            return Subscription()
        }
        let inputs = streams.map { _ in DeferredSubscription() }
        let junction = Junction(RaceState(inputs, sink), inputs: 1)
        for (index, stream) in streams.enumerated() where !inputs[index].isCancelled {
            inputs[index].set(stream.attach(RaceSink(junction, index)))
        }
        return junction.subscription(Subscription { for input in inputs { input.cancel() } })
    }
}

/// A signal of one of the streams of a race.
@frozen
@usableFromInline
enum RaceSignal<Value: Sendable>: Sendable {
    case element(Value, Int)
    case watermark(Int)
    case completion(Completion, Int)
}

/// Forwards the signals of the first stream that has any.
///
/// It gets the completions as signals: the failure of a stream that has lost must not end the others.
@frozen
@usableFromInline
struct RaceState<Downstream: Sink>: JunctionState {
    @usableFromInline let inputs: [DeferredSubscription]
    @usableFromInline var watermarks: [Timestamp]
    @usableFromInline var winner: Int?
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ inputs: [DeferredSubscription], _ downstream: consuming Downstream) {
        self.inputs = inputs
        watermarks = Array(repeating: .distantPast, count: inputs.count)
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: RaceSignal<Downstream.Input>, from _: Int, at time: Timestamp) {
        guard !isFinished else { return }
        switch signal {
        case .element(let element, let input):
            if winner == nil { win(input) }
            if winner == input { downstream.receive(element, at: time) }
        case .watermark(let input):
            if winner == input {
                downstream.advance(to: time)
            } else if winner == nil {
                watermarks[input] = max(watermarks[input], time)
            }
        case .completion(let completion, let input):
            if winner == nil { win(input) }
            if winner == input { finish(completion) }
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {}

    @usableFromInline
    mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        isFinished = true
        downstream.finish(completion)
        for input in inputs { input.cancel() }
    }

    @usableFromInline
    mutating func win(_ input: Int) {
        winner = input
        detachOthers()
        if watermarks[input] > .distantPast { downstream.advance(to: watermarks[input]) }
        watermarks = []
    }

    @usableFromInline
    func detachOthers() {
        for (index, input) in inputs.enumerated() where index != winner || isFinished { input.cancel() }
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("race")
        state.require(inputs.count)
        try state.exchange(&watermarks)
        try state.exchange(&winner)
        try state.exchange(&isFinished)
        if state.isRestoring, winner != nil || isFinished { detachOthers() }
        try downstream.exchangeState(&state)
    }
}

/// One of the streams of a race.
@frozen
@usableFromInline
struct RaceSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let junction: Junction<RaceState<Downstream>>
    @usableFromInline let index: Int

    @inlinable
    init(_ junction: Junction<RaceState<Downstream>>, _ index: Int) {
        self.junction = junction
        self.index = index
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        junction.receive(.element(copy element, index), from: 0, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        junction.receive(.watermark(index), from: 0, at: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        junction.receive(.completion(completion, index), from: 0, at: .distantFuture)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        var input = junction.input(0, RacePort())
        try input.exchangeState(&state)
    }
}

/// The port by which the state is saved.
private struct RacePort<Value: Sendable>: JunctionPort {
    func signal(_ element: borrowing Value) -> RaceSignal<Value> { .element(copy element, 0) }
}
