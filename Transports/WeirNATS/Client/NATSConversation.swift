internal import WeirCore
internal import WeirFormats
internal import WeirRecords
internal import WeirSockets

/// What a server says that its user has to know of.
enum NATSEvent {
    /// The server has let this program in.
    case isUp
    case message(NATSFrame.Message)
    /// The server has handled all that was sent before a ping, whose number this is.
    case pong(UInt64)
    /// The server refuses something, and the connection goes on.
    case refusal(String)
}

/// One connection's words, in both directions, without the socket: bytes in, events and bytes out.
///
/// Time is handed in, so that tests run in virtual time.
struct NATSConversation {
    private enum Phase {
        case awaitingInfo, awaitingPong, up
    }

    private(set) var info = NATSServerInfo()
    private(set) var parser = NATSParser()

    /// What was written, of which the first ``sentCount`` bytes were sent.
    private var written: [UInt8] = []
    private var sentCount = 0

    /// What is to be sent.
    var output: ArraySlice<UInt8> { written[sentCount...] }

    private let settings: NATSSettings
    private var phase = Phase.awaitingInfo
    private var pingCount: UInt64 = 0
    private var pongCount: UInt64 = 0

    /// When the server was last heard, and since when a ping waits for its answer.
    private var lastHeard: Moment
    private(set) var oldestPing: Moment?

    /// Begins with a connection that was just made, or is just being made.
    init(_ settings: NATSSettings, now: Moment) {
        self.settings = settings
        lastHeard = now
    }

    var isUp: Bool { phase == .up }

    // MARK: Time

    /// When ``checkTime(_:)`` has something to do.
    var deadline: Moment {
        guard isUp else { return lastHeard + settings.timeout.inNanoseconds }
        if let oldestPing { return oldestPing + settings.timeout.inNanoseconds }
        return lastHeard + settings.pingInterval.inNanoseconds
    }

    /// Asks a silent server whether it is there.
    ///
    /// - Throws: ``NATSError`` where it was asked and has not answered.
    mutating func checkTime(_ now: Moment) throws(NATSError) {
        guard deadline <= now else { return }
        guard isUp else { throw NATSError(.disconnected, "it does not say within \(settings.timeout) what it is") }
        guard oldestPing == nil else { throw NATSError(.disconnected, "it has not answered for \(settings.timeout)") }
        ping(now)
    }

    // MARK: What comes

    /// Takes what was received.
    mutating func take(_ bytes: UnsafeRawBufferPointer, now: Moment) {
        unsafe parser.append(bytes)
        // In the handshake the time runs from its beginning.
        if isUp {
            lastHeard = now
            if oldestPing != nil { oldestPing = now }
        }
    }

    /// The next thing to know of, with ranges of ``parser``; `nil` where nothing more has come.
    ///
    /// - Throws: ``NATSError`` where the connection is of no use any more.
    mutating func next(now: Moment) throws(NATSError) -> NATSEvent? {
        while let frame = try parser.next() {
            switch frame {
            case .info(let range):
                info = try NATSServerInfo(parser.bytes[range])
                parser.messageLimit = info.payloadLimit + NATSParser.headroom
                if phase == .awaitingInfo { try introduce(now) }
            case .ping: written += "PONG\r\n".utf8
            case .ok: continue
            case .error(let range):
                return .refusal(try refusal(Excerpt.of(parser.bytes[range], limit: 200)))
            case .pong:
                guard pongCount < pingCount else { throw .garbage("it answers what nobody asked") }
                pongCount += 1
                oldestPing = pongCount == pingCount ? nil : now
                guard phase == .awaitingPong else { return .pong(pongCount) }
                phase = .up
                lastHeard = now
                return .isUp
            case .message(let message):
                guard isUp else { throw .garbage("it sends a message before it was asked for one") }
                return .message(message)
            }
        }
        return nil
    }

    /// Takes the confirmations that come next; see ``NATSParser/takeConfirmations(_:_:)``.
    mutating func takeConfirmations(_ form: NATSConfirmationForm, _ note: (UInt64) -> Void) {
        guard isUp else { return }
        parser.takeConfirmations(form, note)
    }

    /// Says who this program is.
    private mutating func introduce(_ now: Moment) throws(NATSError) {
        guard !info.requiresTLS else {
            throw NATSError(
                .needsTLS,
                "the server wants TLS, which is not spoken here: run a leaf node on this machine, nats-server with "
                    + "'leafnodes { remotes = [{ url: \"tls://HOST:7422\" }] }', and name its address instead"
            )
        }
        var json = JSONWriter()
        json.object { json in
            for flag in ["verbose", "pedantic", "tls_required"] { json.member(flag, false) }
            for flag in ["headers", "no_responders"] { json.member(flag, info.takesHeaders) }
            json.member("name", "weir")
            json.member("lang", "swift")
            json.member("version", "1")
            json.member("protocol", 1)
            switch settings.credentials {
            case .user(let user, let password):
                json.member("user", user)
                json.member("pass", password)
            case .token(let token): json.member("auth_token", token)
            case nil: break
            }
        }
        written += "CONNECT ".utf8
        written += json.bytes
        written += "\r\n".utf8
        phase = .awaitingPong
        ping(now)
        // What counts until then is the time of the handshake.
        oldestPing = nil
    }

    /// - Returns: The server's words, where the connection goes on.
    private func refusal(_ words: String) throws(NATSError) -> String {
        let lowercase = words.lowercased()
        if lowercase.hasPrefix("permissions violation") || lowercase.hasPrefix("invalid subject"), isUp { return words }
        // A server may be full, slow or about to end; another one may not.
        let passing = ["authentication timeout", "maximum ", "server shutdown", "stale connection", "slow consumer"]
        let isPassing = passing.contains { lowercase.hasPrefix($0) }
        if !isPassing, lowercase.hasPrefix("authorization") || lowercase.hasPrefix("authentication") || !isUp {
            let advice =
                settings.credentials == nil
                ? "name a user or a token: nats://USER:PASSWORD@HOST or nats://TOKEN@HOST"
                : "see whether the user and the password, or the token, are right"
            throw NATSError(.notAllowed, "the server does not let this program in ('\(words)'); \(advice)")
        }
        guard !lowercase.hasPrefix("slow consumer") else {
            throw NATSError(.disconnected, "the server gave up sending, because what it sent was not read fast enough")
        }
        throw NATSError(.disconnected, "the server ends the connection: '\(words)'")
    }

    // MARK: What goes

    /// How many bytes may be kept though they were sent, and how many of the memory where nothing is to be sent.
    private static let sentLimit = 64 << 10
    private static let idleCapacity = 1 << 20

    /// Removes what was sent.
    ///
    /// - Complexity: Amortized O(`count`): what is left moves only when it is shorter than what was sent.
    mutating func noteSent(_ count: Int) {
        sentCount += count
        precondition(sentCount <= written.count, "no more can be sent than was written")
        if sentCount == written.count {
            written.removeAll(keepingCapacity: written.capacity <= Self.idleCapacity)
            sentCount = 0
        } else if sentCount >= Self.sentLimit, sentCount * 2 >= written.count {
            written.removeSubrange(..<sentCount)
            sentCount = 0
        }
    }

    /// Asks for an answer to all that was sent.
    ///
    /// - Returns: The number of the answer.
    @discardableResult
    mutating func ping(_ now: Moment) -> UInt64 {
        written += "PING\r\n".utf8
        pingCount += 1
        if oldestPing == nil { oldestPing = now }
        return pingCount
    }

    mutating func subscribe(_ subject: String, as number: UInt64) {
        written += "SUB \(subject) \(number)\r\n".utf8
    }

    mutating func unsubscribe(_ number: UInt64) {
        written += "UNSUB \(number)\r\n".utf8
    }

    /// Sends lines that are operations already.
    mutating func send(lines: [UInt8]) { written += lines }

    /// Publishes a message.
    ///
    /// - Parameters:
    ///   - subject: Where to; checked by the caller.
    ///   - reply: Where an answer goes.
    ///   - headers: Encoded; empty where there are none.
    ///   - payload: What to say.
    /// - Throws: ``NATSError`` where it is longer than the server takes.
    mutating func publish(
        _ subject: String,
        reply: String? = nil,
        headers: [UInt8] = [],
        _ payload: ArraySlice<UInt8>
    ) throws(NATSError) {
        try check(headers.count, payload.count)
        written += (headers.isEmpty ? "PUB " : "HPUB ").utf8
        written += subject.utf8
        if let reply {
            written.append(UInt8(ascii: " "))
            written += reply.utf8
        }
        writeCounts(headers.count, payload.count)
        written += headers
        written += payload
        writeLineEnd()
    }

    /// Publishes one of many messages: the same without texts.
    ///
    /// - Parameters:
    ///   - payload: What to say.
    ///   - head: What stands before it.
    ///   - number: That of the message.
    ///   - partition: Its partition, where it has one.
    /// - Throws: ``NATSError`` where it is longer than the server takes.
    mutating func publish(
        _ payload: UnsafeBufferPointer<UInt8>,
        behind head: inout NATSMessageHead,
        number: UInt64,
        of partition: Int?
    ) throws(NATSError) {
        head.prepare(number, of: partition, payloadCount: payload.count)
        try check(head.headersCount, payload.count)
        head.write(to: &written)
        unsafe written.append(contentsOf: payload)
        writeLineEnd()
    }

    private func check(_ headersCount: Int, _ payloadCount: Int) throws(NATSError) {
        let total = headersCount + payloadCount
        guard total <= info.payloadLimit else {
            throw NATSError(
                .unsendable,
                "a message of \(total) bytes is longer than the server's limit, \(info.payloadLimit)"
            )
        }
        guard headersCount == 0 || info.takesHeaders else {
            throw NATSError(.tooOld, "the server takes no headers; version 2.2 or newer does")
        }
    }

    /// Ends the line before the headers and the payload.
    private mutating func writeCounts(_ headersCount: Int, _ payloadCount: Int) {
        let blank = UInt8(ascii: " ")
        written.append(blank)
        if headersCount > 0 {
            DecimalText.append(UInt64(headersCount), to: &written)
            written.append(blank)
        }
        DecimalText.append(UInt64(headersCount + payloadCount), to: &written)
        writeLineEnd()
    }

    private mutating func writeLineEnd() {
        written.append(UInt8(ascii: "\r"))
        written.append(UInt8(ascii: "\n"))
    }
}
