internal import CWeirSockets
internal import WeirCore

/// Finds the operations in what a server sends, however it is cut.
///
/// Memory is bounded: it holds one operation that is not whole, and what was appended at once. A message is ranges of that:
/// nothing is allocated for it.
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
        if let message {
            guard let frame = try finish(message.shifted(by: place)) else { return nil }
            self.message = nil
            return frame
        }
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

    /// Takes the confirmations that come next, as far as they are whole and of a known form.
    ///
    /// - Parameters:
    ///   - form: What they are like.
    ///   - note: Called with the number of each message.
    mutating func takeConfirmations(_ form: NATSConfirmationForm, _ note: (UInt64) -> Void) {
        guard message == nil, place < bytes.count else { return }
        let length = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe form.read(UnsafeBufferPointer(rebasing: bytes[place...]), note)
        }
        guard length > 0 else { return }
        place += length
        scannedCount = 0
    }

    /// A short word as a number, whatever its case; zero for what is longer than all names of operations.
    private func word(_ field: Range<Int>) -> UInt64 {
        guard field.count <= 4 else { return 0 }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            var word: UInt64 = 0
            for index in field { unsafe word = word << 8 | UInt64(bytes[index] | 0x20) }
            return word
        }
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
        let start = place + scannedCount
        // The ranges below are within the bytes, and the loops over them are those that each message takes.
        let length = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe bytes.baseAddress.map { unsafe cweir_net_after_newline($0 + start, bytes.count - start) } ?? 0
        }
        let found = length > 0 ? start + length - 1 : nil
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
        let field = unsafe bytes.withUnsafeBufferPointer { bytes in
            var start = line.lowerBound
            while start < line.upperBound, unsafe Self.isBlank(bytes[start]) { start &+= 1 }
            guard let first = bytes.baseAddress else { return start..<start }
            return unsafe start..<start + cweir_net_word_length(first + start, line.upperBound - start)
        }
        line = field.upperBound..<line.upperBound
        return field
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
        let start = end + 2
        let message = NATSFrame.Message(
            subject: subject,
            subscription: UInt64(subscription),
            reply: reply,
            headers: start..<start + headers,
            payload: start + headers..<start + total
        )
        if let frame = try finish(message) { return frame }
        self.message = message.shifted(by: -place)
        return nil
    }

    /// The message, once its payload is there.
    private mutating func finish(_ message: NATSFrame.Message) throws(NATSError) -> NATSFrame? {
        let end = message.payload.upperBound
        guard bytes.count >= end + 2 else { return nil }
        guard bytes[end] == Self.carriageReturn, bytes[end + 1] == Self.newline else {
            throw .garbage("a message does not end where its length says")
        }
        consume(through: end)
        return .message(message)
    }

    /// A number of up to nine digits: longer ones are beyond all limits.
    private func number(_ field: Range<Int>) -> Int? {
        guard (1...9).contains(field.count) else { return nil }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            var value = 0
            for index in field {
                let digit = unsafe bytes[index] &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                value = value &* 10 &+ Int(digit)
            }
            return value
        }
    }
}

extension NATSFrame.Message {
    /// The same with other places.
    fileprivate func shifted(by distance: Int) -> NATSFrame.Message {
        func moved(_ range: Range<Int>) -> Range<Int> { range.lowerBound + distance..<range.upperBound + distance }
        return NATSFrame.Message(
            subject: moved(subject),
            subscription: subscription,
            reply: reply.map(moved),
            headers: moved(headers),
            payload: moved(payload)
        )
    }
}
