struct KeyedBodyEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: BodyEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.writeNil()
    }

    func encode(_ value: Bool, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode(_ value: String, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode(_ value: Double, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode(_ value: Float, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode(_ value: Int, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode(_ value: Int8, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode(_ value: Int16, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode(_ value: Int32, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode(_ value: Int64, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode(_ value: UInt, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode(_ value: UInt8, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode(_ value: UInt16, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode(_ value: UInt32, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode(_ value: UInt64, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode(_ value: Int128, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode(_ value: UInt128, forKey key: Key) {
        encoder.write(key: key.stringValue)
        encoder.write(value)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        encoder.write(key: key.stringValue)
        try encoder.write(value, at: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        insert(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        insert(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        insert(BodyKey(stringValue: "super"))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        insert(key)
    }

    private func insert(_ key: any CodingKey) -> BodyEncoder {
        encoder.write(key: key.stringValue)
        return encoder.insert(key)
    }
}
