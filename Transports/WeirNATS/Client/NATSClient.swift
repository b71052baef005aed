internal import WeirCore
package import WeirFiles
package import WeirRecords
package import WeirSockets

/// A client of NATS that waits: for a connection, and for the answers to its requests.
///
/// The connection is made with the first request, and made again, to another server where there are several, when it breaks.
///
/// ```text
/// let client = try NATSClient([server], NATSSettings(), address: "nats:broker", interruption: nil)
/// let answer = try client.request("time.now", [])
/// ```
///
/// Thread safety: one thread at a time.
package final class NATSClient {
    let connection: NATSConnection
    let settings: NATSSettings
    private let poller: Poller
    private let interruption: Interruption?
    private let address: String

    /// Goes on with what was begun once the program is to end, for ``longestEnd``.
    ///
    /// Where there is no connection then, it does so for ``patience``; a server that hangs is left after ``hangPatience``.
    private let finishesWhatWasBegun: Bool
    private static let longestEnd: Int64 = 4_700_000_000
    private static let patience: Int64 = 700_000_000
    private static let hangPatience: Int64 = 2_000_000_000
    private static let interruptionCheck: Int64 = 200_000_000

    /// When that ends, at the latest; `nil` until the program is to end.
    private var lastMoment: Moment?

    /// Since when there is no connection then.
    private var downSince: Moment?

    /// How many bytes the server was to take, and when it last took some.
    private var lastOutputCount = 0
    private var lastProgress = Moment(nanoseconds: 0)
    private var backoff: Backoff
    // Since when there is a connection.
    private var upSince: Moment?
    private var nextAttempt = Moment(nanoseconds: 0)

    /// What the names of all inboxes begin with.
    let inbox: String

    /// The answers to the requests that wait, by the last part of their inbox.
    var answers: [UInt64: [NATSMessage]] = [:]
    var requestCount: UInt64 = 0

    /// Whether an answer is waited for.
    private var isWaiting: Bool { !answers.isEmpty || awaitedPong > pongs }

    /// The number of the ping whose answer is waited for; 0 where there is none.
    var awaitedPong: UInt64 = 0
    private(set) var pongs: UInt64 = 0

    /// When the present messages are handled: the clock is read once for those that have come together.
    private(set) var now = Moment(nanoseconds: 0)

    /// Gets the messages of all subscriptions but that for answers; ranges are for ``NATSConnection/bytes(_:)``.
    var onMessage: (NATSFrame.Message) -> Void = { _ in }

    /// Whether there is no room for another message: nothing is received then, unless a connection or an answer is waited
    /// for, which comes behind the messages that were asked for before.
    var isFull = false

    /// Gets what the server refuses without ending the connection.
    var onRefusal: (String) -> Void = { _ in }

    /// What the server has refused while an answer was waited for, or before.
    var refusals: [String] = [] {
        didSet { if refusals.count > Self.keptRefusals { refusals.removeFirst() } }
    }
    private static let keptRefusals = 8

    /// Called with each new connection, before anything else is said.
    var onConnection: () -> Void = {}

    /// The subscription that all answers come to.
    private static let answerSubscription: UInt64 = 1
    private static let interruptionToken: UInt64 = 1

    /// How many pieces are received before others have their turn.
    private static let turn = 16

    /// Creates a client that is not connected.
    ///
    /// - Parameters:
    ///   - servers: Where to connect to; one after the other is tried.
    ///   - settings: Who this is, and how long to wait.
    ///   - address: What to call the server in errors.
    ///   - interruption: What ends the waiting, where something can.
    ///   - finishesWhatWasBegun: Whether it goes on with what was begun when the program is to end, as long as there is a
    ///     connection.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when the system has no descriptors left.
    package init(
        _ servers: [SocketPlace],
        _ settings: NATSSettings,
        address: String,
        interruption: Interruption?,
        finishesWhatWasBegun: Bool = false
    ) throws(TransportError) {
        precondition(!servers.isEmpty, "a client needs a server")
        self.settings = settings
        self.interruption = interruption
        self.address = address
        self.finishesWhatWasBegun = finishesWhatWasBegun
        poller = try Poller(address: address)
        connection = NATSConnection(servers, settings, poller: poller, address: address)
        backoff = Backoff(longest: settings.retry)
        inbox = "_INBOX." + String(UInt64.random(in: .min ... .max), radix: 36)
        guard let interruption, !finishesWhatWasBegun else { return }
        let error = poller.watch(interruption.sourceDescriptor, token: Self.interruptionToken, from: [], to: .reading)
        if let error { throw .cannotOpen(address: address, reason: "\(error)") }
    }

    /// Goes on though the program is to end: for what was begun.
    func ignoreInterruption() {
        guard let interruption, !ignoresInterruption else { return }
        ignoresInterruption = true
        // It was triggered, and would end every wait at once.
        _ = poller.watch(interruption.sourceDescriptor, token: Self.interruptionToken, from: .reading, to: [])
    }

    private var ignoresInterruption = false

    /// Whether the program is to end.
    var isInterrupted: Bool {
        guard !ignoresInterruption, interruption?.stopsSources ?? false else { return false }
        guard finishesWhatWasBegun else { return true }
        let now = Moment.now
        let end = lastMoment ?? now + Self.longestEnd
        lastMoment = end
        downSince = connection.isUp ? nil : downSince ?? now
        return end <= now || downSince.map { $0 + Self.patience <= now } ?? false
    }

    /// Fails where the program is to end, and the server neither says nor takes anything.
    private func checkThatServerAnswers(_ now: Moment) throws(NATSError) {
        guard lastMoment != nil, connection.isUp else { return }
        // What is large takes a while to be sent, and a ping waits behind it.
        let count = connection.conversation.output.count
        if count != exchange(&lastOutputCount, with: count) { lastProgress = now }
        guard let ping = connection.conversation.oldestPing, max(ping, lastProgress) + Self.hangPatience <= now else {
            return
        }
        throw NATSError(.disconnected, "the server does not answer")
    }

    /// Ends the connection.
    package func close() { connection.close() }

    /// What the server says of itself; nothing before the first connection.
    package var info: NATSServerInfo { connection.conversation.info }

    // MARK: The loop

    /// Waits until something has happened, and handles it; connects where there is no connection.
    ///
    /// - Parameter limit: Until when to wait.
    /// - Throws: ``NATSError``: the connection broke, or could not be made; the next call tries again, after a pause.
    func step(until limit: Moment?) throws(NATSError) {
        let now = Moment.now
        guard !isInterrupted else { throw NATSError(.interrupted, "the program ends") }
        do throws(NATSError) {
            if !connection.isOpen, nextAttempt <= now, let error = connection.open(now) {
                throw NATSError(.disconnected, "\(error)")
            }
            try checkThatServerAnswers(now)
            try connection.checkTime(now)
            try connection.flush()
            // What was left when the last call failed, or stopped.
            guard try !handleAll() else { return }
            var earliest = limit
            for other in [connection.isOpen ? connection.deadline : nextAttempt] {
                if let other { earliest = min(earliest ?? other, other) }
            }
            if finishesWhatWasBegun {
                let check = Moment.now + Self.interruptionCheck
                earliest = min(earliest ?? check, check)
            }
            poller.wait(milliseconds: earliest?.millisecondsFromNow ?? -1)
            while let event = poller.nextEvent() {
                guard event.token == NATSConnection.token else { continue }
                var rest = Self.turn
                while rest > 0, try connection.handle(.now), try handleAll() { rest -= 1 }
            }
            try connection.flush()
        } catch {
            giveUp()
            throw error
        }
    }

    /// Ends the connection, with what was received and not handled; another one is made after a pause.
    func giveUp() {
        connection.close()
        connection.forget()
        // A server that greets, and then says what breaks the connection, is not tried again at once.
        if let upSince, upSince + settings.retry.inNanoseconds <= .now { backoff.reset() }
        upSince = nil
        nextAttempt = .now + backoff.next()
    }

    /// Handles what was received.
    ///
    /// - Returns: Whether there was anything.
    private func handleAll() throws(NATSError) -> Bool {
        var hasHandled = false
        now = .now
        // It stays as it is while a client works.
        let onMessage = onMessage
        while !isFull || isWaiting || !connection.isUp, let event = try connection.next(now) {
            hasHandled = true
            switch event {
            case .isUp:
                upSince = now
                pongs = 0
                refusals = []
                try connection.say { words in words.subscribe("\(inbox).*", as: Self.answerSubscription) }
                onConnection()
            case .pong(let number): pongs = number
            case .refusal(let words):
                refusals.append(words)
                onRefusal(words)
            case .message(let message) where message.subscription == Self.answerSubscription: take(message)
            case .message(let message): onMessage(message)
            }
        }
        return hasHandled
    }

    /// Keeps an answer for the one who waits; an answer that is late is forgotten.
    private func take(_ message: NATSFrame.Message) {
        let subject = connection.bytes(message.subject)
        guard let dot = subject.lastIndex(of: UInt8(ascii: ".")), subject[..<dot].elementsEqual(inbox.utf8),
            let number = UInt64(String(decoding: subject[(dot + 1)...], as: UTF8.self)), answers[number] != nil
        else { return }
        answers[number]?.append(copy(message))
    }

    /// A message that stays as it is.
    func copy(_ message: NATSFrame.Message) -> NATSMessage {
        func text(_ range: Range<Int>) -> String { String(decoding: connection.bytes(range), as: UTF8.self) }
        return NATSMessage(
            subject: text(message.subject),
            reply: message.reply.map(text),
            headers: NATSHeaders(connection.bytes(message.headers)),
            payload: Array(connection.bytes(message.payload))
        )
    }

    /// Connects, trying all servers again and again.
    ///
    /// - Throws: ``NATSError``: the last reason why it could not be done in time, or the first that will not go away.
    package func connect() throws(NATSError) { try connect(by: .now + settings.timeout.inNanoseconds) }

    /// Connects, trying each server once.
    ///
    /// - Parameter notice: Says that it takes longer than a second.
    /// - Throws: ``NATSError``: the last reason, or the first that will not go away.
    func connectOnce(notice: (String) -> Void = { _ in }) throws(NATSError) {
        var tellTime: Moment? = .now + 1_000_000_000
        var rest = connection.servers.count
        while !connection.isUp {
            do throws(NATSError) { try step(until: tellTime) } catch {
                rest -= 1
                guard error.isTransient, rest > 0 else { throw error }
            }
            guard let time = tellTime, time <= .now, !connection.isUp else { continue }
            notice("'\(address)' does not answer; it is waited for")
            tellTime = nil
        }
    }

    func connect(by limit: Moment) throws(NATSError) {
        var reason = ""
        while !connection.isUp {
            do throws(NATSError) { try step(until: limit) } catch {
                guard error.isTransient else { throw error }
                reason = ": \(error.reason)"
            }
            guard connection.isUp || .now < limit else {
                throw NATSError(.late, "'\(address)' cannot be reached within \(settings.timeout)\(reason)")
            }
        }
    }
}
