import WeirCore

@testable import WeirFormats

/// CSV by the book, one byte after the other and with all of the input at hand: what the decoder is compared with.
struct ReferenceCSV {
    private enum Flaw: Error {
        case words(String)
    }

    private let bytes: [UInt8]
    private let limit: Int
    private var line: UInt64 = 1
    private var place = 0

    init(_ input: [UInt8], limit: Int) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        bytes = input.starts(with: mark) ? Array(input.dropFirst(3)) : input
        self.limit = limit
    }

    /// What the decoder should say, but for the words of errors in the header.
    mutating func read(fields wanted: [String]) -> (
        records: [Transcript.Record], [Transcript.Rejected], isRefused: Bool
    ) {
        var records: [Transcript.Record] = []
        var rejections: [Transcript.Rejected] = []
        var header: [String]?
        while place < bytes.count {
            let lineEnd = bytes[place...].firstIndex(of: 0x0A) ?? bytes.count
            let raw = withoutReturn(bytes[place..<lineEnd])
            let isTerminated = lineEnd < bytes.count
            if raw.isEmpty, isTerminated || header != nil {
                line += 1
                place = min(lineEnd + 1, bytes.count)
                continue
            }
            do {
                if lineEnd - place > limit {
                    throw Flaw.words("the line is longer than \(limit) bytes; --max-line raises the limit")
                }
                let (fields, end) = try record()
                if let header {
                    if fields.count != header.count {
                        let noun = header.count == 1 ? "field" : "fields"
                        throw Flaw.words("expected \(header.count) \(noun), found \(fields.count)")
                    }
                    let texts = fields.map { String(validating: $0, as: UTF8.self) }
                    if texts.contains(nil) { throw Flaw.words("the line is not valid UTF-8") }
                    records.append(
                        Transcript.Record(
                            line: line,
                            fields: wanted.map { name in header.firstIndex(of: name).flatMap { texts[$0] } }
                        )
                    )
                } else {
                    header = try fields.map {
                        guard !$0.contains(0x0D), let name = String(validating: $0, as: UTF8.self) else {
                            throw Flaw.words("")
                        }
                        // No quoted name in these tests has blanks.
                        return String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
                    }
                    if wanted.contains(where: { name in header?.filter { $0 == name }.count != 1 }) {
                        return ([], [], true)
                    }
                }
                line += UInt64(bytes[place..<end].filter { $0 == 0x0A }.count) + 1
                place = min(end + 1, bytes.count)
            } catch {
                guard case .words(let reason) = error as? Flaw, header != nil else { return ([], [], true) }
                rejections.append(Transcript.Rejected(line: line, reason: reason, raw: Array(raw)))
                line += 1
                place = min(lineEnd + 1, bytes.count)
            }
        }
        return (records, rejections, false)
    }

    /// The fields of the record at `place`, and where it ends.
    private func record() throws -> ([[UInt8]], end: Int) {
        var fields: [[UInt8]] = []
        var index = place
        let end = min(bytes.count, place + limit + 1)
        let unclosed = Flaw.words("a quote is not closed within \(limit) bytes; --max-line raises the limit")
        while true {
            var field: [UInt8] = []
            let number = fields.count + 1
            if index < end, bytes[index] == 0x22 {
                index += 1
                while true {
                    guard index < end else {
                        throw end == place + limit + 1 ? unclosed : .words("the quote of field \(number) is not closed")
                    }
                    if bytes[index] == 0x22 {
                        index += 1
                        guard index < end, bytes[index] == 0x22 else { break }
                    }
                    field.append(bytes[index])
                    index += 1
                }
                if index == end, end == place + limit + 1 { throw unclosed }
                if index < end, bytes[index] == 0x0D, index + 1 == end || bytes[index + 1] == 0x0A { index += 1 }
                if index == end, end == place + limit + 1 { throw unclosed }
                if index < end, bytes[index] != 0x2C, bytes[index] != 0x0A {
                    throw Flaw.words("there is text after the closing quote of field \(number)")
                }
            } else {
                while index < end, bytes[index] != 0x2C, bytes[index] != 0x0A {
                    if bytes[index] == 0x22 {
                        throw Flaw.words("there is a quote in field \(number), which does not start with one")
                    }
                    field.append(bytes[index])
                    index += 1
                }
                if index == end, end == place + limit + 1 { throw unclosed }
                if index == bytes.count || bytes[index] == 0x0A { field = Array(withoutReturn(field[...])) }
            }
            fields.append(field)
            if index < end, bytes[index] == 0x2C {
                index += 1
                if index == end, end == place + limit + 1 { throw unclosed }
                continue
            }
            return (fields, index)
        }
    }

    private func withoutReturn(_ slice: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        slice.last == 0x0D ? slice.dropLast() : slice
    }
}
