internal import WeirCore
internal import WeirRecords

/// Writes lines of access logs.
struct AccessLogWriter: LineWriter {
    private let columnCount: Int
    private let columns: OutputColumns
    private let times: OutputTimes

    init(_ form: AccessLogFormat.Form, _ columns: OutputColumns, _ times: OutputTimes) {
        columnCount = form == .common ? 7 : 9
        self.columns = columns
        self.times = times
    }

    func write(_ record: borrowing LineRecord, to line: inout [UInt8]) throws(FieldError) {
        for column in 0..<columnCount {
            if column > 0 { line.append(UInt8(ascii: " ")) }
            let field = columns[column]
            let hasValue = field >= 0 && record.hasValue(field) && !record.values[field].text.isEmpty
            switch column {
            case 3:
                line.append(UInt8(ascii: "["))
                if hasValue { try appendTime(field, record, to: &line) } else { line.append(UInt8(ascii: "-")) }
                line.append(UInt8(ascii: "]"))
            case 4, 7, 8:
                line.append(UInt8(ascii: "\""))
                if hasValue {
                    QuotedText.appendHexEscaping(record.values[field].text, to: &line)
                } else {
                    line.append(UInt8(ascii: "-"))
                }
                line.append(UInt8(ascii: "\""))
            default:
                guard hasValue else {
                    line.append(UInt8(ascii: "-"))
                    continue
                }
                guard !record.values[field].text.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
                    throw record.refuse(
                        field,
                        "has a blank or a control character, which it cannot have in an access log"
                    )
                }
                line += record.values[field].text
            }
        }
    }

    /// Appends a time: as it is where it is of the form already, otherwise in UTC.
    private func appendTime(
        _ field: Int,
        _ record: borrowing LineRecord,
        to line: inout [UInt8]
    ) throws(FieldError) {
        let bytes = record.values[field].text
        let time = try times.time(field, of: record)
        guard time.nanosecondsSinceEpoch % 1_000_000_000 == 0 else {
            throw record.refuse(
                field,
                "has a fraction of a second, which an access log has no place for: '\(Excerpt.of(bytes, limit: 40))'"
            )
        }
        // A time as logs have it, such as 10/Oct/2000:13:55:36 -0700: other forms have slashes as well.
        let slash = UInt8(ascii: "/")
        if bytes.count > 6, bytes[2] == slash, bytes[6] == slash, times.says(bytes, time) {
            line += bytes
        } else {
            Self.append(time, to: &line)
        }
    }

    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Appends a time without a fraction, such as `10/Oct/2000:20:55:36 +0000`.
    private static func append(_ time: Timestamp, to line: inout [UInt8]) {
        // Of the form 2000-10-10T20:55:36Z; the year of a timestamp has four digits.
        let text = Array(time.description.utf8)
        let month = Int(text[5] & 0xF) * 10 + Int(text[6] & 0xF)
        line += text[8..<10]
        line.append(UInt8(ascii: "/"))
        line += months[month - 1].description.utf8
        line.append(UInt8(ascii: "/"))
        line += text[0..<4]
        line.append(UInt8(ascii: ":"))
        line += text[11..<19]
        line += " +0000".utf8
    }
}
