internal import Synchronization
public import WeirCore

/// An inner stream of a `flatMap`: where it is kept, and which one it is of those that had the place.
@frozen
@usableFromInline
struct InnerPlace: Sendable, Equatable {
    @usableFromInline let slot: Int
    @usableFromInline let number: UInt64

    @inlinable
    init(_ slot: Int, _ number: UInt64) {
        self.slot = slot
        self.number = number
    }
}

/// What reaches the state of a `flatMap`: the signals of the outer stream and of all inner streams.
@frozen
@usableFromInline
enum FlatMapSignal<Outer: Sendable, Value: Sendable>: Sendable {
    case outer(Outer)
    case outerWatermark
    case outerIdleness(Bool)
    case outerCompletion(Completion)
    case value(Value, InnerPlace)
    case watermark(InnerPlace)
    case idleness(Bool, InnerPlace)
    case completion(Completion, InnerPlace)
}

/// The inner streams that are to be attached, and the subscriptions of those that are.
///
/// They are attached outside of the junction: a stream that emits while it is being attached would fill the ring of signals
/// that wait. One is attached at a time, and those that end meanwhile take no room on the stack.
@usableFromInline
final class InnerStarts<Outer: Sendable>: Sendable {
    @usableFromInline
    struct Start: Sendable {
        let element: Outer
        let place: InnerPlace
        let own: DeferredSubscription
    }

    private struct State: Sendable {
        var waiting = Deque<Start>()
        var isStarting = false
        // The outer one has the number 0.
        var attached: [UInt64: DeferredSubscription] = [:]
        var isOver = false
    }

    private let state = Locked(State())
    private let count = Atomic<Int>(0)

    @usableFromInline
    init() {
        SinkTemplate.requireNotTemplate()
    }

    /// Whether a stream waits to be attached.
    @usableFromInline
    var isNeeded: Bool { count.load(ordering: .relaxed) > 0 }

    @usableFromInline
    func add(outer own: DeferredSubscription) {
        state.withLock { $0.attached[0] = own }
    }

    @usableFromInline
    func add(_ element: Outer, _ place: InnerPlace) {
        let own = DeferredSubscription()
        state.withLock { state in
            guard !state.isOver else { return }
            state.attached[place.number] = own
            state.waiting.append(Start(element: element, place: place, own: own))
            count.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// The stream to attach next, unless one is being attached; ``didStart()`` follows.
    @usableFromInline
    func next() -> Start? {
        state.withLock { state in
            guard !state.isStarting, let start = state.waiting.popFirst() else { return nil }
            state.isStarting = true
            count.wrappingSubtract(1, ordering: .relaxed)
            return start
        }
    }

    @usableFromInline
    func didStart() {
        state.withLock { $0.isStarting = false }
    }

    /// Forgets a stream that has finished, or detaches one that has not.
    @usableFromInline
    func cancel(_ number: UInt64) {
        state.withLock { $0.attached.removeValue(forKey: number) }?.cancel()
    }

    /// Detaches all streams.
    @usableFromInline
    func cancelAll() {
        let all = state.withLock { state in
            state.isOver = true
            state.waiting.removeAll()
            count.store(0, ordering: .relaxed)
            defer { state.attached = [:] }
            return state.attached.sorted { $0.key < $1.key }.map(\.value)
        }
        for own in all { own.cancel() }
    }
}

/// What the sinks of a `flatMap` refer to.
@usableFromInline
final class FlatMapCore<Outer: Sendable, Inner: EventStream, Downstream: Sink>: Sendable
where Inner.Element == Downstream.Input {
    @usableFromInline let junction: Junction<FlatMapState<Outer, Downstream>>
    @usableFromInline let starts: InnerStarts<Outer>
    private let transform: @Sendable (Outer) -> Inner

    @usableFromInline
    init(
        _ junction: Junction<FlatMapState<Outer, Downstream>>,
        _ starts: InnerStarts<Outer>,
        _ transform: @escaping @Sendable (Outer) -> Inner
    ) {
        self.junction = junction
        self.starts = starts
        self.transform = transform
    }

    @inlinable
    func send(_ signal: FlatMapSignal<Outer, Downstream.Input>, at time: Timestamp) {
        junction.receive(signal, from: 0, at: time)
        if starts.isNeeded { start() }
    }

    /// Attaches the streams that are due, unless this thread is inside the junction: then it does when it leaves.
    @usableFromInline
    func start() {
        guard !junction.isInside else { return }
        while let start = starts.next() {
            if !start.own.isCancelled {
                start.own.set(transform(start.element).attach(InnerSink(self, start.place)))
            }
            starts.didStart()
        }
    }
}

/// Hands the signals of the outer stream on.
@frozen
@usableFromInline
struct FlatMapSink<Outer: Sendable, Inner: EventStream, Downstream: Sink>: IdleAwareSink
where Inner.Element == Downstream.Input {
    @usableFromInline typealias Input = Outer

    @usableFromInline let core: FlatMapCore<Outer, Inner, Downstream>

    @inlinable
    init(_ core: FlatMapCore<Outer, Inner, Downstream>) {
        self.core = core
    }

    @inlinable
    mutating func receive(_ element: borrowing Outer, at time: Timestamp) {
        core.send(.outer(copy element), at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        core.send(.outerWatermark, at: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        core.send(.outerCompletion(completion), at: .distantFuture)
    }

    @usableFromInline
    package mutating func setIdle(_ isIdle: Bool) {
        core.send(.outerIdleness(isIdle), at: .distantPast)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        var input = core.junction.input(0, FlatMapPort())
        try input.exchangeState(&state)
    }
}

/// The port by which the state is saved.
private struct FlatMapPort<Outer: Sendable, Value: Sendable>: JunctionPort {
    func signal(_ element: borrowing Outer) -> FlatMapSignal<Outer, Value> { .outer(copy element) }
}

/// Hands the signals of an inner stream on.
@frozen
@usableFromInline
struct InnerSink<Outer: Sendable, Inner: EventStream, Downstream: Sink>: IdleAwareSink
where Inner.Element == Downstream.Input {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let core: FlatMapCore<Outer, Inner, Downstream>
    @usableFromInline let place: InnerPlace

    @inlinable
    init(_ core: FlatMapCore<Outer, Inner, Downstream>, _ place: InnerPlace) {
        self.core = core
        self.place = place
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        core.send(.value(copy element, place), at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        core.send(.watermark(place), at: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        core.send(.completion(completion, place), at: .distantFuture)
    }

    @usableFromInline
    package mutating func setIdle(_ isIdle: Bool) {
        core.send(.idleness(isIdle, place), at: .distantPast)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        throw .unsaveable(operator: "an inner stream of flatMap")
    }
}
