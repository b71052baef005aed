internal import CWeirSockets
internal import WeirCore
internal import WeirRecords
internal import WeirSockets

/// A connection to one of several servers, which never blocks.
///
/// Thread safety: one thread at a time.
@safe
final class NATSConnection {
    private(set) var conversation: NATSConversation
    let servers: [SocketPlace]
    private let settings: NATSSettings
    private let poller: Poller
    private let address: String

    private var descriptor: Int32 = -1
    private var events = PollEvents()
    private var isMade = false

    /// The configured server to try next, and how many failed since one let this program in.
    private var next = 0
    private var failureCount = 0

    /// What servers told of, for a time when none that is configured can be reached; the one to try next; and whether the
    /// present connection is to one of them.
    private(set) var others: [SocketPlace] = []
    private var nextOther = 0
    private var isToOther = false

    /// The poller's events with this token are the connection's.
    static let token: UInt64 = 2
    private static let share = 64 << 10

    /// Creates a connection that is not open.
    init(_ servers: [SocketPlace], _ settings: NATSSettings, poller: Poller, address: String) {
        self.servers = servers
        self.settings = settings
        self.poller = poller
        self.address = address
        conversation = NATSConversation(settings, now: Moment(nanoseconds: 0))
    }

    deinit { close() }

    /// Whether the server has let this program in.
    var isUp: Bool { isMade && conversation.isUp }

    /// Whether there is a connection, or one is being made.
    var isOpen: Bool { descriptor >= 0 }

    /// When ``checkTime(_:)`` has something to do; `nil` where there is no connection.
    var deadline: Moment? { isOpen ? conversation.deadline : nil }

    // MARK: Opening

    /// Begins to connect to the next server.
    ///
    /// - Returns: Why that cannot work.
    func open(_ now: Moment) -> SystemError? {
        close()
        noteOthers()
        conversation = NATSConversation(settings, now: now)
        switch nextServer().connect(for: address) {
        case .failed(let error): return error
        case .made(let made): (descriptor, isMade) = (made, true)
        case .begun(let made): (descriptor, isMade) = (made, false)
        }
        guard let error = watch() else { return nil }
        close()
        return error
    }

    /// The configured servers, one after the other, and then those that they have told of.
    private func nextServer() -> SocketPlace {
        defer { failureCount += 1 }
        isToOther = failureCount >= servers.count && nextOther < others.count
        if isToOther {
            defer { nextOther += 1 }
            return others[nextOther]
        }
        if failureCount >= servers.count { (failureCount, nextOther) = (0, 0) }
        defer { next = (next + 1) % servers.count }
        return servers[next]
    }

    /// Keeps the servers that this one tells of, once it has let this program in.
    private func noteOthers() {
        guard conversation.isUp, !conversation.info.others.isEmpty else { return }
        others = conversation.info.others.compactMap { cweir_net_address_t(numbers: $0) }.map { .port($0) }
    }

    func close() {
        if descriptor >= 0 { cweir_net_close(descriptor) }
        (descriptor, events, isMade, hasMore) = (-1, [], false, false)
    }

    /// Forgets what was received and not handled.
    func forget() {
        noteOthers()
        conversation = NATSConversation(settings, now: Moment(nanoseconds: 0))
    }

    private static func failure(_ error: SystemError) -> NATSError { NATSError(.disconnected, "\(error)") }

    /// - Throws: ``NATSError`` where the server is silent for too long; the connection is closed then.
    func checkTime(_ now: Moment) throws(NATSError) {
        guard isOpen else { return }
        try closing { () throws(NATSError) in
            try conversation.checkTime(now)
            try send()
        }
    }

    // MARK: Receiving

    /// Whether the system may have more than was received last.
    private(set) var hasMore = false

    /// Does what an event of the poller asks for.
    ///
    /// - Returns: Whether something was received, which ``next(_:)`` tells.
    /// - Throws: ``NATSError`` where the connection has ended; it is closed then, and what came before can be asked for.
    func handle(_ now: Moment) throws(NATSError) -> Bool {
        guard isOpen else { return false }
        return try closing { () throws(NATSError) in
            if !isMade {
                if let error = SocketPlace.error(ofConnecting: descriptor) { throw Self.failure(error) }
                isMade = true
            }
            let hasCome = try receive(now)
            try send()
            return hasCome
        }
    }

    private func receive(_ now: Moment) throws(NATSError) -> Bool {
        let count = unsafe withUnsafeTemporaryAllocation(byteCount: Self.share, alignment: 1) { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            let count = unsafe cweir_net_receive(descriptor, start, bytes.count, nil, nil)
            if count > 0 { unsafe conversation.take(UnsafeRawBufferPointer(start: start, count: count), now: now) }
            return count
        }
        hasMore = count == Self.share
        if let error = SystemError(count) {
            guard error != .wouldBlock else { return false }
            throw Self.failure(error)
        }
        guard count > 0 else { throw NATSError(.disconnected, "the server closes the connection") }
        return true
    }

    /// The next thing that was received; see ``NATSConversation/next(now:)``.
    ///
    /// - Throws: ``NATSError`` where the connection is of no use any more; it is closed then.
    func next(_ now: Moment) throws(NATSError) -> NATSEvent? {
        let event = try closing { () throws(NATSError) in try conversation.next(now: now) }
        if case .isUp? = event { (failureCount, nextOther) = (0, 0) }
        return event
    }

    /// Takes the confirmations that come next; see ``NATSParser/takeConfirmations(_:_:)``.
    func takeConfirmations(_ form: NATSConfirmationForm, _ note: (UInt64) -> Void) {
        conversation.takeConfirmations(form, note)
    }

    /// What the ranges of a message are of that ``next(_:)`` has returned just now.
    var bytes: [UInt8] { conversation.parser.bytes }

    /// Bytes of a message that ``next(_:)`` has returned just now.
    func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    // MARK: Sending

    /// Says something, and sends it as far as that goes without waiting.
    func say<Result>(_ words: (inout NATSConversation) throws(NATSError) -> Result) throws(NATSError) -> Result {
        try words(&conversation)
    }

    /// Sends what is to be sent, as far as that goes without waiting.
    ///
    /// - Throws: ``NATSError`` where that is over; the connection is closed then.
    func flush() throws(NATSError) {
        guard isMade else { return }
        try closing { () throws(NATSError) in try send() }
    }

    private func send() throws(NATSError) {
        var sent = 0
        while sent < conversation.output.count {
            let count = unsafe conversation.output.dropFirst(sent).withUnsafeBytes { bytes in
                unsafe bytes.baseAddress.map { unsafe cweir_net_send(descriptor, $0, bytes.count) } ?? 0
            }
            if let error = SystemError(count) {
                if error.isTransient { break }
                throw Self.failure(error)
            }
            sent += count
        }
        if sent > 0 { conversation.noteSent(sent) }
        if let error = watch() { throw Self.failure(error) }
    }

    /// Watches for what is waited for.
    private func watch() -> SystemError? {
        let wanted: PollEvents = !isMade ? .writing : conversation.output.isEmpty ? .reading : [.reading, .writing]
        guard wanted != events, isOpen else { return nil }
        if let error = poller.watch(descriptor, token: Self.token, from: events, to: wanted) { return error }
        events = wanted
        return nil
    }

    /// Closes the connection where `body` fails with it.
    private func closing<Result>(_ body: () throws(NATSError) -> Result) throws(NATSError) -> Result {
        do throws(NATSError) { return try body() } catch {
            close()
            // Nobody has chosen that server, so what is wrong with it is no reason to give up.
            guard isToOther, !conversation.isUp, !error.isTransient else { throw error }
            throw NATSError(.disconnected, "a server that another one told of cannot be used: \(error.reason)")
        }
    }
}
