public import WeirCore

/// An event of any type with the way it was dispatched, as `EventBus.events` shows it.
public struct DispatchedEvent: Event {
    /// The event.
    public let event: any Event

    /// How urgent it is, in what order it was dispatched, and when.
    public let context: EventContext

    /// The event's own time.
    public var timestamp: Timestamp { event.timestamp }
}
