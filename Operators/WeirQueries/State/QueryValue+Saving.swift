public import WeirCore

extension QueryValue: StateCodable {
    public func save(to writer: inout StateWriter) throws(StateError) {
        switch self {
        case .missing: writer.append(UInt8(0))
        case .boolean(let flag): writer.append(UInt8(flag ? 2 : 1))
        case .integer(let number):
            writer.append(UInt8(3))
            writer.append(number)
        case .real(let number):
            writer.append(UInt8(4))
            try writer.write(number)
        case .text(let text):
            writer.append(UInt8(5))
            try text.save(to: &writer)
        case .list(let values):
            writer.append(UInt8(6))
            writer.append(UInt64(values.count))
            for value in values { try value.save(to: &writer) }
        }
    }

    public init(restoringFrom reader: inout StateReader) throws(StateError) {
        let tag = try reader.number(UInt8.self)
        guard tag == 6 else {
            self = try Self.single(tag, from: &reader)
            return
        }
        var values: [QueryValue] = []
        for _ in 0..<(try reader.number(UInt64.self)) {
            values.append(try Self.single(try reader.number(UInt8.self), from: &reader))
        }
        self = .list(values)
    }

    /// A value that is no list: only these are in lists.
    private static func single(_ tag: UInt8, from reader: inout StateReader) throws(StateError) -> QueryValue {
        switch tag {
        case 0: return .missing
        case 1, 2: return .boolean(tag == 2)
        case 3: return .integer(try reader.number(Int64.self))
        case 4: return .real(try reader.read(Double.self))
        case 5: return .text(try String(restoringFrom: &reader))
        default: throw reader.damage("there is no such value")
        }
    }
}

/// Values with their number; lists may be among them.
extension [QueryValue] {
    func saveValues(to writer: inout StateWriter) throws(StateError) {
        writer.append(UInt32(count))
        for value in self { try value.save(to: &writer) }
    }

    init(valuesFrom reader: inout StateReader) throws(StateError) {
        self = []
        for _ in 0..<(try reader.number(UInt32.self)) { append(try QueryValue(restoringFrom: &reader)) }
    }
}

extension EventKey: StateCodable {
    func save(to writer: inout StateWriter) throws(StateError) {
        // The hash of long bytes is another one in each process.
        writer.append(long == nil ? words.x : 0)
        writer.append(words.y)
        guard let long else { return }
        writer.write(bytes: long)
    }

    init(restoringFrom reader: inout StateReader) throws(StateError) {
        let words = SIMD2(try reader.number(UInt64.self), try reader.number(UInt64.self))
        let key = words.y == .max ? EventKey(try reader.readBytes()) : EventKey(words, long: nil)
        guard key.isLong == (words.y == .max), key.isLong || key.hasNothingBehindItsBytes else {
            throw reader.damage("there is no such key")
        }
        self = key
    }
}
