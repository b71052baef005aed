internal import CWeirSockets
internal import WeirCore
internal import WeirDispatch
internal import WeirRecords

/// A link to all readers that connect: each gets what is sent while it is connected.
///
/// What a reader has not taken yet is kept for it, up to a limit; a reader that falls behind further is disconnected, or
/// waited for.
///
/// A reader at a port that ends its own direction goes on reading, or is gone: the system tells which of the two only when
/// something is sent. It is kept, and makes room for another reader where there are too many.
@safe
final class ServerLink: OutgoingLink {
    /// What to do with a reader that does not keep up.
    enum Slow: String, CaseIterable {
        case disconnect
        case wait
    }

    /// What all readers together have taken of a batch.
    private final class Receipt {
        let messages: UInt64
        /// How many messages, from the first on, the reader that took most of it has taken.
        var taken: UInt64 = 0
        /// How many readers may still take it.
        var readers: Int

        init(_ messages: UInt64, readers: Int) {
            self.messages = messages
            self.readers = readers
        }
    }

    private struct Reader {
        let descriptor: Int32
        var events = PollEvents()
        var waiting: [(batch: OutgoingBatch, receipt: Receipt)] = []
        var waitingBytes = 0
        /// Whether it has ended its own direction.
        var hasEnded = false
    }

    private let listener: SocketListener
    private let isStream: Bool
    private let poller: Poller
    private let meter: TransportMeter
    private let readerLimit: Int
    private let readerBuffer: Int
    private let slow: Slow
    private let filter: ConnectionFilter?

    private var readers: [UInt64: Reader] = [:]
    private var nextToken: UInt64 = listenerToken + 1
    private var watchesListener = false

    /// How many messages no reader has taken, or will; since the thread was last told.
    private var untaken: UInt64 = 0

    private static let listenerToken: UInt64 = 2

    /// Creates a link that waits for readers.
    ///
    /// - Parameters:
    ///   - listener: Accepts them.
    ///   - kind: How it carries bytes.
    ///   - poller: Says when readers connect and disconnect.
    ///   - meter: Counts them.
    ///   - readerLimit: How many there may be at a time.
    ///   - readerBuffer: How many bytes are kept for each.
    ///   - slow: What to do with a reader for which that is not enough.
    ///   - filter: Which users may connect, where that are fewer than the file's mode permits.
    init(
        _ listener: SocketListener,
        kind: SocketKind,
        poller: Poller,
        meter: TransportMeter,
        readerLimit: Int,
        readerBuffer: Int,
        slow: Slow,
        filter: ConnectionFilter?
    ) {
        self.listener = listener
        isStream = kind == .stream
        self.poller = poller
        self.meter = meter
        self.readerLimit = readerLimit
        self.readerBuffer = readerBuffer
        self.slow = slow
        self.filter = filter
        watchListener()
    }

    deinit {
        close()
        listener.close()
    }

    var isUp: Bool { !readers.isEmpty }
    var isProvenByOpening: Bool { true }

    var isFlushed: Bool { readers.values.allSatisfy(\.waiting.isEmpty) }

    func open() -> SystemError? { watchListener() }

    func close() {
        for reader in readers.values {
            // What is not read when a connection is closed makes the system break it, and what was sent is lost.
            if listener.isPort { _ = cweir_net_discard_input(reader.descriptor) }
            cweir_net_close(reader.descriptor)
        }
        readers = [:]
        meter.update { $0.openConnections = 0 }
    }

    var unflushedMessages: UInt64 {
        readers.values.map { reader in reader.waiting.reduce(0) { $0 + $1.batch.restMessages } }.max() ?? 0
    }

    func handle(token: UInt64, ready: PollEvents) -> Sending? {
        if token == Self.listenerToken { accept() } else { handle(reader: token, ready) }
        guard untaken > 0 else { return nil }
        var sending = Sending(.done)
        sending.untaken = exchange(&untaken, with: 0)
        return sending
    }

    private func handle(reader token: UInt64, _ ready: PollEvents) {
        guard readers[token] != nil, var reader = readers.updateValue(Reader(descriptor: -1), forKey: token) else {
            return
        }
        // What it says is forgotten.
        if listener.isPort, ready.contains(.reading), cweir_net_discard_input(reader.descriptor) {
            reader.hasEnded = true
        }
        let goesOn = !ready.contains(.hangUp) && flush(&reader, token)
        readers[token] = reader
        if !goesOn { disconnect(token) } else if reader.hasEnded { watchListener() }
    }

    /// What the poller watches a reader for that has taken everything.
    private func restingEvents(hasEnded: Bool = false) -> PollEvents {
        // The end of a connection to a port is an event of reading.
        listener.isPort && !hasEnded ? [.hangUp, .reading] : .hangUp
    }

    /// A reader that may be gone.
    private var endedReader: UInt64? { readers.first { $0.value.hasEnded }?.key }

    func send(_ batch: inout OutgoingBatch) -> Sending {
        // The last one may have left with the batch before.
        guard !readers.isEmpty else { return Sending(.blocked) }
        if slow == .wait, readers.values.contains(where: { $0.waitingBytes > readerBuffer }) {
            return Sending(.blocked)
        }
        // Where the system refused it before.
        watchListener()
        let rest = batch.rest
        let receipt = Receipt(rest.messages, readers: readers.count)
        for (token, _) in readers {
            guard var reader = readers.updateValue(Reader(descriptor: -1), forKey: token) else { continue }
            reader.waiting.append((rest, receipt))
            reader.waitingBytes += rest.bytes.count
            var goesOn = flush(&reader, token)
            if goesOn, slow == .disconnect, reader.waitingBytes > readerBuffer {
                meter.update { $0.slowReaders += 1 }
                meter.note("a reader that did not keep up was disconnected")
                goesOn = false
            }
            readers[token] = reader
            if !goesOn { disconnect(token) }
        }
        batch = OutgoingBatch()
        var sending = Sending(.done, delivered: rest.messages)
        sending.untaken = exchange(&untaken, with: 0)
        return sending
    }

    /// Watches for readers as long as there may be more.
    ///
    /// - Returns: The error where the system refuses.
    @discardableResult
    private func watchListener() -> SystemError? {
        let wanted = readers.count < readerLimit || endedReader != nil
        guard wanted != watchesListener else { return nil }
        let error = poller.watch(
            listener.descriptor,
            token: Self.listenerToken,
            from: watchesListener ? .reading : [],
            to: wanted ? .reading : []
        )
        if let error { return error }
        watchesListener = wanted
        return nil
    }

    private func accept() {
        while readers.count < readerLimit || endedReader != nil {
            let descriptor = listener.accept()
            guard descriptor >= 0 else {
                // The reader stays, and the poller would tell of it again at once.
                if SystemError(descriptor)?.isShortage == true { cweir_net_pause(10_000_000) }
                break
            }
            guard filter?.permits(descriptor) ?? true,
                poller.watch(descriptor, token: nextToken, from: [], to: restingEvents()) == nil
            else {
                cweir_net_close(descriptor)
                meter.update { $0.refusedConnections += 1 }
                continue
            }
            if readers.count == readerLimit, let ended = endedReader { disconnect(ended) }
            readers[nextToken] = Reader(descriptor: descriptor, events: restingEvents())
            nextToken += 1
            let count = UInt64(readers.count)
            meter.update { metrics in
                metrics.connections += 1
                metrics.openConnections = count
            }
        }
        watchListener()
    }

    private func disconnect(_ token: UInt64) {
        guard let reader = readers.removeValue(forKey: token) else { return }
        cweir_net_close(reader.descriptor)
        for (batch, receipt) in reader.waiting { settle(batch, receipt) }
        let count = UInt64(readers.count)
        meter.update { $0.openConnections = count }
        watchListener()
    }

    /// Records what a reader that has come to the end of a batch, or is gone, took of it.
    private func settle(_ batch: OutgoingBatch, _ receipt: Receipt) {
        receipt.taken = max(receipt.taken, batch.sentMessages)
        receipt.readers -= 1
        if receipt.readers == 0 { untaken += receipt.messages - receipt.taken }
    }

    /// Sends a reader what is kept for it, as far as it takes that.
    ///
    /// - Returns: False when it is gone.
    private func flush(_ reader: inout Reader, _ token: UInt64) -> Bool {
        var wanted = restingEvents(hasEnded: reader.hasEnded)
        var sent = 0
        defer { reader.waiting.removeFirst(sent) }
        loop: while sent < reader.waiting.count {
            switch send(&reader.waiting[sent].batch, to: reader.descriptor, &reader.waitingBytes) {
            case nil:
                settle(reader.waiting[sent].batch, reader.waiting[sent].receipt)
                sent += 1
            case let error? where error.isTransient:
                wanted.insert(.writing)
                break loop
            case .some: return false
            }
        }
        if wanted != reader.events {
            _ = poller.watch(reader.descriptor, token: token, from: reader.events, to: wanted)
            reader.events = wanted
        }
        return true
    }

    private func send(
        _ batch: inout OutgoingBatch,
        to descriptor: Int32,
        _ waitingBytes: inout Int
    ) -> SystemError? {
        if !isStream { batch.splitIntoMessages() }
        while !batch.isSent {
            let range =
                isStream ? batch.offset..<batch.bytes.count : batch.range(ofMessage: Int(batch.sentMessages))
            let count = unsafe batch.bytes.withUnsafeBytes { bytes in
                unsafe bytes.baseAddress.map { unsafe cweir_net_send(descriptor, $0 + range.lowerBound, range.count) }
                    ?? 0
            }
            if let error = SystemError(count) { return error }
            waitingBytes -= count
            if isStream { _ = batch.advance(bytes: count) } else { batch.advance(messages: 1) }
        }
        return nil
    }
}
