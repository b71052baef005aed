public import CWeir
public import Synchronization

/// Where events enter: hands each event to every attached sink, on the thread that publishes.
///
///     let readings = EventChannel<Reading>()
///     readings.filter { $0.celsius > 30 }.subscribe { print("hot:", $0) }
///     readings.publish(Reading(timestamp: .epoch, celsius: 31))
///
/// ## Order and threads
///
/// The sinks run on one thread at a time. A publisher that finds the channel free runs them before `publish` returns.
/// A concurrent publisher, or one inside a sink, enqueues the event in the channel's waiting ring; the thread inside
/// takes it after the event, or the batch, that it is handling. So no publisher waits, nothing recurses, and the events
/// of one publisher keep their order. The ring is bounded, and the overflow policy says what happens when it is full.
///
/// A watermark or the completion that meets a busy channel takes effect after all events that wait. A sink that comes
/// later is told the last watermark, or the completion, at once.
///
/// Thread safety: all members may be called from any thread, also from inside a sink.
///
/// - Complexity: `publish` is O(*s*) for *s* sinks, without allocation or lock.
@safe
public final class EventChannel<Element: Event>: GroupableStream, @unchecked Sendable {
    // Safety of `@unchecked Sendable`: `inside` is touched only from inside the gate, whose enter and leave order one
    // thread's work before the next one's. Everything else is atomic, constant, or under the lock of `registration`.

    /// What must only change together with the list of sinks.
    private struct Registration: Sendable {
        var subscribers: [(id: UInt64, subscriber: Subscriber<Element>)] = []
        var receivers: [Receiver<Element>] = []
        var requestedCompletion: Completion?
        var completion: Completion?
    }

    /// What belongs to the thread inside the gate.
    @safe
    @frozen
    @usableFromInline
    struct Inside {
        @usableFromInline var table: Unmanaged<ObjectTable<Subscriber<Element>>>
        @usableFromInline var isFinished = false
        @usableFromInline var options = DispatchOptions()
        // When the event that is being sent was dispatched; set at the first use (`isStamped`).
        @usableFromInline var dispatchTime = Timestamp.distantPast
        @usableFromInline var isStamped = false
        @usableFromInline var latest: Element?
        var aheadLimit: AheadLimit?
        var watermark = Timestamp.distantPast

        init(table: Unmanaged<ObjectTable<Subscriber<Element>>>) {
            unsafe self.table = table
        }
    }

    /// An event that found the channel busy.
    private struct Waiting: Sendable {
        let event: Element
        let options: DispatchOptions
        let dispatchTime: Timestamp
    }

    /// How many events may wait.
    public let capacity: Int

    /// What happens to an event that finds all places taken.
    public let overflowPolicy: OverflowPolicy

    /// Whether a sink or listener starts with the latest event that was published before it came.
    public let replaysLatest: Bool

    /// What dispatches are stamped with.
    public let clock: EventClock

    /// The events that ran too far ahead in event time, by the limit that the channel was made with.
    public let ahead = SideOutput<Element>()

    // Whether each event has to be looked at: the latest is kept, or there is a limit.
    @usableFromInline package let looksAtEach: Bool

    @usableFromInline let gate: UnsafeMutablePointer<cweir_gate_t>
    @usableFromInline let incomingTable: UnsafeMutablePointer<cweir_handoff_t>
    @usableFromInline let inside: UnsafeMutablePointer<Inside>

    @usableFromInline let receivers = Snapshot<ObjectTable<Receiver<Element>>>()
    // False while there is neither a sink nor a completion to send: then publishers skip the gate.
    @usableFromInline let needsGate: Atomic<Bool>
    // Written inside the gate, by plain stores. What goes to receivers alone is counted by reading their table.
    @usableFromInline let publishedInside = Atomic<UInt64>(0)
    @usableFromInline let publishedToNobody = Atomic<UInt64>(0)

    private let waiting: SharedRing<Waiting>
    private let registration = Locked(Registration())
    private let requestedWatermark = Atomic<Int64>(.min)
    private let nextSubscriberID = Atomic<UInt64>(0)
    private let completionRequested = Atomic<Bool>(false)
    private let dropped = Atomic<UInt64>(0)
    private let droppedAfterEnd = Atomic<UInt64>(0)
    private let waitingHighWaterMark = Atomic<Int>(0)
    private let ignoredWatermarks = Atomic<UInt64>(0)

    /// Creates a channel without sinks.
    ///
    /// - Parameters:
    ///   - capacity: How many events may wait while another one is being handled; a power of two.
    ///   - overflowPolicy: What happens to an event that finds all places taken. With ``OverflowPolicy/block``, an
    ///     event that a sink publishes into its own full channel is dropped and counted: it cannot wait for itself.
    ///   - replaysLatest: Whether a sink or listener starts with the latest event that was published before it came.
    ///   - maxAhead: How far an event may run ahead in event time: those beyond go to ``ahead``, and neither to sinks nor to
    ///     listeners. Without a limit one event of the far future makes all that follow late.
    ///   - clock: What dispatches are stamped with.
    public init(
        capacity: Int = 1024,
        overflowPolicy: OverflowPolicy = .block,
        replaysLatest: Bool = false,
        maxAhead: AheadLimit? = nil,
        clock: EventClock = EventClock()
    ) {
        self.capacity = capacity
        self.overflowPolicy = overflowPolicy
        self.replaysLatest = replaysLatest
        self.clock = clock
        looksAtEach = replaysLatest || maxAhead != nil
        needsGate = Atomic(looksAtEach)
        do {
            waiting = try SharedRing(capacity: capacity)
        } catch {
            preconditionFailure("a channel of capacity \(capacity) cannot be made: \(error)")
        }
        guard let line = unsafe cweir_allocate_lines(1, MemoryLayout<cweir_gate_t>.size) else {
            preconditionFailure("there is no memory for a channel")
        }
        unsafe gate = line.bindMemory(to: cweir_gate_t.self, capacity: 1)
        unsafe cweir_gate_init(gate)
        unsafe incomingTable = .allocate(capacity: 1)
        unsafe cweir_handoff_init(incomingTable)
        unsafe inside = .allocate(capacity: 1)
        unsafe inside.initialize(to: Inside(table: .passRetained(ObjectTable([]))))
        unsafe inside.pointee.aheadLimit = maxAhead
    }

    deinit {
        takeTable()
        unsafe inside.pointee.table.release()
        unsafe inside.deinitialize(count: 1)
        unsafe inside.deallocate()
        unsafe incomingTable.deallocate()
        unsafe cweir_free_lines(gate)
    }

    // MARK: Attaching

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let id = reserveID()
        let subscription = Subscription { [weak self] in self?.remove(id) }
        add(Subscriber(sink, subscription), id)
        return subscription
    }

    @usableFromInline
    func reserveID() -> UInt64 {
        nextSubscriberID.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Adds a subscriber; one that comes after the end is told so at once.
    @usableFromInline
    func add(_ subscriber: Subscriber<Element>, _ id: UInt64) {
        let (completion, unused) = registration.withLock { registration in
            guard registration.completion == nil else {
                return (registration.completion, nil as ObjectTable<Subscriber<Element>>?)
            }
            registration.subscribers.append((id, subscriber))
            needsGate.store(true, ordering: .relaxed)
            return (nil, offerTable(registration))
        }
        // Outside the lock, here and below: what goes with a table is foreign.
        withExtendedLifetime(unused) {}
        if let completion {
            subscriber.finish(completion)
        } else {
            enterAndDrain()
        }
    }

    /// Removes a subscriber, if it is still there.
    @usableFromInline
    func remove(_ id: UInt64) {
        let unused = registration.withLock { registration in
            let index = registration.subscribers.firstIndex { $0.id == id }
            let removed = index.map { registration.subscribers.remove(at: $0).subscriber }
            removed?.isOver.store(true, ordering: .relaxed)
            let replaced = offerTable(registration)
            if registration.subscribers.isEmpty, registration.requestedCompletion == nil {
                needsGate.store(looksAtEach, ordering: .relaxed)
            }
            return (removed, replaced)
        }
        withExtendedLifetime(unused) {}
        // What was detached is released at once, or by the thread inside when it leaves.
        enterAndDrain()
    }

    /// Offers a new table to the thread inside the gate; returns the one before, if it was not taken.
    private func offerTable(_ registration: Registration) -> ObjectTable<Subscriber<Element>>? {
        let new = unsafe Unmanaged.passRetained(ObjectTable(registration.subscribers.map(\.subscriber)))
        guard let old = unsafe cweir_handoff_put(incomingTable, new.toOpaque()) else { return nil }
        return unsafe Unmanaged.fromOpaque(old).takeRetainedValue()
    }

    /// Adds a listener that every publisher calls itself.
    @usableFromInline
    package func addReceiver(_ receive: @escaping @Sendable (Element, EventContext) -> Void) -> UInt64 {
        let id = reserveID()
        let unused = registration.withLock { registration in
            registration.receivers.append(Receiver(id: id, receive: receive))
            return receivers.replace(with: ObjectTable(registration.receivers))
        }
        withExtendedLifetime(unused) {}
        return id
    }

    @usableFromInline
    package func removeReceiver(_ id: UInt64) {
        let unused = registration.withLock { registration in
            let index = registration.receivers.firstIndex { $0.id == id }
            let removed = index.map { registration.receivers.remove(at: $0) }
            let isEmpty = registration.receivers.isEmpty
            return (removed, receivers.replace(with: isEmpty ? nil : ObjectTable(registration.receivers)))
        }
        withExtendedLifetime(unused) {}
    }

    /// Inside the gate only, or when no other thread has the channel.
    @usableFromInline
    func takeTable() {
        while let new = unsafe cweir_handoff_take(incomingTable) {
            let old = unsafe inside.pointee.table
            unsafe inside.pointee.table = .fromOpaque(new)
            unsafe old.release()
            startNewcomers()
        }
    }

    /// Replays to new subscribers what still holds: the latest event and the watermark.
    private func startNewcomers() {
        unsafe inside.pointee.table._withUnsafeGuaranteedRef { table in
            table.forEach { subscriber in
                guard !subscriber.hasStarted else { return }
                subscriber.hasStarted = true
                if let latest = unsafe inside.pointee.latest, !subscriber.isOver.load(ordering: .relaxed) {
                    subscriber.receive(latest)
                }
                let watermark = unsafe inside.pointee.watermark
                if watermark > .distantPast { subscriber.advance(watermark) }
            }
        }
    }

    // MARK: Publishing

    /// Publishes an event.
    ///
    /// Sinks, and listeners on the publisher's thread, run before the call returns; listeners elsewhere get the event
    /// queued with normal priority.
    ///
    /// - Parameter event: The event.
    /// - Returns: `false` when the event was dropped here: by the overflow policy, because it runs too far ahead, or because
    ///   the stream has ended. What waits for a busy channel may still be dropped afterwards, and counted.
    @inlinable
    @discardableResult
    public func publish(_ event: Element) -> Bool {
        dispatch(event, DispatchOptions())
    }

    @inlinable
    package func dispatch(_ event: Element, _ options: DispatchOptions) -> Bool {
        if needsGate.load(ordering: .relaxed) {
            guard sendToSinks(event, options) else { return false }
            if !receivers.isEmpty { sendToReceivers(event, options, isCounted: false) }
        } else if receivers.isEmpty {
            publishedToNobody.wrappingAdd(1, ordering: .relaxed)
        } else {
            sendToReceivers(event, options, isCounted: true)
        }
        return true
    }

    @inlinable
    func sendToSinks(_ event: Element, _ options: DispatchOptions) -> Bool {
        guard unsafe cweir_gate_enter(gate) else { return leaveBehind(event, options) }
        if hasWaiting { drainAll() }
        var isTaken = unsafe !inside.pointee.isFinished
        if isTaken {
            unsafe inside.pointee.options = options
            unsafe inside.pointee.isStamped = false
            isTaken = deliver(event)
        } else {
            countDroppedAfterEnd(1)
        }
        if unsafe !cweir_gate_leave(gate) { leaveAfterDraining() }
        return isTaken
    }

    @inlinable
    func sendToReceivers(_ event: Element, _ options: DispatchOptions, isCounted: Bool) {
        let context = EventContext(
            priority: options.priority,
            order: options.order,
            dispatchTime: clock.now(),
            clock: clock
        )
        receivers.read(isCounted: isCounted) { table in
            table.forEach { $0.receive(event, context) }
        }
    }

    /// Publishes the events of a batch, in order: the fast way for many.
    ///
    /// - Parameter batch: The events, oldest first.
    /// - Returns: `false` when some were dropped here: by the overflow policy, because they run too far ahead, or because the
    ///   stream has ended.
    @inlinable
    @discardableResult
    public func publish(contentsOf batch: Span<Element>) -> Bool {
        guard !looksAtEach, receivers.isEmpty, unsafe cweir_gate_enter(gate) else {
            var isComplete = true
            for index in batch.indices where !publish(batch[index]) { isComplete = false }
            return isComplete
        }
        if hasWaiting { drainAll() }
        let isOpen = unsafe !inside.pointee.isFinished
        if isOpen {
            if unsafe !cweir_handoff_is_empty(incomingTable) { takeTable() }
            unsafe inside.pointee.options = DispatchOptions()
            unsafe inside.pointee.isStamped = false
            unsafe inside.pointee.table._withUnsafeGuaranteedRef { table in
                table.forEach { $0.receiveBatch(batch) }
            }
            countPublishedInside(batch.count)
        } else {
            countDroppedAfterEnd(batch.count)
        }
        if unsafe !cweir_gate_leave(gate) { leaveAfterDraining() }
        return isOpen
    }

    /// Publishes the events of an array, in order.
    ///
    /// - Parameter batch: The events, oldest first.
    /// - Returns: `false` when some were dropped: by the overflow policy, or because the stream has ended.
    @inlinable
    @discardableResult
    public func publish(contentsOf batch: [Element]) -> Bool {
        // The span is of memory that stays as it is during the call.
        unsafe batch.withUnsafeBufferPointer { publish(contentsOf: unsafe $0.span) }
    }

    /// Says that no event older than `watermark` will follow.
    ///
    /// - Parameter watermark: One that is before the last is ignored and counted.
    public func advance(to watermark: Timestamp) {
        _ = requestedWatermark.max(watermark.nanosecondsSinceEpoch, ordering: .releasing)
        if requestedWatermark.load(ordering: .relaxed) > watermark.nanosecondsSinceEpoch {
            ignoredWatermarks.wrappingAdd(1, ordering: .relaxed)
        }
        enterAndDrain()
    }

    /// Ends the stream; what is published afterwards is dropped and counted.
    ///
    /// - Parameter completion: Whether the stream ended or broke off. Only the first call counts.
    public func finish(_ completion: Completion = .finished) {
        registration.withLock { registration in
            if registration.requestedCompletion == nil { registration.requestedCompletion = completion }
        }
        needsGate.store(true, ordering: .relaxed)
        completionRequested.store(true, ordering: .releasing)
        enterAndDrain()
    }

    // MARK: Counters

    /// A snapshot of the channel's counts; reading it delays no publisher.
    public var metrics: ChannelMetrics {
        ChannelMetrics(
            published: publishedInside.load(ordering: .relaxed) + publishedToNobody.load(ordering: .relaxed)
                + receivers.countedReads,
            droppedByOverflow: dropped.load(ordering: .relaxed),
            droppedAfterEnd: droppedAfterEnd.load(ordering: .relaxed),
            droppedAhead: ahead.count,
            ignoredWatermarks: ignoredWatermarks.load(ordering: .relaxed),
            waiting: waiting.count,
            waitingHighWaterMark: waitingHighWaterMark.load(ordering: .relaxed)
        )
    }

    // MARK: Inside the gate

    /// Sends an event to the sinks; returns whether it does not run too far ahead.
    @inlinable
    @discardableResult
    func deliver(_ event: Element) -> Bool {
        if unsafe !cweir_handoff_is_empty(incomingTable) { takeTable() }
        if looksAtEach, !admits(event) { return false }
        countPublishedInside(1)
        unsafe inside.pointee.table._withUnsafeGuaranteedRef { table in
            table.forEach { subscriber in
                if !subscriber.isOver.load(ordering: .relaxed) { subscriber.receive(event) }
            }
        }
        return true
    }

    /// Looks at an event that is about to be sent; returns whether it may be.
    @usableFromInline
    @inline(never)
    func admits(_ event: Element) -> Bool {
        guard unsafe inside.pointee.aheadLimit?.admits(event.timestamp) != false else {
            ahead.send(event, at: event.timestamp)
            return false
        }
        if replaysLatest { unsafe inside.pointee.latest = event }
        return true
    }

    /// How the event that is being sent was dispatched; for sinks, while they run.
    ///
    /// All of them are told the same time: the clock is read once, by the first one that asks.
    @inlinable
    @inline(__always)
    package func currentContext() -> EventContext {
        if unsafe !inside.pointee.isStamped { stamp() }
        return unsafe EventContext(
            priority: inside.pointee.options.priority,
            order: inside.pointee.options.order,
            dispatchTime: inside.pointee.dispatchTime,
            clock: clock
        )
    }

    @inlinable
    @inline(never)
    func stamp() {
        unsafe inside.pointee.dispatchTime = clock.now()
        unsafe inside.pointee.isStamped = true
    }

    @inlinable
    func countPublishedInside(_ count: Int) {
        let published = publishedInside.load(ordering: .relaxed) &+ UInt64(count)
        publishedInside.store(published, ordering: .relaxed)
    }

    @usableFromInline
    var hasWaiting: Bool { waiting.count > 0 }

    /// Delivers all that waits, also what is behind a slot that is still being written: it may be the publisher's own
    /// event, which its next one must not overtake.
    @usableFromInline
    @inline(never)
    func drainAll() {
        var round: UInt32 = 0
        while hasWaiting {
            drain()
            cweir_thread_back_off(round)
            round &+= 1
        }
    }

    @usableFromInline
    @inline(never)
    func leaveAfterDraining() {
        repeat { drain() } while unsafe !cweir_gate_leave(gate)
    }

    /// Does what others left behind: the events that wait, then a watermark, then the completion.
    private func drain() {
        // Read before the events are taken and applied after: what came before the watermark is among them.
        let requested = Timestamp(nanosecondsSinceEpoch: requestedWatermark.load(ordering: .acquiring))
        while let next = waiting.pop() {
            if unsafe inside.pointee.isFinished {
                countDroppedAfterEnd(1)
            } else {
                unsafe inside.pointee.options = next.options
                unsafe inside.pointee.dispatchTime = next.dispatchTime
                unsafe inside.pointee.isStamped = true
                deliver(next.event)
            }
        }
        takeTable()
        if unsafe requested > inside.pointee.watermark, unsafe !inside.pointee.isFinished {
            unsafe inside.pointee.watermark = requested
            unsafe inside.pointee.table._withUnsafeGuaranteedRef { table in
                table.forEach { $0.advance(requested) }
            }
        }
        if completionRequested.load(ordering: .acquiring), unsafe !inside.pointee.isFinished { complete() }
    }

    private func complete() {
        unsafe inside.pointee.isFinished = true
        let (subscribers, completion, unused) = registration.withLock { registration in
            let completion = registration.requestedCompletion ?? .finished
            registration.completion = completion
            let subscribers = registration.subscribers.map(\.subscriber)
            registration.subscribers = []
            return (subscribers, completion, offerTable(registration))
        }
        withExtendedLifetime(unused) {}
        for subscriber in subscribers { subscriber.finish(completion) }
        takeTable()
    }

    // MARK: Outside the gate

    private func enterAndDrain() {
        // Notify instead of entering: the thread inside looks at the requests before it leaves.
        if unsafe cweir_gate_notify(gate) { leaveAfterDraining() }
    }

    /// Leaves an event in the ring for the thread inside, or enters if there is none.
    @usableFromInline
    @inline(never)
    func leaveBehind(_ event: Element, _ options: DispatchOptions) -> Bool {
        if overflowPolicy == .latest {
            while waiting.pop() != nil { dropped.wrappingAdd(1, ordering: .relaxed) }
        }
        var round: UInt32 = 0
        let new = Waiting(event: event, options: options, dispatchTime: clock.now())
        while !waiting.push(new) {
            switch overflowPolicy {
            case .block:
                guard unsafe !cweir_gate_is_inside(gate) else {
                    dropped.wrappingAdd(1, ordering: .relaxed)
                    return false
                }
                enterAndDrain()
                guard waitForRoom(round) else {
                    dropped.wrappingAdd(1, ordering: .relaxed)
                    return false
                }
                round &+= 1
            case .dropNewest:
                dropped.wrappingAdd(1, ordering: .relaxed)
                return false
            case .dropOldest, .latest:
                if waiting.pop() != nil { dropped.wrappingAdd(1, ordering: .relaxed) }
            case .fail:
                dropped.wrappingAdd(1, ordering: .relaxed)
                finish(.failed(ChannelError.overflow(capacity: capacity)))
                return false
            }
        }
        _ = waitingHighWaterMark.max(waiting.count, ordering: .relaxed)
        enterAndDrain()
        return true
    }

    /// Waits a moment for the thread inside; false when that one waits for this one, so that there will be no room.
    private func waitForRoom(_ round: UInt32) -> Bool {
        guard round >= 64 else {
            cweir_thread_back_off(round)
            return true
        }
        var wait = unsafe cweir_wait_t(waiter: 0, target: 0, next: nil)
        guard unsafe cweir_wait_begin(&wait, cweir_gate_owner(gate)) else { return false }
        cweir_thread_back_off(round)
        unsafe cweir_wait_end(&wait)
        return true
    }

    @usableFromInline
    func countDroppedAfterEnd(_ count: Int) {
        droppedAfterEnd.wrappingAdd(UInt64(count), ordering: .relaxed)
    }
}
