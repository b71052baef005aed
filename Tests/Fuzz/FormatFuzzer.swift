import WeirCore
import WeirFormats

/// What libFuzzer calls with each input that it makes up.
///
/// The first four bytes choose the format, the line limit, the batch's capacity and the cuts; the rest is the document.
/// Compiled together with `Transcript`, which checks the decoder's contract while it reads.
@c
public func LLVMFuzzerTestOneInput(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count >= 4 else { return 0 }
    let bytes = unsafe Array(UnsafeBufferPointer(start: data + 4, count: count - 4))
    let (choice, capacity, pieces, seed) = unsafe (data[0], Int(data[1] & 7) + 1, Int(data[2] & 63) + 1, data[3])
    let limit = choice & 2 == 0 ? 1 << 20 : 16 + Int(choice >> 2)
    if choice & 1 == 0 {
        check(bytes, CSVFormat(), limit, capacity, pieces, seed)
    } else {
        check(bytes, JSONLinesFormat(), limit, capacity, pieces, seed)
    }
    readNumbers(bytes)
    return 0
}

/// Reads the document whole and in pieces: the same has to come out.
private func check(
    _ bytes: [UInt8],
    _ format: some Format,
    _ limit: Int,
    _ capacity: Int,
    _ pieces: Int,
    _ seed: UInt8
) {
    let fields = ["a", "b"].map { RecordSchema.Field($0, isRequired: false) }
    let whole = Transcript(bytes, format, fields: fields, limit: limit)
    var generator = SeededGenerator(seed: UInt64(seed))
    let cut = Transcript(bytes, format, fields: fields, limit: limit, capacity: capacity) {
        Int.random(in: 1...pieces, using: &generator)
    }
    require(whole.violations.isEmpty, "\(whole.violations)")
    require(whole == cut, "the cuts matter:\n\(whole)\n\(cut)")
    let lineCount = UInt64(bytes.count { $0 == UInt8(ascii: "\n") }) + 1
    let lines = whole.records.map(\.line) + whole.rejections.map(\.line)
    require(Set(lines).count == lines.count, "a line counts twice")
    require(lines.allSatisfy { (1...lineCount).contains($0) }, "a line that is not there")
}

/// A precondition that says what is wrong in optimised code as well.
private func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

/// Reads the bytes as numbers, times and texts, for the sanitizer's sake.
private func readNumbers(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { text in
        _ = unsafe DecimalText.double(text)
        _ = unsafe DecimalText.integer(text)
        _ = unsafe TimeText.nanoseconds(text, scale: 1_000_000)
        _ = unsafe TimeText.scaledDecimal(text, scale: 86_400_000_000_000)
        _ = unsafe QuotedText.resolvingEscapes(text)
        _ = unsafe QuotedText.undoublingQuotes(text)
    }
}
