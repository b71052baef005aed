internal import CWeir
internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// The thread that empties one socket: takes batches of datagrams from the kernel, checks each, and packs what they hold
/// into chunks.
///
/// Safety of `@unchecked Sendable`: after `start`, everything but the queue, the drops and the meter, which any thread may
/// use, belongs to the thread.
@safe
final class DatagramWorker: @unchecked Sendable {
    private let number: Int
    private let descriptor: Int32
    private let drops: KernelDrops
    private let settings: DatagramSettings
    private let queue: ChunkQueue
    private let meter: TransportMeter
    private let wakeup: Wakeup
    private let poller: Poller
    private let inbox: OpaquePointer
    private let senders: ReplayWindow
    private let address: String

    private var chunk: Chunk?
    private var counts = Counts()

    // How many datagrams arrived since when, and whether the rate is high.
    private var arrivals: UInt64 = 0
    private var arrivalsStart = Moment.now
    private var isBusy = false

    /// What happened since the counts were last added to the meter.
    private struct Counts {
        var arrived: UInt64 = 0
        var bytes: UInt64 = 0
        var taken: UInt64 = 0
        var full: UInt64 = 0
        var unread: UInt64 = 0
        var rejections: [TransportMetrics.Rejection: UInt64] = [:]
    }

    private static let batch = 64

    /// From how many datagrams in a millisecond on they are left to gather for a moment, and how long.
    private static let busyRate: UInt64 = 64
    private static let gathering: Int64 = 100_000
    private static let pollToken: UInt64 = 0
    private static let wakeToken: UInt64 = 1

    /// Creates a worker; the socket belongs to it.
    ///
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when the system lacks descriptors or memory.
    init(
        _ number: Int,
        descriptor: Int32,
        settings: DatagramSettings,
        queue: ChunkQueue,
        wakeup: Wakeup,
        senders: ReplayWindow,
        meter: TransportMeter,
        address: String
    ) throws(TransportError) {
        self.number = number
        self.descriptor = descriptor
        self.settings = settings
        self.queue = queue
        self.wakeup = wakeup
        self.senders = senders
        self.meter = meter
        self.address = address
        poller = try Poller(address: address)
        let details =
            (settings.canRefuseContents || !settings.allowed.isEmpty ? CWEIR_NET_ORIGINS : 0)
            | (settings.filter == nil && !settings.hearsOfDrops ? 0 : CWEIR_NET_CONTROLS)
        guard let inbox = unsafe cweir_net_inbox_create(Self.batch, settings.limit, UInt32(details)) else {
            throw .cannotOpen(address: address, reason: "there is no memory for datagrams")
        }
        unsafe self.inbox = inbox
        drops = KernelDrops(descriptor)
        meter.addProbe { [drops] metrics in metrics[.kernel] += drops.total() }
        let error =
            poller.watch(descriptor, token: Self.pollToken, from: [], to: .reading)
            ?? poller.watch(wakeup.descriptor, token: Self.wakeToken, from: [], to: .reading)
        if let error { throw .cannotOpen(address: address, reason: "\(error)") }
    }

    deinit {
        unsafe cweir_net_inbox_destroy(inbox)
    }

    /// Starts the thread, which keeps the worker until it ends.
    ///
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when the system has no thread.
    func start() throws(TransportError) {
        let reference = unsafe Unmanaged.passRetained(self)
        let error = unsafe cweir_thread_start("weir.datagrams", runDatagramWorker, reference.toOpaque())
        guard error != 0 else { return }
        unsafe reference.release()
        let reason = SystemError(-error).map { ": \($0)" } ?? ""
        throw .cannotOpen(address: address, reason: "there is no thread to receive with\(reason)")
    }

    /// Receives until the queue says that it is over.
    fileprivate func run() {
        while step() {}
        if let chunk { handOn(chunk) }
        drops.close()
        queue.workerEnded()
    }

    /// Closes the socket of a worker that was not started.
    func discard() {
        drops.close()
    }

    private func step() -> Bool {
        let stop = queue.stop
        guard stop != .now else { return false }
        // While there is no room they stay in the kernel.
        guard settings.overflow != .block || hasRoom() else {
            wakeup.wait()
            return true
        }
        let count = unsafe cweir_net_inbox_receive(inbox, descriptor)
        if let error = SystemError(count) {
            if let chunk, chunk.count > 0 {
                self.chunk = nil
                handOn(chunk)
            }
            if error == .wouldBlock {
                guard stop == .no else { return false }
                rest()
            } else if error.isShortage {
                wakeup.wait(milliseconds: 10)
            }
            // Other errors speak of an earlier datagram, or of an interface that may come back.
            return true
        }
        process(Int(count))
        // A reader that has nothing gets what there is, and where much comes what gathered; one that is busy gets full
        // chunks.
        if !isBusy, let chunk, chunk.count > 0, queue.readerWaits {
            self.chunk = nil
            handOn(chunk)
        }
        return true
    }

    /// Waits for datagrams.
    ///
    /// Where many come, to be woken by each costs more than to receive it. They are then left to gather for a moment that
    /// the kernel's buffer holds many times over, as network cards do with their interrupts.
    private func rest() {
        let now = Moment.now
        let elapsed = UInt64(max(0, now.nanoseconds - arrivalsStart.nanoseconds))
        if elapsed >= 1_000_000 {
            isBusy = settings.canGather && arrivals >= Self.busyRate * (elapsed / 1_000_000)
            arrivals = 0
            arrivalsStart = now
        }
        guard !isBusy else {
            cweir_net_pause(Self.gathering)
            return
        }
        poller.wait(milliseconds: -1)
        while let event = poller.nextEvent() { if event.token == Self.wakeToken { wakeup.quiet() } }
    }

    /// Whether there is a chunk with room for the longest datagram.
    private func hasRoom() -> Bool {
        if let chunk {
            if unsafe chunk.memory.count - chunk.count >= settings.limit + Boundary.addedByteCount { return true }
            self.chunk = nil
            handOn(chunk)
        }
        chunk = queue.takeEmpty(worker: number)
        if chunk == nil, settings.overflow == .dropOldest { chunk = queue.takeOldest() }
        return chunk != nil
    }

    /// Makes room for one datagram, waiting for it where that is the policy.
    private func makeRoom() -> Bool {
        while !hasRoom() {
            guard settings.overflow == .block, queue.stop != .now else { return false }
            wakeup.wait()
        }
        return true
    }

    private func handOn(_ chunk: Chunk) {
        // Before the reader takes it: what it takes away must have been added.
        addCounts()
        // Often enough that its 32 bits do not come round unseen.
        _ = drops.total()
        queue.put(chunk)
    }

    private func process(_ count: Int) {
        let datagrams = unsafe cweir_net_inbox_datagrams(inbox)
        if settings.hearsOfDrops { drops.see(unsafe cweir_net_inbox_drops(inbox)) }
        for index in 0..<count {
            unsafe take(datagrams + index)
        }
        arrivals += UInt64(count)
        addCounts()
    }

    private func addCounts() {
        guard counts.arrived > 0 else { return }
        let counts = exchange(&self.counts, with: Counts())
        meter.update { metrics in
            metrics.arrived += counts.arrived
            metrics.arrivedBytes += counts.bytes
            metrics.pending += counts.taken
            metrics[.queueFull] += counts.full
            metrics[.unread] += counts.unread
            for (cause, count) in counts.rejections { metrics[cause] += count }
        }
    }

    private func take(_ datagram: UnsafePointer<cweir_net_datagram_t>) {
        // Counted with what becomes of it: the counts may be added before the end of the batch.
        defer {
            counts.arrived += 1
            unsafe counts.bytes += UInt64(datagram.pointee.length)
        }
        guard unsafe isAllowed(datagram) else {
            unsafe reject(datagram, .notAllowed)
            return
        }
        guard unsafe !datagram.pointee.is_truncated else {
            unsafe reject(datagram, .truncated)
            return
        }
        var payload = unsafe datagram.contents
        if let authenticator = settings.authenticator {
            switch unsafe authenticator.verify(payload, senders) {
            case .payload(let range): unsafe payload = UnsafeRawBufferPointer(rebasing: payload[range])
            case .refused(let cause):
                unsafe reject(datagram, cause)
                return
            }
        }
        // Half a frame would put everything after it out of step.
        guard unsafe settings.boundary != .length || settings.boundary.areWhole(payload, limit: settings.limit) else {
            unsafe reject(datagram, .malformed)
            return
        }
        guard makeRoom(), let chunk else {
            if settings.overflow == .block { counts.unread += 1 } else { counts.full += 1 }
            return
        }
        let target = unsafe UnsafeMutableRawBufferPointer(rebasing: chunk.memory[chunk.count...])
        var length = payload.count
        switch settings.boundary {
        case .lines:
            unsafe target.copyMemory(from: payload)
            // An empty datagram is a message without a line.
            if length > 0, unsafe target[length - 1] != UInt8(ascii: "\n") {
                unsafe target[length] = UInt8(ascii: "\n")
                length += 1
            }
        case .length:
            unsafe target.copyMemory(from: payload)
        case .datagram:
            unsafe Boundary.writeLength(length, to: target)
            unsafe UnsafeMutableRawBufferPointer(rebasing: target[Boundary.lengthByteCount...]).copyMemory(
                from: payload
            )
            length += Boundary.lengthByteCount
        }
        chunk.count += length
        chunk.messages += 1
        counts.taken += 1
    }

    /// Counts a datagram as refused, and keeps its bytes.
    private func reject(_ datagram: UnsafePointer<cweir_net_datagram_t>, _ cause: TransportMetrics.Rejection) {
        counts.rejections[cause, default: 0] += 1
        unsafe meter.keepRejected(datagram.contents, cause) { unsafe datagram.origin }
    }

    private func isAllowed(_ datagram: UnsafePointer<cweir_net_datagram_t>) -> Bool {
        if let filter = settings.filter {
            guard unsafe datagram.pointee.has_credentials, unsafe filter.permits(datagram.pointee.sender) else {
                return false
            }
        }
        guard !settings.allowed.isEmpty else { return true }
        guard unsafe datagram.pointee.family != 0 else { return false }
        let host = unsafe withUnsafeBytes(of: datagram.pointee.host) { bytes in
            unsafe HostNumber(bytes, isIPv4: datagram.pointee.family == 4)
        }
        return settings.allowed.contains { $0.contains(host) }
    }
}

extension UnsafePointer<cweir_net_datagram_t> {
    /// The bytes that arrived, valid until the next batch.
    fileprivate var contents: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: pointee.bytes, count: Int(pointee.length))
    }

    /// Who sent it, as far as the kernel was asked.
    fileprivate var origin: String? {
        if unsafe pointee.has_credentials { return unsafe "user \(pointee.sender.user)" }
        var text = [CChar](repeating: 0, count: 64)
        guard unsafe cweir_net_describe_origin(self, &text, text.count) else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

// A function of the file: a static method here crashes the region analysis of Swift 6.3.1.
private func runDatagramWorker(_ worker: UnsafeMutableRawPointer?) {
    guard let worker = unsafe worker else { return }
    unsafe Unmanaged<DatagramWorker>.fromOpaque(worker).takeRetainedValue().run()
}
