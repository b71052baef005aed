/// The head of a request or an answer of HTTP/1.1 (RFC 9112): its first line and its fields.
///
/// Lines end with CR and LF, nothing is folded, and no control character stands anywhere: where two programs read the same
/// bytes in different ways, one of them can be deceived.
struct HTTPHead {
    /// The first line, without its end.
    let firstLine: [UInt8]

    /// The fields, their names in small letters.
    private var fields: [(name: String, value: String)] = []

    private static let fieldLimit = 128

    /// Finds where a head ends.
    ///
    /// - Parameters:
    ///   - bytes: What arrived; the head starts at `start`.
    ///   - start: Where the head starts.
    ///   - scanned: How far was looked already; set to how far was looked.
    /// - Returns: The place behind the empty line; `nil` where it is still to come.
    /// - Throws: ``HTTPFlaw`` for a line that ends without CR.
    static func end(in bytes: [UInt8], from start: Int, scanned: inout Int) throws(HTTPFlaw) -> Int? {
        var place = max(start, scanned)
        defer { scanned = place }
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "\n") else {
                place += 1
                continue
            }
            guard place > start, bytes[place - 1] == UInt8(ascii: "\r") else {
                throw HTTPFlaw(400, "a line of the head ends without CR")
            }
            place += 1
            let isEmpty = place - 2 == start || bytes[place - 3] == UInt8(ascii: "\n")
            if isEmpty { return place }
        }
        return nil
    }

    /// Reads a head.
    ///
    /// - Parameter bytes: The head with its empty line, as ``end(in:from:scanned:)`` found it.
    /// - Throws: ``HTTPFlaw``.
    init(_ bytes: ArraySlice<UInt8>) throws(HTTPFlaw) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { $0.dropLast() }
        // Behind the last LF, and the empty line.
        lines.removeLast(2)
        guard let first = lines.first else { throw HTTPFlaw(400, "the first line is missing") }
        for line in lines where line.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7f }) {
            throw HTTPFlaw(400, "there is a control character in the head")
        }
        firstLine = Array(first)
        guard lines.count - 1 <= Self.fieldLimit else {
            throw HTTPFlaw(431, "there are more than \(Self.fieldLimit) fields in the head")
        }
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy(Self.isTokenByte)
            else { throw HTTPFlaw(400, "there is a line in the head that is no field") }
            fields.append(
                (
                    String(decoding: line[..<colon], as: UTF8.self).lowercased(),
                    Self.trimmed(String(decoding: line[(colon + 1)...], as: UTF8.self)[...])
                )
            )
        }
    }

    /// A value without the blanks around it.
    private static func trimmed(_ text: Substring) -> String {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let start = text.utf8.drop(while: isBlank)
        let end = start.lastIndex { !isBlank($0) }.map { start.index(after: $0) } ?? start.startIndex
        return String(start[..<end]) ?? ""
    }

    /// Whether a byte may stand in a name or a method.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// The values of a field, each time that it is given.
    func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// Whether a list, such as that of `Connection`, has a word.
    func list(_ name: String, has word: String) -> Bool {
        values(of: name).contains { value in
            value.split(separator: ",").contains { Self.trimmed($0).lowercased() == word }
        }
    }

    /// How long a body is.
    enum BodyLength: Equatable {
        /// The head does not say.
        case notGiven
        case fixed(Int)
        case chunked
    }

    /// How long the body behind this head is.
    ///
    /// - Throws: ``HTTPFlaw`` for lengths that contradict each other, or encodings that there are not here.
    func bodyLength() throws(HTTPFlaw) -> BodyLength {
        let lengths = values(of: "content-length").flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed)
        }
        let encodings = values(of: "transfer-encoding")
        guard encodings.isEmpty else {
            guard lengths.isEmpty else {
                throw HTTPFlaw(400, "Content-Length and Transfer-Encoding contradict each other")
            }
            guard encodings.count == 1, encodings[0].lowercased() == "chunked" else {
                throw HTTPFlaw(501, "Transfer-Encoding: only 'chunked' can be read")
            }
            return .chunked
        }
        guard let first = lengths.first else { return .notGiven }
        guard lengths.allSatisfy({ $0 == first }) else {
            throw HTTPFlaw(400, "Content-Length is given twice, and differs")
        }
        guard !first.isEmpty,
            first.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = Int(first)
        else { throw HTTPFlaw(400, "Content-Length is not a number") }
        return .fixed(length)
    }
}

/// What is wrong with a request or an answer, and the status that says so.
struct HTTPFlaw: Error {
    let status: Int

    /// For people, in one line.
    let reason: String

    init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}
