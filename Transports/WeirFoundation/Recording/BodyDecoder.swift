internal import Foundation
internal import WeirCore
public import WeirRecording

/// Decodes one value from untrusted bytes: what does not fit is an error.
final class BodyDecoder: Decoder {
    let bytes: [UInt8]
    let keys: [String]
    let start: Int
    private let end: Int
    private let parent: BodyDecoder?
    private let key: (any CodingKey)?
    private let depth: Int

    private init(
        _ bytes: [UInt8],
        _ keys: [String],
        _ range: Range<Int>,
        parent: BodyDecoder?,
        key: (any CodingKey)?
    ) {
        self.bytes = bytes
        self.keys = keys
        start = range.lowerBound
        end = range.upperBound
        self.parent = parent
        self.key = key
        depth = parent.map { $0.depth + 1 } ?? 0
    }

    /// Decodes the value that takes up all of a body.
    static func decode<Value: Decodable>(_ type: Value.Type, from body: [UInt8], keys: [String]) throws -> Value {
        let decoder = BodyDecoder(body, keys, 0..<body.count, parent: nil, key: nil)
        guard try decoder.end(ofValueAt: 0, within: body.count) == body.count else {
            throw decoder.damaged("there is more than one value")
        }
        return try decoder.value(type, at: 0, nil)
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var codingPath: [any CodingKey] {
        let before = parent?.codingPath ?? []
        return key.map { before + [$0] } ?? before
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try KeyedBodyDecoder(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try UnkeyedBodyDecoder(self) }

    func singleValueContainer() -> any SingleValueDecodingContainer { SingleBodyDecoder(decoder: self) }

    // MARK: Places

    func damaged(_ reason: String) -> DecodingError {
        DecodingError.dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: reason))
    }

    /// The content of the array or keyed value that this decoder is for.
    func content(tag: UInt8) throws -> Range<Int> {
        guard start < end, bytes[start] == tag else {
            throw mismatch(tag == BodyFormat.array ? "an array" : "a keyed value", at: start, nil)
        }
        let end = try end(ofValueAt: start, within: end)
        return start + 5..<end
    }

    /// Where the value at an offset ends; throws when it does not end in time.
    func end(ofValueAt offset: Int, within limit: Int) throws -> Int {
        var cursor = ByteCursor(bytes, from: offset, to: limit)
        guard let tag = cursor.byte() else { throw damaged("a value is cut off") }
        var fixed: Int?
        switch tag {
        case BodyFormat.null, BodyFormat.no, BodyFormat.yes, BodyFormat.small...: fixed = 0
        case BodyFormat.signed, BodyFormat.unsigned: fixed = cursor.variable().map { _ in 0 }
        case BodyFormat.double, BodyFormat.date: fixed = 8
        case BodyFormat.float: fixed = 4
        case BodyFormat.text, BodyFormat.data: fixed = cursor.run().map { _ in 0 }
        case BodyFormat.uuid, BodyFormat.signed128, BodyFormat.unsigned128: fixed = 16
        case BodyFormat.array, BodyFormat.keyed: fixed = cursor.fixed(UInt32.self).map(Int.init)
        default: throw damaged("there is no value with the tag \(tag)")
        }
        guard let fixed, fixed <= cursor.end - cursor.offset else { throw damaged("a value is cut off") }
        return cursor.offset + fixed
    }

    func nested(at offset: Int, _ key: (any CodingKey)?) throws -> BodyDecoder {
        guard depth < BodyFormat.deepest else { throw damaged("values are nested too deeply") }
        return BodyDecoder(bytes, keys, offset..<end, parent: self, key: key)
    }

    private func mismatch(_ wanted: String, at offset: Int, _ key: (any CodingKey)?) -> DecodingError {
        DecodingError.typeMismatch(
            Any.self,
            DecodingError.Context(
                codingPath: key.map { codingPath + [$0] } ?? codingPath,
                debugDescription: "there is no \(wanted) here"
            )
        )
    }

    // MARK: Values

    func value<Value: Decodable>(_ type: Value.Type, at offset: Int, _ key: (any CodingKey)?) throws -> Value {
        if let value = try direct(type, at: offset, key) { return value }
        return try Value(from: nested(at: offset, key))
    }

    /// Reads values that need no decoder; nil for all others.
    private func direct<Value>(_ type: Value.Type, at offset: Int, _ key: (any CodingKey)?) throws -> Value? {
        if type == Double.self { return try double(at: offset, key) as? Value }
        if type == Int.self { return try integer(Int.self, at: offset, key) as? Value }
        if type == String.self { return try text(at: offset, key) as? Value }
        if type == Timestamp.self {
            return Timestamp(nanosecondsSinceEpoch: try integer(Int64.self, at: offset, key)) as? Value
        }
        if type == Date.self {
            guard let bits = fixed(UInt64.self, BodyFormat.date, at: offset) else {
                throw mismatch("date", at: offset, key)
            }
            return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)) as? Value
        }
        if type == UUID.self {
            guard let bits = fixed(UInt128.self, BodyFormat.uuid, at: offset) else {
                throw mismatch("UUID", at: offset, key)
            }
            return unsafe UUID(uuid: unsafeBitCast(bits.littleEndian, to: uuid_t.self)) as? Value
        }
        if type == Data.self {
            var cursor = ByteCursor(bytes, from: offset, to: end)
            guard cursor.byte() == BodyFormat.data, let run = cursor.run() else {
                throw mismatch("data", at: offset, key)
            }
            return Data(bytes[run]) as? Value
        }
        return nil
    }

    private func fixed<Bits: FixedWidthInteger>(_ type: Bits.Type, _ tag: UInt8, at offset: Int) -> Bits? {
        var cursor = ByteCursor(bytes, from: offset, to: end)
        return cursor.byte() == tag ? cursor.fixed(Bits.self) : nil
    }

    func isNull(at offset: Int) -> Bool {
        offset < end && bytes[offset] == BodyFormat.null
    }

    func bool(at offset: Int, _ key: (any CodingKey)?) throws -> Bool {
        guard offset < end, bytes[offset] == BodyFormat.yes || bytes[offset] == BodyFormat.no else {
            throw mismatch("truth value", at: offset, key)
        }
        return bytes[offset] == BodyFormat.yes
    }

    func text(at offset: Int, _ key: (any CodingKey)?) throws -> String {
        var cursor = ByteCursor(bytes, from: offset, to: end)
        guard cursor.byte() == BodyFormat.text, let text = cursor.text() else {
            throw mismatch("text", at: offset, key)
        }
        return text
    }

    func double(at offset: Int, _ key: (any CodingKey)?) throws -> Double {
        if let bits = fixed(UInt64.self, BodyFormat.double, at: offset) { return Double(bitPattern: bits) }
        // A type may have got a wider property since the recording.
        if let bits = fixed(UInt32.self, BodyFormat.float, at: offset) { return Double(Float(bitPattern: bits)) }
        if let whole = (try? integer(Int64.self, at: offset, key)).flatMap(Double.init(exactly:)) { return whole }
        throw mismatch("floating-point number", at: offset, key)
    }

    func float(at offset: Int, _ key: (any CodingKey)?) throws -> Float {
        if let bits = fixed(UInt32.self, BodyFormat.float, at: offset) { return Float(bitPattern: bits) }
        if let exact = Float(exactly: try double(at: offset, key)) { return exact }
        throw mismatch("number that a Float can hold", at: offset, key)
    }

    func integer<Number: FixedWidthInteger>(
        _ type: Number.Type,
        at offset: Int,
        _ key: (any CodingKey)?
    ) throws -> Number {
        var cursor = ByteCursor(bytes, from: offset, to: end)
        guard let tag = cursor.byte() else { throw damaged("a value is cut off") }
        var number: Number?
        switch tag {
        case BodyFormat.small...:
            number = Number(exactly: tag & 0x7F)
        case BodyFormat.signed:
            number = cursor.variable().flatMap {
                Number(exactly: Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1))
            }
        case BodyFormat.unsigned:
            number = cursor.variable().flatMap(Number.init(exactly:))
        case BodyFormat.signed128:
            number = cursor.fixed(Int128.self).flatMap(Number.init(exactly:))
        case BodyFormat.unsigned128:
            number = cursor.fixed(UInt128.self).flatMap(Number.init(exactly:))
        default:
            break
        }
        guard let number else { throw mismatch("whole number that \(Number.self) can hold", at: offset, key) }
        return number
    }
}

extension RecordedEvent {
    /// Decodes the event.
    ///
    /// - Parameter type: The type that was recorded, or one that decodes the same keys.
    /// - Returns: The event.
    /// - Throws: `DecodingError`, or what the type's `init(from:)` throws.
    public func decode<E: Decodable>(_ type: E.Type) throws -> E {
        try BodyDecoder.decode(type, from: body, keys: keys)
    }
}
