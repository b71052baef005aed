struct KeyedBodyDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: BodyDecoder
    private let entries: KeyedEntries

    init(_ decoder: BodyDecoder) throws {
        self.decoder = decoder
        entries = try KeyedEntries(decoder)
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] { entries.names.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { entries.offset(of: key.stringValue) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder.isNull(at: offset(of: key)) }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try decoder.bool(at: offset(of: key), key)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try decoder.text(at: offset(of: key), key)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try decoder.double(at: offset(of: key), key)
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try decoder.float(at: offset(of: key), key)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try decoder.integer(Int.self, at: offset(of: key), key)
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try decoder.integer(Int8.self, at: offset(of: key), key)
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try decoder.integer(Int16.self, at: offset(of: key), key)
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try decoder.integer(Int32.self, at: offset(of: key), key)
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try decoder.integer(Int64.self, at: offset(of: key), key)
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try decoder.integer(UInt.self, at: offset(of: key), key)
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try decoder.integer(UInt8.self, at: offset(of: key), key)
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try decoder.integer(UInt16.self, at: offset(of: key), key)
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try decoder.integer(UInt32.self, at: offset(of: key), key)
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try decoder.integer(UInt64.self, at: offset(of: key), key)
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try decoder.integer(Int128.self, at: offset(of: key), key)
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try decoder.integer(UInt128.self, at: offset(of: key), key)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder.value(type, at: offset(of: key), key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nested(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let key = BodyKey(stringValue: "super")
        guard let offset = entries.offset(of: key.stringValue) else { throw missing(key) }
        return try decoder.nested(at: offset, key)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try nested(key)
    }

    private func nested(_ key: Key) throws -> BodyDecoder {
        try decoder.nested(at: offset(of: key), key)
    }

    private func offset(of key: Key) throws -> Int {
        guard let offset = entries.offset(of: key.stringValue) else { throw missing(key) }
        return offset
    }

    private func missing(_ key: any CodingKey) -> DecodingError {
        DecodingError.keyNotFound(
            key,
            DecodingError.Context(codingPath: codingPath, debugDescription: "there is no '\(key.stringValue)'")
        )
    }
}
