/// Finds where a CSV record ends, and can stop at any byte and go on later.
///
/// ## Why the work stays linear
///
/// A record with a flaw costs only its first physical line, so bytes after that line are scanned again. In a record
/// without a flaw so far, each quote that is scanned leads into a quoted part or out of it (a doubled one does both).
/// So at the end of a line one is inside quotes exactly if the record has had an odd number of quotes, a record that
/// goes on after its first line starts with a line with an odd number, and it ends or fails at the next such line or
/// before it. The lines between the two have even numbers: records that start there end there. Hence no byte is
/// scanned more than twice, as part of an earlier line's record and of its own.
struct CSVRecordScanner {
    /// What is wrong with a record, with the field counted from 1.
    enum Flaw: Equatable {
        case quoteInUnquotedField(Int)
        case textAfterQuote(Int)
        case unclosedQuote(Int)
        case quoteBeyondLine
    }

    /// What was found.
    enum Outcome: Equatable {
        /// The record ends there, counted from its start, before the line feed or at the end of the input.
        case record(end: Int)
        /// The record has a flaw; its first line ends there.
        case flaw(Flaw, lineEnd: Int)
        /// Everything was scanned, and the record goes on.
        case incomplete
    }

    private enum State {
        case fieldStart
        case unquoted
        case quoted
        case quoteInQuoted
        case returnAfterQuote
        case flawed(Flaw)
    }

    /// How many bytes were scanned.
    private(set) var offset = 0

    /// Whether there is a quote in what was scanned.
    private(set) var hasQuotes = false

    /// Where the first physical line ends, if it was reached.
    private(set) var firstLineEnd: Int?

    private var state = State.fieldStart
    private var field = 1
    private let delimiter: UInt8
    private let hasFieldQuotes: Bool
    private let endsWithLine: Bool

    /// Creates a scanner at the start of a record.
    init(_ dialect: CSVDialect = CSVDialect()) {
        delimiter = dialect.delimiter
        hasFieldQuotes = dialect.hasQuotes
        endsWithLine = dialect.endsWithLines
    }

    /// Creates a scanner that has passed `offset` bytes of a record, none of which is a quote or a line feed.
    init(_ dialect: CSVDialect, passing offset: Int, field: Int, isFieldStart: Bool) {
        self.init(dialect)
        self.offset = offset
        self.field = field
        state = isFieldStart ? .fieldStart : .unquoted
    }

    /// Scans on.
    ///
    /// - Parameters:
    ///   - record: Where the record starts.
    ///   - count: How many bytes there are; those that were scanned before must be the same.
    ///   - isFinal: Whether the input ends after them.
    /// - Returns: Where the record or its first line ends, if that was found.
    mutating func scan(_ record: UnsafePointer<UInt8>, count: Int, isFinal: Bool) -> Outcome {
        while offset < count {
            switch state {
            case .flawed(let flaw):
                if let firstLineEnd { return .flaw(flaw, lineEnd: firstLineEnd) }
                offset = unsafe ByteSearch.index(of: UInt8(ascii: "\n"), in: record, from: offset, to: count)
                if offset < count { firstLineEnd = offset }
            case .quoted:
                let quote = unsafe ByteSearch.index(of: UInt8(ascii: "\""), in: record, from: offset, to: count)
                if firstLineEnd == nil {
                    let lineEnd = unsafe ByteSearch.index(of: UInt8(ascii: "\n"), in: record, from: offset, to: quote)
                    if lineEnd < quote { firstLineEnd = lineEnd }
                }
                if endsWithLine, let firstLineEnd { return .flaw(.quoteBeyondLine, lineEnd: firstLineEnd) }
                offset = quote
                if quote < count {
                    state = .quoteInQuoted
                    offset += 1
                }
            case .fieldStart, .unquoted, .quoteInQuoted, .returnAfterQuote:
                let byte = unsafe record[offset]
                if byte == UInt8(ascii: "\n") {
                    switch state {
                    case .fieldStart, .unquoted, .quoteInQuoted, .returnAfterQuote: return .record(end: offset)
                    case .quoted, .flawed: break
                    }
                }
                state = stateAfter(byte)
                // A flaw leaves the byte in place: it may be the line's end.
                if case .flawed = state { continue }
                offset += 1
            }
        }
        return atEnd(count, isFinal: isFinal)
    }

    private func atEnd(_ count: Int, isFinal: Bool) -> Outcome {
        switch state {
        case .flawed(let flaw):
            if let firstLineEnd { return .flaw(flaw, lineEnd: firstLineEnd) }
            return isFinal ? .flaw(flaw, lineEnd: count) : .incomplete
        case .quoted: return isFinal ? .flaw(.unclosedQuote(field), lineEnd: firstLineEnd ?? count) : .incomplete
        case .fieldStart, .unquoted, .quoteInQuoted, .returnAfterQuote:
            return isFinal ? .record(end: count) : .incomplete
        }
    }

    private mutating func stateAfter(_ byte: UInt8) -> State {
        if byte == delimiter {
            switch state {
            case .fieldStart, .unquoted, .quoteInQuoted:
                field += 1
                return .fieldStart
            case .quoted, .returnAfterQuote, .flawed: return .flawed(.textAfterQuote(field))
            }
        }
        guard hasFieldQuotes else { return .unquoted }
        switch (state, byte) {
        case (.fieldStart, UInt8(ascii: "\"")):
            hasQuotes = true
            return .quoted
        case (.unquoted, UInt8(ascii: "\"")):
            hasQuotes = true
            return .flawed(.quoteInUnquotedField(field))
        case (.quoteInQuoted, UInt8(ascii: "\"")): return .quoted
        case (.quoteInQuoted, UInt8(ascii: "\r")): return .returnAfterQuote
        case (.fieldStart, _), (.unquoted, _): return .unquoted
        default: return .flawed(.textAfterQuote(field))
        }
    }
}

extension CSVRecordScanner.Flaw: CustomStringConvertible {
    var description: String {
        switch self {
        case .quoteInUnquotedField(let field): "there is a quote in field \(field), which does not start with one"
        case .textAfterQuote(let field): "there is text after the closing quote of field \(field)"
        case .unclosedQuote(let field): "the quote of field \(field) is not closed"
        case .quoteBeyondLine:
            "a quote is not closed in its line, which is a record where lines of several senders are mixed"
        }
    }
}
