struct SingleBodyEncoder: SingleValueEncodingContainer {
    let encoder: BodyEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() { encoder.writeNil() }

    func encode(_ value: Bool) { encoder.write(value) }

    func encode(_ value: String) { encoder.write(value) }

    func encode(_ value: Double) { encoder.write(value) }

    func encode(_ value: Float) { encoder.write(value) }

    func encode(_ value: Int) { encoder.write(value) }

    func encode(_ value: Int8) { encoder.write(value) }

    func encode(_ value: Int16) { encoder.write(value) }

    func encode(_ value: Int32) { encoder.write(value) }

    func encode(_ value: Int64) { encoder.write(value) }

    func encode(_ value: UInt) { encoder.write(value) }

    func encode(_ value: UInt8) { encoder.write(value) }

    func encode(_ value: UInt16) { encoder.write(value) }

    func encode(_ value: UInt32) { encoder.write(value) }

    func encode(_ value: UInt64) { encoder.write(value) }

    func encode(_ value: Int128) { encoder.write(value) }

    func encode(_ value: UInt128) { encoder.write(value) }

    func encode<Value: Encodable>(_ value: Value) throws { try encoder.write(value, at: nil) }
}
