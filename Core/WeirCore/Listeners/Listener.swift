internal import Synchronization

/// What every listener has, wherever its handler runs: whether it is still wanted, and which events it takes.
final class Listener<E: Event>: Sendable {
    private struct Ending: Sendable {
        var hasEnded = false
        var actions: [@Sendable () -> Void] = []
    }

    private struct WeakReference: Sendable {
        weak var object: (any AnyObject & Sendable)?
    }

    private let interest: Interest<E>.Kind
    private let hasOwner: Bool
    private let owner: Locked<WeakReference>
    private let isOver = Atomic<Bool>(false)
    private let ending = Locked(Ending())
    private let skippedCount = Atomic<UInt64>(0)
    // The one event that waits, for `.latestOnly`.
    private let latest = Locked<(E, EventContext)?>(nil)

    init(interest: Interest<E>, owner: (any AnyObject & Sendable)?) {
        self.interest = interest.kind
        hasOwner = owner != nil
        self.owner = Locked(WeakReference(object: owner))
    }

    /// How many events were not handled because a newer one replaced them, they were too old, or nobody wanted them.
    var skipped: UInt64 { skippedCount.load(ordering: .relaxed) }

    // MARK: Its end

    /// Makes the handle of the listener.
    ///
    /// - Parameter detach: Takes the listener out of its channel.
    /// - Returns: The handle.
    func subscription(_ detach: @escaping @Sendable () -> Void) -> Subscription {
        onEnd(detach)
        return Subscription { [weak self] in self?.end() }
    }

    /// Calls `action` when the listener ends; at once if it has already.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        let hasEnded = ending.withLock { ending in
            if !ending.hasEnded { ending.actions.append(action) }
            return ending.hasEnded
        }
        if hasEnded { action() }
    }

    /// Ends the listener: no handler is called afterwards.
    func end() {
        isOver.store(true, ordering: .relaxed)
        let actions = ending.withLock { ending in
            ending.hasEnded = true
            defer { ending.actions = [] }
            return ending.actions
        }
        for action in actions { action() }
    }

    private var isWanted: Bool {
        guard !isOver.load(ordering: .relaxed) else { return false }
        guard hasOwner, owner.withLock({ $0.object == nil }) else { return true }
        end()
        return false
    }

    // MARK: Its events

    /// Asks on the thread that dispatches whether an event has to be sent to where the handler runs.
    func admits(_ event: E, _ context: EventContext) -> Bool {
        guard isWanted else { return false }
        switch interest {
        case .all, .youngerThan: return true
        case .matching(let condition): return condition(event)
        case .latestOnly:
            let wasEmpty = latest.withLock { latest in
                defer { latest = (event, context) }
                return latest == nil
            }
            // The one that was sent already stands for this one too.
            if !wasEmpty { skip() }
            return wasEmpty
        }
    }

    /// Says that an event which was admitted was dropped on its way.
    func dropped() {
        if case .latestOnly = interest { latest.withLock { $0 = nil } }
        skip()
    }

    /// Asks where the handler runs which event to handle now.
    func claim(_ event: E, _ context: EventContext) -> (event: E, context: EventContext)? {
        guard isWanted else {
            skip()
            return nil
        }
        switch interest {
        case .all, .matching: return (event, context)
        case .youngerThan(let age):
            if context.age < age { return (event, context) }
            skip()
            return nil
        case .latestOnly:
            return latest.withLock { latest in
                defer { latest = nil }
                return latest.map { ($0.0, $0.1) }
            }
        }
    }

    private func skip() {
        skippedCount.wrappingAdd(1, ordering: .relaxed)
    }
}
