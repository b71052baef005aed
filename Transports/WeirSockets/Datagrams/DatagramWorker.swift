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
    let settings: DatagramSettings
    private let queue: ChunkQueue
    let meter: TransportMeter
    private let wakeup: Wakeup
    private let poller: Poller
    private let inbox: OpaquePointer
    let senders: ReplayWindow
    private let address: String

    var chunk: Chunk?
    var counts = Counts()

    // How many datagrams arrived since when, and whether the rate is high.
    private var arrivals: UInt64 = 0
    private var arrivalsStart = Moment.now
    private var isBusy = false

    /// What happened since the counts were last added to the meter.
    struct Counts {
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
    func makeRoom() -> Bool {
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
}

// A function of the file: a static method here crashes the region analysis of Swift 6.3.1.
private func runDatagramWorker(_ worker: UnsafeMutableRawPointer?) {
    guard let worker = unsafe worker else { return }
    unsafe Unmanaged<DatagramWorker>.fromOpaque(worker).takeRetainedValue().run()
}
