public import WeirCore

/// An event as it is in a recording, not yet decoded; `WeirFoundation` decodes it.
public struct RecordedEvent: Sendable {
    /// The name of its type.
    public let typeName: String

    /// When it happened.
    public let eventTime: Timestamp

    /// When it was dispatched.
    public let dispatchTime: Timestamp

    /// The priority with which it was dispatched.
    public let priority: Priority

    package let body: [UInt8]
    package let keys: [String]
}
