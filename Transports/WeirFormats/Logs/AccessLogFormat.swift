internal import WeirCore
public import WeirRecords

/// The access logs of web servers: the common log format and the combined one.
///
/// ```text
/// 127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.png HTTP/1.0" 200 2326 "http://example.com/" "Mozilla/4.08"
/// ```
///
/// - The fields are `host`, `ident`, `user`, `time`, `request`, `status` and `bytes`, and in the combined form `referer`
///   and `user_agent`. `method`, `path` and `protocol`, the parts of the request, can be read as well.
/// - `-` stands for a field without a value, and is written for an empty one.
/// - In quotes, `\"`, `\\`, `\n`, `\t` and the like and `\xHH` are resolved. A `\xHH` that is no part of valid UTF-8 stays
///   as it is written, and so does any other backslash.
/// - Lines end with a line feed, with or without a carriage return before it; empty ones are skipped. Everything else is
///   rejected with the place in the line, counted in bytes from 1.
public struct AccessLogFormat: Format {
    /// The forms.
    public enum Form: String, Sendable, Hashable, CaseIterable {
        /// Up to the size of the answer.
        case common = "clf"
        /// With the referring page and the user agent behind that.
        case combined
    }

    /// The form of the lines.
    public let form: Form

    public var name: String { form.rawValue }

    public var summary: String {
        switch form {
        case .common: "access logs of web servers in the common log format"
        case .combined: "access logs of web servers in the combined log format"
        }
    }

    /// Creates the format.
    ///
    /// - Parameter form: The form of the lines.
    public init(_ form: Form) {
        self.form = form
    }

    /// The names of all fields that can be read.
    package var readNames: [String] { names + AccessLogReader.partNames }

    private var names: [String] {
        let common = ["host", "ident", "user", "time", "request", "status", "bytes"]
        return form == .common ? common : common + ["referer", "user_agent"]
    }

    public func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
        let columns = WantedColumns(AccessLogReader.names, for: schema)
        let common = WantedColumns(readNames, for: schema)
        return LineDecoder(AccessLogReader(form, columns), limits: limits, obstacle: common.obstacle)
    }

    public func refusal(of schema: OutputSchema) -> String? {
        OutputColumns.refusal(of: schema, besides: names, in: "an access log")
    }

    public func makeEncoder(for schema: OutputSchema) -> (any RecordEncoder)? {
        LineEncoder(AccessLogWriter(form, OutputColumns(names, of: schema), OutputTimes(schema)), for: schema)
    }

    public func makeFieldFinder(limits: FormatLimits) -> (any FieldFinder)? {
        FixedFieldFinder(names: names)
    }
}

/// Reads lines of access logs.
struct AccessLogReader: LineReader {
    /// The parts of the request.
    static let partNames = ["method", "path", "protocol"]

    /// All names, in the order of the line, and behind them the parts of the request.
    static let names =
        ["host", "ident", "user", "time", "request", "status", "bytes", "referer", "user_agent"] + partNames

    private static let time = 3
    private static let request = 4
    private static let status = 5
    private static let bytes = 6
    private static let referer = 7
    private static let userAgent = 8
    private static let firstPart = 9

    private let form: AccessLogFormat.Form
    private let columns: WantedColumns

    init(_ form: AccessLogFormat.Form, _ columns: WantedColumns) {
        self.form = form
        self.columns = columns
    }

    func read(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to end: Int,
        into batch: inout RecordBatch
    ) throws(LineFlaw) {
        var cursor = unsafe LineCursor(base, from: start, to: end)
        for column in 0..<Self.time {
            let text = unsafe cursor.text(upTo: UInt8(ascii: " "))
            unsafe set(column, text, base, in: &batch)
            try unsafe cursor.take(" ")
        }
        try unsafe cursor.take("[")
        let time = unsafe cursor.text(upTo: UInt8(ascii: "]"))
        unsafe set(Self.time, time, base, in: &batch)
        try unsafe cursor.take("]")
        let request = try unsafe quoted(&cursor, column: Self.request, into: &batch)
        unsafe setParts(of: request, base, in: &batch)
        for column in [Self.status, Self.bytes] {
            try unsafe cursor.take(" ")
            let text = unsafe cursor.text(upTo: UInt8(ascii: " "))
            guard !text.isEmpty else { throw unsafe cursor.flaw("a value is missing") }
            unsafe set(column, text, base, in: &batch)
        }
        if form == .combined {
            _ = try unsafe quoted(&cursor, column: Self.referer, into: &batch)
            _ = try unsafe quoted(&cursor, column: Self.userAgent, into: &batch)
        }
        guard unsafe cursor.isAtEnd else {
            throw unsafe cursor.flaw(
                form == .common
                    ? "there is more than the common log format has (see --format combined)"
                    : "there is more than the combined log format has (see --format pattern:...)"
            )
        }
    }

    private func set(
        _ column: Int,
        _ text: Range<Int>,
        _ base: UnsafePointer<UInt8>,
        encoding: FieldEncoding = .plain,
        in batch: inout RecordBatch
    ) {
        let isNone = unsafe text.count == 1 && base[text.lowerBound] == UInt8(ascii: "-")
        columns.set(
            column,
            start: text.lowerBound,
            end: text.upperBound,
            encoding: isNone ? .null : encoding,
            in: &batch
        )
    }

    /// Passes a blank and a text in quotes.
    private func quoted(
        _ cursor: inout LineCursor,
        column: Int,
        into batch: inout RecordBatch
    ) throws(LineFlaw) -> (text: Range<Int>, encoding: FieldEncoding) {
        try unsafe cursor.take(" ")
        try unsafe cursor.take("\"")
        let (text, hasEscapes) = try unsafe cursor.quotedText()
        let encoding = hasEscapes ? FieldEncoding.hexEscaped : .plain
        unsafe set(column, text, cursor.base, encoding: encoding, in: &batch)
        return (text, encoding)
    }

    /// Notes the parts of a request such as `GET / HTTP/1.1`; anything else has none.
    private func setParts(
        of request: (text: Range<Int>, encoding: FieldEncoding),
        _ base: UnsafePointer<UInt8>,
        in batch: inout RecordBatch
    ) {
        let text = request.text
        let blank = UInt8(ascii: " ")
        let first = unsafe ByteSearch.index(of: blank, in: base, from: text.lowerBound, to: text.upperBound)
        guard first < text.upperBound else { return }
        var last = text.upperBound - 1
        while unsafe base[last] != blank { last -= 1 }
        guard last > first else { return }
        for (part, range) in [text.lowerBound..<first, first + 1..<last, last + 1..<text.upperBound].enumerated() {
            columns.set(
                Self.firstPart + part,
                start: range.lowerBound,
                end: range.upperBound,
                encoding: request.encoding,
                in: &batch
            )
        }
    }
}
