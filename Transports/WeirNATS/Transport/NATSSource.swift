internal import WeirCore
internal import WeirFiles
internal import WeirRecords
internal import WeirSockets

/// Reads the messages of a subject, or of a stream, as one stream of bytes.
///
/// The event loop runs on the thread that reads, and only while it reads. A stream is asked for more only when there is room,
/// so nothing is lost while the reader is busy. What a durable consumer handed out is acknowledged once the reader comes back
/// for more: what it was handed is then with the engine, or in the journal of the run.
///
/// Thread safety: everything but the meter belongs to the thread that reads.
final class NATSSource: MessageSource {
    let expectedByteCount: Int64? = nil
    var drainsWhenInterrupted: Bool { !(interruption?.isPaused ?? false) }
    let meter: TransportMeter?

    private enum Phase {
        case serving
        /// What was published before is still read, until a time or until the server says that this was all.
        case draining(until: Moment, pong: UInt64)
        case interrupted
    }

    let settings: NATSSourceSettings
    let client: NATSClient
    let counter: TransportMeter
    let address: String
    private let interruption: Interruption?
    private var phase = Phase.serving
    var stage: NATSStage

    /// Whether this connection has been asked for messages.
    private var isSetUp = false
    private(set) var wasUp = false

    /// When to ask for messages again after the server has refused it.
    private var nextSetUp = Moment(nanoseconds: 0)
    private var pause: Backoff
    private var saidThatItIsDown = false

    /// What cannot go on, to be thrown behind what came before.
    var failure: NATSError?

    // What a source of a stream knows; see the other files.
    var pull: JetStreamPull
    var consumer: JetStreamConsumer?
    var streamCreation = ""
    var nextSequence: UInt64 = 0
    var skippedByteCount = 0
    var consumerSequence: UInt64 = 0
    var acknowledgements: [UInt8] = []
    var consumerNumber = 0

    /// Whether all messages of the stream are read, so that none may be missing; whether one was read; and what is missing.
    var readsAll = false
    var hasBegun = true
    var gap: NATSGap?
    var nextLook = Moment(nanoseconds: 0)
    var saidThatSomeWereRemoved = false

    /// Whether nothing more is read, and a durable consumer gets back what comes.
    var isLeaving = false

    // What was counted since the meter was told.
    var tally: Tally = (0, 0, 0)

    typealias Tally = (messages: UInt64, bytes: UInt64, malformed: UInt64)

    static let subscription: UInt64 = 2

    init(
        _ client: NATSClient,
        settings: NATSSourceSettings,
        address: String,
        interruption: Interruption?,
        meter: TransportMeter
    ) {
        self.client = client
        self.settings = settings
        self.address = address
        self.interruption = interruption
        self.meter = meter
        counter = meter
        stage = NATSStage(settings.boundary)
        pause = Backoff(longest: client.settings.retry)
        pull = JetStreamPull(batch: settings.batch, byteLimit: 4 << 20)
        client.onConnection = { [unowned self] in
            isSetUp = false
            pull.forget()
        }
        // Safety: the client calls it for each message, and only while the source calls the client.
        client.onMessage = { [unowned(unsafe) self] in unsafe take($0) }
        client.onRefusal = { [unowned self] in
            failure = NATSError(refusal: $0)
            noteRoom()
        }
    }

    /// Connects, and finds out what can never work.
    ///
    /// A server that is not there may come.
    ///
    /// - Throws: ``TransportError/cannotOpen(address:reason:)``, and ``TransportError/interrupted(address:)``.
    func begin() throws(TransportError) {
        do throws(NATSError) {
            try client.connectOnce()
            try setUp()
        } catch {
            if error.kind == .interrupted { throw .interrupted(address: address) }
            guard error.isTransient else { throw .cannotOpen(address: address, reason: error.reason) }
            noteDown(error)
        }
    }

    var isBetweenMessages: Bool { stage.isEmpty }

    var sharesHeader: Bool { false }

    func goOn(behind header: [UInt8]) {}

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        if stage.isEmpty || isHeld { try fill() }
        return unsafe stage.read(into: buffer)
    }

    /// Waits for messages.
    private func fill() throws(TransportError) {
        while stage.isEmpty || isHeld {
            checkGap()
            if !acknowledgements.isEmpty { acknowledge() }
            if let failure {
                self.failure = nil
                client.giveUp()
                guard failure.isTransient else { throw .readFailed(address: address, reason: failure.reason) }
                noteDown(failure)
            }
            try checkInterruption()
            do throws(NATSError) {
                if client.connection.isUp, !isSetUp, nextSetUp <= .now { try setUp() }
                try request()
                noteRoom()
                try client.step(until: limit)
            } catch {
                if error.kind != .interrupted { noteDown(error) }
                // The server is there, and refuses for a while.
                if client.connection.isUp { nextSetUp = .now + pause.next() }
                guard error.isTransient || error.kind == .interrupted || (wasUp && error.isOfServer) else {
                    throw .readFailed(address: address, reason: error.reason)
                }
            }
            count()
        }
    }

    private var limit: Moment? {
        if case .draining(let until, _) = phase { return until }
        if client.connection.isUp, !isSetUp { return nextSetUp }
        guard settings.stream != nil else { return nil }
        return isHeld ? gap?.deadline : pull.deadline
    }

    // MARK: The connection

    private func setUp() throws(NATSError) {
        if let stream = settings.stream {
            try setUp(stream)
        } else {
            try client.connection.say { words in words.subscribe(settings.subject, as: Self.subscription) }
            try client.connection.flush()
        }
        isSetUp = true
        pause.reset()
        if saidThatItIsDown { counter.note("'\(address)' is read again") }
        (wasUp, saidThatItIsDown) = (true, false)
        counter.update { metrics in
            metrics.connections += 1
            metrics.openConnections = 1
        }
    }

    /// Says once that there is no connection, and not each time that it is tried again.
    private func noteDown(_ error: NATSError) {
        counter.update { $0.openConnections = 0 }
        isSetUp = false
        goBackBeforeGap()
        guard !saidThatItIsDown else { return }
        saidThatItIsDown = true
        let loses = wasUp && settings.stream == nil
        counter.note(
            "'\(address)' cannot be read: \(error.reason); it is tried again"
                + (loses ? ", and what is published until then is lost; a stream keeps it (stream=NAME)" : "")
        )
    }

    // MARK: Messages

    private func take(_ message: NATSFrame.Message) {
        if settings.stream == nil { append(message, sequence: nil) } else { takeFromStream(message) }
        noteRoom()
    }

    private func noteRoom() { client.isFull = !(stage.hasRoom || isHeld) || failure != nil }

    func append(_ message: NATSFrame.Message, sequence: UInt64?, skipping skip: Int = 0) {
        let payload = client.connection.bytes(message.payload)
        tally.messages += 1
        tally.bytes += UInt64(payload.count)
        guard !stage.append(payload, sequence: sequence, skipping: skip) else { return }
        tally.malformed += 1
        let subject = Excerpt.of(client.connection.bytes(message.subject), limit: 100)
        unsafe payload.withUnsafeBytes { unsafe counter.keepRejected($0, .malformed) { "subject \(subject)" } }
    }

    /// Adds what happened to the meter, at once, so that the counts are balanced at any moment.
    private func count() {
        // What is held may never be handed out.
        guard tally.messages > 0, !isHeld else { return }
        let tally = exchange(&self.tally, with: (0, 0, 0))
        counter.update { metrics in
            metrics.arrived += tally.messages
            metrics.arrivedBytes += tally.bytes
            metrics.delivered += tally.messages - tally.malformed
            metrics[.malformed] += tally.malformed
        }
    }

    // MARK: The end

    /// Handles an interruption.
    ///
    /// What was published to a subject before is still read. A stream has what is left: a durable consumer gets back what it
    /// has handed out and nobody has read, so that another reader need not wait for it.
    private func checkInterruption() throws(TransportError) {
        switch phase {
        case .serving:
            guard let interruption, interruption.stopsSources else { return }
            guard !interruption.isPaused, settings.stream == nil || settings.durable != nil, client.connection.isUp
            else {
                if !interruption.isPaused { phase = .interrupted }
                throw .interrupted(address: address)
            }
            client.ignoreInterruption()
            isLeaving = true
            let pong = try? client.connection.say { words throws(NATSError) in
                words.unsubscribe(Self.subscription)
                return words.ping(.now)
            }
            phase = .draining(until: .now + settings.drain.inNanoseconds, pong: pong ?? 0)
        case .draining(let until, let pong):
            if !acknowledgements.isEmpty { acknowledge() }
            guard !client.connection.isUp || client.pongs >= pong || until <= .now else { return }
            client.close()
            phase = .interrupted
            throw .interrupted(address: address)
        case .interrupted: throw .interrupted(address: address)
        }
    }
}
