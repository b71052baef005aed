public import Synchronization
public import WeirCore

/// What every listener has, wherever its handler runs: whether it is still wanted, and which events it takes.
///
/// What runs for each event is inlinable, so that it is specialised for the type of the event.
@usableFromInline
final class Listener<E: Sendable>: Sendable {
    private struct Ending: Sendable {
        var hasEnded = false
        var actions: [@Sendable () -> Void] = []
    }

    @usableFromInline let filter: ListenerFilter<E>.Kind
    @usableFromInline let hasOwner: Bool
    private let owner: Locked<WeakReference>
    @usableFromInline let isOver = Atomic<Bool>(false)
    private let ending = Locked(Ending())
    @usableFromInline let skippedCount = Atomic<UInt64>(0)
    // The one event that waits, for `.latestOnly`.
    private let latest = Locked<(E, EventContext)?>(nil)

    @usableFromInline
    init(filter: ListenerFilter<E>, owner: (any AnyObject & Sendable)?) {
        self.filter = filter.kind
        hasOwner = owner != nil
        self.owner = Locked(WeakReference(owner))
    }

    /// How many events were not handled because a newer one replaced them, they were too old, or nobody wanted them.
    var skipped: UInt64 { skippedCount.load(ordering: .relaxed) }

    // MARK: Its end

    /// Makes the handle of the listener.
    ///
    /// - Returns: The handle.
    @usableFromInline
    func subscription(_ detach: @escaping @Sendable () -> Void) -> Subscription {
        onEnd(detach)
        return Subscription { [weak self] in self?.end() }
    }

    /// Calls `action` when the listener ends; at once if it has already.
    @usableFromInline
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        let hasEnded = ending.withLock { ending in
            if !ending.hasEnded { ending.actions.append(action) }
            return ending.hasEnded
        }
        if hasEnded { action() }
    }

    /// Ends the listener: no handler is called afterwards.
    @usableFromInline
    func end() {
        isOver.store(true, ordering: .relaxed)
        let actions = ending.withLock { ending in
            ending.hasEnded = true
            defer { ending.actions = [] }
            return ending.actions
        }
        for action in actions { action() }
    }

    @inlinable
    var isWanted: Bool {
        !isOver.load(ordering: .relaxed) && (!hasOwner || hasLivingOwner())
    }

    /// Whether the owner is still there; otherwise the listener ends.
    @usableFromInline
    func hasLivingOwner() -> Bool {
        guard owner.withLock({ $0.object == nil }) else { return true }
        end()
        return false
    }

    // MARK: Its events

    /// Asks on the thread that dispatches whether an event has to be sent to where the handler runs.
    @inlinable
    @inline(__always)
    func admits(_ event: E, _ context: EventContext) -> Bool {
        guard isWanted else { return false }
        if case .all = filter { return true }
        return fits(event, context)
    }

    @inlinable
    @inline(never)
    func fits(_ event: E, _ context: EventContext) -> Bool {
        switch filter {
        case .all, .youngerThan: return true
        case .matching(let condition): return condition(event, context)
        case .latestOnly: return replaceLatest(event, context)
        }
    }

    /// Leaves an event in the place for the latest; returns whether it has to be sent.
    @usableFromInline
    func replaceLatest(_ event: E, _ context: EventContext) -> Bool {
        // Out of the lock with it: what goes with an event is foreign.
        let replaced = latest.withLock { latest in
            defer { latest = (event, context) }
            return latest
        }
        guard replaced != nil else { return true }
        // The one that was sent already stands for this one too.
        skip()
        return false
    }

    /// Counts an admitted event that was dropped on its way.
    @usableFromInline
    func dropped() {
        if case .latestOnly = filter { latest.withLock { $0 = nil } }
        skip()
    }

    /// Asks where the handler runs which event to handle now.
    @inlinable
    @inline(__always)
    func claim(_ event: E, _ context: EventContext) -> (event: E, context: EventContext)? {
        guard isWanted else {
            skip()
            return nil
        }
        // The common case must not take the context apart and put it together again.
        if case .all = filter { return (event, context) }
        return choose(event, context)
    }

    @inlinable
    @inline(never)
    func choose(_ event: E, _ context: EventContext) -> (event: E, context: EventContext)? {
        switch filter {
        case .all, .matching: return (event, context)
        case .youngerThan(let age):
            if context.age < age { return (event, context) }
            skip()
            return nil
        case .latestOnly: return takeLatest()
        }
    }

    @usableFromInline
    func takeLatest() -> (event: E, context: EventContext)? {
        latest.withLock { latest in
            defer { latest = nil }
            return latest.map { ($0.0, $0.1) }
        }
    }

    @inlinable
    func skip() {
        skippedCount.wrappingAdd(1, ordering: .relaxed)
    }
}
