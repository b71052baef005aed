internal import WeirCore
internal import WeirRecords

/// Reads the records of a format of which each line is one.
protocol LineReader: Sendable {
    /// The names that were collected, in the order of their first appearance.
    var collectedNames: [String] { get }

    /// Notes where the wanted fields of a line are.
    ///
    /// - Parameters:
    ///   - base: What places are counted from.
    ///   - start: Where the line starts.
    ///   - end: Where it ends, without the line's end; after `start`. It is valid UTF-8.
    ///   - batch: Has a record that was begun.
    /// - Throws: ``LineFlaw`` when the line is not of the format.
    mutating func read(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to end: Int,
        into batch: inout RecordBatch
    ) throws(LineFlaw)
}

extension LineReader {
    var collectedNames: [String] { [] }
}

/// What is wrong with a line, and where.
struct LineFlaw: Error, CustomStringConvertible {
    let description: String

    /// Creates a flaw.
    ///
    /// - Parameters:
    ///   - what: What was found to be wrong, in words that a place can follow.
    ///   - place: The place in the line, counted in bytes from 0.
    init(_ what: String, at place: Int) {
        description = "\(what) at byte \(place + 1)"
    }
}

/// Finds lines, and has a reader find the fields in them.
///
/// - Complexity: O(1) per byte besides what the reader takes. No allocation in steady state, rejections aside.
struct LineDecoder<Reader: LineReader>: DecoderOfLines, CollectingDecoder {
    private var reader: Reader
    package var lines: LineTracker
    package let obstacle: FormatError?

    /// Creates a decoder at the start of an input.
    ///
    /// - Parameters:
    ///   - reader: Reads the lines.
    ///   - limits: What the decoder may take.
    ///   - obstacle: Why no line can be read, if so.
    init(_ reader: Reader, limits: FormatLimits, obstacle: FormatError? = nil) {
        self.reader = reader
        self.obstacle = obstacle
        lines = LineTracker(limits)
    }

    var collectedNames: [String] { reader.collectedNames }

    mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int {
        let count = bytes.count
        guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            var start = unsafe lines.passByteOrderMark(base, count: count, isFinal: isFinal)
        else { return 0 }
        if let obstacle { throw obstacle }
        while let line = unsafe lines.nextLine(base, from: &start, count: count, isFinal: isFinal, into: &batch) {
            unsafe readLine(base, from: line.lowerBound, to: line.upperBound, into: &batch)
            lines.line &+= 1
        }
        return start
    }

    private mutating func readLine(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        to end: Int,
        into batch: inout RecordBatch
    ) {
        guard end > start else { return }
        guard unsafe UTF8Text.isValid(base, from: start, to: end) else {
            batch.reject(line: lines.line, reason: "the line is not valid UTF-8", start: start, length: end - start)
            return
        }
        batch.beginRecord(line: lines.line)
        do throws(LineFlaw) {
            unsafe try reader.read(base, from: start, to: end, into: &batch)
            batch.endRecord(start: start, length: end - start)
        } catch {
            batch.reject(line: lines.line, reason: error.description, start: start, length: end - start)
        }
    }
}

/// The names of a format whose lines all have the same fields.
struct FixedFieldFinder: FieldFinder {
    let names: [String]

    var isComplete: Bool { true }

    mutating func find(in bytes: UnsafeRawBufferPointer, isFinal: Bool) throws(FormatError) -> Int { bytes.count }
}
