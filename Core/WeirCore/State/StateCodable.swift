/// A type that says how its values are kept in a checkpoint.
///
/// Few types have to: trivial types are kept by their bytes; texts, optionals, arrays, sets, dictionaries, and tuples and
/// structs of all these by what they consist of. A type conforms when it refers to an object, when it is an enumeration with
/// such a payload, or when it is to survive a change of its fields.
///
///     final class Account: StateCodable, Sendable {
///         let owner: String
///         let cents: Int64
///
///         init(owner: String, cents: Int64) { (self.owner, self.cents) = (owner, cents) }
///
///         init(restoringFrom reader: inout StateReader) throws(StateError) {
///             owner = try reader.read(String.self)
///             cents = try reader.read(Int64.self)
///         }
///
///         func save(to writer: inout StateWriter) throws(StateError) {
///             try writer.write(owner)
///             try writer.write(cents)
///         }
///     }
public protocol StateCodable {
    /// The version of what ``save(to:)`` writes; a section whose types have other versions does not fit. By default 1.
    static var stateVersion: UInt32 { get }

    /// Writes the value.
    ///
    /// - Parameter writer: Where it goes.
    /// - Throws: What the writer throws.
    func save(to writer: inout StateWriter) throws(StateError)

    /// Reads a value.
    ///
    /// - Parameter reader: Has what ``save(to:)`` wrote next.
    /// - Throws: What the reader throws, and ``StateReader/damage(_:)`` for values that there cannot be.
    init(restoringFrom reader: inout StateReader) throws(StateError)
}

/// A generic type that writes itself, with the types whose values are parts of it: theirs are part of its layout.
package protocol StateComposite: StateCodable {
    static var stateParts: [Any.Type] { get }
}

extension StateCodable {
    public static var stateVersion: UInt32 { 1 }
}

extension String: StateCodable {
    public func save(to writer: inout StateWriter) throws(StateError) {
        var text = self
        text.withUTF8 { unsafe writer.write(bytes: UnsafeRawBufferPointer($0)) }
    }

    public init(restoringFrom reader: inout StateReader) throws(StateError) {
        let bytes = try reader.readBytes()
        guard let text = String(validating: bytes, as: UTF8.self) else { throw reader.damage("a text is not UTF-8") }
        self = text
    }
}

extension Substring: StateCodable {
    public func save(to writer: inout StateWriter) throws(StateError) {
        try String(self).save(to: &writer)
    }

    public init(restoringFrom reader: inout StateReader) throws(StateError) {
        self = try String(restoringFrom: &reader)[...]
    }
}

/// An error of which only the text was kept.
struct RestoredError: Error, CustomStringConvertible {
    let description: String
}

extension Completion: StateCodable {
    public func save(to writer: inout StateWriter) throws(StateError) {
        switch self {
        case .finished: writer.append(UInt8(0))
        case .interrupted: writer.append(UInt8(1))
        case .failed(let error):
            writer.append(UInt8(2))
            try "\(error)".save(to: &writer)
        }
    }

    /// Reads a completion; of a failure, only the text of the error is there.
    public init(restoringFrom reader: inout StateReader) throws(StateError) {
        switch try reader.number(UInt8.self) {
        case 0: self = .finished
        case 1: self = .interrupted
        case 2: self = .failed(RestoredError(description: try String(restoringFrom: &reader)))
        default: throw reader.damage("there is no such completion")
        }
    }
}
