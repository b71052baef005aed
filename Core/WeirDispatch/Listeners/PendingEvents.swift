internal import Synchronization
internal import WeirCore

/// The events that wait for an asynchronous listener, and the guarantee that a runner takes them.
///
/// The first event to arrive starts a runner; runners take events until none is left. So a burst starts one runner,
/// the order of dispatch is kept with one runner, and no more than `limit` run at a time.
final class PendingEvents<E: Sendable>: Sendable {
    private let ring: SharedRing<(E, EventContext)>
    private let limit: Int
    private let runners = Atomic<Int>(0)

    /// What became of an event.
    enum Addition {
        case dropped
        case added
        /// The caller must start a runner.
        case addedFirst
    }

    init(capacity: Int, limit: Int) {
        do {
            ring = try SharedRing(capacity: capacity)
        } catch {
            preconditionFailure("a listener cannot have \(capacity) events waiting: \(error)")
        }
        self.limit = limit
    }

    /// Adds an event, unless there is no room.
    func add(_ event: E, _ context: EventContext) -> Addition {
        guard ring.push((event, context)) else { return .dropped }
        // Either this thread sees that a runner has gone, or the runner that goes sees the event.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        return claimRunner() ? .addedFirst : .added
    }

    /// Takes an event; a runner that gets `nil` must end.
    func next() -> (E, EventContext)? {
        while true {
            if let next = ring.pop() { return next }
            runners.subtract(1, ordering: .sequentiallyConsistent)
            atomicMemoryFence(ordering: .sequentiallyConsistent)
            // An event that arrived in between needs a runner: this one, if it can count itself again.
            guard ring.count > 0, claimRunner() else { return nil }
        }
    }

    private func claimRunner() -> Bool {
        var current = runners.load(ordering: .sequentiallyConsistent)
        while current < limit {
            let (exchanged, original) = runners.compareExchange(
                expected: current,
                desired: current + 1,
                ordering: .sequentiallyConsistent
            )
            if exchanged { return true }
            current = original
        }
        return false
    }
}
