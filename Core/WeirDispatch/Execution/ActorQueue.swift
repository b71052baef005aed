internal import WeirCore

/// Work for an actor: done one piece at a time, in the order in which it comes, by one task for all that waits.
///
/// The actor is not kept alive; when it has gone, so has the work.
final class ActorQueue: Sendable {
    private struct State: Sendable {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let actor: WeakReference
    private let onGone: @Sendable () -> Void
    private let state = Locked(State())

    /// Creates a queue without work.
    ///
    /// - Parameters:
    ///   - actor: Where the work is done.
    ///   - onGone: Called when there is work and the actor has gone; perhaps more than once.
    init(_ actor: any Actor, onGone: @escaping @Sendable () -> Void) {
        self.actor = WeakReference(actor)
        self.onGone = onGone
    }

    func perform(_ work: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.waiting.append(work)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        Task { await self.run() }
    }

    private func run() async {
        guard let actor = actor.object as? any Actor else {
            // Out of the lock with it: what goes with the work is foreign.
            let dropped = state.withLock { state in
                defer { state = State() }
                return state.waiting
            }
            withExtendedLifetime(dropped) { onGone() }
            return
        }
        await run(on: actor)
    }

    private func run(on actor: isolated any Actor) {
        while true {
            let batch = state.withLock { state in
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.isRunning = false }
                return state.waiting
            }
            guard !batch.isEmpty else { return }
            for work in batch { work() }
        }
    }
}
