internal import Foundation
internal import WeirCore
internal import WeirRecording

/// Where encoders write to.
final class BodyTarget {
    var bytes: [UInt8] = []
    var keys: KeyTable

    init(_ keys: KeyTable) {
        self.keys = keys
    }

    /// The keys of one recorder, shared by all its targets.
    final class KeyTable {
        var ids: KeyIDs

        init(_ ids: KeyIDs) {
            self.ids = ids
        }
    }
}

/// Puts one value into bytes, at the end of a target.
///
/// A value that is encoded as a whole goes straight into the target of its surroundings. A nested container or a super
/// encoder can be written to while its surroundings are, too, so it has a target of its own, which is put into its place
/// at the end.
final class BodyEncoder: Encoder {
    private enum Shape {
        case none, single, array, keyed
    }

    let target: BodyTarget
    private let parent: BodyEncoder?
    private let key: (any CodingKey)?
    private let depth: Int
    private let start: Int
    private var shape = Shape.none
    private var inserts: [(offset: Int, encoder: BodyEncoder)] = []
    private(set) var count = 0

    init(_ target: BodyTarget, parent: BodyEncoder?, key: (any CodingKey)?) {
        self.target = target
        self.parent = parent
        self.key = key
        depth = parent.map { $0.depth + 1 } ?? 0
        start = target.bytes.count
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var codingPath: [any CodingKey] {
        let before = parent?.codingPath ?? []
        return key.map { before + [$0] } ?? before
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        open(.keyed, BodyFormat.keyed)
        return KeyedEncodingContainer(KeyedBodyEncoder(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        open(.array, BodyFormat.array)
        return UnkeyedBodyEncoder(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        open(.single, nil)
        return SingleBodyEncoder(encoder: self)
    }

    private func open(_ wanted: Shape, _ tag: UInt8?) {
        guard shape != wanted else { return }
        precondition(shape == .none, "a value cannot ask for containers of different kinds at \(codingPath)")
        shape = wanted
        guard let tag else { return }
        target.bytes.append(tag)
        target.bytes.appendFixed(UInt32(0))
    }

    /// Completes the value; nothing may be written to it afterwards.
    func finish() {
        if shape == .none || (shape == .single && target.bytes.count == start) {
            target.bytes.append(BodyFormat.keyed)
            target.bytes.appendFixed(UInt32(0))
        }
        for (offset, encoder) in inserts.reversed() {
            encoder.finish()
            target.bytes.insert(contentsOf: encoder.target.bytes, at: offset)
        }
        inserts = []
        if shape == .array || shape == .keyed {
            target.bytes.replaceFixed(UInt32(truncatingIfNeeded: target.bytes.count - start - 5), at: start + 1)
        }
    }

    func startElement() {
        count += 1
    }

    func write(key: String) {
        let id = target.keys.ids.id(of: key)
        target.bytes.appendVariable(id)
        if id == 0 { target.bytes.appendText(key) }
    }

    /// An encoder for what stands here, but is written later.
    func insert(_ key: any CodingKey) -> BodyEncoder {
        let encoder = BodyEncoder(BodyTarget(target.keys), parent: self, key: key)
        inserts.append((target.bytes.count, encoder))
        return encoder
    }

    func write<Value: Encodable>(_ value: Value, at key: (any CodingKey)?) throws {
        if writeDirectly(value) { return }
        let encoder = BodyEncoder(target, parent: self, key: key)
        guard encoder.depth <= BodyFormat.deepest else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(codingPath: codingPath, debugDescription: "values are nested too deeply")
            )
        }
        try value.encode(to: encoder)
        encoder.finish()
    }

    /// Writes values that need no encoder; the rest is the business of their `encode(to:)`.
    private func writeDirectly<Value>(_ value: Value) -> Bool {
        if Value.self == Double.self, let value = value as? Double {
            write(value)
        } else if Value.self == Int.self, let value = value as? Int {
            write(value)
        } else if Value.self == String.self, let value = value as? String {
            write(value)
        } else if Value.self == Timestamp.self, let value = value as? Timestamp {
            write(value.nanosecondsSinceEpoch)
        } else if Value.self == Date.self, let value = value as? Date {
            target.bytes.append(BodyFormat.date)
            target.bytes.appendFixed(value.timeIntervalSinceReferenceDate.bitPattern)
        } else if Value.self == UUID.self, let value = value as? UUID {
            target.bytes.append(BodyFormat.uuid)
            unsafe withUnsafeBytes(of: value.uuid) { unsafe target.bytes.append(contentsOf: $0) }
        } else if Value.self == Data.self, let value = value as? Data {
            target.bytes.append(BodyFormat.data)
            target.bytes.appendVariable(UInt64(value.count))
            target.bytes.append(contentsOf: value)
        } else {
            return false
        }
        return true
    }

    func writeNil() { target.bytes.append(BodyFormat.null) }

    func write(_ value: Bool) { target.bytes.append(value ? BodyFormat.yes : BodyFormat.no) }

    func write(_ value: String) {
        target.bytes.append(BodyFormat.text)
        target.bytes.appendText(value)
    }

    func write(_ value: Double) {
        target.bytes.append(BodyFormat.double)
        target.bytes.appendFixed(value.bitPattern)
    }

    func write(_ value: Float) {
        target.bytes.append(BodyFormat.float)
        target.bytes.appendFixed(value.bitPattern)
    }

    func write<Number: FixedWidthInteger>(_ value: Number) {
        if let small = UInt8(exactly: value), small < 0x80 {
            target.bytes.append(BodyFormat.small | small)
        } else if let number = Int64(exactly: value) {
            target.bytes.append(BodyFormat.signed)
            target.bytes.appendVariable(UInt64(bitPattern: number << 1 ^ number >> 63))
        } else if let number = UInt64(exactly: value) {
            target.bytes.append(BodyFormat.unsigned)
            target.bytes.appendVariable(number)
        } else {
            target.bytes.append(Number.isSigned ? BodyFormat.signed128 : BodyFormat.unsigned128)
            target.bytes.appendFixed(Number.isSigned ? UInt128(truncatingIfNeeded: value) : UInt128(value))
        }
    }
}

/// A key that belongs to no type: the index of an element, or "super".
struct BodyKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}
