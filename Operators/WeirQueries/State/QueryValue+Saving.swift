public import WeirCore

extension QueryValue: StateCodable {
    public func save(to writer: inout StateWriter) throws(StateError) {
        switch self {
        case .missing: try writer.write(UInt8(0))
        case .boolean(let flag): try writer.write(UInt8(flag ? 2 : 1))
        case .integer(let number):
            try writer.write(UInt8(3))
            try writer.write(number)
        case .real(let number):
            try writer.write(UInt8(4))
            try writer.write(number)
        case .text(let text):
            try writer.write(UInt8(5))
            try text.save(to: &writer)
        case .list(let values):
            try writer.write(UInt8(6))
            try writer.write(UInt64(values.count))
            for value in values { try value.save(to: &writer) }
        }
    }

    public init(restoringFrom reader: inout StateReader) throws(StateError) {
        let tag = try reader.read(UInt8.self)
        guard tag == 6 else {
            self = try Self.single(tag, from: &reader)
            return
        }
        var values: [QueryValue] = []
        for _ in 0..<(try reader.read(UInt64.self)) {
            values.append(try Self.single(try reader.read(UInt8.self), from: &reader))
        }
        self = .list(values)
    }

    /// A value that is no list: only these are in lists.
    private static func single(_ tag: UInt8, from reader: inout StateReader) throws(StateError) -> QueryValue {
        switch tag {
        case 0: return .missing
        case 1, 2: return .boolean(tag == 2)
        case 3: return .integer(try reader.read(Int64.self))
        case 4: return .real(try reader.read(Double.self))
        case 5: return .text(try String(restoringFrom: &reader))
        default: throw reader.damage("there is no such value")
        }
    }
}

/// Values with their number; lists may be among them.
extension [QueryValue] {
    func saveValues(to writer: inout StateWriter) throws(StateError) {
        try writer.write(UInt32(count))
        for value in self { try value.save(to: &writer) }
    }

    init(valuesFrom reader: inout StateReader) throws(StateError) {
        self = []
        for _ in 0..<(try reader.read(UInt32.self)) { append(try QueryValue(restoringFrom: &reader)) }
    }
}

extension EventKey: StateCodable {
    func save(to writer: inout StateWriter) throws(StateError) {
        guard let long else { return try writer.write(words) }
        // The hash is another one in each process.
        try writer.write(SIMD2(UInt64(0), .max))
        writer.write(bytes: long)
    }

    init(restoringFrom reader: inout StateReader) throws(StateError) {
        let words = try reader.read(SIMD2<UInt64>.self)
        let key = words.y == .max ? EventKey(try reader.readBytes()) : EventKey(words, long: nil)
        guard key.long != nil ? words.y == .max : words.y & 0xFF < 16 && EventKey(key.bytes) == key else {
            throw reader.damage("there is no such key")
        }
        self = key
    }
}
