// Chunks as bytes, which another process can read.
extension RecordChunk {
    private static let rowLength = 16
    private static let slotLength = 10

    /// The records as bytes: how many, how many fields each, and how long their own bytes are, then these, rows and slots.
    package var encoded: [UInt8] {
        var all: [UInt8] = []
        func append(_ number: UInt64, _ length: Int) {
            for byte in 0..<length { all.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(byte)))) }
        }
        append(UInt64(rows.count), 8)
        append(UInt64(schema.fields.count), 8)
        append(UInt64(bytes.count), 8)
        all += bytes
        for row in rows {
            append(row.line, 8)
            append(UInt64(row.start), 4)
            append(UInt64(row.length), 4)
        }
        for slot in slots {
            append(UInt64(slot.start), 4)
            append(UInt64(slot.length), 4)
            all.append(slot.encoding.rawValue)
            all.append(slot.scale)
        }
        return all
    }

    /// Reads what ``encoded`` gave.
    ///
    /// - Parameters:
    ///   - encoded: The bytes; `nil` where they make no sense, or the records have other fields than the schema.
    ///   - schema: What is wanted of each record.
    package init?(_ encoded: [UInt8], schema: RecordSchema) {
        var place = 0
        func number(_ length: Int) -> UInt64? {
            guard encoded.count - place >= length else { return nil }
            defer { place += length }
            return (0..<length).reduce(0) { $0 | UInt64(encoded[place + $1]) << (8 * UInt64($1)) }
        }
        guard let rowCount = number(8), let fieldCount = number(8), let byteCount = number(8),
            fieldCount == UInt64(schema.fields.count), byteCount <= UInt64(encoded.count - place)
        else { return nil }
        self.init(schema: schema)
        bytes = Array(encoded[place..<place + Int(byteCount)])
        place += Int(byteCount)
        let (ofRow, isTooMuch) = UInt64(Self.slotLength).multipliedReportingOverflow(by: fieldCount)
        let (needed, isMore) = (ofRow &+ UInt64(Self.rowLength)).multipliedReportingOverflow(by: rowCount)
        guard !isTooMuch, !isMore, needed == UInt64(encoded.count - place) else { return nil }
        func isInside(_ start: UInt64, _ length: UInt64) -> Bool { start + length <= byteCount }
        for _ in 0..<rowCount {
            guard let line = number(8), let start = number(4), let length = number(4), isInside(start, length) else {
                return nil
            }
            // The bytes of a record end where those of the next one start.
            guard start >= UInt64(rows.last?.start ?? 0) else { return nil }
            rows.append(RecordBatch.Row(line: line, start: UInt32(start), length: UInt32(length)))
        }
        for _ in 0..<rowCount * fieldCount {
            guard let start = number(4), let length = number(4), isInside(start, length),
                let encoding = number(1).flatMap({ FieldEncoding(rawValue: UInt8($0)) }), let scale = number(1)
            else { return nil }
            slots.append(
                RecordBatch.Slot(
                    start: UInt32(start),
                    length: UInt32(length),
                    encoding: encoding,
                    scale: UInt8(scale)
                )
            )
        }
    }
}
