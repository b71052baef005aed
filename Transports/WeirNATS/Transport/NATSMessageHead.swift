internal import WeirRecords

/// What stands before the payloads of a sink's messages: the same bytes each time, and numbers between them.
///
/// Once for each message, so nothing is allocated.
struct NATSMessageHead {
    /// Up to the end of the subject.
    let operation: [UInt8]

    /// What the subject for the stream's confirmation begins with, and what is before and behind the number in the headers;
    /// empty where no stream confirms.
    let reply: [UInt8]
    let headersStart: [UInt8]
    let headersEnd: [UInt8]

    /// The number of the message, and behind the subject that of its partition, where there is one.
    private(set) var number: [UInt8] = []
    private(set) var partition: [UInt8] = []

    private static let headersStart = "NATS/1.0\r\nNats-Msg-Id: "

    private static func headersEnd(_ stream: String) -> String { "\r\nNats-Expected-Stream: \(stream)\r\n\r\n" }

    /// How many bytes of a message its headers take at most.
    static func headerLength(_ settings: NATSLinkSettings) -> Int {
        let longest = String(UInt64.max, radix: 36) + "-\(UInt64.max)"
        return settings.stream.map { (headersStart + longest + headersEnd($0)).utf8.count } ?? 0
    }

    /// - Parameters:
    ///   - settings: What is published, and how.
    ///   - origin: What the ids of the messages begin with.
    ///   - inbox: What the subjects of the confirmations begin with.
    init(_ settings: NATSLinkSettings, origin: String, inbox: String) {
        operation = Array("\(settings.stream == nil ? "PUB" : "HPUB") \(settings.subject)".utf8)
        reply = settings.stream == nil ? [] : Array(" \(inbox).".utf8)
        headersStart = settings.stream == nil ? [] : Array("\(Self.headersStart)\(origin)-".utf8)
        headersEnd = settings.stream.map { Array(Self.headersEnd($0).utf8) } ?? []
    }

    /// How many bytes the headers of the message have.
    var headersCount: Int { reply.isEmpty ? 0 : headersStart.count + number.count + headersEnd.count }

    /// Begins a message.
    ///
    /// - Parameters:
    ///   - number: That of the message.
    ///   - partition: Its partition, which the subject ends with; `nil` where there are none.
    mutating func begin(_ number: UInt64, of partition: Int?) {
        self.number.removeAll(keepingCapacity: true)
        DecimalText.append(number, to: &self.number)
        guard let partition else { return }
        self.partition.removeAll(keepingCapacity: true)
        self.partition.append(UInt8(ascii: "."))
        DecimalText.append(UInt64(partition), to: &self.partition)
    }
}
