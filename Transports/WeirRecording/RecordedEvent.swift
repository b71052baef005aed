public import WeirCore

/// An event as it is in a recording, not yet decoded.
public struct RecordedEvent: Sendable {
    /// The name of its type.
    public let typeName: String

    /// When it happened.
    public let eventTime: Timestamp

    /// When it was dispatched.
    public let dispatchTime: Timestamp

    /// The priority with which it was dispatched.
    public let priority: Priority

    let body: [UInt8]
    let keys: [String]

    /// Decodes the event.
    ///
    /// - Parameter type: The type that was recorded, or one that decodes the same keys.
    /// - Returns: The event.
    /// - Throws: `DecodingError`, or what the type's `init(from:)` throws.
    public func decode<E: Decodable>(_ type: E.Type) throws -> E {
        try BodyDecoder.decode(type, from: body, keys: keys)
    }
}
