internal import WeirRecording

struct UnkeyedBodyDecoder: UnkeyedDecodingContainer {
    private let decoder: BodyDecoder
    private let start: Int
    private let end: Int
    private var offset: Int
    private(set) var currentIndex = 0

    init(_ decoder: BodyDecoder) throws {
        self.decoder = decoder
        let content = try decoder.content(tag: BodyFormat.array)
        start = content.lowerBound
        end = content.upperBound
        offset = start
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    var count: Int? {
        var count = 0
        var next = start
        while next < end {
            guard let after = try? decoder.end(ofValueAt: next, within: end) else { return nil }
            next = after
            count += 1
        }
        return count
    }

    var isAtEnd: Bool { offset >= end }

    mutating func decodeNil() throws -> Bool {
        let next = try peek()
        guard decoder.isNull(at: next.offset) else { return false }
        advance(to: next.end)
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try take { try $0.bool(at: $1, $2) } }
    mutating func decode(_ type: String.Type) throws -> String { try take { try $0.text(at: $1, $2) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try take { try $0.double(at: $1, $2) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try take { try $0.float(at: $1, $2) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try take { try $0.value(type, at: $1, $2) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nested().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try nested().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        try nested()
    }

    private mutating func nested() throws -> BodyDecoder {
        try take { try $0.nested(at: $1, $2) }
    }

    private mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        try take { try $0.integer(type, at: $1, $2) }
    }

    /// Reads the next element, and moves on when that worked.
    private mutating func take<Value>(_ read: (BodyDecoder, Int, BodyKey) throws -> Value) throws -> Value {
        let next = try peek()
        let value = try read(decoder, next.offset, next.key)
        advance(to: next.end)
        return value
    }

    private func peek() throws -> (offset: Int, end: Int, key: BodyKey) {
        let key = BodyKey(intValue: currentIndex)
        guard offset < end else {
            throw DecodingError.valueNotFound(
                Any.self,
                DecodingError.Context(codingPath: codingPath + [key], debugDescription: "there are no more elements")
            )
        }
        return (offset, try decoder.end(ofValueAt: offset, within: end), key)
    }

    private mutating func advance(to end: Int) {
        offset = end
        currentIndex += 1
    }
}
