struct UnkeyedBodyEncoder: UnkeyedEncodingContainer {
    let encoder: BodyEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    var count: Int { encoder.count }

    func encodeNil() {
        encoder.startElement()
        encoder.writeNil()
    }

    func encode(_ value: Bool) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode(_ value: String) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode(_ value: Double) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode(_ value: Float) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode(_ value: Int) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode(_ value: Int8) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode(_ value: Int16) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode(_ value: Int32) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode(_ value: Int64) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode(_ value: UInt) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode(_ value: UInt8) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode(_ value: UInt16) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode(_ value: UInt32) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode(_ value: UInt64) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode(_ value: Int128) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode(_ value: UInt128) {
        encoder.startElement()
        encoder.write(value)
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        let key = BodyKey(intValue: encoder.count)
        encoder.startElement()
        try encoder.write(value, at: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        insert().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        insert().unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        insert()
    }

    private func insert() -> BodyEncoder {
        let key = BodyKey(intValue: encoder.count)
        encoder.startElement()
        return encoder.insert(key)
    }
}
