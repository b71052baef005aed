/// Something that happened, at a time.
///
/// Events are immutable values, safe to hand from thread to thread.
///
///     struct Reading: Event {
///         let timestamp: Timestamp
///         let celsius: Double
///     }
public protocol Event: Sendable {
    /// When it happened: event time, not when the program heard of it.
    var timestamp: Timestamp { get }
}
