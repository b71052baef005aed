internal import CWeirSockets
internal import WeirCore
internal import WeirFormats
internal import WeirRecords
internal import WeirSockets

/// A view of a stream, which knows what was handed out and acknowledged.
package struct JetStreamConsumer: Sendable, Hashable {
    /// Which acknowledgements it waits for.
    package enum Acknowledgement: String, Sendable {
        case none, all, explicit
    }

    package let name: String
    package let stream: String
    package let acknowledgement: Acknowledgement

    /// The subjects of its messages, as they were asked for; `nil` for all of the stream, or several.
    package let subject: String?

    /// Whether it sends its messages to a subject by itself, and cannot be asked for them.
    package let isPush: Bool

    /// How many messages wait to be handed out.
    package let pending: UInt64
}

/// What a consumer is to be like.
package struct JetStreamConsumerSettings: Sendable {
    /// Where it begins.
    package enum Start: Sendable, Hashable {
        case first, new, last
        /// With a message's number, or the first behind it.
        case sequence(UInt64)
    }

    package var name: String

    /// Whether it stays until it is deleted; otherwise it goes away when nobody has asked it for something for a while.
    package var isDurable = false

    /// The subjects of its messages; all of the stream where it is `nil`.
    package var subject: String?

    /// The same, where there are several.
    package var subjects: [String] = []
    package var start = Start.first
    package var acknowledgement = JetStreamConsumer.Acknowledgement.explicit

    /// How long a message may wait for its acknowledgement before it is handed out again.
    package var patience = Duration.seconds(30)

    /// How many messages may wait for theirs.
    package var unacknowledgedLimit = 8192

    /// How long one that is not durable stays without requests, while its server runs.
    package var idleTime = Duration.seconds(300)

    package init(_ name: String) { self.name = name }

    fileprivate func write(to json: inout JSONWriter, _ stream: String) {
        json.member("stream_name", stream)
        json.member("action", "create")
        json.name("config")
        json.object { json in
            json.member("name", name)
            if isDurable {
                json.member("durable_name", name)
            } else {
                json.member("inactive_threshold", idleTime.inNanoseconds)
            }
            json.member("ack_policy", acknowledgement.rawValue)
            json.member("replay_policy", "instant")
            if let subject { json.member("filter_subject", subject) }
            if !subjects.isEmpty { json.member("filter_subjects", subjects) { json, subject in json.value(subject) } }
            if acknowledgement != .none {
                json.member("ack_wait", patience.inNanoseconds)
                json.member("max_ack_pending", unacknowledgedLimit)
            }
            switch start {
            case .first: json.member("deliver_policy", "all")
            case .new: json.member("deliver_policy", "new")
            case .last: json.member("deliver_policy", "last")
            case .sequence(let number):
                json.member("deliver_policy", "by_start_sequence")
                json.member("opt_start_seq", number)
            }
        }
    }
}

// Requests to JetStream about consumers.
extension NATSClient {
    /// Looks a consumer up.
    ///
    /// - Throws: ``NATSError``; ``NATSError/isMissing`` tells that there is none.
    package func consumer(_ name: String, of stream: String) throws(NATSError) -> JetStreamConsumer {
        try JetStreamName.check(stream, "stream")
        try JetStreamName.check(name, "consumer")
        return try Self.consumer(ask("CONSUMER.INFO.\(stream).\(name)", "the consumer '\(name)'"))
    }

    /// Makes a consumer that hands out what it is asked for.
    ///
    /// - Parameters:
    ///   - settings: What it is to be like.
    ///   - stream: The stream.
    /// - Returns: The consumer.
    /// - Throws: ``NATSError``, also where there is another one with that name.
    @discardableResult
    package func createConsumer(
        _ settings: JetStreamConsumerSettings,
        of stream: String
    ) throws(NATSError) -> JetStreamConsumer {
        try JetStreamName.check(stream, "stream")
        try JetStreamName.check(settings.name, "consumer")
        return try Self.consumer(
            ask(
                "CONSUMER.CREATE.\(stream).\(settings.name)",
                "to make the consumer '\(settings.name)'"
            ) { json in
                settings.write(to: &json, stream)
            }
        )
    }

    /// Begins to make a consumer.
    ///
    /// - Returns: The number of the request, for ``consumer(madeBy:)``.
    /// - Throws: ``NATSError``.
    func beginConsumer(_ settings: JetStreamConsumerSettings, of stream: String) throws(NATSError) -> UInt64 {
        try JetStreamName.check(stream, "stream")
        try JetStreamName.check(settings.name, "consumer")
        var json = JSONWriter()
        json.object { json in settings.write(to: &json, stream) }
        return try begin("$JS.API.CONSUMER.CREATE.\(stream).\(settings.name)", json.bytes[...])
    }

    /// The consumer that a request has made; `nil` while there is no answer.
    ///
    /// - Throws: ``NATSError``.
    func consumer(madeBy number: UInt64) throws(NATSError) -> JetStreamConsumer? {
        guard let answer = try answer(to: number) else { return nil }
        return try Self.consumer(JetStreamAnswer(answer, to: "to make a consumer"))
    }

    private static func consumer(_ answer: JetStreamAnswer) throws(NATSError) -> JetStreamConsumer {
        let config = answer.json["config"]
        return JetStreamConsumer(
            name: answer.json["name"]?.text ?? "",
            stream: answer.json["stream_name"]?.text ?? "",
            acknowledgement: JetStreamConsumer.Acknowledgement(
                rawValue: config?["ack_policy"]?.text ?? ""
            ) ?? .explicit,
            subject: config?["filter_subject"]?.text,
            isPush: config?["deliver_subject"]?.text != nil,
            pending: try answer.number("num_pending", of: "a consumer")
        )
    }
}

/// Where a message stands in its stream and its consumer, as the subject for its acknowledgement tells.
struct JetStreamPlace: Equatable {
    var streamSequence: UInt64
    var consumerSequence: UInt64

    /// How many messages the consumer has behind it.
    var pending: UInt64

    /// Reads `$JS.ACK.STREAM.CONSUMER.COUNT.SEQUENCE.SEQUENCE.TIME.PENDING`, or the longer form that has a domain and an
    /// account before the stream.
    ///
    /// - Returns: `nil` for what is no such subject.
    init?(_ subject: ArraySlice<UInt8>) {
        guard let place = unsafe subject.withUnsafeBufferPointer({ unsafe Self.read($0) }) else { return nil }
        self = place
    }

    init(_ streamSequence: UInt64, _ consumerSequence: UInt64, pending: UInt64) {
        (self.streamSequence, self.consumerSequence, self.pending) = (streamSequence, consumerSequence, pending)
    }

    /// The bytes of `$JS.ACK.`, the first one lowest.
    private static let start: UInt64 = 0x2E4B_4341_2E53_4A24

    // Once for each message: no pieces are made, and the numbers are read from the end, behind names of any length.
    private static func read(_ subject: UnsafeBufferPointer<UInt8>) -> JetStreamPlace? {
        guard let first = subject.baseAddress, subject.count > 8,
            unsafe UnsafeRawPointer(first).loadUnaligned(as: UInt64.self).littleEndian == start
        else { return nil }
        let dot = UInt8(ascii: ".")
        let dots = unsafe cweir_net_count_dots(first, subject.count)
        guard dots == 8 || dots >= 10 else { return nil }
        var end = subject.count
        // The longer form may have more behind the numbers.
        for _ in 0..<max(0, dots - 10) {
            repeat { end -= 1 } while unsafe subject[end] != dot
        }
        /// Each of the four has digits, and not too many of them.
        func number() -> UInt64? {
            var (number, scale, length): (UInt64, UInt64, Int) = (0, 1, 0)
            while end > 0 {
                end -= 1
                let byte = unsafe subject[end]
                guard byte != dot else { break }
                let digit = byte &- UInt8(ascii: "0")
                guard digit < 10, length < 19 else { return nil }
                number &+= UInt64(digit) &* scale
                scale &*= 10
                length += 1
            }
            return length > 0 ? number : nil
        }
        guard let pending = number(), number() != nil, let consumer = number(), let stream = number()
        else { return nil }
        return JetStreamPlace(stream, consumer, pending: pending)
    }
}

/// Numbers among bytes.
enum Digits {
    /// Reads a number of decimal digits alone.
    ///
    /// - Returns: `nil` for anything else, and for what is greater than 18 digits can be.
    static func number(_ bytes: ArraySlice<UInt8>) -> UInt64? {
        guard (1...18).contains(bytes.count) else { return nil }
        var number: UInt64 = 0
        for byte in bytes {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number * 10 + UInt64(digit)
        }
        return number
    }
}
