internal import WeirCore
package import WeirRecords

// Where inputs of lines can be cut.

/// A decoder of an input in which each record is a line, and each line feed ends one.
package protocol DecoderOfLines: SplittableDecoder {
    /// Where the decoder is.
    var lines: LineTracker { get set }

    /// Why no line can be read.
    var obstacle: FormatError? { get }
}

extension DecoderOfLines {
    package var obstacle: FormatError? { nil }

    package var line: UInt64 {
        get { lines.line }
        set { lines.line = newValue }
    }

    package var isBetweenRecords: Bool { lines.isAtLineStart }

    package var isBehindPrelude: Bool { !lines.isAtStart }

    package var canGoOn: Bool { isBehindPrelude && !lines.isInsideOverlongLine }

    package mutating func readPrelude(_ bytes: UnsafeRawBufferPointer, isFinal: Bool) throws(FormatError) -> Int {
        guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            let count = unsafe lines.passByteOrderMark(base, count: bytes.count, isFinal: isFinal)
        else { return 0 }
        if let obstacle { throw obstacle }
        return count
    }

    package func recordEnd(in bytes: UnsafeRawBufferPointer) -> Int? {
        unsafe bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
    }
}

extension JSONLinesDecoder: DecoderOfLines {}

extension CSVDecoder: SplittableDecoder {
    /// How far back to look for the end of a line that is in no quotes.
    private static let greatestSearch = 64 << 10

    package var line: UInt64 {
        get { lines.line }
        set { lines.line = newValue }
    }

    package var isBetweenRecords: Bool {
        header != nil && headerRest == 0 && scanner.offset == 0 && !lines.isInsideOverlongLine && !isInSkippedLine
    }

    package var isBehindPrelude: Bool { header != nil && headerRest == 0 }

    package var canGoOn: Bool { isBehindPrelude && !lines.isInsideOverlongLine && !isInSkippedLine }

    package mutating func readPrelude(_ bytes: UnsafeRawBufferPointer, isFinal: Bool) throws(FormatError) -> Int {
        guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        var count = 0
        if header == nil {
            count = unsafe try readHeader(bytes, isFinal: isFinal)
            if header == nil { return count }
            try resolve(schema)
        }
        return unsafe skipHeaderRest(base, from: count, count: bytes.count, isFinal: isFinal)
    }

    /// The end of a line with an even number of quotes before it, if there is one near the end; otherwise the end of the
    /// last line, which is right when a stray quote spoils the count.
    package func recordEnd(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let last = unsafe bytes.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
        let lines = unsafe UnsafeRawBufferPointer(rebasing: bytes[...last])
        // Most tables have none, which the system's search finds out soonest.
        guard dialect.hasQuotes, unsafe lines.contains(byte: UInt8(ascii: "\"")) else { return last + 1 }
        var isInQuotes = unsafe Self.hasOddQuotes(lines)
        guard isInQuotes else { return last + 1 }
        for place in stride(from: last, through: max(0, last - Self.greatestSearch), by: -1) {
            // `place` is an index of the bytes.
            let byte = unsafe bytes[place]
            if byte == UInt8(ascii: "\"") { isInQuotes.toggle() }
            if byte == UInt8(ascii: "\n"), !isInQuotes { return place + 1 }
        }
        return last + 1
    }

    /// Whether the number of quotes is odd: counted for all bytes of an input, so 32 bytes at a time.
    private static func hasOddQuotes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let quotes = SIMD32(repeating: UInt8(ascii: "\""))
        // In each lane whether the number is odd.
        var isOdd = SIMDMask<SIMD32<Int8>>(repeating: false)
        let end = bytes.count & ~31
        for place in stride(from: 0, to: end, by: 32) {
            // Within the bytes, because `end` is no more than their number.
            unsafe isOdd .^= bytes.loadUnaligned(fromByteOffset: place, as: SIMD32<UInt8>.self) .== quotes
        }
        var count = isOdd.indices.reduce(0) { $0 + (isOdd[$1] ? 1 : 0) }
        for place in end..<bytes.count where unsafe bytes[place] == UInt8(ascii: "\"") { count += 1 }
        return count & 1 == 1
    }
}
