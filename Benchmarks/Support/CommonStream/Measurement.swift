public import WeirCore
public import WeirRecords

/// Three of the four fields of an event of the common stream, to be read from text.
@frozen
public struct Measurement: Event, FieldDecodable {
    @frozen
    public enum Key: Int, FieldKey { case time, key, value }

    public let timestamp: Timestamp
    public let key: Int64
    public let value: Double

    @inlinable
    public init(from record: borrowing FieldReader<Key>) throws(FieldError) {
        timestamp = try record.timestamp(.time)
        key = try record.integer(.key)
        value = try record.double(.value)
    }
}
