internal import WeirCore
public import WeirRecords

/// An array of objects in the place of lines: its elements are the records.
extension JSONLinesDecoder {
    /// Where the next byte is, as far as arrays are concerned.
    struct ArrayState {
        enum Place {
            /// At the start of the input, or behind an array.
            case undecided
            /// In lines.
            case lines
            /// In an array, between two elements.
            case between
            /// In an element, whose first bytes were scanned.
            case inside
            /// In an element that is too long, after the first piece of it.
            case overlong
        }

        var place = Place.undecided

        // Of the element: how many of its bytes were scanned, and where they end.
        var scannedCount = 0
        var depth = 0
        var isInString = false
        var isEscaped = false
    }

    public mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int {
        let count = bytes.count
        guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            var start = unsafe lines.passByteOrderMark(base, count: count, isFinal: isFinal)
        else { return 0 }
        while true {
            switch array.place {
            case .lines:
                let end = unsafe decodeLines(base, from: start, count: count, isFinal: isFinal, into: &batch)
                // What follows in another frame is decided anew.
                if isFinal, end == count { array.place = .undecided }
                return end
            case .undecided:
                guard let next = unsafe decide(base, from: start, count: count, isFinal: isFinal) else { return start }
                start = next
            case .between, .inside, .overlong:
                start = unsafe decodeElements(base, from: start, count: count, isFinal: isFinal, into: &batch)
                guard array.place == .undecided, start < count else { return start }
            }
        }
    }

    /// Tells whether an array of objects begins here, or lines do.
    ///
    /// - Returns: Where to go on, or `nil` when more bytes are needed to tell.
    mutating func decide(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        count: Int,
        isFinal: Bool
    ) -> Int? {
        var place = start
        var bracket: Int?
        while place < count {
            let byte = unsafe base[place]
            if byte == UInt8(ascii: "["), bracket == nil {
                bracket = place
            } else if byte > 0x20 {
                guard bracket != nil, byte == UInt8(ascii: "{") || byte == UInt8(ascii: "]") else { break }
                for index in start..<place where unsafe base[index] == UInt8(ascii: "\n") { lines.line &+= 1 }
                array.place = .between
                return place
            }
            place += 1
        }
        if place == count, !isFinal, count - start <= lines.limit { return nil }
        array.place = .lines
        return start
    }

    private mutating func decodeElements(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        count: Int,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) -> Int {
        var start = start
        while !batch.isFull {
            if array.place == .between {
                start = unsafe passSeparators(base, from: start, count: count)
                if start == count {
                    guard isFinal else { return start }
                    batch.reject(line: lines.line, reason: "the array is not closed", start: start, length: 0)
                    array.place = .undecided
                    return start
                }
                if unsafe base[start] == UInt8(ascii: "]") {
                    array.place = .undecided
                    return start + 1
                }
                array = ArrayState(place: .inside)
            }
            let end = unsafe scanElement(base, from: start, count: count)
            if array.place == .overlong || (end ?? count) - start > lines.limit {
                let pieceEnd = end ?? count
                let goesOn = end == nil && !isFinal
                batch.reject(
                    line: lines.line,
                    reason: "the element is longer than \(lines.limit) bytes; --max-line raises the limit",
                    start: start,
                    length: pieceEnd - start,
                    isContinuation: array.place == .overlong,
                    mayContinue: goesOn
                )
                array.place = goesOn ? .overlong : .between
                array.scannedCount = 0
                // The lines of what comes later count from the last piece on.
                if !goesOn { unsafe countLines(base, from: start, to: pieceEnd) }
                start = pieceEnd
                if goesOn { return start }
                continue
            }
            guard let end = end ?? (isFinal ? count : nil) else { return start }
            unsafe readRecord(base, from: start, to: end, into: &batch)
            unsafe countLines(base, from: start, to: end)
            array.place = .between
            start = end
        }
        return start
    }

    /// Passes blanks, commas and ends of lines.
    private mutating func passSeparators(_ base: UnsafePointer<UInt8>, from start: Int, count: Int) -> Int {
        var place = start
        while place < count {
            let byte = unsafe base[place]
            guard byte <= 0x20 || byte == UInt8(ascii: ",") else { break }
            if byte == UInt8(ascii: "\n") { lines.line &+= 1 }
            place += 1
        }
        return place
    }

    private mutating func countLines(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) {
        for index in start..<end where unsafe base[index] == UInt8(ascii: "\n") { lines.line &+= 1 }
    }

    /// Scans on in the element that starts at `start`.
    ///
    /// - Returns: Where it ends, or `nil` when that was not found yet.
    private mutating func scanElement(_ base: UnsafePointer<UInt8>, from start: Int, count: Int) -> Int? {
        var place = start + array.scannedCount
        while place < count {
            let byte = unsafe base[place]
            if array.isInString {
                if array.isEscaped {
                    array.isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    array.isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    array.isInString = false
                }
            } else {
                switch byte {
                case UInt8(ascii: "\""): array.isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): array.depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    // What closes nothing of the element closes the array.
                    if array.depth == 0 { return place }
                    array.depth -= 1
                    if array.depth == 0 { return place + 1 }
                case UInt8(ascii: ",") where array.depth == 0: return place
                default: break
                }
            }
            place += 1
        }
        array.scannedCount = place - start
        return nil
    }
}
