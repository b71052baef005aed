internal import WeirCore
internal import WeirRecords

/// Lines that are skipped: those of the header behind the first, and comments.
extension CSVDecoder {
    /// Whether a line is skipped that starts at a place.
    func isComment(_ base: UnsafePointer<UInt8>, at place: Int) -> Bool {
        unsafe dialect.comment != nil && base[place] == dialect.comment
    }

    /// Passes as much as there is of a line.
    ///
    /// - Returns: Where to go on.
    mutating func skipLine(_ base: UnsafePointer<UInt8>, from start: Int, count: Int, isFinal: Bool) -> Int {
        let end = unsafe ByteSearch.index(of: UInt8(ascii: "\n"), in: base, from: start, to: count)
        isInSkippedLine = end == count && !isFinal
        if !isInSkippedLine { lines.line += 1 }
        return min(end + 1, count)
    }

    /// Passes the lines of the header behind the first.
    ///
    /// - Returns: Where to go on.
    mutating func skipHeaderRest(_ base: UnsafePointer<UInt8>, from start: Int, count: Int, isFinal: Bool) -> Int {
        var start = start
        while headerRest > 0, start < count {
            start = unsafe skipLine(base, from: start, count: count, isFinal: isFinal)
            if !isInSkippedLine { headerRest -= 1 }
        }
        return start
    }

    /// Requires that the input has all lines of the header, where its first was read.
    func requireWholeHeader() throws(FormatError) {
        guard headerRest > 0, header != nil else { return }
        throw .badHeader("the input ends in line \(dialect.headerLineCount - headerRest) of \(dialect.headerLineCount)")
    }

    /// Passes lines that are skipped, as long as there are some.
    ///
    /// - Returns: Where to go on.
    mutating func skipComments(_ base: UnsafePointer<UInt8>, from start: Int, count: Int, isFinal: Bool) -> Int {
        var start = start
        while start < count, unsafe isInSkippedLine || isComment(base, at: start) {
            start = unsafe skipLine(base, from: start, count: count, isFinal: isFinal)
        }
        return start
    }
}
