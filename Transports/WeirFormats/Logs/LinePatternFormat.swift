internal import WeirCore
public import WeirRecords

/// Lines of any form: text that stands in each line, and named fields between.
///
/// ```swift
/// import WeirFormats
///
/// let format = try LinePatternFormat("{time} [{level}] {rest}")
/// ```
///
/// - `{+NAME}` goes on with the field right before it: `{time} {+time} {rest}` takes the first two words as a time.
/// - A field ends where the text that follows it in the pattern comes first; the last one ends with the line, or before
///   the text at the pattern's end, and so may hold anything.
/// - `{NAME->}` leaves out the blanks behind a value, as in columns: `{level->} {rest}` reads `INFO   text`.
/// - `{{` and `}}` are braces, `\t` is a tab, `\\` a backslash.
/// - Lines end with a line feed, with or without a carriage return before it; empty ones are skipped.
/// - A line without the texts of the pattern is rejected.
public struct LinePatternFormat: Format {
    public var name: String { "pattern" }

    public var summary: String { "lines of a form that is told, as in --format 'pattern:{time} {level} {rest}'" }

    private let pattern: LinePattern

    /// Creates the format.
    ///
    /// - Parameter pattern: The form of a line, such as `{time} {level} {rest}`.
    /// - Throws: ``LinePatternError`` when two fields have nothing between them, a name comes twice, a brace is not closed,
    ///   or there is no field.
    public init(_ pattern: String) throws(LinePatternError) {
        self.pattern = try LinePattern(pattern)
    }

    private var names: [String] { pattern.fields.map(\.name) }

    public func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
        let columns = WantedColumns(names, for: schema)
        return LineDecoder(LinePatternReader(pattern, columns), limits: limits, obstacle: columns.obstacle)
    }

    public func refusal(of schema: OutputSchema) -> String? {
        let missing = pattern.fields.first { field in
            !field.inner.isEmpty && !schema.fields.contains { $0.name == field.name }
        }
        if let missing { return "the pattern has parts of the field '\(missing.name)', which the output lacks" }
        return OutputColumns.refusal(of: schema, besides: names, in: "the pattern")
    }

    public func makeEncoder(for schema: OutputSchema) -> (any RecordEncoder)? {
        LineEncoder(LinePatternWriter(pattern, OutputColumns(names, of: schema)), for: schema)
    }

    public func makeFieldFinder(limits: FormatLimits) -> (any FieldFinder)? {
        FixedFieldFinder(names: names)
    }
}

/// Reads lines of a pattern.
struct LinePatternReader: LineReader {
    private let pattern: LinePattern
    private let columns: WantedColumns

    init(_ pattern: LinePattern, _ columns: WantedColumns) {
        self.pattern = pattern
        self.columns = columns
    }

    func read(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to end: Int,
        into batch: inout RecordBatch
    ) throws(LineFlaw) {
        guard unsafe ByteSearch.has(pattern.beginning, in: base, at: start, to: end) else {
            throw LineFlaw("expected '\(Excerpt.of(pattern.beginning, limit: 40))'", at: 0)
        }
        var place = start + pattern.beginning.count
        let last = pattern.fields.count - 1
        for index in 0..<last {
            let inner = unsafe try passInner(of: index, base, from: place, to: end, lineStart: start)
            let ending = pattern.fields[index].ending
            let fieldEnd = unsafe ByteSearch.index(ofText: ending.text, in: base, from: inner, to: end)
            guard fieldEnd < end else { throw flaw(index, at: place - start) }
            let valueEnd = unsafe ending.endOfValue(base, from: inner, to: fieldEnd)
            columns.set(index, start: place, end: valueEnd, encoding: .plain, in: &batch)
            place = unsafe ending.placeBehindBlanks(base, from: fieldEnd + ending.text.count, to: end)
        }
        let ending = pattern.fields[last].ending
        let fieldEnd = end - ending.text.count
        let inner = unsafe try passInner(of: last, base, from: place, to: end, lineStart: start)
        guard fieldEnd >= inner, unsafe ByteSearch.has(ending.text, in: base, at: fieldEnd, to: end) else {
            throw flaw(last, at: place - start)
        }
        let valueEnd = unsafe ending.endOfValue(base, from: inner, to: fieldEnd)
        columns.set(last, start: place, end: valueEnd, encoding: .plain, in: &batch)
    }

    /// Passes what each value of a field has in it.
    ///
    /// - Returns: The place behind it.
    private func passInner(
        of index: Int,
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to end: Int,
        lineStart: Int
    ) throws(LineFlaw) -> Int {
        let field = pattern.fields[index]
        guard !field.inner.isEmpty else { return start }
        guard let place = unsafe field.placeBehindInner(base, from: start, to: end) else {
            throw LineFlaw(
                "the field '\(field.name)' has fewer parts than the pattern, and starts",
                at: start - lineStart
            )
        }
        return place
    }

    private func flaw(_ index: Int, at place: Int) -> LineFlaw {
        let field = pattern.fields[index]
        let ending = "'\(Excerpt.of(field.ending.text, limit: 40))'"
        let isLast = index == pattern.fields.count - 1
        return LineFlaw(
            isLast
                ? "the line does not end with \(ending) behind the field '\(field.name)', which starts"
                : "there is no \(ending) behind the field '\(field.name)', which starts",
            at: place
        )
    }
}

/// Writes lines of a pattern.
struct LinePatternWriter: LineWriter {
    private let pattern: LinePattern
    private let columns: OutputColumns

    init(_ pattern: LinePattern, _ columns: OutputColumns) {
        self.pattern = pattern
        self.columns = columns
    }

    func write(_ record: borrowing LineRecord, to line: inout [UInt8]) throws(FieldError) {
        line += pattern.beginning
        let last = pattern.fields.count - 1
        var takesBlanks = false
        for (index, field) in pattern.fields.enumerated() {
            let start = line.count
            let column = columns[index]
            if column >= 0 { line += record.values[column].text }
            let end = line.count
            line += field.ending.text
            if takesBlanks, line[start...].first == LinePattern.blank {
                throw record.refuse(max(column, 0), "would lose the blanks at its start")
            }
            if field.ending.isPadded, end > start, line[end - 1] == LinePattern.blank {
                throw record.refuse(column, "would lose the blanks at its end")
            }
            takesBlanks = field.ending.takesBlanks
            guard column >= 0 || !field.inner.isEmpty, index < last || !field.inner.isEmpty else { continue }
            let inner = unsafe line.withUnsafeBufferPointer { bytes -> Int? in
                guard let base = bytes.baseAddress else { return start }
                // Blanks that it takes may be those of what follows.
                return unsafe field.placeBehindInner(base, from: start, to: bytes.count)
            }
            guard let inner, inner <= end else {
                throw record.refuse(max(column, 0), "has fewer parts than '\(field.name)' has in the pattern")
            }
            guard index < last else { continue }
            let first = unsafe line.withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress else { return end }
                return unsafe ByteSearch.index(ofText: field.ending.text, in: base, from: inner, to: bytes.count)
            }
            guard first == end else {
                throw record.refuse(
                    column,
                    "would not end where it does: '\(Excerpt.of(field.ending.text, limit: 40))' follows it in the pattern"
                )
            }
        }
    }
}
