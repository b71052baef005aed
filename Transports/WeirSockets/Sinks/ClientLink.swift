internal import CWeirSockets
internal import WeirCore
internal import WeirDispatch
internal import WeirRecords

/// A link to a listening Unix socket, or to a port.
@safe
final class ClientLink: OutgoingLink {
    /// Where to, and how.
    enum Target {
        case unix(UnixPlace, SocketKind)
        /// A socket that is connected to its port for good; it belongs to the link.
        case port(Int32, DatagramAuthenticator?)
    }

    private let target: Target
    private let address: String
    private let poller: Poller
    private let meter: TransportMeter
    private var descriptor: Int32 = -1
    private var events = PollEvents()

    // For datagrams that are numbered or signed.
    private let sender = DatagramAuthenticator.randomSender()
    private var sequence: UInt64 = 0
    private var arena: UnsafeMutableRawBufferPointer

    private(set) var isUp = false
    let isFlushed = true

    private static let token: UInt64 = 2
    private static let longestDatagram = 65_536
    private static let settlingTime: Int64 = 50_000_000

    /// Creates a link that is not open.
    init(_ target: Target, poller: Poller, meter: TransportMeter, address: String) {
        self.target = target
        self.poller = poller
        self.meter = meter
        self.address = address
        var isAuthenticated = false
        if case .port(let socket, let authenticator) = target {
            descriptor = socket
            isAuthenticated = authenticator != nil
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

    var isProvenByOpening: Bool { if case .port = target { false } else { true } }

    func open() -> SystemError? {
        switch target {
        case .port:
            isUp = true
            return nil
        case .unix(let place, let kind):
            guard let target = try? place.address(for: address) else { return SystemError(-1) }
            let result = unsafe withUnsafePointer(to: target) { target in
                let made = unsafe cweir_net_socket(target, kind.number)
                guard made >= 0 else { return made }
                let status = unsafe cweir_net_connect(made, target)
                guard status < 0 else { return made }
                cweir_net_close(made)
                return status
            }
            if let error = SystemError(result) { return error }
            descriptor = result
            events = []
            if let error = watch([.hangUp]) {
                close()
                return error
            }
            isUp = true
            return nil
        }
    }

    func close() {
        isUp = false
        // A port stays the same when another program listens there.
        if case .port = target {
            _ = watch([])
            return
        }
        if descriptor >= 0 { cweir_net_close(descriptor) }
        descriptor = -1
        events = []
    }

    func handle(token: UInt64, ready: PollEvents) -> UInt64 {
        guard ready.contains(.hangUp), isUp, case .unix = target else { return 0 }
        // The kernel reports this when the other side closed before it had read everything.
        if SystemError(cweir_net_error(descriptor)) == .connectionReset {
            meter.note("'\(address)' was closed by its reader before it had read everything that was sent to it")
        }
        close()
        return 0
    }

    func send(_ batch: inout OutgoingBatch) -> Sending {
        var sending = isStream ? sendBytes(&batch) : sendMessages(&batch)
        switch sending.status {
        case .done: _ = watch([.hangUp])
        // A wait for what is not watched would never end.
        case .blocked: if let error = watch([.hangUp, .writing]) { sending.status = .failed(error) }
        case .failed: break
        }
        return sending
    }

    /// A port says with the next datagram, or a moment later, that it refused one; the last one has no next.
    func lastRefusals() -> UInt64 {
        guard case .port = target, sequence > 0 else { return 0 }
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

    private var isStream: Bool { if case .unix(_, .stream) = target { true } else { false } }

    /// Changes what the poller watches the socket for.
    ///
    /// - Returns: The error where the system refuses.
    private func watch(_ wanted: PollEvents) -> SystemError? {
        var wanted = wanted
        // A port never hangs up.
        if case .port = target { wanted.remove(.hangUp) }
        guard wanted != events, descriptor >= 0 else { return nil }
        if let error = poller.watch(descriptor, token: Self.token, from: events, to: wanted) { return error }
        events = wanted
        return nil
    }

    // MARK: Streams

    private func sendBytes(_ batch: inout OutgoingBatch) -> Sending {
        var delivered: UInt64 = 0
        while batch.restCount > 0 {
            let count = unsafe batch.bytes.withUnsafeBytes { bytes in
                unsafe bytes.baseAddress.map { unsafe cweir_net_send(descriptor, $0 + batch.offset, batch.restCount) }
                    ?? 0
            }
            if let error = SystemError(count) {
                return Sending(error.isTransient ? .blocked : .failed(error), delivered: delivered)
            }
            delivered += batch.advance(bytes: count)
        }
        return Sending(.done, delivered: delivered)
    }

    // MARK: Datagrams and packets

    private func sendMessages(_ batch: inout OutgoingBatch) -> Sending {
        batch.splitIntoMessages()
        var sending = Sending(.done)
        while batch.restMessages > 0 {
            let wanted = min(Int(CWEIR_NET_LARGEST_BATCH), Int(batch.restMessages))
            let result = sendSome(batch, wanted)
            if let error = SystemError(result) {
                if error == .tooLong {
                    sending.tooLong += 1
                    batch.advance(messages: 1)
                    continue
                }
                sending.status = error.isTransient ? .blocked : .failed(error)
                // At a port this speaks of datagrams that were sent before.
                if case .port = target, error == .refused {
                    sending.refused += UInt64(max(1, cweir_net_take_refusals(descriptor)))
                }
                return sending
            }
            sequence += UInt64(result)
            sending.delivered += UInt64(result)
            batch.advance(messages: Int(result))
            // A batch that ended early does not say why; the kernel's records do.
            guard result < wanted, case .port = target else { continue }
            let refusals = cweir_net_take_refusals(descriptor)
            guard refusals > 0 else { continue }
            sending.refused += UInt64(refusals)
            sending.status = .failed(.refused)
            return sending
        }
        return sending
    }

    /// Sends as many messages as go in one call.
    private func sendSome(_ batch: OutgoingBatch, _ count: Int) -> Int32 {
        let first = Int(batch.sentMessages)
        let count = authenticable(batch, first, count)
        guard count > 0 else { return -SystemError.tooLong.number }
        return unsafe batch.bytes.withUnsafeBytes { bytes in
            guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
            return unsafe withUnsafeTemporaryAllocation(of: cweir_net_parcel_t.self, capacity: count) { parcels in
                for index in 0..<count {
                    let range = batch.range(ofMessage: first + index)
                    unsafe parcels.initializeElement(at: index, to: parcel(start, range, index))
                }
                guard let parcels = parcels.baseAddress else { return 0 }
                return unsafe cweir_net_send_batch(descriptor, parcels, Int32(count))
            }
        }
    }

    /// How many of the next messages are short enough to be numbered or signed; the kernel measures others.
    private func authenticable(_ batch: OutgoingBatch, _ first: Int, _ count: Int) -> Int {
        guard case .port(_, let authenticator?) = target else { return count }
        let longest = Self.longestDatagram - authenticator.overhead
        return (0..<count).first { batch.range(ofMessage: first + $0).count > longest } ?? count
    }

    private func parcel(_ start: UnsafePointer<UInt8>, _ range: Range<Int>, _ index: Int) -> cweir_net_parcel_t {
        guard case .port(_, let authenticator?) = target else {
            return unsafe cweir_net_parcel_t(bytes: start + range.lowerBound, length: range.count)
        }
        let place = index * Self.longestDatagram
        let length = range.count + authenticator.overhead
        let wrapped = unsafe UnsafeMutableRawBufferPointer(rebasing: arena[place..<place + length])
        unsafe authenticator.write(
            UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count),
            sender: sender,
            sequence: sequence + UInt64(index),
            into: wrapped
        )
        guard let base = wrapped.baseAddress else { return unsafe cweir_net_parcel_t(bytes: start, length: 0) }
        return unsafe cweir_net_parcel_t(bytes: base.assumingMemoryBound(to: UInt8.self), length: length)
    }
}
