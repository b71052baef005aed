internal import WeirRecords

/// Records with quotes, and those that were not all there at first.
extension CSVDecoder {
    /// Reads a record with the scanner, which may have passed a part of it before.
    ///
    /// - Returns: Where to go on, or `nil` when the record is not all there.
    mutating func readScannedRecord(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        count: Int,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) -> Int? {
        let available = min(count - start, lines.limit + 1)
        let isTooLong = available > lines.limit
        let outcome = unsafe scanner.scan(base + start, count: available, isFinal: isFinal && !isTooLong)
        if case .incomplete = outcome, !isTooLong { return nil }
        let hasQuotes = scanner.hasQuotes
        let firstLineEnd = scanner.firstLineEnd
        scanner = CSVRecordScanner(dialect)
        let reason: String
        let lineEnd: Int
        switch outcome {
        case .incomplete:
            guard let firstLineEnd else {
                return unsafe lines.rejectOverlongLine(
                    base,
                    from: start,
                    count: count,
                    isFinal: isFinal,
                    into: &batch
                )
            }
            reason = "a quote is not closed within \(lines.limit) bytes; --max-line raises the limit"
            lineEnd = firstLineEnd
        case .flaw(let flaw, let end):
            reason = flaw.description
            lineEnd = end
        case .record(let end):
            // The quick way is there for lines without quotes.
            guard hasQuotes else { return start }
            guard let flaw = unsafe readFields(base, from: start, to: start + end, into: &batch) else {
                let next = min(start + end + 1, count)
                lines.line += unsafe lineFeeds(base, from: start, to: next)
                return next
            }
            reason = flaw
            lineEnd = firstLineEnd ?? end
        }
        let end = unsafe contentEnd(base, from: start, to: start + lineEnd)
        batch.reject(line: lines.line, reason: reason, start: start, length: end - start)
        lines.line += 1
        return min(start + lineEnd + 1, count)
    }

    /// Adds the record from `start` to `end`, which has quotes in the right places.
    ///
    /// - Returns: What is wrong with it, or `nil` when it was added.
    private func readFields(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to end: Int,
        into batch: inout RecordBatch
    ) -> String? {
        let end = unsafe contentEnd(base, from: start, to: end)
        var fields = unsafe CSVFields(base, from: start, to: end, dialect)
        var column = 0
        batch.beginRecord(line: lines.line)
        while let place = unsafe fields.nextField() {
            var field = column < firstFields.count ? firstFields[column] : -1
            while field >= 0 {
                batch.setField(Int(field), start: place.start, length: place.length, encoding: place.encoding)
                field = nextFields[Int(field)]
            }
            column += 1
        }
        if column != firstFields.count { return wrongCount(column) }
        if unsafe !UTF8Text.isValid(base, from: start, to: end) { return Self.invalidUTF8 }
        batch.endRecord(start: start, length: end - start)
        return nil
    }
}
