public import WeirCore

/// An event of any type with the way it was dispatched, as `EventBus.events` shows it.
public struct DispatchedEvent: Event {
    /// What was dispatched: an `Event`, or a value without a time.
    public let event: any Sendable

    /// How urgent it is, in what order it was dispatched, and when.
    public let context: EventContext

    /// The event's own time; that of the dispatch if it has none.
    public var timestamp: Timestamp { (event as? any Event)?.timestamp ?? context.dispatchTime }
}
