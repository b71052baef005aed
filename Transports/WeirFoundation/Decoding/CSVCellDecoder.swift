internal import Foundation
internal import WeirCore
internal import WeirRecords

/// Decodes one field of a row: a single value.
struct CSVCellDecoder: Decoder, SingleValueDecodingContainer {
    let text: String
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw mismatch([String: Any].self, "a CSV field cannot hold an object")
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw mismatch([Any].self, "a CSV field cannot hold an array")
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { text.isEmpty }

    func decode(_ type: Bool.Type) throws -> Bool {
        switch text {
        case "true": return true
        case "false": return false
        default: throw mismatch(type, "is neither true nor false")
        }
    }

    func decode(_ type: String.Type) throws -> String { text }

    func decode(_ type: Double.Type) throws -> Double {
        let bytes = Array(text.utf8)
        let number = unsafe bytes.withUnsafeBufferPointer { unsafe DecimalText.double($0) }
        guard let number else { throw mismatch(type, "is not a number") }
        guard number.isFinite else { throw mismatch(type, "is not a finite number") }
        return number
    }

    func decode(_ type: Float.Type) throws -> Float {
        let number = Float(try decode(Double.self))
        guard number.isFinite else { throw mismatch(type, "is out of range") }
        return number
    }

    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // The date's own decoder would take a number of seconds since 2001.
        if type == Date.self, let date = try Date(Timestamp(from: self)) as? Value { return date }
        return try Value(from: self)
    }

    private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        let trimmed = text.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
        guard let number = Integer(trimmed) else {
            let digits = trimmed.drop { $0 == "-" || $0 == "+" }
            let isNumber = !digits.isEmpty && digits.allSatisfy { ("0"..."9").contains($0) }
            throw mismatch(type, isNumber ? "is out of range" : "is not a whole number")
        }
        return number
    }

    private func mismatch(_ type: Any.Type, _ reason: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath,
            debugDescription: "\(reason): '\(Excerpt.of(text.utf8, limit: 40))'"
        )
        return text.isEmpty ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}
