internal import WeirCore
internal import WeirRecords

/// Elements: of an array, or objects that follow each other.
extension JSONObjectsDecoder {
    /// Reads or rejects an element, or the piece that there is of one that is too long.
    ///
    /// - Parameters:
    ///   - base: The bytes.
    ///   - start: Where the element starts or goes on; becomes the place behind what was read.
    ///   - count: How many bytes there are.
    ///   - isFinal: Whether the input ends there.
    ///   - batch: Takes the record or the rejection.
    /// - Returns: False where more bytes are needed.
    mutating func readElement(
        _ base: UnsafePointer<UInt8>,
        from start: inout Int,
        count: Int,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) -> Bool {
        if scanner == nil {
            line = records.lines.line
            let first = unsafe base[start]
            if first == UInt8(ascii: "{"),
                let end = unsafe try? read(base, from: start, to: min(count, start + limit), into: &batch)
            {
                let isInLine = column == 0 && phase == .objects
                unsafe finish(base, from: &start, to: end, expecting: .commaOrEnd)
                if isInLine, line == records.lines.line, unsafe isLineEnd(base, at: end, count: count) {
                    records.learnLastLine(of: batch)
                }
                return true
            }
            scanner = JSONElementScanner(opening: first, column: column)
        }
        while true {
            // One byte more than the limit tells that an element is too long.
            let available = isOverlong ? count - start : min(count - start, limit + 1)
            switch unsafe scanner?.scan(base + start, count: available) ?? .incomplete {
            case .end(let length) where isOverlong || length > limit,
                .nextStart(let length) where isOverlong:
                unsafe rejectPiece(base, from: &start, to: start + length, mayContinue: false, into: &batch)
                unsafe finish(base, from: &start, to: start, expecting: .anything)
                return true
            case .end(let length):
                unsafe endElement(base, from: &start, to: start + length, into: &batch)
                return true
            case .nextStart(let length):
                guard let flaw = unsafe flaw(base, from: start, to: start + length + 1) else { continue }
                unsafe rejectElement(base, from: start, to: start + length, reason: flaw.description, into: &batch)
                unsafe finish(base, from: &start, to: start + length, expecting: .anything)
                return true
            case .incomplete where isOverlong || available > limit:
                let end = start + available
                unsafe rejectPiece(base, from: &start, to: end, mayContinue: !isFinal || end < count, into: &batch)
                return true
            case .incomplete:
                guard isFinal else { return false }
                let reason = unsafe reasonOfCut(base, from: start, to: count)
                unsafe rejectElement(base, from: start, to: count, reason: reason, into: &batch)
                unsafe pass(base, from: &start, to: count)
                return true
            }
        }
    }

    /// Reads an object.
    ///
    /// - Returns: The place behind it.
    private mutating func read(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to end: Int,
        into batch: inout RecordBatch
    ) throws(JSONFlaw) -> Int {
        var cursor = unsafe JSONCursor(base, from: start, to: end)
        batch.beginRecord(line: line)
        _ = unsafe cursor.take("{")
        unsafe try records.readObject(&cursor, into: &batch)
        let place = unsafe cursor.place
        batch.endRecord(start: start, length: place - start)
        return place
    }

    /// Reads an element whose end was found, or rejects it.
    private mutating func endElement(
        _ base: UnsafePointer<UInt8>,
        from start: inout Int,
        to end: Int,
        into batch: inout RecordBatch
    ) {
        var reason = reasonOfOthers
        if scanner?.isObject == true {
            do throws(JSONFlaw) {
                let place = unsafe try read(base, from: start, to: end, into: &batch)
                unsafe finish(base, from: &start, to: place, expecting: .commaOrEnd)
                return
            } catch {
                reason = error.description
            }
        }
        unsafe rejectElement(base, from: start, to: end, reason: reason, into: &batch)
        unsafe finish(base, from: &start, to: end, expecting: .anything)
    }

    /// Goes on behind an element.
    private mutating func finish(
        _ base: UnsafePointer<UInt8>,
        from start: inout Int,
        to end: Int,
        expecting next: Expected
    ) {
        unsafe pass(base, from: &start, to: end)
        scanner = nil
        isOverlong = false
        expected = next
    }

    /// Passes bytes, and counts their lines.
    private mutating func pass(_ base: UnsafePointer<UInt8>, from start: inout Int, to end: Int) {
        column += end - start
        var place = start
        while true {
            place = unsafe ByteSearch.index(of: UInt8(ascii: "\n"), in: base, from: place, to: end)
            guard place < end else { break }
            place += 1
            records.lines.line &+= 1
            column = end - place
        }
        start = end
    }

    private func isLineEnd(_ base: UnsafePointer<UInt8>, at place: Int, count: Int) -> Bool {
        var place = place
        if place < count, unsafe base[place] == UInt8(ascii: "\r") { place += 1 }
        return unsafe place < count && base[place] == UInt8(ascii: "\n")
    }

    // MARK: Rejections

    /// Why an element is rejected that is no object.
    private var reasonOfOthers: String {
        switch (phase, expected) {
        case (.array, .commaOrEnd): "expected ',' or ']' behind an element"
        case (.closed, _): "there is text behind the array"
        case (.array, _): "an element must be an object; expected '{'"
        default: "expected an object, or one array of objects"
        }
    }

    /// Why an element is rejected that the input ends in.
    private func reasonOfCut(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> String {
        guard scanner?.isObject == true else { return reasonOfOthers }
        guard let flaw = unsafe flaw(base, from: start, to: end) else { return "the input ends in the element" }
        return "\(flaw); the element has no end after that, so the rest of the input is rejected with it"
    }

    /// The first flaw in the start of an element; `nil` where that may go on as it should.
    private func flaw(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> JSONFlaw? {
        var cursor = unsafe JSONCursor(base, from: start, to: end)
        do throws(JSONFlaw) {
            unsafe try cursor.nested(depth: 0)
        } catch {
            return error.offset < end - start ? error : nil
        }
        return nil
    }

    /// Rejects an element, without blanks at its end.
    private func rejectElement(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to end: Int,
        reason: String,
        into batch: inout RecordBatch
    ) {
        var end = end
        while end > start, unsafe base[end - 1] <= UInt8(ascii: " ") { end -= 1 }
        batch.reject(line: line, reason: reason, start: start, length: end - start)
    }

    /// Rejects a piece of an element that is too long, so that it is never held as a whole.
    private mutating func rejectPiece(
        _ base: UnsafePointer<UInt8>,
        from start: inout Int,
        to end: Int,
        mayContinue: Bool,
        into batch: inout RecordBatch
    ) {
        if end > start {
            batch.reject(
                line: line,
                reason: "the element is longer than \(limit) bytes; --max-line raises the limit",
                start: start,
                length: end - start,
                isContinuation: isOverlong,
                mayContinue: mayContinue
            )
        }
        unsafe pass(base, from: &start, to: end)
        isOverlong = true
        scanner?.forgetScanned()
    }
}
