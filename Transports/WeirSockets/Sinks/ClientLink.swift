internal import CWeirSockets
internal import WeirCore
internal import WeirDispatch
internal import WeirRecords

/// A link to a socket that listens, or to a port for datagrams.
@safe
final class ClientLink: OutgoingLink {
    /// Where to, and how.
    enum Target {
        case connection(SocketPlace)
        /// A socket that is connected to its port for good; it belongs to the link.
        case datagrams(Int32, DatagramAuthenticator?)
    }

    let target: Target
    private let address: String
    private let poller: Poller
    private let meter: TransportMeter
    private(set) var descriptor: Int32 = -1
    private var events = PollEvents()

    // For datagrams that are numbered or signed.
    let sender = DatagramAuthenticator.randomSender()
    var sequence: UInt64 = 0
    let arena: UnsafeMutableRawBufferPointer

    private var writer: StreamWriter

    private(set) var isUp = false
    private(set) var isConnecting = false

    private static let token: UInt64 = 2
    static let longestDatagram = 65_536
    private static let settlingTime: Int64 = 50_000_000

    /// Creates a link that is not open.
    init(_ target: Target, poller: Poller, meter: TransportMeter, address: String) {
        self.target = target
        self.poller = poller
        self.meter = meter
        self.address = address
        var isAuthenticated = false
        // How much the reader of a Unix socket has taken, the system does not say.
        let knowsTail = if case .connection(.port) = target { true } else { false }
        writer = StreamWriter(knowsTail: knowsTail)
        switch target {
        case .datagrams(let socket, let authenticator):
            descriptor = socket
            isAuthenticated = authenticator != nil
        case .connection: break
        }
        unsafe arena = .allocate(
            byteCount: isAuthenticated ? Int(CWEIR_NET_LARGEST_BATCH) * Self.longestDatagram : 1,
            alignment: 16
        )
    }

    deinit {
        if descriptor >= 0 { cweir_net_close(descriptor) }
        unsafe arena.deallocate()
    }

    var isProvenByOpening: Bool { if case .datagrams = target { false } else { true } }

    func open() -> SystemError? {
        switch target {
        case .datagrams:
            isUp = true
            return nil
        case .connection(let place):
            switch place.connect(for: address) {
            case .failed(let error): return error
            case .made(let made): return use(made, isConnecting: false)
            case .begun(let made): return use(made, isConnecting: true)
            }
        }
    }

    /// Watches a socket that was made.
    private func use(_ made: Int32, isConnecting: Bool) -> SystemError? {
        descriptor = made
        events = []
        writer.begin()
        if let error = watch(isConnecting ? [.writing] : restingEvents) {
            close()
            return error
        }
        self.isConnecting = isConnecting
        isUp = !isConnecting
        return nil
    }

    func close() {
        isUp = false
        isConnecting = false
        // A port stays the same when another program listens there.
        if case .datagrams = target {
            _ = watch([])
            return
        }
        if descriptor >= 0 {
            // What is not read when a connection is closed makes the system break it, and what was sent is lost.
            if case .connection(.port) = target { _ = cweir_net_discard_input(descriptor) }
            cweir_net_close(descriptor)
        }
        descriptor = -1
        events = []
        writer.begin()
    }

    func handle(token: UInt64, ready: PollEvents) -> Sending? {
        guard !isConnecting else {
            if let error = SocketPlace.error(ofConnecting: descriptor) ?? watch(restingEvents) {
                close()
                return Sending(.failed(LinkFailure(error)))
            }
            isConnecting = false
            isUp = true
            return nil
        }
        guard isUp, case .connection(let place) = target else { return nil }
        guard case .port = place else {
            guard ready.contains(.hangUp) else { return nil }
            // The kernel reports this when the other side closed before it had read everything.
            if SystemError(cweir_net_error(descriptor)) == .connectionReset {
                meter.note("'\(address)' was closed by its reader before it had read everything that was sent to it")
            }
            close()
            return nil
        }
        guard ready.contains(.hangUp) || (ready.contains(.reading) && cweir_net_discard_input(descriptor)) else {
            return nil
        }
        // One that takes connections and nothing else is not called again at once.
        var sending = Sending(writer.hasSent ? .done : .failed(LinkFailure(.connectionReset)))
        sending.refused = countUntaken()
        close()
        return sending
    }

    /// How many messages of what was sent the other side has not taken, and never will.
    private func countUntaken() -> UInt64 {
        let count = writer.untakenMessages(descriptor)
        if count > 0 {
            meter.note("'\(address)' was closed by its reader before it had taken everything that was sent to it")
        }
        return count
    }

    var isFlushed: Bool { unflushedMessages == 0 }

    var unflushedMessages: UInt64 { writer.untakenMessages(descriptor) }

    func send(_ batch: inout OutgoingBatch) -> Sending {
        var sending = isStream ? writer.send(&batch, to: descriptor) : sendMessages(&batch)
        switch sending.status {
        case .done: _ = watch(restingEvents)
        // A wait for what is not watched would never end.
        case .blocked:
            if let error = watch(restingEvents.union(.writing)) { sending.status = .failed(LinkFailure(error)) }
        case .failed: sending.refused += countUntaken()
        }
        return sending
    }

    /// A port says with the next datagram, or a moment later, that it refused one; the last one has no next.
    func lastRefusals() -> UInt64 {
        guard case .datagrams = target, sequence > 0 else { return 0 }
        var refused: UInt64 = 0
        let limit = Moment.now + Self.settlingTime
        while cweir_net_wait(descriptor, -1, limit.millisecondsFromNow) != 0 {
            let error = SystemError(cweir_net_error(descriptor))
            let records = cweir_net_take_refusals(descriptor)
            // Anything else is an answer, of a program that is there.
            guard records > 0 || error == .refused else { break }
            refused += UInt64(max(1, records))
        }
        return refused
    }

    private var isStream: Bool { if case .connection(let place) = target { place.kind == .stream } else { false } }

    /// What the poller watches the socket for while there is nothing to send.
    private var restingEvents: PollEvents {
        // The end of a connection to a port is an event of reading.
        if case .connection(.port) = target { [.hangUp, .reading] } else { [.hangUp] }
    }

    /// Changes what the poller watches the socket for.
    ///
    /// - Returns: The error where the system refuses.
    private func watch(_ wanted: PollEvents) -> SystemError? {
        var wanted = wanted
        // A port for datagrams never hangs up.
        if case .datagrams = target { wanted.remove(.hangUp) }
        guard wanted != events, descriptor >= 0 else { return nil }
        if let error = poller.watch(descriptor, token: Self.token, from: events, to: wanted) { return error }
        events = wanted
        return nil
    }
}
