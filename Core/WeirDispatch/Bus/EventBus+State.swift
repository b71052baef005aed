internal import CWeir
internal import Synchronization
public import WeirCore

extension EventBus {
    /// Saves the state of everything that is attached to the bus's channels, at one moment for all.
    ///
    ///     let bus = EventBus()
    ///     let checkpoint = try bus.checkpoint()
    ///
    ///     // In another process, after the same streams and handlers were attached to a bus:
    ///     try bus.restore(checkpoint)
    ///
    /// The moment is one at which nothing is on its way: the processors and pools that were made with the bus, or listen
    /// through it, first handle all that is pending in their mailboxes, of all priorities, and what their handlers publish;
    /// then their threads stand still until the state is saved. Elements on their way to `receive(on:)` and at work in
    /// `mapAsync` are part of the state.
    ///
    /// Stop what publishes from elsewhere. Where an event comes in between all the same, the state is saved anew, as long as
    /// there is time; so there is no checkpoint inside a listener that runs on the publisher's thread. Listeners have no
    /// state, and what waits for asynchronous ones is theirs; channels that never had a sink are left out.
    ///
    /// - Parameter limit: How long to wait for a moment at which all is at rest.
    /// - Returns: The state, to be given to ``restore(_:droppingMismatches:)`` of a bus with the same streams.
    /// - Throws: `StateError`: `unsettled` when there was no such moment; when an operator or a type cannot be saved; or on
    ///   the thread of one of the processors.
    /// - Complexity: O(*n*) for *n* bytes of state, beside what is pending.
    public func checkpoint(within limit: Duration = .seconds(10)) throws(StateError) -> Checkpoint {
        try atRest(within: limit) { () throws(StateError) in
            try Checkpoint { state throws(StateError) in try exchangeState(&state) }
        }
    }

    /// Gives what is attached to the bus's channels the state that was saved.
    ///
    /// Nothing may be published meanwhile. The streams have to be attached anew, those of each channel in the same order.
    ///
    /// - Parameters:
    ///   - checkpoint: What ``checkpoint(within:)`` returned.
    ///   - drops: Whether what does not fit is dropped; otherwise it is an error, and nothing is restored.
    /// - Returns: What fitted, and what did not.
    /// - Throws: `StateError`. After others than `mismatch` the sinks may have a part of the state: do not use the bus any
    ///   more.
    @discardableResult
    public func restore(
        _ checkpoint: Checkpoint,
        droppingMismatches drops: Bool = false
    ) throws(StateError) -> RestoreReport {
        try checkpoint.restore(droppingMismatches: drops) { state throws(StateError) in try exchangeState(&state) }
    }

    /// Saves or restores the channels and everything that is attached to them, as a part of a checkpoint of several.
    ///
    /// It does not wait for processors; ``checkpoint(within:)`` does.
    ///
    /// - Parameter state: Takes the fields, and says what goes on.
    /// - Throws: `StateError`.
    public func exchangeState(_ state: inout StateExchange) throws(StateError) {
        // By name: in which order they were first asked for may depend on the order of events.
        let named = channels.filter(\.hasState).map { (name: StateExchange.name(of: $0.eventType), channel: $0) }
        try state.scoped("scheduler") { state throws(StateError) in try scheduler.exchangeState(&state) }
        for (name, channel) in named.sorted(by: { $0.name < $1.name }) {
            try state.scoped("channel \(name)") { state throws(StateError) in try channel.exchangeState(&state) }
        }
    }

    /// Calls `body` at a moment at which nothing is pending or being handled, again until nothing has happened meanwhile.
    private func atRest<Result>(
        within limit: Duration,
        _ body: () throws(StateError) -> Result
    ) throws(StateError) -> Result {
        let (deadline, isBeyond) = cweir_clock_monotonic().addingReportingOverflow(limit.wholeNanoseconds)
        let end = Timestamp(nanosecondsSinceEpoch: isBeyond ? .max : deadline)
        var round: UInt32 = 0
        repeat {
            let cores = handlers
            if let own = cores.first(where: \.isCurrent) { throw .busy("the processor '\(own.name)'") }
            // Where a lot is pending, a pause for each event would take long.
            while cores.contains(where: { $0.load > 0 }), cweir_clock_monotonic() < end.nanosecondsSinceEpoch {
                cweir_thread_back_off(round)
                round &+= 1
            }
            let pause = ProcessorPause(of: cores)
            defer { pause.end() }
            if pause.hasBegun(by: end), cores.allSatisfy(\.isAtRest), let before = activity(of: cores) {
                let result = try body()
                if cores.allSatisfy(\.isAtRest), activity(of: cores) == before { return result }
            }
            cweir_thread_back_off(round)
            round &+= 1
        } while cweir_clock_monotonic() < end.nanosecondsSinceEpoch
        throw .unsettled("the bus")
    }

    /// What has happened, in numbers that differ as soon as something more has; `nil` while a publisher is at work.
    private func activity(of cores: [ProcessorCore]) -> [UInt64]? {
        var counts = cores.flatMap { core -> [UInt64] in
            [core.handledCount.load(ordering: .relaxed), core.workCount.load(ordering: .relaxed)]
        }
        for channel in channels {
            guard let activity = channel.activity else { return nil }
            counts += activity
        }
        return counts
    }
}
