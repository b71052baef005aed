internal import CWeir
internal import Synchronization

extension EventChannel {
    /// Saves the state of everything that is attached to the channel.
    ///
    ///     let checkpoint = try readings.checkpoint()
    ///
    /// It is the state between two events: the events that wait are handled first. Where the channel meets others, in a join
    /// for example, no other thread may publish there meanwhile. Listeners have no state.
    ///
    /// - Returns: The state, to be given to ``restore(_:droppingMismatches:)`` of the same pipeline, attached anew.
    /// - Throws: ``StateError``: when an operator or a type cannot be saved, or inside a sink of the channel.
    /// - Complexity: O(*n*) for *n* bytes of state; publishers wait or leave their events in the ring.
    public func checkpoint() throws(StateError) -> Checkpoint {
        try Checkpoint { state throws(StateError) in try exchangeState(&state) }
    }

    /// Gives the sinks that are attached to the channel the state that was saved.
    ///
    /// The pipeline has to be attached anew, in the same order. Sinks that had ended are detached again.
    ///
    ///     readings.pairwise().subscribe { print($0) }
    ///     try readings.restore(checkpoint)
    ///
    /// - Parameters:
    ///   - checkpoint: What ``checkpoint()`` returned.
    ///   - drops: Whether what does not fit is dropped; otherwise it is an error, and nothing is restored.
    /// - Returns: What fitted, and what did not.
    /// - Throws: ``StateError``. After others than ``StateError/mismatch(_:)`` the sinks may have a part of the state: do not
    ///   use the channel any more.
    @discardableResult
    public func restore(
        _ checkpoint: Checkpoint,
        droppingMismatches drops: Bool = false
    ) throws(StateError) -> RestoreReport {
        try checkpoint.restore(droppingMismatches: drops) { state throws(StateError) in try exchangeState(&state) }
    }

    /// Saves or restores the channel and everything that is attached to it, as a part of a checkpoint of several.
    ///
    /// - Parameter state: Takes the fields, and says what goes on.
    /// - Throws: ``StateError``.
    public func exchangeState(_ state: inout StateExchange) throws(StateError) {
        guard unsafe !cweir_gate_is_inside(gate) else { throw .busy("the channel") }
        var round: UInt32 = 0
        while unsafe !cweir_gate_enter(gate) {
            cweir_thread_back_off(round)
            round &+= 1
        }
        defer { if unsafe !cweir_gate_leave(gate) { leaveAfterDraining() } }
        drainAll()
        drain()
        try exchangeOwnState(&state)
        try state.exchangeSinks(departed, last: registration.withLock { $0.lastNumber }) {
            registration.withLock { $0.subscribers }.map { ($0.number, $0.subscriber.exchange) }
        } detach: { ended in
            registration.withLock { $0.lastNumber = max($0.lastNumber, ended.last) }
            let subscribers = registration.withLock { $0.subscribers }
            for entry in subscribers where ended.contains(entry.number) { remove(entry.id) }
            takeTable()
        }
    }

    /// Whether a checkpoint of several channels has to have this one: sinks were attached, or each event is looked at.
    @usableFromInline package var hasState: Bool { looksAtEach || registration.withLock { $0.hasHadSubscribers } }

    /// What has been published, in numbers that differ as soon as something more was; `nil` while a publisher is sending to
    /// receivers.
    ///
    /// For checkpoints of several channels. A publisher in the gate is not looked at: ``exchangeState(_:)`` waits for it.
    @usableFromInline package var activity: [UInt64]? {
        let counts = [
            publishedInside.load(ordering: .relaxed), publishedToNobody.load(ordering: .relaxed), receivers.reads,
            dropped.load(ordering: .relaxed), UInt64(waiting.count),
        ]
        // After the counts: a publisher that comes later makes them differ.
        return receivers.isUnread ? counts : nil
    }

    private func exchangeOwnState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("channel")
        unsafe try state.exchange(&inside.pointee.isFinished)
        unsafe try state.exchange(&inside.pointee.watermark)
        unsafe try state.exchange(&inside.pointee.arrival)
        unsafe try inside.pointee.aheadLimit?.exchangeState(&state)
        if replaysLatest { unsafe try state.exchange(&inside.pointee.latest) }
        try state.exchange(ahead)
        var completion = registration.withLock { $0.completion }
        try state.exchange(&completion)
        var counts = [
            publishedInside.load(ordering: .relaxed), publishedToNobody.load(ordering: .relaxed),
            dropped.load(ordering: .relaxed), droppedAfterEnd.load(ordering: .relaxed),
            ignoredWatermarks.load(ordering: .relaxed),
        ]
        try state.exchange(&counts)
        guard state.isRestoring else { return }
        guard counts.count == 5 else { throw .damaged("a channel has five counts, not \(counts.count)", offset: 0) }
        publishedInside.store(counts[0], ordering: .relaxed)
        publishedToNobody.store(counts[1], ordering: .relaxed)
        dropped.store(counts[2], ordering: .relaxed)
        droppedAfterEnd.store(counts[3], ordering: .relaxed)
        ignoredWatermarks.store(counts[4], ordering: .relaxed)
        unsafe requestedWatermark.store(inside.pointee.watermark.nanosecondsSinceEpoch, ordering: .relaxed)
        if let completion {
            registration.withLock { registration in
                registration.completion = completion
                registration.requestedCompletion = completion
            }
            completionRequested.store(true, ordering: .relaxed)
        }
    }
}
