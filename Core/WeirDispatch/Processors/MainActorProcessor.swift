internal import Synchronization
public import WeirCore

/// A mailbox of the main actor: handles events one at a time, the most urgent first, as an ``EventProcessor`` does on a
/// thread of its own.
///
///     @MainActor final class Panel {
///         let events = MainActorProcessor()
///         private(set) var text = ""
///
///         init() {
///             events.on(Temperature.self, owner: self) { [weak self] temperature, _ in
///                 self?.text = "\(temperature.celsius) °C"
///             }
///         }
///     }
///
/// Handlers may use what belongs to the main actor. After a few milliseconds the processor lets the main actor do other work,
/// such as drawing, before it goes on: so a flood of events delays that, and does not stop it. For a value that shows the
/// latest event see ``latest(_:filter:)``.
///
/// ## Order
///
/// As for an ``EventProcessor``: what is stacked before what is queued, the more urgent before the less urgent, of a stack the
/// newest first and of a queue the oldest.
///
/// ## Its end
///
/// When the last reference to it goes away, its listeners end, and what is pending is dropped. Listeners do not keep it alive.
///
/// Events that are pending are no part of a bus's checkpoint, as those of all listeners that are not on processors.
@MainActor
public final class MainActorProcessor {
    /// The bus that handlers listen to.
    public nonisolated let bus: EventBus

    private nonisolated let core: MainActorCore

    /// Creates a processor that takes events at once.
    ///
    /// - Parameters:
    ///   - capacity: How many events may be pending for each priority, queue and stack apart; a power of two.
    ///   - overflowPolicy: What happens to an event that finds all places of its priority taken. With
    ///     `OverflowPolicy.block` a thread waits for the main actor, which must not wait for that thread; what the main actor
    ///     itself dispatches is dropped then, and counted.
    ///   - slice: How long to handle events before the main actor does other work.
    ///   - bus: The bus that handlers listen to.
    public init(
        capacity: Int = 1024,
        overflowPolicy: OverflowPolicy = .dropNewest,
        slice: Duration = .milliseconds(4),
        bus: EventBus = .shared
    ) {
        self.bus = bus
        do {
            core = try MainActorCore(
                MailboxBounds(capacity: capacity, overflowPolicy: overflowPolicy),
                slice,
                bus.clock
            )
        } catch {
            preconditionFailure("a processor of capacity \(capacity) cannot be made: \(error)")
        }
        core.mailbox.becomeConsumer()
    }

    deinit {
        core.end()
    }

    /// Handles the events of a type, one at a time, on the main actor.
    ///
    /// - Parameters:
    ///   - type: The type of the events.
    ///   - filter: Which of the events are worth handling.
    ///   - owner: Ends the listener when it goes away; not kept alive.
    ///   - handler: Takes the event and how it was dispatched.
    /// - Returns: The handle that ends it. After `cancel()` returns on the main actor, no call follows.
    @discardableResult
    public func on<E: Sendable>(
        _ type: E.Type,
        filter: ListenerFilter<E> = .all,
        owner: (any AnyObject & Sendable)? = nil,
        _ handler: @escaping @MainActor @Sendable (E, EventContext) -> Void
    ) -> Subscription {
        listen(to: bus.channel(of: type), filter: filter, owner: owner, handler)
    }

    /// Handles the events of a channel, one at a time, on the main actor.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - filter: Which of the events are worth handling.
    ///   - owner: Ends the listener when it goes away; not kept alive.
    ///   - handler: Takes the event and how it was dispatched.
    /// - Returns: The handle that ends it. After `cancel()` returns on the main actor, no call follows.
    @discardableResult
    public func listen<E: Sendable>(
        to channel: EventChannel<E>,
        filter: ListenerFilter<E> = .all,
        owner: (any AnyObject & Sendable)? = nil,
        _ handler: @escaping @MainActor @Sendable (E, EventContext) -> Void
    ) -> Subscription {
        let listener = Listener(filter: filter, owner: owner)
        let subscription = channel.start(listener) { [core] event, context in
            guard listener.admits(event, context) else { return }
            let call = MainActorCore.Call(
                dispatchTime: context.dispatchTime,
                run: { context in
                    guard let claimed = listener.claim(event, context) else { return }
                    handler(claimed.event, claimed.context)
                },
                drop: { listener.dropped() }
            )
            core.send(call, context.priority, context.order)
        }
        core.ends(listener)
        return subscription
    }

    /// The latest event of a type, for user interfaces: observable, and changed in the order of this processor.
    ///
    /// - Parameters:
    ///   - type: The type of the events.
    ///   - filter: Which of the events are worth showing; of those that are pending, the newest.
    /// - Returns: A value that changes on the main actor, until this processor goes away.
    public func latest<E: Sendable>(_ type: E.Type, filter: ListenerFilter<E> = .latestOnly) -> LatestValue<E> {
        LatestValue { value, show in self.on(type, filter: filter, owner: value, show) }
    }

    /// Refuses what is sent from now on; what is pending is handled, or dropped.
    ///
    /// - Parameter mode: What to do with the events that are pending.
    public func stop(_ mode: EventProcessor.StopMode = .draining) {
        core.mailbox.close()
        if mode == .now { core.dropPending() }
    }

    /// How many events were handled.
    public nonisolated var handledCount: UInt64 { core.handledCount.load(ordering: .relaxed) }

    /// What became of the events that were sent; reading it delays no sender.
    public nonisolated var mailboxMetrics: MailboxMetrics { core.mailbox.metrics }
}

/// What listeners and the main actor share.
final class MainActorCore: Sendable {
    /// An event with its handler.
    struct Call: Sendable {
        let dispatchTime: Timestamp
        let run: @MainActor @Sendable (EventContext) -> Void
        /// Tells the listener that the event will not be handled.
        let drop: @Sendable () -> Void
    }

    private struct Ends: Sendable {
        var actions: [UInt64: @Sendable () -> Void] = [:]
        var nextID: UInt64 = 0
    }

    let mailbox: Mailbox<Call>
    let handledCount = Atomic<UInt64>(0)
    private let slice: Duration
    private let clock: EventClock
    private let isScheduled = Atomic<Bool>(false)
    private let listenerEnds = Locked(Ends())

    init(_ bounds: MailboxBounds, _ slice: Duration, _ clock: EventClock) throws(MailboxError) {
        mailbox = try Mailbox(bounds: bounds, onDrop: { $0.drop() })
        self.slice = slice
        self.clock = clock
    }

    // MARK: From any thread

    func send(_ call: Call, _ priority: Priority, _ order: DispatchOrder) {
        guard mailbox.put(call, priority: priority, order: order) else { return call.drop() }
        schedule()
    }

    private func schedule() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Task { @MainActor in self.handlePending() }
    }

    /// Ends a listener when the processor goes.
    func ends<E: Sendable>(_ listener: Listener<E>) {
        let id = listenerEnds.withLock { ends in
            ends.nextID += 1
            ends.actions[ends.nextID] = { listener.end() }
            return ends.nextID
        }
        // Outside the lock: what goes with it is foreign.
        listener.onEnd { [weak self] in _ = self?.listenerEnds.withLock { $0.actions.removeValue(forKey: id) } }
    }

    /// Ends the listeners, and drops what is pending: the processor has gone.
    func end() {
        mailbox.close()
        let ends = listenerEnds.withLock { ends in
            defer { ends.actions = [:] }
            return ends.actions.sorted { $0.key < $1.key }.map(\.value)
        }
        for end in ends { end() }
        // What is pending finds its listener ended.
        schedule()
    }

    // MARK: On the main actor

    @MainActor
    private func handlePending() {
        isScheduled.store(false, ordering: .sequentiallyConsistent)
        let end = MonotonicClock().now().shifted(byNanoseconds: slice.wholeNanoseconds)
        // Safety: the main actor is the mailbox's one consumer.
        while let (call, priority, order) = unsafe mailbox.take() {
            call.run(EventContext(priority: priority, order: order, dispatchTime: call.dispatchTime, clock: clock))
            handledCount.wrappingAdd(1, ordering: .relaxed)
            if MonotonicClock().now() >= end { return schedule() }
        }
    }

    @MainActor
    func dropPending() {
        // Safety: as above.
        while let (call, _, _) = unsafe mailbox.take() { call.drop() }
    }
}
