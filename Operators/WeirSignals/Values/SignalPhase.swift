public import WeirCore

/// A value that changes until it ends: the element of a signal that can finish or fail.
///
///     @MainActor func follow(_ readings: EventChannel<Reading>, _ zero: Reading) {
///         let phase = readings.phases(initial: zero)
///         let text = phase.map { phase in
///             switch phase.completion {
///             case nil: "\(phase.value.celsius) °C"
///             case .failed(let error): "\(phase.value.celsius) °C, then \(error)"
///             case .finished, .interrupted: "\(phase.value.celsius) °C at the end"
///             }
///         }
///     }
///
/// What is derived from it sees the end as a change, with the last value. An expression that can fail by itself needs no
/// phases: `Signal { Result { try parse(line()) } }` holds the error.
public struct SignalPhase<Value> {
    /// The present value, or the last one.
    public var value: Value

    /// How it ended; `nil` as long as it may change.
    public var completion: Completion?

    /// Creates a phase.
    ///
    /// - Parameters:
    ///   - value: The present value.
    ///   - completion: How it ended; `nil` as long as it may change.
    public init(_ value: Value, _ completion: Completion? = nil) {
        self.value = value
        self.completion = completion
    }
}

extension SignalPhase: Sendable where Value: Sendable {}

extension EventStream {
    /// The latest element and the completion, as a signal of the calling actor.
    ///
    /// As `signal(initial:)`, which keeps its value after the completion and says nothing of it: elements arrive on the thread
    /// that publishes them; the signal is set on the actor, soon after, to the newest one. The completion is never left out,
    /// and comes with the last element.
    ///
    /// - Parameters:
    ///   - initial: The value before the first element.
    ///   - isolation: The actor; the one that calls.
    /// - Returns: The signal.
    public func phases(
        initial: Element,
        isolation: isolated any Actor = #isolation
    ) -> Signal<SignalPhase<Element>> {
        let signal = MutableSignal(SignalPhase(initial))
        let (phases, continuation) = AsyncStream.makeStream(
            of: SignalPhase<Element>.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let subscription = attach(PhaseSink(value: initial, continuation: continuation))
        continuation.onTermination = { _ in subscription.cancel() }
        signal.follow(phases, isolation)
        return signal
    }
}

/// Passes the newest phase on.
private struct PhaseSink<Input: Sendable>: Sink {
    var value: Input
    let continuation: AsyncStream<SignalPhase<Input>>.Continuation

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        value = copy element
        continuation.yield(SignalPhase(value))
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {
        continuation.yield(SignalPhase(value, completion))
        continuation.finish()
    }

    // The signal is saved by its owner; a completion that comes next has the last value here.
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("phases")
        try state.exchange(&value)
    }
}

extension Signal {
    /// The changes of a signal that can end, as a stream that ends with it.
    ///
    /// A sink gets the value after each cycle that has changed it, as from ``changes``, and the completion with the cycle in
    /// which that comes; a value that comes with it is sent before. What is set afterwards is ignored. The stream also finishes
    /// when the signal is released. Each call makes a stream, which stays as long as the signal; of a signal that has
    /// ended, one that has only the completion.
    ///
    /// - Parameter clock: The clock that gives the elements their times.
    /// - Returns: The stream.
    public final func changesUntilEnd<Element: Sendable & Equatable>(
        stampedBy clock: EventClock = EventClock()
    ) -> SignalChanges<Element> where Value == SignalPhase<Element> {
        let changes = SignalChanges<Element>()
        let (cell, multicast) = (cell, changes.multicast)
        if let completion = cell.value.completion {
            multicast.finish(completion)
            return changes
        }
        var (last, isOver) = (cell.value.value, false)
        node.audience.addFollower(
            SignalAudience.Follower(
                tell: {
                    let phase = cell.value
                    if phase.value != last { multicast.send(phase.value, at: clock.now()) }
                    last = phase.value
                    guard let completion = phase.completion else { return }
                    isOver = true
                    multicast.finish(completion)
                },
                isOver: { isOver },
                end: { multicast.finish() }
            )
        )
        return changes
    }
}
