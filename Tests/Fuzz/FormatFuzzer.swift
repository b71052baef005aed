import WeirCore
import WeirFormats
import WeirRecords

/// What libFuzzer calls with each input that it makes up.
///
/// The first four bytes choose what is tried, the batch's capacity and the line limit, and the cuts; the rest is the
/// document. Compiled together with `Transcript`, which checks the decoder's contract while it reads, and `Conversion`.
@c
public func LLVMFuzzerTestOneInput(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count >= 4 else { return 0 }
    let bytes = unsafe Array(UnsafeBufferPointer(start: data + 4, count: count - 4))
    let (choice, sizes, pieces, seed) = unsafe (data[0], data[1], Int(data[2] & 63) + 1, data[3])
    let run = Run(
        limit: sizes & 8 == 0 ? 1 << 20 : 16 + 8 * Int(sizes >> 4),
        capacity: Int(sizes & 7) + 1,
        pieces: pieces,
        seed: seed
    )
    switch choice & 31 {
    case 0: run.checkLines(bytes, CSVFormat())
    case 1: run.checkLines(bytes, JSONLinesFormat())
    case 2: run.check(bytes, BinaryFormat())
    case 3: run.check(binary(of: bytes), BinaryFormat())
    case 4: run.check(bytes, FramedFormat(JSONLinesFormat()))
    case 5: run.check(bytes, FramedFormat(CSVFormat()))
    case 6: run.check(bytes, FramedFormat(BinaryFormat()))
    case 7: run.checkRoundTrip(bytes, CSVFormat())
    case 8: run.checkRoundTrip(bytes, JSONLinesFormat())
    case 9: run.checkRoundTrip(binary(of: bytes), BinaryFormat())
    case 16...22:
        let format = logFormats[Int(choice & 31) - 16]
        run.checkLines(bytes, format)
        run.checkLog(bytes, format)
    case 23...26:
        var dialect = CSVDialect(delimiter: choice & 32 == 0 ? UInt8(ascii: ";") : UInt8(ascii: "\t"))
        dialect.hasQuotes = choice & 64 == 0
        dialect.comment = choice & 128 == 0 ? nil : UInt8(ascii: "#")
        dialect.headerLineCount = Int(choice & 31) - 23
        run.checkLines(bytes, CSVFormat(dialect))
    case 12:
        run.check(bytes, JSONFormat())
        run.checkRoundTrip(bytes, JSONFormat())
    case 13: run.check(bytes, FramedFormat(JSONFormat()))
    case 10:
        run.check(bytes, SyslogFormat(clock: StandingClock()), fields: syslogFields)
        run.checkLog(bytes, SyslogFormat(clock: StandingClock()))
    case 11: run.check(bytes, SyslogFormat(clock: StandingClock()).framed(by: .length), fields: syslogFields)
    default: readNumbers(bytes)
    }
    return 0
}

/// The formats of logs; the patterns are known to be right.
private let logFormats: [any Format] =
    [AccessLogFormat(.common), AccessLogFormat(.combined), LogfmtFormat(), CEFFormat(), LEEFFormat()]
    + ["{a} {+a} [{b}] {c}", "<{a}--{b}>", "{a->} {+a->} {b->}: {c->}"].map { pattern in
        guard let format = try? LinePatternFormat(pattern) else { fatalError(pattern) }
        return format
    }
private let syslogFields = [
    "facility", "severity", "time", "host", "app", "procid", "msgid", "message", "data", "data.a.b",
]

/// A clock that stands still, in a leap year.
private struct StandingClock: TimeSource {
    func now() -> Timestamp { Timestamp(nanosecondsSinceEpoch: 1_709_200_000_000_000_000) }
}

/// A precondition that says what is wrong in optimised code as well.
private func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

/// How a document is read.
private struct Run {
    let limit: Int
    let capacity: Int
    let pieces: Int
    let seed: UInt8

    /// Reads the document whole and in pieces: the same has to come out.
    @discardableResult
    func check(_ bytes: [UInt8], _ format: some Format, fields names: [String] = ["a", "b"]) -> Transcript {
        let fields = names.map { RecordSchema.Field($0, isRequired: false) }
        let whole = Transcript(bytes, format, fields: fields, limit: limit)
        var generator = SeededGenerator(seed: UInt64(seed))
        let cut = Transcript(bytes, format, fields: fields, limit: limit, capacity: capacity) {
            Int.random(in: 1...pieces, using: &generator)
        }
        require(whole.violations.isEmpty, "\(whole.violations)")
        require(whole == cut, "the cuts matter:\n\(whole)\n\(cut)")
        return whole
    }

    /// The same for formats made of lines, whose numbers have to be right.
    func checkLines(_ bytes: [UInt8], _ format: some Format) {
        let whole = check(bytes, format)
        let lineCount = UInt64(bytes.count { $0 == UInt8(ascii: "\n") }) + 1
        let lines = whole.records.map(\.line) + whole.rejections.map(\.line)
        require(Set(lines).count == lines.count, "a line counts twice")
        require(lines.allSatisfy { (1...lineCount).contains($0) }, "a line that is not there")
    }

    /// Writes the records again: what was written has to be read as the same, and be written as the same once more.
    func checkLog(_ bytes: [UInt8], _ format: some Format) {
        do {
            let names = try Conversion.names(in: bytes, format, FormatLimits())
            let schema = OutputSchema(
                fields: names.map { OutputSchema.Field($0) },
                tellsTextFromNumbers: format.tellsTextFromNumbers
            )
            guard !names.isEmpty, Set(names).count == names.count, format.refusal(of: schema) == nil else { return }
            let once = try Conversion(bytes, from: format, to: format, fields: names)
            let twice = try Conversion(once.output, from: format, to: format, fields: names)
            require(
                twice.rejections.isEmpty && twice.text == once.text,
                "\(once.text)\n\(twice.text)\n\(twice.rejections)"
            )
        } catch {
            fatalError("\(error)")
        }
    }

    /// Converts the document to each format and back: nothing may change on the way, and nothing be refused.
    func checkRoundTrip(_ bytes: [UInt8], _ format: some Format) {
        guard let names = try? Conversion.names(in: bytes, format, FormatLimits()), !names.isEmpty,
            Set(names).count == names.count
        else { return }
        let target: any Format = format.tellsTextFromNumbers ? JSONLinesFormat() : CSVFormat()
        guard let direct = try? Conversion(bytes, from: format, to: target, fields: names) else { return }
        do {
            let binary = try Conversion(bytes, from: format, to: BinaryFormat(), fields: names, capacity: capacity)
            let back = try Conversion(binary.output, from: BinaryFormat(), to: target, fields: names)
            require(back.rejections.isEmpty, "\(back.rejections)")
            require(back.text == direct.text, "\(direct.text)\n\(back.text)")
            let again = try Conversion(direct.output, from: target, to: target, fields: names)
            require(again.rejections.isEmpty && again.text == direct.text, "\(direct.text)\n\(again.text)")
        } catch {
            fatalError("\(error)")
        }
    }
}

/// A document of the binary format with right lengths and checksums, so that what is between them is tried.
///
/// Each byte of the input stands for itself, but the columns' lengths, which would hardly ever be right.
private func binary(of bytes: [UInt8]) -> [UInt8] {
    func append(_ number: some FixedWidthInteger, to output: inout [UInt8]) {
        for index in 0..<number.bitWidth / 8 { output.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
    var output: [UInt8] = [0x89, 0x57, 0x45, 0x49, 0x52, 0x0D, 0x0A, 0x1A]
    append(UInt16(1), to: &output)
    append(UInt16(2), to: &output)
    append(UInt32(8), to: &output)
    output += [0, 1, 0, UInt8(ascii: "a"), 0, 1, 0, UInt8(ascii: "b")]
    append(Checksum.of(output, 0..<output.count), to: &output)
    let rowCount = UInt32(bytes.first ?? 1)
    var columns: [UInt8] = []
    let rest = bytes.dropFirst(2)
    let split = rest.count * Int(bytes.dropFirst().first ?? 0) / 255
    for part in [rest.prefix(split), rest.dropFirst(split)] {
        columns += part.prefix(4) + Array(repeating: 0, count: 4 - part.prefix(4).count)
        append(UInt32(part.dropFirst(4).count), to: &columns)
        columns += part.dropFirst(4)
    }
    let start = output.count
    output += Array("WBLK".utf8)
    append(UInt32(columns.count), to: &output)
    append(rowCount, to: &output)
    append(Checksum.of(columns, 0..<columns.count), to: &output)
    append(Checksum.of(output, start..<output.count), to: &output)
    output += columns
    let end = output.count
    output += Array("WEND".utf8)
    append(UInt64(rowCount), to: &output)
    append(Checksum.of(output, end..<output.count), to: &output)
    return output
}

/// Reads the bytes as numbers, times and texts, for the sanitizer's sake.
private func readNumbers(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { text in
        _ = unsafe DecimalText.double(text)
        _ = unsafe DecimalText.integer(text)
        _ = unsafe TimeText.nanoseconds(text, scale: 1_000_000)
        _ = unsafe QuotedText.resolvingEscapes(text)
        _ = unsafe QuotedText.undoublingQuotes(text)
    }
}
