internal import WeirCore

/// Finds the operations in what a server sends, however it is cut.
///
/// Memory is bounded: it holds one operation that is not whole, and what was appended at once.
struct NATSParser {
    /// What was appended and is not consumed, and before that what was.
    private(set) var bytes: [UInt8] = []

    /// How long a message may be, with its headers.
    ///
    /// JetStream adds headers to what was published, so this is more than the server lets anybody publish.
    var messageLimit = (1 << 20) + headroom

    /// Where the next operation begins.
    private var place = 0

    /// How far behind `place` there is no end of a line.
    private var scannedCount = 0

    /// The message whose control line has come, with ranges from `place` on, and where it ends.
    private var message: NATSFrame.Message?

    /// How long a control line may be, with a margin to what servers send.
    static let lineLimit = 4096

    /// How long the line of INFO may be, which lists the servers of a cluster.
    static let infoLimit = 64 << 10

    /// How much longer a message may be than the server's limit says.
    static let headroom = 64 << 10

    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// Takes what the server has sent; ranges of earlier operations mean nothing any more.
    mutating func append(_ more: UnsafeRawBufferPointer) {
        // The rest is short unless it is the beginning of a message, and then nothing stands before it for long.
        if place > 0 {
            bytes.removeSubrange(..<place)
            place = 0
        }
        unsafe bytes.append(contentsOf: more)
    }

    /// Forgets everything, for another connection.
    mutating func removeAll() {
        bytes = []
        (place, scannedCount, message) = (0, 0, nil)
    }

    /// The next operation; `nil` where it is not whole yet.
    ///
    /// - Throws: ``NATSError`` for what is no operation. Nothing more can be read then.
    mutating func next() throws(NATSError) -> NATSFrame? {
        if let message { return try finish(message) }
        guard let end = try endOfLine() else { return nil }
        var rest = place..<end
        let name = takeField(&rest)
        // Servers write capitals, but the protocol does not ask for them.
        switch word(name) {
        case Self.word("msg"): return try begin(rest, hasHeaders: false, after: end)
        case Self.word("hmsg"): return try begin(rest, hasHeaders: true, after: end)
        case Self.word("ping"):
            consume(through: end)
            return .ping
        case Self.word("pong"):
            consume(through: end)
            return .pong
        case Self.word("+ok"):
            consume(through: end)
            return .ok
        case Self.word("-err"):
            consume(through: end)
            return .error(trimmed(rest, quote: UInt8(ascii: "'")))
        case Self.word("info"):
            consume(through: end)
            return .info(trimmed(rest, quote: nil))
        default:
            throw .garbage("it sends '\(Excerpt.of(bytes[place..<end], limit: 40))', which is no operation of NATS")
        }
    }

    /// A short word as a number, whatever its case; zero for what is longer than all names of operations.
    private func word(_ field: Range<Int>) -> UInt64 {
        field.count > 4 ? 0 : bytes[field].reduce(0) { $0 << 8 | UInt64($1 | 0x20) }
    }

    private static func word(_ name: StaticString) -> UInt64 {
        name.withUTF8Buffer { unsafe $0.reduce(0) { $0 << 8 | UInt64($1 | 0x20) } }
    }

    private mutating func consume(through end: Int) {
        place = end + 2
        scannedCount = 0
    }

    /// Where the line ends that begins at `place`: at its carriage return.
    private mutating func endOfLine() throws(NATSError) -> Int? {
        let isInfo = place < bytes.count && bytes[place] | 0x20 == UInt8(ascii: "i")
        let limit = isInfo ? Self.infoLimit : Self.lineLimit
        let found = bytes[(place + scannedCount)...].firstIndex(of: Self.newline)
        guard (found ?? bytes.count) - place <= limit else {
            throw .garbage("it sends a line of more than \(limit) bytes")
        }
        guard let found else {
            scannedCount = bytes.count - place
            return nil
        }
        guard found > place, bytes[found - 1] == Self.carriageReturn else {
            throw .garbage("a line '\(Excerpt.of(bytes[place..<found], limit: 40))' ends without a carriage return")
        }
        return found - 1
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Takes the next word of a line off it; empty where there is none.
    private func takeField(_ line: inout Range<Int>) -> Range<Int> {
        var start = line.lowerBound
        while start < line.upperBound, Self.isBlank(bytes[start]) { start += 1 }
        var end = start
        while end < line.upperBound, !Self.isBlank(bytes[end]) { end += 1 }
        line = end..<line.upperBound
        return start..<end
    }

    private func trimmed(_ text: Range<Int>, quote: UInt8?) -> Range<Int> {
        var slice = bytes[text].drop(while: Self.isBlank)
        while let last = slice.last, Self.isBlank(last) { slice.removeLast() }
        if let quote, slice.count >= 2, slice.first == quote, slice.last == quote {
            slice = slice.dropFirst().dropLast()
        }
        return slice.indices
    }

    // MARK: Messages

    private mutating func begin(
        _ line: Range<Int>,
        hasHeaders: Bool,
        after end: Int
    ) throws(NATSError) -> NATSFrame? {
        var line = line
        let subject = takeField(&line)
        let subscription = takeField(&line)
        // Up to three words are left: where an answer goes, and one or two lengths.
        var first = takeField(&line)
        var second = takeField(&line)
        let third = takeField(&line)
        var reply: Range<Int>?
        if !(hasHeaders ? third : second).isEmpty {
            reply = first
            (first, second) = (second, third)
        }
        guard takeField(&line).isEmpty, hasHeaders || second.isEmpty,
            let subscription = number(subscription), let headers = hasHeaders ? number(first) : 0,
            let total = number(hasHeaders ? second : first), headers <= total
        else {
            throw .garbage("it sends '\(Excerpt.of(bytes[place..<end], limit: 80))', which is no head of a message")
        }
        guard total <= messageLimit else {
            throw .garbage("it sends a message of \(total) bytes, and its limit is \(messageLimit - Self.headroom)")
        }
        func relative(_ range: Range<Int>) -> Range<Int> { range.lowerBound - place..<range.upperBound - place }
        let start = end + 2 - place
        let message = NATSFrame.Message(
            subject: relative(subject),
            subscription: UInt64(subscription),
            reply: reply.map(relative),
            headers: start..<start + headers,
            payload: start + headers..<start + total
        )
        self.message = message
        return try finish(message)
    }

    /// The message, once its payload is there.
    private mutating func finish(_ message: NATSFrame.Message) throws(NATSError) -> NATSFrame? {
        let end = place + message.payload.upperBound
        guard bytes.count >= end + 2 else { return nil }
        guard bytes[end] == Self.carriageReturn, bytes[end + 1] == Self.newline else {
            throw .garbage("a message does not end where its length says")
        }
        func absolute(_ range: Range<Int>) -> Range<Int> { range.lowerBound + place..<range.upperBound + place }
        let whole = NATSFrame.Message(
            subject: absolute(message.subject),
            subscription: message.subscription,
            reply: message.reply.map(absolute),
            headers: absolute(message.headers),
            payload: absolute(message.payload)
        )
        self.message = nil
        consume(through: end)
        return .message(whole)
    }

    /// A number of up to nine digits: longer ones are beyond all limits.
    private func number(_ field: Range<Int>) -> Int? {
        guard (1...9).contains(field.count) else { return nil }
        var value = 0
        for byte in bytes[field] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
