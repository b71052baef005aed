public import WeirCore

/// Something that waits for times of a scheduler, and has a position in them.
package protocol ScheduledState: AnyObject, Sendable {
    /// Saves the position and all behind it, or gives it back and waits for the next time again.
    func exchangeState(_ state: inout StateExchange) throws(StateError)

    /// Ends it, as it had ended when the state was saved.
    func end()
}

/// What waits for times of a scheduler, not kept alive.
struct KeptState: Sendable {
    var last: UInt64 = 0
    var entries: [(number: UInt64, owner: WeakReference)] = []

    var living: [(number: UInt64, state: any ScheduledState)] {
        entries.compactMap { entry in (entry.owner.object as? any ScheduledState).map { (entry.number, $0) } }
    }
}

extension Scheduler {
    /// Notes something that has state, so that checkpoints of the scheduler have it.
    package func keep(_ state: any ScheduledState) {
        kept.withLock { kept in
            kept.entries.removeAll { $0.owner.object == nil }
            kept.last += 1
            kept.entries.append((kept.last, WeakReference(state)))
        }
    }

    /// Saves the state of the streams that the scheduler drives, such as `Ticks`: their next times, and all behind them.
    ///
    ///     let checkpoint = try scheduler.checkpoint()
    ///
    /// Actions that were scheduled by a call have no state: the program schedules them again.
    ///
    /// - Returns: The state, to be given to ``restore(_:droppingMismatches:)``.
    /// - Throws: `StateError`.
    public func checkpoint() throws(StateError) -> Checkpoint {
        try Checkpoint { state throws(StateError) in try exchangeState(&state) }
    }

    /// Gives the streams that the scheduler drives the state that was saved, and waits for their next times.
    ///
    /// A time that has passed since is due at once.
    ///
    /// - Parameters:
    ///   - checkpoint: What ``checkpoint()`` returned.
    ///   - drops: Whether what does not fit is dropped; otherwise it is an error, and nothing is restored.
    /// - Returns: What fitted, and what did not.
    /// - Throws: `StateError`. The streams have to be attached anew, in the same order.
    @discardableResult
    public func restore(
        _ checkpoint: Checkpoint,
        droppingMismatches drops: Bool = false
    ) throws(StateError) -> RestoreReport {
        try checkpoint.restore(droppingMismatches: drops) { state throws(StateError) in try exchangeState(&state) }
    }

    /// Saves or restores the streams that the scheduler drives, as a part of a checkpoint of several.
    ///
    /// - Parameter state: Takes the fields, and says what goes on.
    /// - Throws: `StateError`.
    public func exchangeState(_ state: inout StateExchange) throws(StateError) {
        let (last, living) = kept.withLock { ($0.last, $0.living) }
        let ended = try state.exchangeAttached(last, living.map(\.number))
        if state.isRestoring {
            for (number, scheduled) in living where ended.contains(number) { scheduled.end() }
        }
        for (number, scheduled) in living where !ended.contains(number) {
            try state.scoped("\(number)") { state throws(StateError) in try scheduled.exchangeState(&state) }
        }
    }
}
