public import WeirCore

extension Event {
    /// Publishes the event on a bus.
    ///
    ///     Temperature(timestamp: now, celsius: 25.5).publish()
    ///
    /// - Parameter bus: The bus.
    /// - Returns: `false` when the event was dropped here: by the overflow policy, or because the stream has ended.
    @inlinable
    @discardableResult
    public func publish(on bus: EventBus = .shared) -> Bool {
        bus.publish(self)
    }

    /// Dispatches the event to the end of each listener's queue of a priority.
    ///
    ///     Temperature(timestamp: now, celsius: 25.5).queue(priority: .high)
    ///
    /// - Parameters:
    ///   - priority: Which of a listener's queues it joins.
    ///   - bus: The bus.
    /// - Returns: `false` when the event was dropped here: by the overflow policy, or because the stream has ended.
    @inlinable
    @discardableResult
    public func queue(priority: Priority = .normal, on bus: EventBus = .shared) -> Bool {
        bus.queue(self, priority: priority)
    }

    /// Dispatches the event to the top of each listener's stack of a priority.
    ///
    /// - Parameters:
    ///   - priority: Which of a listener's stacks it joins.
    ///   - bus: The bus.
    /// - Returns: `false` when the event was dropped here: by the overflow policy, or because the stream has ended.
    @inlinable
    @discardableResult
    public func stack(priority: Priority = .normal, on bus: EventBus = .shared) -> Bool {
        bus.stack(self, priority: priority)
    }
}
