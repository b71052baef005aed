internal import WeirCore
internal import WeirRecords
internal import WeirSockets

/// A link that publishes messages, and waits until they are confirmed.
///
/// Messages count as delivered when the stream has confirmed them, or for a subject without a stream when the server has
/// handled them. What is not confirmed in time, or before the connection breaks, is sent again: with the same id, by which the
/// stream knows what it has already.
final class NATSLink: OutgoingLink {
    private let connection: NATSConnection
    private let settings: NATSLinkSettings
    private let meter: TransportMeter
    private let address: String
    private let inbox: String

    /// What the ids of messages begin with, and how many messages were settled: the number of the next one.
    private let origin: String
    private var settledCount: UInt64 = 0

    /// The messages that were published and are not settled, from ``settledCount`` on.
    private var window: [Outstanding] = []

    /// The ping behind what was published, where no stream confirms it, and the last one that was answered.
    private var ping: UInt64?
    private var pong: UInt64 = 0

    private var hasBeenUp = false

    /// Why the server refuses to have something published.
    private var refusal: String?
    private var saidThatItRefuses = false

    /// What a message of the batch is.
    enum Content {
        /// Lines, whose last end is left out.
        case lines
        /// Frames, which are sent as they are.
        case frames
        /// A ``PartitionedMessage``.
        case partitioned
    }

    private let content: Content

    private struct Outstanding {
        let deadline: Moment
        var outcome: Outcome?
    }

    private enum Outcome: Equatable {
        case kept
        case refused
        /// To be sent again: the stream has no room, or no leader.
        case later(String)
    }

    private static let answerSubscription: UInt64 = 1
    /// What a stream says of a message that was sent before, and may be kept or not.
    private static let isInProcess = 10158
    private static let receiptStart = Array(#"{"stream":""#.utf8)

    init(
        _ servers: [SocketPlace],
        _ settings: NATSLinkSettings,
        _ connection: NATSSettings,
        poller: Poller,
        meter: TransportMeter,
        address: String,
        content: Content
    ) {
        self.content = content
        self.connection = NATSConnection(servers, connection, poller: poller, address: address)
        self.settings = settings
        self.meter = meter
        self.address = address
        origin = String(UInt64.random(in: .min ... .max), radix: 36)
        inbox = "_INBOX.\(origin)"
    }

    var isUp: Bool { connection.isUp }
    var isConnecting: Bool { connection.isOpen && !connection.isUp }

    /// A server that lets this program in may still have no stream.
    var isProvenByOpening: Bool { false }

    /// What is handed to the link stays in its batch until it is confirmed.
    var isFlushed: Bool { true }

    var deadline: Moment? {
        guard let own = connection.deadline else { return nil }
        return window.first.map { min($0.deadline, own) } ?? own
    }

    // MARK: The connection

    func open() -> SystemError? { connection.open(.now) }

    func close() {
        connection.close()
        window = []
        (ping, pong) = (nil, 0)
    }

    func handle(token: UInt64, ready: PollEvents) -> Sending? {
        attempt { () throws(NATSError) in
            var rest = 16
            while rest > 0, try connection.handle(.now) {
                try takeEvents()
                rest -= 1
            }
            try takeEvents()
            try connection.flush()
        }
    }

    func tick(_ now: Moment) -> Sending? {
        attempt { () throws(NATSError) in try connection.checkTime(now) }
    }

    /// Does something; where it fails, the link is closed.
    private func attempt(_ body: () throws(NATSError) -> Void) -> Sending? {
        do throws(NATSError) { try body() } catch {
            close()
            return Sending(.failed(failure(error)))
        }
        return nil
    }

    /// What a server that has let this program in says later may be of a moment.
    private func failure(_ error: NATSError) -> LinkFailure {
        var failure = LinkFailure(error.reason)
        failure.isFinal = !error.isTransient && (!hasBeenUp || error.kind == .notPermitted)
        return failure
    }

    private func takeEvents() throws(NATSError) {
        while let event = try connection.next(.now) {
            switch event {
            case .isUp:
                hasBeenUp = true
                guard settings.stream != nil else { continue }
                try connection.say { words in words.subscribe("\(inbox).*", as: Self.answerSubscription) }
            case .pong(let number): pong = number
            case .refusal(let words): refusal = words
            case .message(let message): note(message)
            }
        }
    }

    /// Notes what the stream says of a message.
    private func note(_ message: NATSFrame.Message) {
        let subject = connection.bytes(message.subject)
        guard let dot = subject.lastIndex(of: UInt8(ascii: ".")),
            let number = UInt64(String(decoding: subject[(dot + 1)...], as: UTF8.self)),
            number >= settledCount, number - settledCount < UInt64(window.count)
        else { return }
        window[Int(number - settledCount)].outcome = outcome(message)
    }

    private func outcome(_ message: NATSFrame.Message) -> Outcome {
        if !message.headers.isEmpty, NATSHeaders(connection.bytes(message.headers))?.status == 503 {
            return .later(NATSClient.missingStream(settings.subject).reason)
        }
        // What servers say of a message that was kept begins so, and what they say of another one with the error.
        if connection.bytes(message.payload).starts(with: Self.receiptStart) { return .kept }
        let answer = NATSMessage(
            subject: "",
            reply: nil,
            headers: nil,
            payload: Array(connection.bytes(message.payload))
        )
        do throws(NATSError) {
            _ = try JetStreamReceipt(answer)
            return .kept
        } catch {
            guard case .refused(let status, let number) = error.kind, status < 500, number != Self.isInProcess
            else { return .later(error.reason) }
            if !saidThatItRefuses {
                meter.note("'\(address)' refuses messages, which are lost: \(error.reason)")
                saidThatItRefuses = true
            }
            return .refused
        }
    }

    // MARK: Sending

    func send(_ batch: inout OutgoingBatch) -> Sending {
        batch.splitIntoMessages()
        var sending = Sending(.blocked)
        do throws(NATSError) {
            try takeEvents()
            try settle(&batch, &sending)
            if case .failed = sending.status { return sending }
            try publish(&batch, &sending)
            try connection.flush()
        } catch {
            sending.status = .failed(failure(error))
            return sending
        }
        if batch.restMessages == 0 { sending.status = .done }
        return sending
    }

    /// Counts what was confirmed, from the first message that was not.
    private func settle(_ batch: inout OutgoingBatch, _ sending: inout Sending) throws(NATSError) {
        if let refusal {
            self.refusal = nil
            throw NATSError(.notPermitted, "the server refuses: '\(refusal)'")
        }
        if settings.stream == nil, let ping, pong >= ping {
            for index in window.indices { window[index].outcome = .kept }
            self.ping = nil
        }
        var settled = 0
        for message in window {
            switch message.outcome {
            case .kept: sending.delivered += 1
            case .refused:
                sending.delivered += 1
                sending.refused += 1
            case .later(let reason):
                finish(settled, &batch)
                sending.status = .failed(LinkFailure(reason))
                return
            case nil:
                finish(settled, &batch)
                guard message.deadline > .now else {
                    let advice = settings.stream.map { "; see whether the stream '\($0)' is still there" } ?? ""
                    throw NATSError(.late, "messages are not confirmed within \(settings.timeout)\(advice)")
                }
                return
            }
            settled += 1
        }
        finish(settled, &batch)
    }

    private func finish(_ count: Int, _ batch: inout OutgoingBatch) {
        window.removeFirst(count)
        settledCount += UInt64(count)
        batch.advance(messages: count)
    }

    /// Publishes what has not been published yet, as far as the window permits.
    private func publish(_ batch: inout OutgoingBatch, _ sending: inout Sending) throws(NATSError) {
        // Without a stream, one ping confirms what is sent together.
        guard settings.stream != nil || ping == nil else { return }
        let deadline = Moment.now + settings.timeout.inNanoseconds
        while window.count < settings.window, UInt64(window.count) < batch.restMessages {
            let range = batch.range(ofMessage: Int(batch.sentMessages) + window.count)
            do throws(NATSError) { try publish(batch.bytes[range]) } catch {
                // Those before it have to be settled first: what the batch has sent is known by a number.
                guard error.kind == .unsendable, window.isEmpty else {
                    if error.kind == .unsendable { break }
                    throw error
                }
                batch.advance(messages: 1)
                sending.tooLong += 1
                settledCount += 1
                continue
            }
            window.append(Outstanding(deadline: deadline, outcome: nil))
        }
        guard settings.stream == nil, !window.isEmpty else { return }
        ping = try connection.say { words in words.ping(.now) }
    }

    private func publish(_ bytes: ArraySlice<UInt8>) throws(NATSError) {
        var subject = settings.subject
        var payload = bytes
        switch content {
        case .lines: if payload.last == UInt8(ascii: "\n") { payload.removeLast() }
        case .frames: break
        case .partitioned:
            guard let message = PartitionedMessage.read(bytes) else {
                throw NATSError(.unsendable, "what was spilled is no message for a partition")
            }
            subject += ".\(message.partition)"
            payload = message.payload
        }
        guard let stream = settings.stream else {
            try connection.say { words throws(NATSError) in try words.publish(subject, payload) }
            return
        }
        let number = settledCount + UInt64(window.count)
        let headers = Array(
            "NATS/1.0\r\nNats-Msg-Id: \(origin)-\(number)\r\nNats-Expected-Stream: \(stream)\r\n\r\n".utf8
        )
        try connection.say { words throws(NATSError) in
            try words.publish(subject, reply: "\(inbox).\(number)", headers: headers, payload)
        }
    }
}
