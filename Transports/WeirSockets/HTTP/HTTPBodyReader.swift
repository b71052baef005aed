/// Takes a body of HTTP/1.1 out of what arrives, whole or in chunks, whatever pieces it comes in.
struct HTTPBodyReader {
    private enum Phase {
        case fixed(rest: Int)
        /// In the line that says how long the next chunk is.
        case size(SizeLine)
        case chunk(rest: Int)
        /// At the CR and the LF behind a chunk.
        case chunkEnd(Int)
        /// In the fields behind the last chunk, which mean nothing here.
        case trailer(lineLength: Int, isAfterReturn: Bool, length: Int)
        case whole
    }

    /// What was read of a chunk's length and what may stand behind it.
    private struct SizeLine {
        enum Part {
            case digits, blanks, extensions
            /// Behind the CR: only a LF may follow.
            case end
        }

        var part = Part.digits
        var digits = 0
        var value = 0
        var length = 0
    }

    private var phase: Phase

    /// How long the line of a chunk's length, and how long the fields at the end may be.
    private static let lineLimit = 1024
    private static let trailerLimit = 8192

    /// Creates a reader at the start of a body.
    init(_ length: HTTPHead.BodyLength) {
        phase =
            switch length {
            case .notGiven, .fixed(0): .whole
            case .fixed(let count): .fixed(rest: count)
            case .chunked: .size(SizeLine())
            }
    }

    /// Whether everything was there.
    var isWhole: Bool { if case .whole = phase { true } else { false } }

    /// Takes the next bytes.
    ///
    /// - Parameters:
    ///   - bytes: What arrived.
    ///   - body: Gets what belongs to the body.
    /// - Returns: How many bytes were taken; fewer than there are where the body has ended.
    /// - Throws: ``HTTPFlaw`` for chunks that are none.
    mutating func read(_ bytes: ArraySlice<UInt8>, into body: inout [UInt8]) throws(HTTPFlaw) -> Int {
        var place = bytes.startIndex
        while place < bytes.endIndex {
            switch phase {
            case .fixed(let rest):
                let count = min(rest, bytes.endIndex - place)
                body += bytes[place..<place + count]
                place += count
                phase = rest == count ? .whole : .fixed(rest: rest - count)
            case .chunk(let rest):
                let count = min(rest, bytes.endIndex - place)
                body += bytes[place..<place + count]
                place += count
                phase = rest == count ? .chunkEnd(0) : .chunk(rest: rest - count)
            case .chunkEnd(let count):
                guard bytes[place] == (count == 0 ? UInt8(ascii: "\r") : UInt8(ascii: "\n")) else {
                    throw HTTPFlaw(400, "a chunk is longer than it says")
                }
                place += 1
                phase = count == 0 ? .chunkEnd(1) : .size(SizeLine())
            case .size(let line):
                phase = try Self.phase(after: bytes[place], in: line)
                place += 1
            case .trailer(let lineLength, let isAfterReturn, let length):
                guard length < Self.trailerLimit else { throw HTTPFlaw(431, "the fields behind the body are too long") }
                let byte = bytes[place]
                guard isAfterReturn == (byte == UInt8(ascii: "\n")) else {
                    throw HTTPFlaw(400, "a line behind the body does not end with CR and LF")
                }
                if isAfterReturn {
                    phase =
                        lineLength == 0 ? .whole : .trailer(lineLength: 0, isAfterReturn: false, length: length + 1)
                } else {
                    let isReturn = byte == UInt8(ascii: "\r")
                    phase = .trailer(
                        lineLength: lineLength + (isReturn ? 0 : 1),
                        isAfterReturn: isReturn,
                        length: length + 1
                    )
                }
                place += 1
            case .whole: return place - bytes.startIndex
            }
        }
        return place - bytes.startIndex
    }

    private static func phase(after byte: UInt8, in line: SizeLine) throws(HTTPFlaw) -> Phase {
        let flaw = HTTPFlaw(400, "a chunk does not say how long it is")
        guard line.length < lineLimit else { throw flaw }
        var line = line
        line.length += 1
        switch (line.part, byte) {
        case (.end, UInt8(ascii: "\n")):
            return line.value == 0
                ? .trailer(lineLength: 0, isAfterReturn: false, length: 0) : .chunk(rest: line.value)
        case (.end, _): throw flaw
        case (_, UInt8(ascii: "\r")) where line.digits > 0: line.part = .end
        case (.extensions, 0x20...0x7E), (.extensions, 0x80...), (.extensions, 0x09): break
        case (_, UInt8(ascii: ";")) where line.digits > 0: line.part = .extensions
        case (_, 0x20) where line.digits > 0, (_, 0x09) where line.digits > 0: line.part = .blanks
        case (.digits, _):
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { throw flaw }
            guard line.digits < 15 else { throw HTTPFlaw(413, "a chunk is too long") }
            line.digits += 1
            line.value = line.value << 4 | digit
        default: throw flaw
        }
        return .size(line)
    }
}
