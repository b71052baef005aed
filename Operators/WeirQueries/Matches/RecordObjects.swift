internal import WeirRecords

/// Writes records as JSON objects, as matches show them.
struct RecordObjects {
    /// The name of each field as JSON, with its colon.
    private let names: [[UInt8]]

    init(_ schema: RecordSchema) { names = schema.fields.map { Array((JSONWriter.quoted($0.name) + ":").utf8) } }

    /// The record as it came where it is an object; otherwise the fields that the rules name.
    func bytes(ofRecordAt row: Int, in batch: borrowing RecordBatch, hasTypes: Bool) -> [UInt8] {
        if batch.place(ofRecordAt: row).length > 0, hasTypes { return Self.oneLine(batch.raw(recordAt: row)) }
        var json: [UInt8] = []
        json.reserveCapacity(32 * names.count)
        json.append(UInt8(ascii: "{"))
        for index in names.indices {
            let encoding = batch.place(ofField: index, inRecordAt: row).encoding
            if encoding == .absent { continue }
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            json.append(contentsOf: names[index])
            let start = json.count
            switch batch.appendText(ofField: index, recordAt: row, to: &json) {
            case .absent, .bare, .nested: break
            case .null: json.append(contentsOf: "null".utf8)
            case .text:
                let text = Array(json[start...])
                json.removeLast(text.count)
                Self.append(text, mayBeNumber: !hasTypes, to: &json)
            }
        }
        json.append(UInt8(ascii: "}"))
        return json
    }

    private static func append(_ text: [UInt8], mayBeNumber: Bool, to json: inout [UInt8]) {
        if !mayBeNumber, !text.contains(where: { $0 >= 0x80 }) { return JSONWriter.append(text[...], to: &json) }
        // Bytes that are no text are replaced.
        let string = String(decoding: text, as: UTF8.self)
        if mayBeNumber, QueryValue(number: string)?.written == string {
            json.append(contentsOf: text)
        } else {
            JSONWriter.append(Array(string.utf8)[...], to: &json)
        }
    }

    /// An object in one line: line feeds stand only between its parts.
    private static func oneLine(_ bytes: [UInt8]) -> [UInt8] {
        // Without a way out of the loop, so that it handles many bytes at once.
        var hasEnd: UInt8 = 0
        for byte in bytes { hasEnd |= byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") ? 1 : 0 }
        guard hasEnd > 0 else { return bytes }
        return bytes.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
    }
}
