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

    /// What the ids of messages begin with.
    let origin: String

    /// The messages that were published and are not settled.
    var window: MessageWindow

    /// What confirmations look like.
    private var form: NATSConfirmationForm

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
    var head: NATSMessageHead

    /// Why something is to be sent again, as was said first.
    private var delay: String?

    private static let answerSubscription: UInt64 = 1

    /// The last part of the inbox for what JetStream says of the stream; those for messages are numbers.
    private static let streamAnswer = "stream"

    /// What a stream says of a message that was sent before, and may be kept or not.
    private static let isInProcess = 10158

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
        window = MessageWindow(capacity: settings.window)
        form = NATSConfirmationForm(inbox: inbox, subscription: Self.answerSubscription)
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
        return min(own, window.deadline ?? own, watch?.deadline ?? own)
    }

    // MARK: The connection

    func open() -> SystemError? {
        guard let error = connection.open(.now) else { return nil }
        watch?.noteDisconnection()
        return error
    }

    func close() {
        connection.close()
        window.removeAll()
        (ping, pong, delay) = (nil, 0, nil)
    }

    func handle(token: UInt64, ready: PollEvents) -> Sending? {
        attempt { () throws(NATSError) in
            var rest = 16
            repeat {
                let now = Moment.now
                _ = try connection.handle(now)
                try takeEvents(now)
                rest -= 1
            } while rest > 0 && connection.hasMore
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

    private func takeEvents(_ now: Moment) throws(NATSError) {
        takeConfirmations()
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
            case .message(let message):
                try note(message)
                takeConfirmations()
            }
        }
    }

    private func takeConfirmations() {
        if Self.take(connection, form, &window) { watch?.noteConfirmation() }
    }

    /// Notes the confirmations that come next, with the window at hand: it is checked once that nobody else uses it.
    private static func take(
        _ connection: NATSConnection,
        _ form: NATSConfirmationForm,
        _ window: inout MessageWindow
    ) -> Bool {
        var hasSome = false
        connection.takeConfirmations(form) { number in
            hasSome = true
            window.note(number, .kept)
        }
        return hasSome
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
        if window.contains(number) { window.note(number, outcome(message)) }
    }

    private func answer(_ message: NATSFrame.Message) -> NATSMessage {
        NATSMessage(subject: "", reply: nil, headers: nil, payload: Array(connection.bytes(message.payload)))
    }

    private func outcome(_ message: NATSFrame.Message) -> MessageWindow.Outcome {
        if !message.headers.isEmpty, NATSHeaders(connection.bytes(message.headers))?.status == 503 {
            watch?.noteSilence()
            delay = delay ?? watch?.silence ?? "nobody answers"
            return .later
        }
        do throws(NATSError) {
            let answer = answer(message)
            _ = try JetStreamReceipt(answer)
            form.note(answer.payload[...])
            watch?.noteConfirmation()
            return .kept
        } catch {
            guard case .refused(let status, let number) = error.kind, status < 500, number != Self.isInProcess
            else {
                delay = delay ?? error.reason
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
            try takeEvents(.now)
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
            window.noteAllKept()
            self.ping = nil
        }
        let before = window.first
        defer { batch.advance(messages: Int(window.first - before)) }
        while let outcome = window.outcome {
            switch outcome {
            case .kept: break
            case .refused: sending.refused += 1
            case .later:
                sending.status = .failed(LinkFailure(delay ?? ""))
                return
            }
            sending.delivered += 1
            window.removeFirst()
        }
        guard let deadline = window.deadline, deadline <= .now else { return }
        watch?.noteSilence()
        let advice = settings.stream.map { "; see whether the stream '\($0)' is still there" } ?? ""
        throw NATSError(.late, "messages are not confirmed within \(settings.timeout)\(advice)")
    }
}
