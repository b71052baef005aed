public import WeirCore

/// An event of the common stream.
@frozen
public struct StreamEvent: Event {
    public let timestamp: Timestamp

    /// From 0 to 999.
    public let key: UInt32

    /// The types A, B, C and D as 0, 1, 2 and 3.
    public let type: UInt8

    /// From 0, included, to 1, excluded.
    public let value: Double

    /// Creates an event.
    public init(timestamp: Timestamp, key: UInt32, type: UInt8, value: Double) {
        self.timestamp = timestamp
        self.key = key
        self.type = type
        self.value = value
    }
}
