internal import WeirCore
internal import WeirRecords

/// Writes messages of RFC 5424; see ``SyslogFormat`` for the rules.
struct SyslogWriter: LineWriter {
    /// An element of structured data, and the fields that are its values.
    private struct Element {
        let id: [UInt8]
        var values: [(field: Int, name: [UInt8])] = []
    }

    private let columns: OutputColumns
    private var elements: [Element] = []
    private let times: OutputTimes

    init(_ schema: OutputSchema) {
        columns = OutputColumns(SyslogPart.allCases.map(\.name), of: schema)
        times = OutputTimes(schema)
        for (field, wanted) in schema.fields.enumerated() {
            guard let name = SyslogDataName(wanted.name) else { continue }
            let index = elements.firstIndex { $0.id == name.id }
            if index == nil { elements.append(Element(id: name.id)) }
            elements[index ?? elements.count - 1].values.append((field, name.name))
        }
    }

    func write(_ record: borrowing LineRecord, to line: inout [UInt8]) throws(FieldError) {
        let facility = try number(.facility, SyslogKeyword.facilities, of: record) ?? SyslogKeyword.user
        let severity = try number(.severity, SyslogKeyword.severities, of: record) ?? SyslogKeyword.notice
        line += "<\(facility << 3 | severity)>1 ".utf8
        try appendTime(record, to: &line)
        try appendWord(.host, 255, record, to: &line)
        try appendWord(.app, 48, record, to: &line)
        try appendWord(.procid, 128, record, to: &line)
        try appendWord(.msgid, 32, record, to: &line)
        line.append(UInt8(ascii: " "))
        try appendData(record, to: &line)
        guard let message = text(.message, of: record) else { return }
        line.append(UInt8(ascii: " "))
        // A reader takes one mark away.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if message.starts(with: mark) { line += mark }
        line += message
    }

    // MARK: Head

    /// The value of a part, unless there is none.
    private func text(_ part: SyslogPart, of record: borrowing LineRecord) -> [UInt8]? {
        let field = columns[part.rawValue]
        guard field >= 0, record.hasValue(field), !record.values[field].text.isEmpty else { return nil }
        return record.values[field].text
    }

    /// The number that a value is, or is the name of.
    private func number(
        _ part: SyslogPart,
        _ keywords: [[String]],
        of record: borrowing LineRecord
    ) throws(FieldError) -> Int? {
        guard let text = text(part, of: record) else { return nil }
        let word = String(decoding: text, as: UTF8.self).lowercased()
        if let number = keywords.firstIndex(where: { $0.contains(word) }) { return number }
        guard let number = Int(word), keywords.indices.contains(number) else {
            let example = keywords[3].first ?? ""
            throw record.refuse(
                columns[part.rawValue],
                "is no \(part.name) of syslog, a number from 0 to \(keywords.count - 1) or a name such as \(example): "
                    + "'\(Excerpt.of(text, limit: 40))'"
            )
        }
        return number
    }

    /// Appends a time: as it is where RFC 5424 has such ones, otherwise in UTC.
    private func appendTime(_ record: borrowing LineRecord, to line: inout [UInt8]) throws(FieldError) {
        guard let text = text(.time, of: record), text != [UInt8(ascii: "-")] else {
            line.append(UInt8(ascii: "-"))
            return
        }
        let field = columns[SyslogPart.time.rawValue]
        let time = try times.time(field, of: record)
        guard !Self.isOfForm(text) || !times.says(text, time) else {
            line += text
            return
        }
        guard time.nanosecondsSinceEpoch % 1000 == 0 else {
            throw record.refuse(
                field,
                "has more than six digits of a fraction, which RFC 5424 has no place for: "
                    + "'\(Excerpt.of(text, limit: 40))'"
            )
        }
        line += time.description.utf8
    }

    /// Whether a text, which is a time, is of the form of RFC 5424: `2003-08-24T05:14:15.000003-07:00`.
    private static func isOfForm(_ text: [UInt8]) -> Bool {
        func fits(_ text: ArraySlice<UInt8>, _ form: StaticString) -> Bool {
            guard text.count == form.utf8CodeUnitCount else { return false }
            return text.indices.allSatisfy { index in
                let wanted = unsafe form.utf8Start[index - text.startIndex]
                return wanted == 0x30 ? (0x30...0x39).contains(text[index]) : text[index] == wanted
            }
        }
        guard text.count > 19, fits(text[..<19], "0000-00-00T00:00:00"),
            // RFC 5424 has no leap seconds.
            text[17..<19] != [UInt8(ascii: "6"), UInt8(ascii: "0")]
        else { return false }
        var rest = text[19...]
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard (1...6).contains(digits.count) else { return false }
            rest = rest.dropFirst(digits.count + 1)
        }
        return fits(rest, "Z") || fits(rest, "+00:00") || fits(rest, "-00:00")
    }

    /// Appends a blank and a word of the head.
    private func appendWord(
        _ part: SyslogPart,
        _ limit: Int,
        _ record: borrowing LineRecord,
        to line: inout [UInt8]
    ) throws(FieldError) {
        line.append(UInt8(ascii: " "))
        guard let text = text(part, of: record) else {
            line.append(UInt8(ascii: "-"))
            return
        }
        guard text.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw record.refuse(
                columns[part.rawValue],
                "has a blank, or a character that is not of ASCII, which it cannot have in a message of syslog: "
                    + "'\(Excerpt.of(text, limit: 40))'"
            )
        }
        guard text.count <= limit else {
            throw record.refuse(
                columns[part.rawValue],
                "has more than the \(limit) bytes that RFC 5424 gives it: '\(Excerpt.of(text, limit: 40))'"
            )
        }
        line += text
    }

    // MARK: Structured data

    private func appendData(_ record: borrowing LineRecord, to line: inout [UInt8]) throws(FieldError) {
        let start = line.count
        if let text = text(.data, of: record), text != [UInt8(ascii: "-")] {
            guard Self.isData(text) else {
                throw record.refuse(
                    columns[SyslogPart.data.rawValue],
                    "is no structured data, such as [origin ip=\"192.0.2.1\"]: '\(Excerpt.of(text, limit: 40))'"
                )
            }
            line += text
        }
        for element in elements {
            var isFirst = true
            for (field, name) in element.values where record.hasValue(field) {
                if isFirst { line += [UInt8(ascii: "[")] + element.id }
                isFirst = false
                line.append(UInt8(ascii: " "))
                line += name
                line += [UInt8(ascii: "="), UInt8(ascii: "\"")]
                for byte in record.values[field].text {
                    if [UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "]")].contains(byte) {
                        line.append(UInt8(ascii: "\\"))
                    }
                    line.append(byte)
                }
                line.append(UInt8(ascii: "\""))
            }
            if !isFirst { line.append(UInt8(ascii: "]")) }
        }
        if line.count == start { line.append(UInt8(ascii: "-")) }
    }

    private static func isData(_ text: [UInt8]) -> Bool {
        unsafe text.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return false }
            let data = try? unsafe SyslogText(base, from: 0, to: bytes.count).structuredData { _, _, _ in }
            return data?.end == bytes.count
        }
    }
}

/// The name of a value of structured data: `data.ID.NAME`.
struct SyslogDataName {
    let id: [UInt8]
    let name: [UInt8]

    /// Takes a field's name apart.
    ///
    /// The result is `nil` where it is none. The element's name goes up to the first point; behind an `@` it has a number
    /// with points.
    init?(_ text: String) {
        guard text.hasPrefix("data.") else { return nil }
        let rest = Array(text.utf8.dropFirst(5))
        let points = rest.indices.filter { rest[$0] == UInt8(ascii: ".") }
        let end = points.first { point in
            guard rest[..<point].contains(UInt8(ascii: "@")), point + 1 < rest.count else { return true }
            return !(0x30...0x39).contains(rest[point + 1])
        }
        guard let end else { return nil }
        id = Array(rest[..<end])
        name = Array(rest[(end + 1)...])
        guard Self.isName(id), Self.isName(name) else { return nil }
    }

    /// Whether RFC 5424 has such names.
    private static func isName(_ text: [UInt8]) -> Bool {
        (1...32).contains(text.count)
            && text.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F
                    && ![UInt8(ascii: "="), UInt8(ascii: "]"), UInt8(ascii: "\"")].contains(byte)
            }
    }
}

/// The names of the numbers of syslog, in their order.
enum SyslogKeyword {
    static let facilities: [[String]] =
        [
            ["kern"], ["user"], ["mail"], ["daemon"], ["auth", "security"], ["syslog"], ["lpr"], ["news"], ["uucp"],
            ["cron"], ["authpriv"], ["ftp"], ["ntp"], ["audit"], ["alert"], ["clock"],
        ] + (0..<8).map { ["local\($0)"] }

    static let severities: [[String]] = [
        ["emerg", "emergency", "panic"], ["alert"], ["crit", "critical", "fatal"], ["err", "error"],
        ["warning", "warn"], ["notice"], ["info", "informational", "information"], ["debug", "trace"],
    ]

    /// What a message has that does not say it, as RFC 3164 demands of relays.
    static let user = 1
    static let notice = 5
}
