internal import CommonStream
internal import WeirFormats
internal import WeirRecords

/// How events of the common stream are written; the values have six decimals, unless the shape says otherwise.
enum EventShape: String, CaseIterable, Sendable {
    /// A table of four columns, of about 25 bytes a row.
    case csv
    /// All fields in quotes.
    case quoted
    /// Lines that end with a carriage return and a line feed.
    case crlf
    /// Values in full, of 17 digits.
    case digits
    /// Lines of JSON that all have the same fields in the same order.
    case jsonLines
    /// The same, but every tenth line or so is odd: a field less or more, a null, an escape.
    case irregular
    /// Lines of two shapes in turn.
    case mixed
    /// Weir's binary format.
    case binary

    /// The end of a file's name.
    var ending: String {
        switch self {
        case .csv, .quoted, .crlf, .digits: "csv"
        case .jsonLines, .irregular, .mixed: "jsonl"
        case .binary: "weir"
        }
    }

    /// Whether each record has all four fields.
    var hasAllFields: Bool { self != .irregular && self != .mixed }

    /// Writes some events in the shape.
    func makeFile(eventCount: Int) throws -> EventFile {
        guard self != .binary else {
            return try Self.jsonLines.makeFile(eventCount: eventCount).converted(to: BinaryFormat())
        }
        var text = EventText()
        var matches = Tally()
        if ending == "csv" { text.append(self == .crlf ? "time,key,type,value\r\n" : "time,key,type,value\n") }
        for (index, event) in CommonStream.events(eventCount).enumerated() {
            let value = self == .digits ? event.value : text.rounded(event.value)
            if value > 0.5 { matches.add(value) }
            append(event, index, to: &text)
        }
        let format: any Format = ending == "csv" ? CSVFormat() : JSONLinesFormat()
        return EventFile(format: format, bytes: text.bytes, eventCount: eventCount, matches: matches)
    }

    private func append(_ event: StreamEvent, _ index: Int, to text: inout EventText) {
        switch self {
        case .csv: text.append(event, ["", ",", ",", ",", "\n"])
        case .quoted: text.append(event, ["\"", "\",\"", "\",\"", "\",\"", "\"\n"])
        case .crlf: text.append(event, ["", ",", ",", ",", "\r\n"])
        case .digits: text.append("\(event.csvLine)")
        case .irregular where event.key % 10 == 3: appendOdd(event, to: &text)
        case .mixed where index % 2 == 1:
            text.append(event, [#"{"time":"#, #","room":"#, #","unit":"%","kind":""#, #"","value":"#, "}\n"])
        case .jsonLines, .irregular, .mixed: text.append(event, Self.usual)
        case .binary: preconditionFailure("the binary format is no text")
        }
    }

    private static let usual: [StaticString] = [
        #"{"time":"#, #","key":"#, #","type":""#, #"","value":"#, "}\n",
    ]

    /// Appends a line that is not like the others.
    private func appendOdd(_ event: StreamEvent, to text: inout EventText) {
        switch event.key / 10 % 4 {
        case 0: text.append(event, Self.usual, hasKey: false)
        case 1: text.append(event, [#"{"time":"#, #","key":"#, #","at":null,"type":""#, #"","value":"#, "}\n"])
        case 2: text.append(event, [#"{"time":"#, #","key":"#, #","type":"\t"#, #"","value":"#, "}\n"])
        default: text.append(event, [#"{"time":"#, #","key":"#, #","type":""#, #"","value":"#, ",\"at\":{\"x\":1}}\n"])
        }
    }
}
