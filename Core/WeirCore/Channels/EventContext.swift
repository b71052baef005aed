/// What a handler gets beside its event: its priority, the order of its dispatch, and when it was dispatched.
@frozen
public struct EventContext: Sendable {
    /// How urgent the event is.
    public let priority: Priority

    /// Whether the event queued behind earlier ones of its priority, or went on top of them.
    public let order: DispatchOrder

    /// When the event was dispatched, by the bus's clock.
    public let dispatchTime: Timestamp

    @usableFromInline let clock: EventClock

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - priority: How urgent the event is.
    ///   - order: Whether the event queued behind earlier ones of its priority, or went on top of them.
    ///   - dispatchTime: When the event was dispatched, by `clock`.
    ///   - clock: What ages are measured with.
    @inlinable
    public init(priority: Priority, order: DispatchOrder, dispatchTime: Timestamp, clock: EventClock) {
        self.priority = priority
        self.order = order
        self.dispatchTime = dispatchTime
        self.clock = clock
    }

    /// How long ago the event was dispatched; not negative.
    public var age: Duration {
        max(.zero, clock.now() - dispatchTime)
    }
}
