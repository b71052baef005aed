internal import WeirCore
internal import WeirRecords
internal import WeirSockets

/// A link that publishes messages, and waits until they are confirmed.
///
/// Messages count as delivered when the stream has confirmed them, or for a subject without a stream when the server has
/// handled them. What is not confirmed in time, or before the connection breaks, is sent again: with the same id, by which the
/// stream knows what it has already.
final class NATSLink: OutgoingLink {
    let connection: NATSConnection
    let settings: NATSLinkSettings
    let meter: TransportMeter
    let address: String
    let inbox: String

    /// Tells an election from a stream that is gone; `nil` where no stream confirms.
    var watch: StreamWatch?

    /// What the ids of messages begin with, and how many messages were settled: the number of the next one.
    let origin: String
    var settledCount: UInt64 = 0

    /// The messages that were published and are not settled, from ``settledCount`` on.
    var window: [Outstanding] = []

    /// The ping behind what was published, where no stream confirms it, and the last one that was answered.
    var ping: UInt64?
    private var pong: UInt64 = 0

    private var hasBeenUp = false

    /// Why the server refuses to have something published.
    private var refusal: String?
    private var saidThatItRefuses = false
    var saidThatOneIsTooLong = false

    /// What a message of the batch is.
    enum Content {
        /// Lines, whose last end is left out.
        case lines
        /// Frames, which are sent as they are.
        case frames
        /// A ``PartitionedMessage``.
        case partitioned
    }

    let content: Content

    /// What stands before the payload of a message.
    let head: NATSMessageHead

    struct Outstanding {
        let deadline: Moment
        var outcome: Outcome?
    }

    enum Outcome {
        case kept
        case refused
        /// To be sent again: the stream has no room, or no leader.
        case later
    }

    /// Why something is to be sent again, as was said last.
    private var delay = ""

    private static let answerSubscription: UInt64 = 1

    /// The last part of the inbox for what JetStream says of the stream; those for messages are numbers.
    private static let streamAnswer = "stream"

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
        head = NATSMessageHead(settings, origin: origin, inbox: inbox)
        watch = settings.stream.map { stream in
            let subject = settings.subject + (content == .partitioned ? ".*" : "")
            return StreamWatch(stream, subject: subject, timeout: settings.timeout)
        }
    }

    var isUp: Bool { connection.isUp }
    var isConnecting: Bool { connection.isOpen && !connection.isUp }

    /// A server that lets this program in may still have no stream.
    var isProvenByOpening: Bool { false }

    /// What is handed to the link stays in its batch until it is confirmed.
    var isFlushed: Bool { true }

    var deadline: Moment? {
        guard let own = connection.deadline else { return nil }
        return min(own, window.first?.deadline ?? own, watch?.deadline ?? own)
    }

    // MARK: The connection

    func open() -> SystemError? {
        guard let error = connection.open(.now) else { return nil }
        watch?.noteDisconnection()
        return error
    }

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
        watch?.checkTime(now)
        return attempt { () throws(NATSError) in try connection.checkTime(now) }
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
        if error.kind == .disconnected { watch?.noteDisconnection() }
        var failure = LinkFailure(error.reason)
        let isOfAnyServer = error.kind == .notPermitted || error.kind == .unsendable || error.isMissing
        failure.isFinal = !error.isTransient && (!hasBeenUp || isOfAnyServer)
        return failure
    }

    private func takeEvents() throws(NATSError) {
        let now = Moment.now
        while let event = try connection.next(now) {
            switch event {
            case .isUp:
                hasBeenUp = true
                guard settings.stream != nil else { continue }
                try connection.say { words in words.subscribe("\(inbox).*", as: Self.answerSubscription) }
                guard let request = watch?.request, watch?.noteConnection(now) == true else { continue }
                try connection.say { words throws(NATSError) in
                    try words.publish(request, reply: "\(inbox).\(Self.streamAnswer)", [])
                }
            case .pong(let number): pong = number
            case .refusal(let words): refusal = words
            case .message(let message): try note(message)
            }
        }
    }

    /// Notes what the stream says of a message, or what JetStream says of the stream.
    private func note(_ message: NATSFrame.Message) throws(NATSError) {
        let subject = connection.bytes(message.subject)
        guard let dot = subject.lastIndex(of: UInt8(ascii: ".")) else { return }
        let name = subject[(dot + 1)...]
        guard let number = Digits.number(name) else {
            if name.elementsEqual(Self.streamAnswer.utf8) { try watch?.take(answer(message), .now) }
            return
        }
        guard number >= settledCount, number - settledCount < UInt64(window.count) else { return }
        window[Int(number - settledCount)].outcome = outcome(message)
    }

    private func answer(_ message: NATSFrame.Message) -> NATSMessage {
        NATSMessage(subject: "", reply: nil, headers: nil, payload: Array(connection.bytes(message.payload)))
    }

    private func outcome(_ message: NATSFrame.Message) -> Outcome {
        if !message.headers.isEmpty, NATSHeaders(connection.bytes(message.headers))?.status == 503 {
            watch?.noteSilence()
            delay = watch?.silence ?? "nobody answers"
            return .later
        }
        // What servers say of a message that was kept begins so, and what they say of another one with the error.
        if connection.bytes(message.payload).starts(with: Self.receiptStart) {
            watch?.noteConfirmation()
            return .kept
        }
        do throws(NATSError) {
            _ = try JetStreamReceipt(answer(message))
            watch?.noteConfirmation()
            return .kept
        } catch {
            guard case .refused(let status, let number) = error.kind, status < 500, number != Self.isInProcess
            else {
                delay = error.reason
                return .later
            }
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
            case .later:
                finish(settled, &batch)
                sending.status = .failed(LinkFailure(delay))
                return
            case nil:
                finish(settled, &batch)
                guard message.deadline > .now else {
                    watch?.noteSilence()
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
}
