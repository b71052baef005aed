/// Reads the answer to a request.
struct HTTPAnswerReader {
    /// An answer.
    struct Answer {
        let status: Int

        /// Its number, and its words.
        let text: String

        /// Whether the connection can be used again.
        let keepsConnection: Bool

        /// How long to wait before the next attempt, in seconds, where it says so.
        let retryAfter: Int?

        var isSuccess: Bool { (200..<300).contains(status) }

        /// Whether the same request may succeed later.
        var isTransient: Bool { status >= 500 || [408, 425, 429].contains(status) }
    }

    private var input: [UInt8] = []
    private var scanned = 0
    private var head: HTTPHead?
    private var body: HTTPBodyReader?
    private var content: [UInt8] = []
    private var interimCount = 0

    /// How many words in between there may be: a client that asks for none gets hardly any.
    private static let interimLimit = 8
    private static let headLimit = 32 << 10
    private static let bodyLimit = 1 << 20

    /// How much of a body is told.
    private static let excerptLimit = 200

    /// Whether nothing has arrived yet.
    private(set) var isEmpty = true

    /// Takes what arrived.
    ///
    /// - Parameters:
    ///   - bytes: What arrived.
    ///   - isEnd: Whether nothing follows.
    /// - Returns: The answer, once it is whole.
    /// - Throws: ``HTTPFlaw`` for what is no answer.
    mutating func take(_ bytes: UnsafeRawBufferPointer, isEnd: Bool) throws(HTTPFlaw) -> Answer? {
        unsafe input.append(contentsOf: bytes)
        isEmpty = isEmpty && input.isEmpty
        while head == nil {
            guard let end = try HTTPHead.end(in: input, from: 0, scanned: &scanned) else {
                guard input.count <= Self.headLimit else { throw HTTPFlaw(502, "its head is too long") }
                guard !isEnd else { throw HTTPFlaw(502, "it breaks off") }
                return nil
            }
            let found = try HTTPHead(input[..<end])
            input.removeFirst(end)
            scanned = 0
            let status = try Self.status(found)
            // A word in between, such as 100 Continue.
            guard status >= 200 else {
                interimCount += 1
                guard interimCount <= Self.interimLimit else { throw HTTPFlaw(502, "it does not come to its end") }
                continue
            }
            head = found
            if status == 204 || status == 304 {
                body = HTTPBodyReader(.fixed(0))
            } else if case let length = try found.bodyLength(), length != .notGiven {
                body = HTTPBodyReader(length)
            }
        }
        guard let head else { return nil }
        let isWhole: Bool
        if var reader = body {
            input.removeFirst(try reader.read(input[...], into: &content))
            isWhole = reader.isWhole
            body = reader
        } else {
            content += input
            input = []
            isWhole = isEnd
        }
        guard content.count <= Self.bodyLimit else { throw HTTPFlaw(502, "its body is too long") }
        guard isWhole else {
            guard !isEnd else { throw HTTPFlaw(502, "it breaks off") }
            return nil
        }
        return try answer(head)
    }

    private func answer(_ head: HTTPHead) throws(HTTPFlaw) -> Answer {
        let status = try Self.status(head)
        let isOld = head.firstLine.starts(with: "HTTP/1.0".utf8)
        var text = String(decoding: head.firstLine.dropFirst(9), as: UTF8.self)
        // What a program says about a refusal is often in the body.
        if status >= 400, !content.isEmpty {
            let words = String(decoding: content.prefix(Self.excerptLimit), as: UTF8.self)
            let line = words.split { $0.isWhitespace || $0.unicodeScalars.contains { $0.value < 0x20 } }.joined(
                separator: " "
            )
            text += ": \(line)"
        }
        return Answer(
            status: status,
            text: text,
            keepsConnection: body != nil && !head.list("connection", has: "close")
                && (!isOld || head.list("connection", has: "keep-alive")),
            retryAfter: head.values(of: "retry-after").first.flatMap { Int($0) }.map { min(max(0, $0), 3600) }
        )
    }

    private static func status(_ head: HTTPHead) throws(HTTPFlaw) -> Int {
        let line = head.firstLine
        guard line.starts(with: "HTTP/1.".utf8), line.count >= 12, line[8] == UInt8(ascii: " "),
            let status = Int(String(decoding: line[9..<12], as: UTF8.self)), (100..<600).contains(status),
            line.count == 12 || line[12] == UInt8(ascii: " ")
        else { throw HTTPFlaw(502, "it is not one of HTTP/1.1") }
        return status
    }
}
