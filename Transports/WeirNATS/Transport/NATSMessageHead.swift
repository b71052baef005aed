internal import WeirRecords

/// What stands before the payloads of a sink's messages: the same bytes each time, and numbers between them.
///
/// Once for each message, so nothing is allocated, and where that is all that differs from the message before, the numbers alone
/// are written.
struct NATSMessageHead {
    // The operation with the subject, what the subject for the stream's confirmation begins with, and what is before and behind
    // the number in the headers. The last three are empty where no stream confirms.
    private let operation: [UInt8]
    private let reply: [UInt8]
    private let headersStart: [UInt8]
    private let headersEnd: [UInt8]

    /// What stands before the payload of the message that was prepared last, and how many bytes of that are headers.
    private var bytes: [UInt8] = []
    private(set) var headersCount = 0

    /// That message; and where the number ends in the reply and in the headers, and the length in the operation.
    private var number: UInt64 = 0
    private var partition: Int?
    private var payloadCount = 0
    private var replyEnd = 0
    private var idEnd = 0
    private var lengthEnd = 0

    private static let headersStart = "NATS/1.0\r\nNats-Msg-Id: "

    private static func headersEnd(_ stream: String) -> String { "\r\nNats-Expected-Stream: \(stream)\r\n\r\n" }

    /// How many bytes of a message its headers take at most.
    static func headerLength(_ settings: NATSLinkSettings) -> Int {
        let longest = String(UInt64.max, radix: 36) + "-\(UInt64.max)"
        return settings.stream.map { (headersStart + longest + headersEnd($0)).utf8.count } ?? 0
    }

    /// Creates the head of the messages of a sink.
    ///
    /// - Parameters:
    ///   - settings: What is published, and how.
    ///   - origin: What the ids of the messages begin with.
    ///   - inbox: What the subjects of the confirmations begin with.
    init(_ settings: NATSLinkSettings, origin: String, inbox: String) {
        let stream = settings.stream
        operation = Array("\(stream == nil ? "PUB" : "HPUB") \(settings.subject)".utf8)
        reply = Array((stream == nil ? "" : " \(inbox).").utf8)
        headersStart = Array((stream == nil ? "" : "\(Self.headersStart)\(origin)-").utf8)
        headersEnd = Array((stream.map(Self.headersEnd) ?? "").utf8)
    }

    /// Prepares what stands before the payload of a message.
    ///
    /// - Parameters:
    ///   - number: That of the message.
    ///   - partition: Its partition, which the subject ends with; `nil` where there are none.
    ///   - payloadCount: How long its payload is.
    mutating func prepare(_ number: UInt64, of partition: Int?, payloadCount: Int) {
        let isNext = !bytes.isEmpty && partition == self.partition && number == self.number &+ 1
        if !(isNext && patchLength(payloadCount) && incrementNumber()) { write(number, partition, payloadCount) }
        (self.number, self.partition, self.payloadCount) = (number, partition, payloadCount)
    }

    /// Writes what was prepared.
    mutating func write(to output: inout [UInt8]) {
        // An array that is appended as a whole is retained, and that waits for all that was written before.
        unsafe bytes.withUnsafeMutableBufferPointer { unsafe output.append(contentsOf: UnsafeBufferPointer($0)) }
    }

    /// Changes the length of the message, where it has as many digits.
    private mutating func patchLength(_ count: Int) -> Bool {
        guard count != payloadCount else { return true }
        let digits = DecimalText.digitCount(UInt64(headersCount + count))
        guard digits == DecimalText.digitCount(UInt64(headersCount + payloadCount)) else { return false }
        var rest = headersCount + count
        for place in (lengthEnd - digits..<lengthEnd).reversed() {
            bytes[place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        return true
    }

    /// Adds one to the number of the message, where it has as many digits then.
    private mutating func incrementNumber() -> Bool {
        guard replyEnd > 0 else { return true }
        var nines = 0
        while bytes[replyEnd - 1 - nines] == UInt8(ascii: "9") { nines += 1 }
        guard bytes[replyEnd - 1 - nines] != UInt8(ascii: ".") else { return false }
        increment(before: replyEnd, nines)
        increment(before: idEnd, nines)
        return true
    }

    private mutating func increment(before end: Int, _ nines: Int) {
        bytes[end - 1 - nines] += 1
        for place in end - nines..<end { bytes[place] = UInt8(ascii: "0") }
    }

    private mutating func write(_ number: UInt64, _ partition: Int?, _ payloadCount: Int) {
        let blank = UInt8(ascii: " ")
        bytes.removeAll(keepingCapacity: true)
        bytes += operation
        if let partition {
            bytes.append(UInt8(ascii: "."))
            DecimalText.append(UInt64(partition), to: &bytes)
        }
        if !reply.isEmpty {
            bytes += reply
            DecimalText.append(number, to: &bytes)
            replyEnd = bytes.count
            headersCount = headersStart.count + DecimalText.digitCount(number) + headersEnd.count
            bytes.append(blank)
            DecimalText.append(UInt64(headersCount), to: &bytes)
        }
        bytes.append(blank)
        DecimalText.append(UInt64(headersCount + payloadCount), to: &bytes)
        lengthEnd = bytes.count
        bytes.append(UInt8(ascii: "\r"))
        bytes.append(UInt8(ascii: "\n"))
        guard !reply.isEmpty else { return }
        bytes += headersStart
        DecimalText.append(number, to: &bytes)
        idEnd = bytes.count
        bytes += headersEnd
    }
}
