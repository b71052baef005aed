internal import WeirRecords

/// Writes records as JSON objects, as matches show them.
struct RecordObjects {
    /// The name of each field as JSON, with a comma before it and its colon.
    private let names: [[UInt8]]

    init(_ schema: RecordSchema) {
        names = schema.fields.map { Array(("," + JSONWriter.quoted($0.name) + ":").utf8) }
    }

    /// Appends a record as it came where it is an object, in one line; otherwise the fields that the rules name.
    func append(recordAt row: Int, in batch: borrowing RecordBatch, hasTypes: Bool, to json: inout [UInt8]) {
        if hasTypes, batch.place(ofRecordAt: row).length > 0 { return batch.appendLine(ofRecordAt: row, to: &json) }
        if hasTypes, batch.appendSimpleObject(ofRecordAt: row, names: names, to: &json) { return }
        let start = json.count
        for index in names.indices {
            let encoding = batch.place(ofField: index, inRecordAt: row).encoding
            switch encoding {
            case .absent: continue
            case .null:
                json.append(contentsOf: names[index])
                json.append(contentsOf: "null".utf8)
            default:
                json.append(contentsOf: names[index])
                let value = json.count
                guard batch.appendText(ofField: index, recordAt: row, to: &json) == .text else { continue }
                Self.quote(from: value, mayBeNumber: !hasTypes, in: &json)
            }
        }
        // The first comma is no comma.
        if json.count > start { json[start] = UInt8(ascii: "{") } else { json.append(UInt8(ascii: "{")) }
        json.append(UInt8(ascii: "}"))
    }

    /// Makes the bytes from a place on a JSON value: a text, or a number where it may be one.
    private static func quote(from start: Int, mayBeNumber: Bool, in json: inout [UInt8]) {
        if mayBeNumber, NumberText.isWrittenSo(json[start...]) { return }
        var isPlain = true
        for byte in json[start...] {
            isPlain = isPlain && byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        if isPlain {
            json.append(UInt8(ascii: "\""))
            json.insert(UInt8(ascii: "\""), at: start)
            return
        }
        // Bytes that are no text are replaced.
        let text = Array(String(decoding: json[start...], as: UTF8.self).utf8)
        json.removeLast(json.count - start)
        JSONWriter.append(text[...], to: &json)
    }
}

/// Texts of formats that do not tell them from numbers.
enum NumberText {
    /// Whether a text is a number that would be written in the same way.
    static func isWrittenSo(_ text: ArraySlice<UInt8>) -> Bool {
        if let isSo = isWrittenSoQuickly(text) { return isSo }
        let string = String(decoding: text, as: UTF8.self)
        return QueryValue(number: string)?.written == string
    }

    /// The answer for digits with at most a point among them; `nil` where it takes the number itself.
    private static func isWrittenSoQuickly(_ text: ArraySlice<UInt8>) -> Bool? {
        var index = text.startIndex
        let end = text.endIndex
        if index < end, text[index] == UInt8(ascii: "-") { index += 1 }
        let first = index
        while index < end, isDigit(text[index]) { index += 1 }
        let whole = index - first
        // Neither digits, nor a point or an exponent behind or before them: a text.
        guard whole > 0 else { return end - first > 0 && isPartOfNumber(text[first]) ? nil : false }
        if index < end, !isPartOfNumber(text[index]) { return false }
        guard whole == 1 || text[first] != UInt8(ascii: "0") else { return nil }
        if index == end {
            return whole <= 18 && text[first] != UInt8(ascii: "0") || end - text.startIndex == 1 ? true : nil
        }
        guard text[index] == UInt8(ascii: ".") else { return nil }
        index += 1
        let point = index
        while index < end, isDigit(text[index]) { index += 1 }
        // Up to 15 digits are what is written of the double that is nearest, unless it is small or large.
        guard index == end, index > point, text[end - 1] != UInt8(ascii: "0"), whole + index - point <= 15,
            text[first] != UInt8(ascii: "0") || text[point] != UInt8(ascii: "0")
        else { return nil }
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
