/// Takes a body of HTTP/1.1 out of what arrives, whole or in chunks, whatever pieces it comes in.
struct HTTPBodyReader {
    private enum Phase {
        case fixed(rest: Int)
        /// In the line that says how long the next chunk is.
        case size(digits: Int, value: Int, hasExtension: Bool, length: Int)
        case chunk(rest: Int)
        /// At the CR and the LF behind a chunk.
        case chunkEnd(Int)
        /// In the fields behind the last chunk, which mean nothing here.
        case trailer(lineLength: Int, length: Int)
        case whole
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
            case .chunked: Self.sizeLine
            }
    }

    private static let sizeLine = Phase.size(digits: 0, value: 0, hasExtension: false, length: 0)

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
                phase = count == 0 ? .chunkEnd(1) : Self.sizeLine
            case .size(let digits, let value, let hasExtension, let length):
                try readSize(bytes[place], digits, value, hasExtension, length)
                place += 1
            case .trailer(let lineLength, let length):
                guard length < Self.trailerLimit else { throw HTTPFlaw(431, "the fields behind the body are too long") }
                let isEnd = bytes[place] == UInt8(ascii: "\n")
                let isReturn = bytes[place] == UInt8(ascii: "\r")
                phase =
                    isEnd && lineLength == 0
                    ? .whole : .trailer(lineLength: isEnd ? 0 : lineLength + (isReturn ? 0 : 1), length: length + 1)
                place += 1
            case .whole: return place - bytes.startIndex
            }
        }
        return place - bytes.startIndex
    }

    private mutating func readSize(
        _ byte: UInt8,
        _ digits: Int,
        _ value: Int,
        _ hasExtension: Bool,
        _ length: Int
    ) throws(HTTPFlaw) {
        let flaw = HTTPFlaw(400, "a chunk does not say how long it is")
        guard length < Self.lineLimit else { throw flaw }
        if byte == UInt8(ascii: "\n") {
            guard digits > 0 else { throw flaw }
            phase = value == 0 ? .trailer(lineLength: 0, length: 0) : .chunk(rest: value)
        } else if hasExtension || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: " ") {
            guard digits > 0 else { throw flaw }
            phase = .size(digits: digits, value: value, hasExtension: true, length: length + 1)
        } else {
            let digit: Int
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = Int(byte) - 0x30
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
                digit = Int(byte | 0x20) - 0x61 + 10
            default: throw flaw
            }
            guard digits < 15 else { throw HTTPFlaw(413, "a chunk is too long") }
            phase = .size(digits: digits + 1, value: value << 4 | digit, hasExtension: false, length: length + 1)
        }
    }
}
