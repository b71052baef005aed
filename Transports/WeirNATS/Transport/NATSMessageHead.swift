internal import WeirRecords

/// What stands before the payloads of a sink's messages: the same bytes each time, and numbers between them.
///
/// Once for each message, so nothing is allocated.
struct NATSMessageHead {
    // The operation with the subject, what the subject for the stream's confirmation begins with, and what is before and behind
    // the number in the headers. The last three are empty where no stream confirms.
    private let bytes: [UInt8]
    private let operation: Range<Int>
    private let reply: Range<Int>
    private let headersStart: Range<Int>
    private let headersEnd: Range<Int>

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
        var bytes: [UInt8] = []
        func add(_ text: String) -> Range<Int> {
            bytes += text.utf8
            return bytes.count - text.utf8.count..<bytes.count
        }
        let stream = settings.stream
        operation = add("\(stream == nil ? "PUB" : "HPUB") \(settings.subject)")
        reply = add(stream == nil ? "" : " \(inbox).")
        headersStart = add(stream == nil ? "" : "\(Self.headersStart)\(origin)-")
        headersEnd = add(stream.map(Self.headersEnd) ?? "")
        self.bytes = bytes
    }

    /// How many bytes the headers of a message have.
    func headersCount(_ number: UInt64) -> Int {
        reply.isEmpty ? 0 : headersStart.count + DecimalText.digitCount(number) + headersEnd.count
    }

    /// Writes the operation up to the lengths.
    ///
    /// - Parameters:
    ///   - number: That of the message.
    ///   - partition: Its partition, which the subject ends with; `nil` where there are none.
    ///   - output: Where to.
    func writeOperation(_ number: UInt64, of partition: Int?, to output: inout [UInt8]) {
        write(operation, to: &output)
        if let partition {
            output.append(UInt8(ascii: "."))
            DecimalText.append(UInt64(partition), to: &output)
        }
        guard !reply.isEmpty else { return }
        write(reply, to: &output)
        DecimalText.append(number, to: &output)
    }

    /// Writes the headers, where there are some.
    func writeHeaders(_ number: UInt64, to output: inout [UInt8]) {
        guard !reply.isEmpty else { return }
        write(headersStart, to: &output)
        DecimalText.append(number, to: &output)
        write(headersEnd, to: &output)
    }

    private func write(_ range: Range<Int>, to output: inout [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[range]))
        }
    }
}
