internal import CWeirSockets
internal import WeirCore
internal import WeirDispatch
internal import WeirFiles
internal import WeirRecords

/// Reads the messages of many connections as one stream of bytes, in which messages stay whole.
///
/// The event loop runs on the thread that reads, and only while it reads. When the reader is busy, nothing is received, the
/// kernel's buffers fill up, and the senders wait. So nothing is lost, and memory is bounded: one stage of whole messages
/// and, for each connection, the beginning of a message, at most the line limit times the connection limit.
///
/// Thread safety: everything but the meter belongs to the thread that reads.
final class ConnectionSource: MessageSource {
    let expectedByteCount: Int64? = nil
    var drainsWhenInterrupted: Bool { !(interruption?.isPaused ?? false) }
    let meter: TransportMeter?

    enum Phase {
        case serving
        /// Only connections that waited are accepted; what was sent is still read, until a time.
        case draining(until: Moment)
        case interrupted
        case over
        case failed(TransportError)
    }

    let settings: ConnectionSettings
    let address: String
    let acceptor: ConnectionAcceptor
    let poller: Poller
    let interruption: Interruption?
    let stage: MessageStage
    let counter: TransportMeter

    var phase = Phase.serving
    var connections: [UInt64: Connection] = [:]

    /// Connections that have sent everything, and wait to be told that it is safe.
    var lingering: [UInt64: Connection] = [:]

    /// How many of the bytes that were handed out are safe.
    var safeByteCount: Int64 = 0

    /// The connections that are to be told something.
    var untold: Set<UInt64> = []
    var nextToken: UInt64 = firstToken

    /// How many connections were accepted or made.
    var acceptedCount = 0

    /// The connections that have to wait for their rate, and until when.
    var paused: [(token: UInt64, until: Moment)] = []
    var nextIdleScan = Moment(nanoseconds: 0)
    var acceptorEvents = PollEvents()

    /// When to accept or connect again after a failure.
    var acceptorRetry: Moment?

    /// Whether a notice said that there is nothing to connect to.
    var saidThatNothingIsThere = false

    static let acceptorToken: UInt64 = 0
    static let interruptionToken: UInt64 = 1
    private static let firstToken: UInt64 = 2

    /// Creates a source.
    ///
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when the system has no descriptors left.
    init(
        _ acceptor: ConnectionAcceptor,
        settings: ConnectionSettings,
        meter: TransportMeter,
        address: String,
        interruption: Interruption?
    ) throws(TransportError) {
        self.acceptor = acceptor
        self.settings = settings
        self.address = address
        self.interruption = interruption
        counter = meter
        self.meter = meter
        stage = MessageStage(settings, address: address, meter: meter)
        poller = try Poller(address: address)
        if let interruption,
            let error = poller.watch(
                interruption.sourceDescriptor,
                token: Self.interruptionToken,
                from: [],
                to: .reading
            )
        {
            throw .cannotOpen(address: address, reason: "\(error)")
        }
        watchAcceptor()
    }

    deinit {
        for connection in connections.values { cweir_net_close(connection.descriptor) }
        closeLingering()
        acceptor.close()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        if stage.isEmpty { try fill() }
        return unsafe stage.read(into: buffer)
    }

    var isBetweenMessages: Bool { stage.isEmpty }

    var sharesHeader: Bool { settings.sharesHeader }

    func goOn(behind header: [UInt8]) { stage.header = header }

    /// Fills the stage with whole messages, waiting for the first; leaves it empty at the end.
    private func fill() throws(TransportError) {
        stage.clear()
        while stage.isEmpty {
            switch phase {
            case .serving:
                if let interruption, interruption.stopsSources {
                    if interruption.isPaused { throw .interrupted(address: address) }
                    beginDraining()
                } else if acceptedCount == settings.accept, connections.isEmpty {
                    close(.over)
                } else {
                    serve(milliseconds: waitingTime())
                }
            case .draining(let limit):
                // What ends by itself is waited for; of all else, what is there already is read.
                let waits = acceptor.endsConnections && !connections.isEmpty
                let goesOn = serve(milliseconds: waits ? limit.millisecondsFromNow : 0) || acceptWaiting()
                if limit < .now || (!goesOn && !waits) { close(.interrupted) }
            case .interrupted: throw .interrupted(address: address)
            case .over: return
            case .failed(let error):
                phase = .over
                throw error
            }
        }
    }

    // MARK: The loop

    /// Waits once and handles what the poller found.
    ///
    /// - Returns: Whether a connection had something.
    @discardableResult
    private func serve(milliseconds: Int32) -> Bool {
        var served = false
        poller.wait(milliseconds: milliseconds)
        let now = Moment.now
        resume(now)
        while stage.hasRoom, let event = poller.nextEvent() {
            switch event.token {
            case Self.interruptionToken: continue
            case Self.acceptorToken: accept(now)
            default:
                guard let connection = connections[event.token] else { continue }
                guard !connection.isConnecting else {
                    finishConnecting(event.token, now)
                    continue
                }
                served = true
                receive(event.token, now)
            }
        }
        if let retry = acceptorRetry, retry <= now {
            acceptorRetry = nil
            accept(now)
            watchAcceptor()
        }
        closeIdle(now)
        if settings.acknowledges { acknowledgeRefused() }
        if !untold.isEmpty { tell() }
        stage.count()
        return served
    }

    /// How long to wait for an event, in milliseconds.
    private func waitingTime() -> Int32 {
        var earliest = acceptorRetry
        for pause in paused { earliest = min(earliest ?? pause.until, pause.until) }
        if settings.idle != nil, !connections.isEmpty { earliest = min(earliest ?? nextIdleScan, nextIdleScan) }
        let wait = earliest?.millisecondsFromNow ?? -1
        // A sender that does not read what it is told is asked again now and then.
        return untold.isEmpty ? wait : wait < 0 ? 100 : min(wait, 100)
    }

    var isServing: Bool {
        if case .serving = phase { true } else { false }
    }

    private var isDraining: Bool {
        if case .draining = phase { true } else { false }
    }

    /// Receives from a connection, and closes it at its end.
    private func receive(_ token: UInt64, _ now: Moment) {
        // Out of the table and back into it, so that its memory is not copied.
        guard var connection = connections.updateValue(Connection(-1, allowance: 0, now: now), forKey: token) else {
            return
        }
        guard stage.receive(from: &connection, now, isDraining: isDraining) else {
            end(token, connection)
            return
        }
        let needsPause = settings.rate != nil && connection.allowance <= 0 && !isDraining
        connections[token] = connection
        guard needsPause, let rate = settings.rate else { return }
        // Long enough for a piece that is worth waking up for.
        let piece = max(1, min(rate / 20, 4096))
        let nanoseconds = Double(piece - connection.allowance) / Double(rate) * 1e9
        paused.append((token, now + Int64(min(nanoseconds, 60e9)) + 1))
        watch(token, connection, for: [])
    }

    /// Changes what the poller watches a connection for.
    ///
    /// - Returns: False where the system refuses.
    @discardableResult
    func watch(_ token: UInt64, _ connection: Connection, for wanted: PollEvents) -> Bool {
        guard connection.events != wanted else { return true }
        guard poller.watch(connection.descriptor, token: token, from: connection.events, to: wanted) == nil else {
            return false
        }
        connections[token]?.events = wanted
        return true
    }

    /// Watches those connections again that have waited long enough for their rate.
    private func resume(_ now: Moment) {
        guard !paused.isEmpty else { return }
        let due = paused.filter { $0.until <= now }
        paused.removeAll { $0.until <= now }
        for (token, _) in due {
            guard let connection = connections[token], !watch(token, connection, for: .reading) else { continue }
            paused.append((token, now + 100_000_000))
        }
    }
}
