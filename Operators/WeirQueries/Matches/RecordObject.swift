internal import WeirRecords

/// Records as JSON objects, as matches show them.
enum RecordObject {
    /// The record as it came where it is an object; otherwise the fields that the rules name.
    static func bytes(
        ofRecordAt row: Int,
        in batch: borrowing RecordBatch,
        _ schema: RecordSchema,
        hasTypes: Bool
    ) -> [UInt8] {
        if batch.place(ofRecordAt: row).length > 0, hasTypes { return oneLine(batch.raw(recordAt: row)) }
        var json = JSONWriter()
        var text: [UInt8] = []
        json.object { json in
            for (index, field) in schema.fields.enumerated() {
                text.removeAll(keepingCapacity: true)
                switch batch.appendText(ofField: index, recordAt: row, to: &text) {
                case .absent: continue
                case .null: json.member(field.name, json: "null".utf8)
                case .bare, .nested: json.member(field.name, json: text)
                case .text:
                    let string = String(decoding: text, as: UTF8.self)
                    let isNumber = !hasTypes && QueryValue(number: string)?.written == string
                    if isNumber { json.member(field.name, json: text) } else { json.member(field.name, string) }
                }
            }
        }
        return json.bytes
    }

    /// An object in one line: line feeds stand only between its parts.
    private static func oneLine(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "\n")) || bytes.contains(UInt8(ascii: "\r")) else { return bytes }
        return bytes.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
    }
}
