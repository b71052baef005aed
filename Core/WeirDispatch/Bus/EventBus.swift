public import Synchronization
public import WeirCore

/// Channels by event type, and the schedule: code units that know only events meet here, never each other.
///
///     struct Temperature: Event {
///         let timestamp: Timestamp
///         let celsius: Double
///     }
///
///     let bus = EventBus()
///     bus.listen(to: Temperature.self, on: .processor(logger)) { temperature, context in
///         print(temperature, context.priority)
///     }
///     bus.queue(Temperature(timestamp: .epoch, celsius: 25.5), priority: .high)
///
/// Any `Sendable` type will do; what is no `Event` is stamped on arrival.
///
/// The channel of a type is made when it is first asked for, and lives as long as the bus. An event whose type nobody
/// has asked for is counted as published and goes nowhere.
///
/// Thread safety: all members, from any thread, also from inside a handler.
@safe
public final class EventBus: Sendable {
    /// The bus that events go to when none is named.
    public static let shared = EventBus()

    struct State: Sendable {
        var channels: [(type: ObjectIdentifier, channel: any AnyEventChannel)] = []
        // The newest is the last.
        var tables: [ChannelTable] = []
        var taps = 0
        var tapIDs: [UInt64] = []
        // Those whose handlers a checkpoint has to wait for.
        var handling: [HandlingThreads] = []
    }

    /// A processor, or a pool of them, that may handle events of the bus.
    struct HandlingThreads: Sendable {
        let owner: WeakReference
        let cores: @Sendable () -> [ProcessorCore]
    }

    /// What dispatches are stamped with, and schedules run on.
    public let clock: EventClock

    /// Dispatches events later.
    public let scheduler: Scheduler

    @usableFromInline let table: Atomic<Unmanaged<ChannelTable>>
    private let capacity: Int
    private let overflowPolicy: OverflowPolicy
    let state = Locked(State())
    private let tapped: EventChannel<DispatchedEvent>

    /// Creates a bus without channels.
    ///
    /// - Parameters:
    ///   - capacity: How many events may wait in each channel; a power of two.
    ///   - overflowPolicy: What happens to an event that finds all places of its channel taken.
    ///   - clock: What dispatches are stamped with, and schedules run on.
    public init(capacity: Int = 1024, overflowPolicy: OverflowPolicy = .block, clock: EventClock = EventClock()) {
        self.capacity = capacity
        self.overflowPolicy = overflowPolicy
        self.clock = clock
        scheduler = Scheduler(clock: clock)
        let empty = ChannelTable(capacity: 16)
        unsafe table = Atomic(Unmanaged.passUnretained(empty))
        state.withLock { $0.tables = [empty] }
        tapped = EventChannel(capacity: capacity, overflowPolicy: overflowPolicy, clock: clock)
    }

    // MARK: Channels

    /// The channel of an event type.
    ///
    /// - Parameters:
    ///   - type: The type of the events.
    ///   - replaysLatest: Whether a listener starts with the latest event that was published before it came; decided
    ///     by the first call for a type.
    /// - Returns: The same channel each time.
    /// - Complexity: O(1) and wait-free once the channel exists.
    @inlinable
    public func channel<E: Sendable>(of type: E.Type = E.self, replaysLatest: Bool = false) -> EventChannel<E> {
        var found: EventChannel<E>?
        withChannel(of: type) { found = $0 }
        return found ?? makeChannel(of: type, replaysLatest: replaysLatest)
    }

    /// The channel of an event type, with a limit on how far events may run ahead in event time.
    ///
    /// - Parameters:
    ///   - type: The type of the events.
    ///   - replaysLatest: Whether a listener starts with the latest event that was published before it came.
    ///   - limit: How far an event may run ahead; those beyond go to `EventChannel.ahead`.
    /// - Returns: The same channel each time; what the first call for a type has decided stays.
    public func channel<E: Sendable>(
        of type: E.Type = E.self,
        replaysLatest: Bool = false,
        maxAhead limit: AheadLimit
    ) -> EventChannel<E> {
        makeChannel(of: type, replaysLatest: replaysLatest, maxAhead: limit)
    }

    /// Calls `body` with the channel of a type, if there is one, without retaining it.
    @inlinable
    @discardableResult
    func withChannel<E: Sendable>(of type: E.Type, _ body: (EventChannel<E>) -> Void) -> Bool {
        unsafe table.load(ordering: .acquiring)._withUnsafeGuaranteedRef { $0.withChannel(of: type, body) }
    }

    @usableFromInline
    func makeChannel<E: Sendable>(
        of type: E.Type,
        replaysLatest: Bool,
        maxAhead: AheadLimit? = nil
    ) -> EventChannel<E> {
        state.withLock { state in
            if let place = state.channels.first(where: { $0.type == ObjectIdentifier(type) }),
                let channel = place.channel as? EventChannel<E>
            {
                return channel
            }
            let channel = EventChannel<E>(
                capacity: capacity,
                overflowPolicy: overflowPolicy,
                replaysLatest: replaysLatest,
                maxAhead: maxAhead,
                clock: clock
            )
            if state.taps > 0 { state.tapIDs.append(channel.addTap { [tapped] in tapped.publish($0) }) }
            state.channels.append((ObjectIdentifier(type), channel))
            addToTable(&state)
            return channel
        }
    }

    /// Makes the newest channel known to dispatchers.
    private func addToTable(_ state: inout State) {
        guard let newest = state.tables.last, let last = state.channels.last else { return }
        if state.channels.count * 2 <= newest.capacity {
            newest.add(last.channel, of: last.type)
            return
        }
        let larger = ChannelTable(capacity: newest.capacity * 2)
        for (type, channel) in state.channels { larger.add(channel, of: type) }
        state.tables.append(larger)
        unsafe table.store(Unmanaged.passUnretained(larger), ordering: .releasing)
    }

    // MARK: Dispatching

    /// Publishes an event.
    ///
    /// Listeners on the publisher's thread run before the call returns; listeners elsewhere get the event queued with
    /// normal priority.
    ///
    /// - Parameter event: The event.
    /// - Returns: `false` when the event was dropped here: by the overflow policy, or because the stream has ended.
    @inlinable
    @discardableResult
    public func publish<E: Sendable>(_ event: E) -> Bool {
        dispatch(event, DispatchOptions())
    }

    /// Dispatches an event to the end of each listener's queue of a priority.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - priority: Which of a listener's queues it joins; a listener empties the more urgent ones first.
    /// - Returns: `false` when the event was dropped here: by the overflow policy, or because the stream has ended.
    @inlinable
    @discardableResult
    public func queue<E: Sendable>(_ event: E, priority: Priority = .normal) -> Bool {
        dispatch(event, DispatchOptions(priority, .queue))
    }

    /// Dispatches an event to the top of each listener's stack of a priority.
    ///
    /// Stacks come before all queues, and the newest event of a stack before the older ones.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - priority: Which of a listener's stacks it joins.
    /// - Returns: `false` when the event was dropped here: by the overflow policy, or because the stream has ended.
    @inlinable
    @discardableResult
    public func stack<E: Sendable>(_ event: E, priority: Priority = .normal) -> Bool {
        dispatch(event, DispatchOptions(priority, .stack))
    }

    /// Publishes an event whose type is not known here, on the channel of its own type.
    ///
    /// - Parameter event: The event.
    /// - Returns: What `publish` of the event's type returns.
    @discardableResult
    public func publish(_ event: any Event) -> Bool {
        func open<E: Event>(_ event: E) -> Bool { dispatch(event, DispatchOptions()) }
        return open(event)
    }

    /// Dispatches an event whose type is not known here to the end of each listener's queue of a priority.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - priority: Which of a listener's queues it joins.
    /// - Returns: What `queue` of the event's type returns.
    @discardableResult
    public func queue(_ event: any Event, priority: Priority = .normal) -> Bool {
        func open<E: Event>(_ event: E) -> Bool { dispatch(event, DispatchOptions(priority, .queue)) }
        return open(event)
    }

    /// Dispatches an event whose type is not known here to the top of each listener's stack of a priority.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - priority: Which of a listener's stacks it joins.
    /// - Returns: What `stack` of the event's type returns.
    @discardableResult
    public func stack(_ event: any Event, priority: Priority = .normal) -> Bool {
        func open<E: Event>(_ event: E) -> Bool { dispatch(event, DispatchOptions(priority, .stack)) }
        return open(event)
    }

    @inlinable
    func dispatch<E: Sendable>(_ event: E, _ options: DispatchOptions) -> Bool {
        var isAccepted = true
        let isFound = withChannel(of: E.self) { isAccepted = $0.dispatch(event, options) }
        return isFound ? isAccepted : channel(of: E.self).dispatch(event, options)
    }

    // MARK: Watching

    /// Every event of every type, with the way it was dispatched: for logging and recording.
    ///
    /// Costs nothing while no sink is attached. What is attached runs on the thread that dispatches, one thread at a
    /// time, with the bus's capacity and overflow policy.
    public var events: BusEvents { BusEvents(bus: self) }

    func watch<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == DispatchedEvent {
        let inner = tapped.attach(sink)
        state.withLock { state in
            state.taps += 1
            guard state.taps == 1 else { return }
            state.tapIDs = state.channels.map { place in place.channel.addTap { [tapped] in tapped.publish($0) } }
        }
        return Subscription { [weak self] in
            inner.cancel()
            self?.unwatch()
        }
    }

    private func unwatch() {
        state.withLock { state in
            state.taps -= 1
            guard state.taps == 0 else { return }
            for (place, id) in zip(state.channels, state.tapIDs) { place.channel.removeReceiver(id) }
            state.tapIDs = []
        }
    }

    /// A snapshot of the channels' counts, by event type; reading it delays no publisher.
    public var metrics: [(eventType: any Sendable.Type, metrics: ChannelMetrics)] {
        state.withLock { state in state.channels.map { ($0.channel.eventType, $0.channel.metrics) } }
    }
}

/// Every event of a bus; what `EventBus.events` is.
public struct BusEvents: EventStream {
    public typealias Element = DispatchedEvent

    let bus: EventBus

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == DispatchedEvent {
        bus.watch(sink)
    }
}
