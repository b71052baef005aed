public import WeirCore

extension EventChannel {
    /// Dispatches an event to the end of each listener's queue of a priority.
    ///
    /// Sinks, and listeners on the publisher's thread, have no queues and run before the call returns.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - priority: Which of a listener's queues it joins; a listener empties the more urgent ones first.
    /// - Returns: `false` when the event was dropped here: by the overflow policy, or because the stream has ended.
    @inlinable
    @discardableResult
    public func queue(_ event: Element, priority: Priority = .normal) -> Bool {
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
    public func stack(_ event: Element, priority: Priority = .normal) -> Bool {
        dispatch(event, DispatchOptions(priority, .stack))
    }

    /// Dispatches an event at a time, as `queue(_:priority:)` does.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - time: When, by the scheduler's clock; a time that has passed is due at once.
    ///   - interval: How long after each time to dispatch it again; positive.
    ///   - priority: Which of a listener's queues it joins.
    ///   - scheduler: What waits for the time.
    /// - Returns: The handle that cancels it.
    /// - Throws: ``TimerError`` when too many schedules are pending.
    @inlinable
    @discardableResult
    public func queue(
        _ event: Element,
        at time: Timestamp,
        every interval: Duration? = nil,
        priority: Priority = .normal,
        scheduler: Scheduler
    ) throws(TimerError) -> Subscription {
        try schedule(event, at: time, every: interval, DispatchOptions(priority, .queue), on: scheduler)
    }

    /// Dispatches an event at a time, as `stack(_:priority:)` does.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - time: When, by the scheduler's clock; a time that has passed is due at once.
    ///   - interval: How long after each time to dispatch it again; positive.
    ///   - priority: Which of a listener's stacks it joins.
    ///   - scheduler: What waits for the time.
    /// - Returns: The handle that cancels it.
    /// - Throws: ``TimerError`` when too many schedules are pending.
    @inlinable
    @discardableResult
    public func stack(
        _ event: Element,
        at time: Timestamp,
        every interval: Duration? = nil,
        priority: Priority = .normal,
        scheduler: Scheduler
    ) throws(TimerError) -> Subscription {
        try schedule(event, at: time, every: interval, DispatchOptions(priority, .stack), on: scheduler)
    }

    @inlinable
    func schedule(
        _ event: Element,
        at time: Timestamp,
        every interval: Duration?,
        _ options: DispatchOptions,
        on scheduler: Scheduler
    ) throws(TimerError) -> Subscription {
        try scheduler.schedule(at: time, every: interval) { _ in _ = self.dispatch(event, options) }
    }
}
