internal import WeirCore
package import WeirRecords

/// The header, and the columns of the wanted fields.
extension CSVDecoder {
    /// Reads the header, if all of it is there: then ``header`` is set.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that follow what was consumed so far.
    ///   - isFinal: Whether the input ends with these bytes.
    /// - Returns: How many bytes were consumed.
    /// - Throws: `FormatError` when the header is not valid.
    package mutating func readHeader(_ bytes: UnsafeRawBufferPointer, isFinal: Bool) throws(FormatError) -> Int {
        let count = bytes.count
        guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            var start = unsafe lines.passByteOrderMark(base, count: count, isFinal: isFinal)
        else { return 0 }
        start = unsafe skipComments(base, from: start, count: count, isFinal: isFinal)
        while let end = unsafe blankLineEnd(base, from: start, count: count) {
            lines.line += 1
            start = unsafe skipComments(base, from: end, count: count, isFinal: isFinal)
            // It may have seen the carriage return of this line when the line feed was not there yet.
            scanner = CSVRecordScanner(dialect)
        }
        guard start < count else { return start }
        let available = min(count - start, lines.limit + 1)
        let outcome = unsafe scanner.scan(
            base + start,
            count: available,
            isFinal: isFinal && available <= lines.limit
        )
        let end: Int
        switch outcome {
        case .incomplete:
            guard available <= lines.limit else {
                throw .badHeader("it is longer than \(lines.limit) bytes; --max-line raises the limit")
            }
            return start
        case .flaw(let flaw, _): throw .badHeader(flaw.description)
        case .record(let length): end = start + length
        }
        scanner = CSVRecordScanner(dialect)
        guard dialect.headerLineCount > 0 else {
            // The first record says how many fields there are, and is read as a record afterwards.
            var fields = unsafe CSVFields(base, from: start, to: end, dialect)
            var names: [String] = []
            while unsafe fields.nextField() != nil { names.append(String(names.count + 1)) }
            header = names
            return start
        }
        header = unsafe try names(base, from: start, to: end)
        lines.line += unsafe lineFeeds(base, from: start, to: min(end + 1, count))
        return min(end + 1, count)
    }

    /// Takes another schema, between the header and the first record.
    ///
    /// - Throws: `FormatError` when the header lacks a field that is needed, or names one twice that is wanted.
    package mutating func resolve(_ schema: RecordSchema) throws(FormatError) {
        let header = header ?? []
        let wanted = Set(schema.fields.map(\.name))
        var columns: [String: Int] = [:]
        for (column, name) in header.enumerated() where wanted.contains(name) {
            if columns.updateValue(column, forKey: name) != nil { throw .duplicateField(name) }
        }
        let missing = schema.fields.filter { $0.isRequired && columns[$0.name] == nil }.map(\.name)
        if !missing.isEmpty { throw .missingFields(missing, available: header) }
        self.schema = schema
        firstFields = [Int32](repeating: -1, count: header.count)
        nextFields = [Int32](repeating: -1, count: schema.fields.count)
        self.columns = schema.fields.map { Int32(columns[$0.name] ?? -1) }
        for (field, wanted) in schema.fields.enumerated() {
            guard let column = columns[wanted.name] else { continue }
            nextFields[field] = firstFields[column]
            firstFields[column] = Int32(field)
        }
    }

    func names(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) throws(FormatError) -> [String] {
        var fields = unsafe CSVFields(base, from: start, to: contentEnd(base, from: start, to: end), dialect)
        var names: [String] = []
        while let field = unsafe fields.nextField() {
            let text = unsafe UnsafeBufferPointer(start: base + field.start, count: field.length)
            guard let name = unsafe field.isQuoted ? QuotedText.undoublingQuotes(text) : trimmed(text) else {
                throw .badHeader("it is not valid UTF-8")
            }
            // Otherwise an input whose lines end with it would be a header and nothing else.
            if name.unicodeScalars.contains("\r") {
                throw .badHeader("there is a carriage return in a name; lines end with a line feed")
            }
            names.append(name)
        }
        return names
    }

    private func trimmed(_ text: UnsafeBufferPointer<UInt8>) -> String? {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var text = unsafe text[...]
        while let first = unsafe text.first, isBlank(first) { unsafe text.removeFirst() }
        while let last = unsafe text.last, isBlank(last) { unsafe text.removeLast() }
        return unsafe String(validating: text, as: UTF8.self)
    }

    /// The place after the line at `start`, when that is empty.
    private func blankLineEnd(_ base: UnsafePointer<UInt8>, from start: Int, count: Int) -> Int? {
        var end = start
        if end < count, unsafe base[end] == UInt8(ascii: "\r") { end += 1 }
        return unsafe end < count && base[end] == UInt8(ascii: "\n") ? end + 1 : nil
    }
}
