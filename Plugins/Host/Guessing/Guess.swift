internal import WeirCore
internal import WeirFormats
internal import WeirRecords

/// How an input seems to be written, found out by reading its start in several ways.
struct Guess {
    /// A way to read the input: the options that say so.
    struct Reading {
        let format: any Format
        var options: [(name: String, value: String)] = []

        /// What it is, in words.
        var words: String

        /// What says how lines look, where that is no format of the registry.
        var pattern: String?

        /// What `--format` takes.
        var formatName: String { pattern.map { "pattern:" + $0 } ?? format.name }
    }

    let reading: Reading
    let sample: GuessSample
    let fields: [GuessedField]

    /// The names of the fields, without those of what is inside of others.
    let outerNames: Set<String>

    /// The field with a record's time; `nil` where none looks like it.
    var timeField: GuessedField? {
        let best = fields.map(\.timeRank).max() ?? 0
        return best > 0 ? fields.first { $0.timeRank == best } : nil
    }

    static let limits = FormatLimits()

    /// The part of the lines that has to be readable.
    private static let leastShare = 0.9

    /// Whether enough lines are readable: of a few, all but one.
    static func isReadable(_ sample: GuessSample) -> Bool {
        sample.share >= leastShare || sample.rows.count >= 2 && sample.rejectedCount == 1
    }

    /// Looks at the start of an input.
    ///
    /// The result is `nil` where it is of no format that is known.
    ///
    /// - Parameter bytes: The bytes, up to the end of a line; not empty.
    init?(_ bytes: [UInt8]) {
        var found: (Reading, GuessSample)?
        for (format, words, mark) in Self.formats {
            guard mark.map({ Self.has($0, bytes) }) ?? true, let sample = GuessSample(bytes, format, Self.limits),
                Self.isReadable(sample), format.name != LogfmtFormat().name || Self.hasPairs(sample),
                format.name != SyslogFormat().name || Self.hasHeads(sample)
            else { continue }
            found = (Reading(format: format, words: words), sample)
            break
        }
        guard
            let (reading, outer) = found ?? Self.lines(bytes, hasLevel: true) ?? Self.table(bytes)
                ?? Self.lines(bytes, hasLevel: false)
        else { return nil }
        self.reading = reading
        sample =
            reading.format.hasObjects
            ? GuessSample(bytes, reading.format, adding: Self.innerNames(outer), Self.limits) ?? outer : outer
        outerNames = Set(outer.names)
        let sample = sample
        fields = sample.names.indices
            .map { GuessedField(sample.names[$0], sample.values(of: $0), isNested: sample.isNested[$0]) }
            .filter { !$0.example.isEmpty || outer.names.contains($0.name) }
    }

    /// The formats other than tables, with what has to be in the input.
    private static let formats: [(format: any Format, words: String, mark: String?)] = [
        (BinaryFormat(), "the binary format", "\u{1A}"), (JSONLinesFormat(), "JSON Lines", "{"),
        (JSONFormat(), "JSON, an array of objects or objects one after the other", "{"),
        (CEFFormat(), "CEF, events of security products", "CEF:"),
        (LEEFFormat(), "LEEF, events of security products", "LEEF:"),
        (SyslogFormat(), "messages of syslog", ":"),
        (AccessLogFormat(.combined), "an access log in the combined format", "\""),
        (AccessLogFormat(.common), "an access log in the common format", "\""),
        (LogfmtFormat(), "logfmt, names and values", "="),
    ]

    private static func has(_ mark: String, _ bytes: [UInt8]) -> Bool {
        let mark = Array(mark.utf8)
        return bytes.prefix(4096).indices.contains { bytes[$0...].starts(with: mark) }
    }

    /// Whether most names of the lines have values, as words of a sentence have not.
    private static func hasPairs(_ sample: GuessSample) -> Bool {
        let values = sample.rows.reduce(0) { $0 + $1.count { $0 != nil } }
        return sample.names.count <= 64 && values >= 2 * sample.rows.count
            && sample.rows.allSatisfy { $0.contains { $0 != nil } }
    }

    /// Whether most lines have what begins a message of syslog: a time, a host and a program, or a priority.
    private static func hasHeads(_ sample: GuessSample) -> Bool {
        guard let time = sample.names.firstIndex(of: "time"), let host = sample.names.firstIndex(of: "host"),
            let app = sample.names.firstIndex(of: "app"), let severity = sample.names.firstIndex(of: "severity")
        else { return false }
        let heads = sample.rows.count { $0[severity] != nil || $0[host] != nil && $0[app] != nil }
        let times = sample.values(of: time)
        return Double(heads) >= leastShare * Double(sample.rows.count)
            && times.allSatisfy { FieldType(ofText: $0) == .time }
    }

    /// The names of what is one level deeper: of the members of objects, and of the first elements of arrays.
    private static func innerNames(_ sample: GuessSample) -> [String] {
        sample.names.indices.filter { sample.isNested[$0] }.flatMap { field -> [String] in
            let name = sample.names[field]
            guard let text = sample.values(of: field).first(where: { $0.hasPrefix("{") || $0.hasPrefix("[") }) else {
                return []
            }
            guard text.hasPrefix("{") else { return (0..<8).map { "\(name).\($0)" } }
            let inner = try? FieldSurvey(ByteSource(Array(text.utf8)), format: JSONLinesFormat(), limits: limits)
            return (inner?.names ?? []).map { "\(name).\($0)" }
        }.filter { !sample.names.contains($0) }
    }

    /// Whether a name can stand in the list of an option.
    static func canBeListed(_ name: String) -> Bool { !name.isEmpty && !name.contains { ",=".contains($0) } }

    // MARK: Tables

    private static let delimiters: [(character: Unicode.Scalar, words: String)] = [
        (",", "commas"), ("\t", "tabs"), (";", "semicolons"), ("|", "bars"), (" ", "blanks"),
    ]

    /// The table that most lines can be read as, with the most columns.
    private static func table(_ bytes: [UInt8]) -> (Reading, GuessSample)? {
        let hasComments = bytes.split(separator: UInt8(ascii: "\n")).prefix(100).contains {
            $0.first == UInt8(ascii: "#")
        }
        var best: (reading: Reading, sample: GuessSample)?
        for (character, words) in delimiters {
            var dialect = CSVDialect(delimiter: UInt8(ascii: character))
            if hasComments { dialect.comment = UInt8(ascii: "#") }
            // Blanks stand within columns too.
            if character == " ", best?.sample.fieldCount ?? 0 > 1 { break }
            guard let (reading, sample) = table(bytes, dialect, words) else { continue }
            if sample.fieldCount > best?.sample.fieldCount ?? 0 { best = (reading, sample) }
        }
        guard let best, best.sample.fieldCount > 1 || hasNumbers(best.sample) else { return nil }
        return best
    }

    /// Whether a table of one column may be one, and is no text.
    private static func hasNumbers(_ sample: GuessSample) -> Bool {
        let values = sample.values(of: 0)
        return !values.isEmpty && values.allSatisfy(GuessedField.isNumberOrTime)
    }

    /// Reads the bytes as a table.
    private static func table(
        _ bytes: [UInt8],
        _ dialect: CSVDialect,
        _ words: String
    ) -> (Reading, GuessSample)? {
        var dialect = dialect
        // The first line like any other.
        dialect.headerLineCount = 0
        var sample = GuessSample(bytes, CSVFormat(dialect), limits)
        if sample.map({ $0.share < leastShare }) ?? true {
            var plain = dialect
            plain.hasQuotes = false
            if let other = GuessSample(bytes, CSVFormat(plain), limits), other.share > sample?.share ?? 0 {
                (dialect, sample) = (plain, other)
            }
        }
        // Words with blanks between them come in equal numbers by chance.
        guard let all = sample, let first = all.rows.first, !breaksTimes(all, at: dialect.delimiter),
            all.share >= leastShare || dialect.delimiter != UInt8(ascii: " ") && isReadable(all)
        else { return nil }
        let names = first.map { $0 ?? "" }
        let rest = all.rows.dropFirst()
        // Words may be there twice in any line, but numbers stand below names.
        let areNames =
            Set(names).count == names.count
            ? names.contains { !$0.isEmpty }
            : names.contains { name in canBeListed(name) && names.count { $0 == name } == 1 }
                && isOverData(first, rest, count: 1)
        let hasHeader = areNames && !names.contains(where: GuessedField.isData)
        if hasHeader { dialect.headerLineCount = 1 + furtherHeaderLines(rest) }
        guard let sample = hasHeader ? GuessSample(bytes, CSVFormat(dialect), limits) : all else { return nil }
        let format = CSVFormat(dialect)
        var reading = Reading(
            format: format,
            words: "a table, separated by \(words), with\(hasHeader ? " a header" : "out a header")"
                + (dialect.headerLineCount > 1 ? " of \(dialect.headerLineCount) lines" : "")
        )
        if format.name == "csv", words != "commas" {
            reading.options.append(("delimiter", String(Unicode.Scalar(dialect.delimiter))))
        }
        if !dialect.hasQuotes {
            reading.options.append(("quote", "none"))
            reading.words += ", without quotes"
        }
        if let comment = dialect.comment {
            reading.options.append(("comment", String(Unicode.Scalar(comment))))
            reading.words += " and with comments"
        }
        if !hasHeader { reading.options.append(("header", "none")) }
        if dialect.headerLineCount > 1 { reading.options.append(("header", String(dialect.headerLineCount))) }
        return (reading, sample)
    }

    /// Whether what separates columns stands within times: before milliseconds, or between the day and the time of day.
    private static func breaksTimes(_ sample: GuessSample, at delimiter: UInt8) -> Bool {
        guard sample.fieldCount > 1 else { return false }
        let pairs = sample.rows.compactMap { row in row[0].flatMap { first in row[1].map { (first, $0) } } }
        guard !pairs.isEmpty else { return false }
        switch delimiter {
        case UInt8(ascii: ","):
            return pairs.allSatisfy { $0.contains(/:[0-5][0-9]$/) && $1.contains(/^[0-9]{3}[ :\]]/) }
        case UInt8(ascii: " "):
            let dates = pairs.map(\.0)
            return GuessedTime(dates)?.isDate(dates) ?? false
                && pairs.allSatisfy { $1.contains(/^[0-2]?[0-9]:[0-5][0-9](:[0-5][0-9]([.,][0-9]+)?)?$/) }
        default: return false
        }
    }

    /// How many lines behind the names say more about the columns, such as their units: words over nothing but numbers.
    private static func furtherHeaderLines(_ rows: ArraySlice<[String?]>) -> Int {
        var rest = rows
        var count = 0
        while count < 4, let row = rest.popFirst(), rest.count >= 2, !row.contains(where: { isData($0) }) {
            guard isOverData(row, rest, count: 2) else { break }
            count += 1
        }
        return count
    }

    /// Whether a word of a line stands over nothing but numbers or times, at least as many as said.
    private static func isOverData(_ row: [String?], _ rest: ArraySlice<[String?]>, count: Int) -> Bool {
        row.indices.contains { column in
            let values = rest.compactMap { column < $0.count ? $0[column] : nil }.filter { !$0.isEmpty }
            return row[column]?.isEmpty == false && values.count >= count && values.allSatisfy(GuessedField.isData)
        }
    }

    private static func isData(_ value: String?) -> Bool { value.map(GuessedField.isData) ?? false }
}
