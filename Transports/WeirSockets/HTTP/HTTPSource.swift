internal import CWeirSockets
internal import WeirCore
internal import WeirDispatch
internal import WeirFiles
internal import WeirRecords

/// Takes the messages that clients post.
///
/// The event loop runs on the thread that reads, and only while it reads. When the reader is busy, nothing is received, and
/// the clients wait. A request is taken as a whole or not at all, and is answered once the reader comes back for more: what it
/// was handed is then with the engine. A client without an answer knows that it has to send again.
///
/// Thread safety: everything but the meter belongs to the thread that reads.
final class HTTPSource: MessageSource {
    let expectedByteCount: Int64? = nil
    var drainsWhenInterrupted: Bool { !(interruption?.isPaused ?? false) }
    let meter: TransportMeter?

    private enum Phase {
        case serving
        /// No connection is accepted any more; what was begun is still read, until a time.
        case draining(until: Moment)
        case interrupted
    }

    let settings: HTTPSourceSettings
    let address: String
    let listener: SocketListener
    let poller: Poller
    let counter: TransportMeter
    private let interruption: Interruption?

    private var phase = Phase.serving
    var connections: [UInt64: HTTPConnection] = [:]
    var nextToken: UInt64 = firstToken
    var intake: HTTPIntake

    /// How many bytes of bodies are held.
    var heldBytes = 0

    /// The connections whose request was taken and is not answered, with their answers.
    var taken: [(token: UInt64, answer: [UInt8])] = []

    /// When to look which connections take too long.
    private var nextScan = Moment(nanoseconds: 0)
    private var watchesListener = false
    private var listenerRetry: Moment?

    private static let listenerToken: UInt64 = 0
    private static let interruptionToken: UInt64 = 1
    private static let firstToken: UInt64 = 2

    /// How long a client that got its last answer may take to end the connection, in nanoseconds.
    private static let lingering: Int64 = 2_000_000_000

    /// How much is staged before the reader has its turn.
    private static let stageLimit = 256 << 10

    /// Creates a source.
    ///
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when the system has no descriptors left.
    init(
        _ listener: SocketListener,
        settings: HTTPSourceSettings,
        meter: TransportMeter,
        address: String,
        interruption: Interruption?
    ) throws(TransportError) {
        self.listener = listener
        self.settings = settings
        self.address = address
        self.interruption = interruption
        self.meter = meter
        counter = meter
        intake = HTTPIntake(settings, meter)
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
        watchListener()
    }

    deinit {
        for connection in connections.values { cweir_net_close(connection.descriptor) }
        listener.close()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        if intake.isEmpty { try fill() }
        return unsafe intake.read(into: buffer)
    }

    var isBetweenMessages: Bool { intake.isEmpty }

    var sharesHeader: Bool { settings.sharesHeader }

    func goOn(behind header: [UInt8]) { intake.header = header }

    /// Takes requests until there is something for the reader.
    private func fill() throws(TransportError) {
        answerAll()
        while intake.isEmpty {
            switch phase {
            case .serving:
                if let interruption, interruption.stopsSources {
                    if interruption.isPaused { throw .interrupted(address: address) }
                    beginDraining(interruption)
                } else {
                    serve(milliseconds: waitingTime(nil))
                }
            case .draining(let limit):
                // A request that has begun may still become whole, and an answer may still leave.
                let isBusy = connections.values.contains { $0.isInRequest || $0.hasOutput }
                guard isBusy, .now < limit else {
                    close()
                    break
                }
                serve(milliseconds: waitingTime(limit))
            case .interrupted: throw .interrupted(address: address)
            }
            // A request may have had nothing in it.
            if intake.isEmpty { answerAll() }
        }
    }

    /// Answers what was taken, and what clients have sent behind that, up to the first request with something in it.
    private func answerAll() {
        repeat { answerTaken(.now) } while intake.isEmpty && !taken.isEmpty
    }

    var isDraining: Bool { if case .serving = phase { false } else { true } }

    // MARK: The loop

    private func serve(milliseconds: Int32) {
        poller.wait(milliseconds: milliseconds)
        let now = Moment.now
        while intake.byteCount < Self.stageLimit, let event = poller.nextEvent() {
            switch event.token {
            case Self.interruptionToken: continue
            case Self.listenerToken: accept(now)
            default: handle(event.token, event.ready, now)
            }
        }
        if let retry = listenerRetry, retry <= now {
            listenerRetry = nil
            watchListener()
        }
        closeSlow(now)
    }

    private func waitingTime(_ limit: Moment?) -> Int32 {
        var earliest = limit
        if let listenerRetry { earliest = min(earliest ?? listenerRetry, listenerRetry) }
        if !connections.isEmpty { earliest = min(earliest ?? nextScan, nextScan) }
        return earliest?.millisecondsFromNow ?? -1
    }

    // MARK: Connections

    func watchListener() {
        let wanted = connections.count < settings.connectionLimit && listenerRetry == nil && !isDraining
        guard wanted != watchesListener else { return }
        let error = poller.watch(
            listener.descriptor,
            token: Self.listenerToken,
            from: watchesListener ? .reading : [],
            to: wanted ? .reading : []
        )
        guard error == nil else {
            listenerRetry = .now + 100_000_000
            return
        }
        watchesListener = wanted
    }

    /// Accepts the clients that wait, up to the limit; the others go on waiting and are not refused.
    private func accept(_ now: Moment) {
        while connections.count < settings.connectionLimit {
            let descriptor = listener.accept()
            if let error = SystemError(descriptor) {
                if error != .wouldBlock {
                    if error.isShortage {
                        counter.note("'\(address)' cannot take more connections: \(error); it tries again")
                    }
                    listenerRetry = now + 100_000_000
                }
                break
            }
            let isPermitted = settings.filter?.permits(descriptor) ?? true
            guard isPermitted, poller.watch(descriptor, token: nextToken, from: [], to: .reading) == nil else {
                cweir_net_close(descriptor)
                counter.update { $0.refusedConnections += 1 }
                continue
            }
            connections[nextToken] = HTTPConnection(descriptor, now: now)
            nextToken += 1
            let count = UInt64(connections.count)
            counter.update { metrics in
                metrics.connections += 1
                metrics.openConnections = count
            }
        }
        watchListener()
    }

    /// Ends a connection; what there is of a request is refused.
    func end(_ token: UInt64) {
        guard var connection = connections.removeValue(forKey: token) else { return }
        heldBytes -= connection.byteCount
        if connection.isInRequest {
            intake.reject(connection.takeRequest(), .unfinished, from: connection.descriptor)
        }
        // What is not read when a connection is closed makes the system break it, and the answer is lost.
        _ = cweir_net_discard_input(connection.descriptor)
        cweir_net_close(connection.descriptor)
        let count = UInt64(connections.count)
        counter.update { $0.openConnections = count }
        watchListener()
    }

    /// Ends connections whose request or answer takes too long, or that have had no request for too long.
    func closeSlow(_ now: Moment) {
        guard now >= nextScan else { return }
        let timeout = settings.timeout.inNanoseconds
        let idle = settings.idle.inNanoseconds
        nextScan = now + min(max(1_000_000, min(timeout, idle) / 4), 1_000_000_000)
        for (token, connection) in connections {
            switch connection.phase {
            case .taken: continue
            case .closing:
                let limit = connection.hasOutput ? timeout : Self.lingering
                if connection.since + limit <= now { end(token) }
            case .head where !connection.hasInput && !connection.hasOutput:
                if connection.since + idle <= now, !hasToWait(connection) { end(token) }
            case .head, .body:
                guard connection.since + timeout <= now, !hasToWait(connection) else { continue }
                guard connection.isInRequest else {
                    end(token)
                    continue
                }
                refuse(token, HTTPFlaw(408, "the request was not whole in time"), now)
            }
        }
    }

    /// Whether a client has sent what was not received yet: then it waits for its turn, and the reader was busy.
    private func hasToWait(_ connection: HTTPConnection) -> Bool {
        connection.events.contains(.reading) && cweir_net_wait(connection.descriptor, -1, 0) != 0
    }

    // MARK: The end

    /// Stops listening.
    ///
    /// What clients have begun to send, and what waits to be accepted, is still read.
    private func beginDraining(_ interruption: Interruption) {
        let now = Moment.now
        accept(now)
        // It was triggered, and would end every wait at once.
        _ = poller.watch(interruption.sourceDescriptor, token: Self.interruptionToken, from: .reading, to: [])
        phase = .draining(until: now + settings.drain.inNanoseconds)
        watchListener()
        listener.close()
        // Those that were accepted just now may have sent already.
        for token in connections.keys { handle(token, .reading, now) }
    }

    private func close() {
        for (token, connection) in connections where connection.isInRequest {
            refuse(token, HTTPFlaw(503, "the program ends; send the request again later"), .now)
        }
        for token in Array(connections.keys) { end(token) }
        phase = .interrupted
    }
}
