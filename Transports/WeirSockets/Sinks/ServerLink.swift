internal import CWeirSockets
internal import WeirCore

/// A link to everybody who comes to a Unix socket: each gets all that is sent while he is there.
///
/// What a reader has not taken yet is kept for him, up to a limit; whoever falls behind further is parted with, or
/// waited for.
@safe
final class ServerLink: OutgoingLink {
    /// What to do with a reader who does not keep up.
    enum Slow: String, CaseIterable {
        case disconnect
        case wait
    }

    private struct Reader {
        let descriptor: Int32
        var interest = Interest.hangUp
        var waiting: [OutgoingBatch] = []
        var waitingBytes = 0
    }

    private let door: UnixDoor
    private let isStream: Bool
    private let poller: Poller
    private let meter: TransportMeter
    private let readerLimit: Int
    private let readerBuffer: Int
    private let slow: Slow
    private let filter: PeerFilter?

    private var readers: [UInt64: Reader] = [:]
    private var nextToken: UInt64 = doorToken + 1
    private var watchesDoor = false

    private static let doorToken: UInt64 = 2

    /// Creates a link that waits for readers.
    ///
    /// - Parameters:
    ///   - door: Where they come.
    ///   - kind: How it carries bytes.
    ///   - poller: Says when they come and go.
    ///   - meter: Counts them.
    ///   - readerLimit: How many there may be at a time.
    ///   - readerBuffer: How many bytes are kept for each.
    ///   - slow: What to do with one for whom that is not enough.
    ///   - filter: Who may come, where not everybody may whom the file's mode lets in.
    init(
        _ door: UnixDoor,
        kind: SocketKind,
        poller: Poller,
        meter: TransportMeter,
        readerLimit: Int,
        readerBuffer: Int,
        slow: Slow,
        filter: PeerFilter?
    ) {
        self.door = door
        isStream = kind == .stream
        self.poller = poller
        self.meter = meter
        self.readerLimit = readerLimit
        self.readerBuffer = readerBuffer
        self.slow = slow
        self.filter = filter
        watchDoor()
    }

    deinit {
        close()
        door.close()
    }

    var isUp: Bool { !readers.isEmpty }
    var isFlushed: Bool { readers.values.allSatisfy(\.waiting.isEmpty) }

    func open() -> SystemError? { nil }

    func close() {
        for reader in readers.values { cweir_net_close(reader.descriptor) }
        readers = [:]
        meter.update { $0.openConnections = 0 }
    }

    func handle(token: UInt64, ready: Interest) {
        guard token != Self.doorToken else {
            letIn()
            return
        }
        guard var reader = readers[token] else { return }
        guard !ready.contains(.hangUp) else {
            part(with: token)
            return
        }
        let goesOn = flush(&reader, token)
        readers[token] = reader
        if !goesOn { part(with: token) }
    }

    func send(_ batch: inout OutgoingBatch) -> Sending {
        if slow == .wait, readers.values.contains(where: { $0.waitingBytes > readerBuffer }) {
            return Sending(.blocked)
        }
        let rest = batch.rest
        for (token, _) in readers {
            guard var reader = readers.updateValue(Reader(descriptor: -1), forKey: token) else { continue }
            reader.waiting.append(rest)
            reader.waitingBytes += rest.bytes.count
            var goesOn = flush(&reader, token)
            if goesOn, slow == .disconnect, reader.waitingBytes > readerBuffer {
                meter.update { $0.slowReaders += 1 }
                meter.note("a reader that did not keep up was parted with")
                goesOn = false
            }
            readers[token] = reader
            if !goesOn { part(with: token) }
        }
        let messages = batch.restMessages
        batch = OutgoingBatch()
        return Sending(.done, delivered: messages)
    }

    private func watchDoor() {
        let wanted = readers.count < readerLimit
        guard wanted != watchesDoor else { return }
        _ = poller.watch(
            door.descriptor,
            token: Self.doorToken,
            from: watchesDoor ? .reading : [],
            to: wanted ? .reading : []
        )
        watchesDoor = wanted
    }

    private func letIn() {
        while readers.count < readerLimit {
            let descriptor = cweir_net_accept(door.descriptor)
            guard descriptor >= 0 else { break }
            var credentials = cweir_net_credentials_t()
            if let filter {
                guard unsafe cweir_net_peer(descriptor, &credentials) == 0, filter.permits(credentials) else {
                    cweir_net_close(descriptor)
                    meter.update { $0.refusedConnections += 1 }
                    continue
                }
            }
            _ = poller.watch(descriptor, token: nextToken, from: [], to: .hangUp)
            readers[nextToken] = Reader(descriptor: descriptor)
            nextToken += 1
        }
        let count = UInt64(readers.count)
        meter.update { metrics in
            metrics.connections += count - metrics.openConnections
            metrics.openConnections = count
        }
        watchDoor()
    }

    private func part(with token: UInt64) {
        guard let reader = readers.removeValue(forKey: token) else { return }
        cweir_net_close(reader.descriptor)
        let count = UInt64(readers.count)
        meter.update { $0.openConnections = count }
        watchDoor()
    }

    /// Sends a reader what is kept for him, as far as he takes it.
    ///
    /// - Returns: False when he is gone.
    private func flush(_ reader: inout Reader, _ token: UInt64) -> Bool {
        var wanted = Interest.hangUp
        var sent = 0
        defer { reader.waiting.removeFirst(sent) }
        loop: while sent < reader.waiting.count {
            switch send(&reader.waiting[sent], to: reader.descriptor, &reader.waitingBytes) {
            case nil: sent += 1
            case .wouldBlock?:
                wanted.insert(.writing)
                break loop
            case .some: return false
            }
        }
        if wanted != reader.interest {
            _ = poller.watch(reader.descriptor, token: token, from: reader.interest, to: wanted)
            reader.interest = wanted
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
