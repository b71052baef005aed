public import CWeir
public import Synchronization

extension EventChannel {
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
            return receivers.isEmpty ? sendToSinks(event, options) : sendToSinksAndReceivers(event, options)
        }
        if receivers.isEmpty {
            publishedToNobody.wrappingAdd(1, ordering: .relaxed)
        } else {
            receivers.read(isCounted: true) { send(event, options, to: $0) }
        }
        return true
    }

    /// Out of line, so that the way to the sinks is there once.
    @inlinable
    @inline(never)
    func sendToSinksAndReceivers(_ event: Element, _ options: DispatchOptions) -> Bool {
        // One read around both: so a checkpoint knows of a publisher that is between them.
        receivers.read(after: { sendToSinks(event, options) }) { send(event, options, to: $0) }
    }

    @inlinable
    func sendToSinks(_ event: Element, _ options: DispatchOptions) -> Bool {
        guard unsafe cweir_gate_enter(gate) else { return leaveBehind(event, options) }
        if hasWaiting { drainAll() }
        var isTaken = unsafe !inside.pointee.isFinished
        if isTaken {
            unsafe inside.pointee.options = options
            unsafe inside.pointee.isStamped = false
            isTaken = deliver(event, isTimed: EventTime.isCarried(by: Element.self))
        } else {
            countDroppedAfterEnd(1)
        }
        if unsafe !cweir_gate_leave(gate) { leaveAfterDraining() }
        return isTaken
    }

    @inlinable
    func send(_ event: Element, _ options: DispatchOptions, to receivers: ObjectTable<Receiver<Element>>) {
        let context = EventContext(
            priority: options.priority,
            order: options.order,
            dispatchTime: clock.now(),
            clock: clock
        )
        receivers.forEach { $0.receive(event, context) }
    }

    /// Publishes the events of a batch, in order: the fast way for many.
    ///
    /// - Parameter batch: The events, oldest first.
    /// - Returns: `false` when some were dropped here: by the overflow policy, because they run too far ahead, or because the
    ///   stream has ended.
    @inlinable
    @discardableResult
    public func publish(contentsOf batch: Span<Element>) -> Bool {
        guard EventTime.isCarried(by: Element.self), !looksAtEach, receivers.isEmpty, unsafe cweir_gate_enter(gate)
        else {
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
    /// - Returns: `false` when some were dropped here: by the overflow policy, because they run too far ahead, or because the
    ///   stream has ended.
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

    /// Sends an event to the sinks; returns whether it does not run too far ahead.
    @inlinable
    @discardableResult
    func deliver(_ event: Element, isTimed: Bool) -> Bool {
        if unsafe !cweir_handoff_is_empty(incomingTable) { takeTable() }
        if !isTimed { noteArrival(of: event) }
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
        let time = unsafe EventTime.of(event, otherwise: inside.pointee.arrival)
        guard unsafe inside.pointee.aheadLimit?.admits(time) != false else {
            ahead.send(event, at: time)
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

    /// Takes the time of the dispatch for that of what is being sent, which has none.
    @usableFromInline
    @inline(never)
    func noteArrival(of element: Element) {
        // The type has no time, but where it is a protocol, the value may.
        let time = (element as? any Event)?.timestamp
        unsafe inside.pointee.arrival = time ?? max(inside.pointee.arrival, currentContext().dispatchTime)
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
    func countDroppedAfterEnd(_ count: Int) {
        droppedAfterEnd.wrappingAdd(UInt64(count), ordering: .relaxed)
    }
}
