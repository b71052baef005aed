public import WeirCore

/// The names of the fields that an event type reads, in the manner of `CodingKey`.
///
/// Declare an enumeration with raw type `Int`; the case's name is the field's name unless you say otherwise. Keys are
/// looked up in the header once, so that reading a field of a record is an array access.
///
///     enum Key: Int, FieldKey {
///         case time, x, y, z
///     }
public protocol FieldKey: RawRepresentable, CaseIterable, Sendable where RawValue == Int {
    /// The name of the field in the input.
    var fieldName: String { get }
}

extension FieldKey {
    /// The name of the case.
    public var fieldName: String { String(describing: self) }
}

/// An event that can be read from the fields of a record, whatever the format.
///
///     struct Reading: Event, FieldDecodable {
///         enum Key: Int, FieldKey { case time, celsius }
///         let timestamp: Timestamp
///         let celsius: Double
///
///         init(from record: borrowing FieldReader<Key>) throws(FieldError) {
///             timestamp = try record.timestamp(.time)
///             celsius = try record.double(.celsius)
///         }
///     }
public protocol FieldDecodable: Sendable {
    /// The fields that are read; the raw values count from zero in the order of the cases.
    associatedtype Key: FieldKey

    /// Reads the event from a record.
    ///
    /// - Parameter record: Valid only during the call.
    /// - Throws: ``FieldError`` when a field is absent or does not fit; the record is then rejected with that reason.
    init(from record: borrowing FieldReader<Key>) throws(FieldError)
}

/// Makes events of records, with state or settings of its own.
///
/// Use it where a ``FieldDecodable`` initialiser is not enough: settings that are known only at run time, values that
/// depend on earlier records.
public protocol EventDecoder<Output>: Sendable {
    /// The fields that are read; the raw values count from zero in the order of the cases.
    associatedtype Key: FieldKey

    /// What is made.
    associatedtype Output: Event

    /// Makes an event of a record.
    ///
    /// - Parameter record: Valid only during the call.
    /// - Returns: The event.
    /// - Throws: ``FieldError`` when the record does not fit; it is then rejected with that reason.
    mutating func decode(_ record: borrowing FieldReader<Key>) throws(FieldError) -> Output

    /// Saves what the decoder knows of earlier records, or gives it back.
    ///
    /// Lists all that ``decode(_:)`` changes, in the manner of a sink, and the tables of symbols; settings are not listed. By
    /// default, a decoder is refused by its name.
    ///
    /// - Parameter state: Takes the fields; a section is open.
    /// - Throws: What `state` throws.
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError)
}

extension EventDecoder {
    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        throw .unsaveable(operator: "\(Self.self)")
    }
}

/// The decoder of a type that reads itself.
@frozen
public struct SelfDecoder<Output: FieldDecodable & Event>: EventDecoder {
    public typealias Key = Output.Key

    /// Creates the decoder.
    @inlinable
    public init() {}

    @inlinable
    public mutating func decode(_ record: borrowing FieldReader<Key>) throws(FieldError) -> Output {
        try Output(from: record)
    }

    /// Nothing: each record is read for itself.
    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
    }
}
