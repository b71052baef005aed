internal import WeirCore
internal import WeirRecords

/// Records that were read and not handed on, with what is known of each, as bytes and back.
struct KeptRecords: Sendable {
    /// The records, in their order.
    var chunk: RecordChunk

    /// The time of each.
    var times: [Timestamp] = []

    /// The input that each came from, by its number in ``names``; -1 where there is one input.
    var origins: [Int32] = []
    var names: [String] = []

    /// The greatest time of all that were read.
    var newest = Timestamp.distantPast

    /// Older records are late.
    var frontier = Timestamp.distantPast

    init(schema: RecordSchema) {
        chunk = RecordChunk(schema: schema)
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        func append(_ number: Int64) {
            for byte in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * Int64(byte)))) }
        }
        func append(_ text: String) {
            append(Int64(text.utf8.count))
            bytes += text.utf8
        }
        append(newest.nanosecondsSinceEpoch)
        append(frontier.nanosecondsSinceEpoch)
        append(Int64(chunk.schema.fields.count))
        for field in chunk.schema.fields { append(field.name) }
        append(Int64(names.count))
        for name in names { append(name) }
        append(Int64(times.count))
        for index in times.indices {
            append(times[index].nanosecondsSinceEpoch)
            append(Int64(origins.isEmpty ? -1 : origins[index]))
        }
        return bytes + chunk.encoded
    }

    /// Reads what ``encoded`` gave; `nil` where it makes no sense, or has other fields than the schema.
    init?(_ bytes: [UInt8], schema: RecordSchema) {
        var place = 0
        func number() -> Int64? {
            guard bytes.count - place >= 8 else { return nil }
            defer { place += 8 }
            return (0..<8).reduce(0) { $0 | Int64(bytes[place + $1]) << (8 * Int64($1)) }
        }
        func texts() -> [String]? {
            guard let count = number(), count >= 0, count <= bytes.count else { return nil }
            var texts: [String] = []
            for _ in 0..<count {
                guard let length = number(), length >= 0, length <= bytes.count - place else { return nil }
                texts.append(String(decoding: bytes[place..<place + Int(length)], as: UTF8.self))
                place += Int(length)
            }
            return texts
        }
        guard let newest = number(), let frontier = number(), let fields = texts(), let names = texts(),
            let count = number(), count >= 0, count <= bytes.count, fields == schema.fields.map(\.name)
        else { return nil }
        for _ in 0..<count {
            guard let time = number(), let origin = number(), (-1..<Int64(names.count)).contains(origin) else {
                return nil
            }
            times.append(Timestamp(nanosecondsSinceEpoch: time))
            origins.append(Int32(origin))
        }
        guard let chunk = RecordChunk(Array(bytes[place...]), schema: schema), chunk.count == Int(count) else {
            return nil
        }
        self.chunk = chunk
        self.names = names
        self.newest = Timestamp(nanosecondsSinceEpoch: newest)
        self.frontier = Timestamp(nanosecondsSinceEpoch: frontier)
    }
}
