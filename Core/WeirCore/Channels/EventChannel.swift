public import CWeir
internal import Synchronization

/// Where events enter: hands each event to every attached sink, on the thread that publishes.
///
///     let readings = EventChannel<Reading>()
///     readings.filter { $0.celsius > 30 }.subscribe { print("hot:", $0) }
///     readings.publish(Reading(timestamp: .epoch, celsius: 31))
///
/// ## Order and threads
///
/// The sinks run on one thread at a time. Whoever publishes while nobody else does runs them, before `publish`
/// returns. Whoever publishes while another thread is at it, or from inside a sink, leaves the event in the channel's
/// waiting ring; the thread that is at it takes it after the event, or the batch, that it is handling. So nobody
/// waits, nothing recurses, and the events of one publisher keep their order. The ring is bounded, and the overflow
/// policy says what happens when it is full.
///
/// A watermark or the completion that meets a busy channel takes effect after all events that wait.
///
/// Thread safety: all members may be called from any thread, also from inside a sink.
///
/// - Complexity: `publish` is O(*s*) for *s* sinks, without allocation or lock.
@safe
public final class EventChannel<Element: Event>: EventStream, @unchecked Sendable {
    // Safety of `@unchecked Sendable`: `inside` is touched only from inside the gate, whose enter and leave order one
    // thread's work before the next one's. Everything else is atomic, constant, or under the lock of `registration`.

    /// What must only change together with the list of sinks.
    private struct Registration: Sendable {
        var subscribers: [(id: UInt64, subscriber: Subscriber<Element>)] = []
        var requestedCompletion: Completion?
        var completion: Completion?
    }

    /// What belongs to the thread inside the gate.
    @safe
    @frozen
    @usableFromInline
    struct Inside {
        @usableFromInline var table: Unmanaged<SubscriberTable<Element>>
        @usableFromInline var isFinished = false
        var watermark = Timestamp.distantPast

        init(table: Unmanaged<SubscriberTable<Element>>) {
            unsafe self.table = table
        }
    }

    /// How many events may wait.
    public let capacity: Int

    /// What happens to an event that finds all places taken.
    public let overflowPolicy: OverflowPolicy

    @usableFromInline let gate: UnsafeMutablePointer<cweir_gate_t>
    @usableFromInline let incomingTable: UnsafeMutablePointer<cweir_handoff_t>
    @usableFromInline let inside: UnsafeMutablePointer<Inside>

    private let waiting: SharedRing<Element>
    private let registration = Locked(Registration())
    private let requestedWatermark = Atomic<Int64>(.min)
    private let nextSubscriberID = Atomic<UInt64>(0)
    private let completionRequested = Atomic<Bool>(false)
    private let dropped = Atomic<UInt64>(0)
    private let ignoredWatermarks = Atomic<UInt64>(0)

    /// Creates a channel without sinks.
    ///
    /// - Parameters:
    ///   - capacity: How many events may wait while another one is being handled; a power of two.
    ///   - overflowPolicy: What happens to an event that finds all places taken. With ``OverflowPolicy/block``, an
    ///     event that a sink publishes into its own full channel is dropped and counted: it cannot wait for itself.
    public init(capacity: Int = 1024, overflowPolicy: OverflowPolicy = .block) {
        self.capacity = capacity
        self.overflowPolicy = overflowPolicy
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
        unsafe inside.initialize(to: Inside(table: .passRetained(SubscriberTable([]))))
    }

    deinit {
        takeTable()
        unsafe inside.pointee.table.release()
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
        let completion = registration.withLock { registration in
            if registration.completion == nil {
                registration.subscribers.append((id, subscriber))
                offerTable(registration)
            }
            return registration.completion
        }
        if let completion {
            subscriber.finish(completion)
        } else {
            adoptTable()
        }
    }

    /// Removes a subscriber, if it is still there.
    @usableFromInline
    func remove(_ id: UInt64) {
        registration.withLock { registration in
            registration.subscribers.removeAll { $0.id == id }
            offerTable(registration)
        }
        adoptTable()
    }

    private func offerTable(_ registration: Registration) {
        let new = unsafe Unmanaged.passRetained(SubscriberTable(registration.subscribers.map(\.subscriber)))
        if let old = unsafe cweir_handoff_put(incomingTable, new.toOpaque()) {
            unsafe Unmanaged<SubscriberTable<Element>>.fromOpaque(old).release()
        }
    }

    /// Takes the new table now, if nobody is at work: what was detached is let go at once.
    private func adoptTable() {
        guard unsafe cweir_gate_enter(gate) else { return }
        takeTable()
        leave()
    }

    /// Inside the gate only, or when nobody else has the channel.
    @usableFromInline
    func takeTable() {
        guard let new = unsafe cweir_handoff_take(incomingTable) else { return }
        let old = unsafe inside.pointee.table
        unsafe inside.pointee.table = .fromOpaque(new)
        unsafe old.release()
    }

    // MARK: Publishing

    /// Publishes an event.
    ///
    /// - Parameter event: The event.
    /// - Returns: `false` when the event was dropped: by the overflow policy, or because the stream has ended.
    @inlinable
    @discardableResult
    public func publish(_ event: Element) -> Bool {
        guard unsafe cweir_gate_enter(gate) else { return leaveBehind(event) }
        let isOpen = unsafe !inside.pointee.isFinished
        if isOpen {
            deliver(event)
        } else {
            countDropped(1)
        }
        if unsafe !cweir_gate_leave(gate) { leaveAfterDraining() }
        return isOpen
    }

    /// Publishes the events of a batch, in order: the fast way for many.
    ///
    /// - Parameter batch: The events, oldest first.
    /// - Returns: `false` when some were dropped: by the overflow policy, or because the stream has ended.
    @inlinable
    @discardableResult
    public func publish(contentsOf batch: Span<Element>) -> Bool {
        guard unsafe cweir_gate_enter(gate) else {
            var isComplete = true
            for index in batch.indices where !leaveBehind(batch[index]) { isComplete = false }
            return isComplete
        }
        let isOpen = unsafe !inside.pointee.isFinished
        if isOpen {
            if unsafe !cweir_handoff_is_empty(incomingTable) { takeTable() }
            unsafe inside.pointee.table._withUnsafeGuaranteedRef { table in
                table.forEach { $0.receiveBatch(batch) }
            }
        } else {
            countDropped(batch.count)
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
        publish(contentsOf: batch.span)
    }

    /// Says that no event older than `watermark` will follow.
    ///
    /// - Parameter watermark: One that is before the last is ignored and counted.
    public func advance(to watermark: Timestamp) {
        _ = requestedWatermark.max(watermark.nanosecondsSinceEpoch, ordering: .relaxed)
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
        completionRequested.store(true, ordering: .releasing)
        enterAndDrain()
    }

    // MARK: Counters

    /// How many events were dropped: by the overflow policy, or published after the end.
    public var droppedCount: UInt64 { dropped.load(ordering: .relaxed) }

    /// How many watermarks were ignored because they were before an earlier one.
    public var ignoredWatermarkCount: UInt64 { ignoredWatermarks.load(ordering: .relaxed) }

    /// How many events wait, at one moment.
    public var waitingCount: Int { waiting.count }

    // MARK: Inside the gate

    @inlinable
    func deliver(_ event: Element) {
        if unsafe !cweir_handoff_is_empty(incomingTable) { takeTable() }
        unsafe inside.pointee.table._withUnsafeGuaranteedRef { table in
            table.forEach { $0.receive(event) }
        }
    }

    private func leave() {
        if unsafe !cweir_gate_leave(gate) { leaveAfterDraining() }
    }

    @usableFromInline
    @inline(never)
    func leaveAfterDraining() {
        repeat { drain() } while unsafe !cweir_gate_leave(gate)
    }

    /// Does what others left behind: the events that wait, then a watermark, then the completion.
    private func drain() {
        while let event = waiting.pop() {
            if unsafe inside.pointee.isFinished {
                countDropped(1)
            } else {
                deliver(event)
            }
        }
        takeTable()
        let requested = Timestamp(nanosecondsSinceEpoch: requestedWatermark.load(ordering: .relaxed))
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
        let (subscribers, completion) = registration.withLock { registration in
            let completion = registration.requestedCompletion ?? .finished
            registration.completion = completion
            let subscribers = registration.subscribers.map(\.subscriber)
            registration.subscribers = []
            offerTable(registration)
            return (subscribers, completion)
        }
        for subscriber in subscribers { subscriber.finish(completion) }
        takeTable()
    }

    // MARK: Outside the gate

    private func enterAndDrain() {
        // Notifying instead of entering: whoever is inside looks at the requests before leaving.
        if unsafe cweir_gate_notify(gate) { leaveAfterDraining() }
    }

    /// Leaves an event in the ring for whoever is inside, or goes inside when nobody is.
    @usableFromInline
    @inline(never)
    func leaveBehind(_ event: Element) -> Bool {
        if overflowPolicy == .latest {
            while waiting.pop() != nil { countDropped(1) }
        }
        var round: UInt32 = 0
        while !waiting.push(event) {
            switch overflowPolicy {
            case .block:
                guard unsafe !cweir_gate_is_inside(gate) else {
                    countDropped(1)
                    return false
                }
                enterAndDrain()
                cweir_thread_back_off(round)
                round &+= 1
            case .dropNewest:
                countDropped(1)
                return false
            case .dropOldest, .latest:
                if waiting.pop() != nil { countDropped(1) }
            case .fail:
                countDropped(1)
                finish(.failed(ChannelError.overflow(capacity: capacity)))
                return false
            }
        }
        enterAndDrain()
        return true
    }

    @usableFromInline
    func countDropped(_ count: Int) {
        dropped.wrappingAdd(UInt64(count), ordering: .relaxed)
    }
}
