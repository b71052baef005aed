public import WeirCore

extension EventBus {
    /// Dispatches an event at a time, as `queue(_:priority:)` does.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - time: When, by the bus's clock; a time that has passed is due at once.
    ///   - interval: How long after each time to dispatch it again; positive.
    ///   - priority: Which of a listener's queues it joins.
    /// - Returns: The handle that cancels it.
    /// - Throws: ``TimerError`` when too many schedules are pending.
    @inlinable
    @discardableResult
    public func queue<E: Sendable>(
        _ event: E,
        at time: Timestamp,
        every interval: Duration? = nil,
        priority: Priority = .normal
    ) throws(TimerError) -> Subscription {
        try schedule(event, at: time, every: interval, DispatchOptions(priority, .queue))
    }

    /// Dispatches an event after a duration, as `queue(_:priority:)` does.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - delay: How long from now.
    ///   - interval: How long after each time to dispatch it again; positive.
    ///   - priority: Which of a listener's queues it joins.
    /// - Returns: The handle that cancels it.
    /// - Throws: ``TimerError`` when too many schedules are pending.
    @inlinable
    @discardableResult
    public func queue<E: Sendable>(
        _ event: E,
        after delay: Duration,
        every interval: Duration? = nil,
        priority: Priority = .normal
    ) throws(TimerError) -> Subscription {
        try schedule(event, at: clock.time(after: delay), every: interval, DispatchOptions(priority, .queue))
    }

    /// Dispatches an event at a time, as `stack(_:priority:)` does.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - time: When, by the bus's clock; a time that has passed is due at once.
    ///   - interval: How long after each time to dispatch it again; positive.
    ///   - priority: Which of a listener's stacks it joins.
    /// - Returns: The handle that cancels it.
    /// - Throws: ``TimerError`` when too many schedules are pending.
    @inlinable
    @discardableResult
    public func stack<E: Sendable>(
        _ event: E,
        at time: Timestamp,
        every interval: Duration? = nil,
        priority: Priority = .normal
    ) throws(TimerError) -> Subscription {
        try schedule(event, at: time, every: interval, DispatchOptions(priority, .stack))
    }

    /// Dispatches an event after a duration, as `stack(_:priority:)` does.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - delay: How long from now.
    ///   - interval: How long after each time to dispatch it again; positive.
    ///   - priority: Which of a listener's stacks it joins.
    /// - Returns: The handle that cancels it.
    /// - Throws: ``TimerError`` when too many schedules are pending.
    @inlinable
    @discardableResult
    public func stack<E: Sendable>(
        _ event: E,
        after delay: Duration,
        every interval: Duration? = nil,
        priority: Priority = .normal
    ) throws(TimerError) -> Subscription {
        try schedule(event, at: clock.time(after: delay), every: interval, DispatchOptions(priority, .stack))
    }

    @inlinable
    func schedule<E: Sendable>(
        _ event: E,
        at time: Timestamp,
        every interval: Duration?,
        _ options: DispatchOptions
    ) throws(TimerError) -> Subscription {
        // The channel, and not the bus: a schedule does not keep the bus alive, whose end ends it.
        try channel(of: E.self).schedule(event, at: time, every: interval, options, on: scheduler)
    }
}

extension Event {
    /// Dispatches the event after a duration to the end of each listener's queue of a priority.
    ///
    /// - Parameters:
    ///   - delay: How long from now.
    ///   - interval: How long after each time to dispatch it again; positive.
    ///   - priority: Which of a listener's queues it joins.
    ///   - bus: The bus.
    /// - Returns: The handle that cancels it.
    /// - Throws: ``TimerError`` when too many schedules are pending.
    @inlinable
    @discardableResult
    public func queue(
        after delay: Duration,
        every interval: Duration? = nil,
        priority: Priority = .normal,
        on bus: EventBus = .shared
    ) throws(TimerError) -> Subscription {
        try bus.queue(self, after: delay, every: interval, priority: priority)
    }

    /// Dispatches the event at a time to the end of each listener's queue of a priority.
    ///
    /// - Parameters:
    ///   - time: When, by the bus's clock.
    ///   - interval: How long after each time to dispatch it again; positive.
    ///   - priority: Which of a listener's queues it joins.
    ///   - bus: The bus.
    /// - Returns: The handle that cancels it.
    /// - Throws: ``TimerError`` when too many schedules are pending.
    @inlinable
    @discardableResult
    public func queue(
        at time: Timestamp,
        every interval: Duration? = nil,
        priority: Priority = .normal,
        on bus: EventBus = .shared
    ) throws(TimerError) -> Subscription {
        try bus.queue(self, at: time, every: interval, priority: priority)
    }

    /// Dispatches the event after a duration to the top of each listener's stack of a priority.
    ///
    /// - Parameters:
    ///   - delay: How long from now.
    ///   - interval: How long after each time to dispatch it again; positive.
    ///   - priority: Which of a listener's stacks it joins.
    ///   - bus: The bus.
    /// - Returns: The handle that cancels it.
    /// - Throws: ``TimerError`` when too many schedules are pending.
    @inlinable
    @discardableResult
    public func stack(
        after delay: Duration,
        every interval: Duration? = nil,
        priority: Priority = .normal,
        on bus: EventBus = .shared
    ) throws(TimerError) -> Subscription {
        try bus.stack(self, after: delay, every: interval, priority: priority)
    }

    /// Dispatches the event at a time to the top of each listener's stack of a priority.
    ///
    /// - Parameters:
    ///   - time: When, by the bus's clock.
    ///   - interval: How long after each time to dispatch it again; positive.
    ///   - priority: Which of a listener's stacks it joins.
    ///   - bus: The bus.
    /// - Returns: The handle that cancels it.
    /// - Throws: ``TimerError`` when too many schedules are pending.
    @inlinable
    @discardableResult
    public func stack(
        at time: Timestamp,
        every interval: Duration? = nil,
        priority: Priority = .normal,
        on bus: EventBus = .shared
    ) throws(TimerError) -> Subscription {
        try bus.stack(self, at: time, every: interval, priority: priority)
    }
}
