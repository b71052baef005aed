internal import CWeirSockets
internal import WeirCore
internal import WeirFiles
internal import WeirRecords

/// Reads what datagrams hold as one stream of bytes, in which every datagram stays whole and ends with a newline.
///
/// Threads of its own take the datagrams from the kernel, so that a reader that is busy for a moment costs none: they
/// wait in a queue of bounded size.
///
/// Safety: the reader's thread alone uses what is not a constant.
@safe
final class DatagramSource: MessageSource {
    let expectedByteCount: Int64? = nil
    var drainsWhenInterrupted: Bool { !(interruption?.isPaused ?? false) }
    let meter: TransportMeter?

    /// The port that it receives at; zero for sockets without one.
    let port: UInt16

    private let address: String
    private let interruption: Interruption?
    private let queue: ChunkQueue
    private let wakeup: Wakeup
    private let counter: TransportMeter
    private let drain: Int64
    private let listener: SocketListener?

    private var chunk: Chunk?
    private var offset = 0
    private var drainLimit: Moment?

    /// Starts receiving.
    ///
    /// - Parameters:
    ///   - descriptors: The sockets, one for each worker; they belong to the source, also when it throws.
    ///   - settings: What to take.
    ///   - listener: The file of the socket, where it has one.
    ///   - address: For messages.
    ///   - interruption: What ends the waiting, where something can.
    ///   - meter: Counts.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when the system lacks something.
    init(
        _ descriptors: [Int32],
        settings: DatagramSettings,
        listener: SocketListener? = nil,
        address: String,
        interruption: Interruption?,
        meter: TransportMeter
    ) throws(TransportError) {
        self.address = address
        self.interruption = interruption
        self.meter = meter
        self.listener = listener
        counter = meter
        drain = settings.drain.inNanoseconds
        var unclaimed = descriptors
        var workers: [DatagramWorker] = []
        do throws(TransportError) {
            var local = cweir_net_address_t()
            if let first = descriptors.first { _ = unsafe cweir_net_local_address(first, &local) }
            port = local.port
            wakeup = try Wakeup(address: address)
            let wakeups = try descriptors.map { _ throws(TransportError) in try Wakeup(address: address) }
            queue = ChunkQueue(
                byteCount: settings.queue,
                chunkCapacity: max(128 << 10, settings.limit + Boundary.addedByteCount),
                reader: wakeup,
                workers: wakeups,
                meter: meter
            )
            let senders = ReplayWindow(window: settings.window, notBefore: cweir_net_wall_clock())
            if settings.authenticator != nil { meter.addProbe { $0.lost += senders.lost } }
            for (number, descriptor) in descriptors.enumerated() {
                let worker = try DatagramWorker(
                    number,
                    descriptor: descriptor,
                    settings: settings,
                    queue: queue,
                    wakeup: wakeups[number],
                    senders: senders,
                    meter: meter,
                    address: address
                )
                unclaimed.removeFirst()
                workers.append(worker)
            }
        } catch {
            for descriptor in unclaimed { cweir_net_close(descriptor) }
            for worker in workers { worker.discard() }
            throw error
        }
        for (number, worker) in workers.enumerated() {
            do throws(TransportError) {
                try worker.start()
            } catch {
                for rest in workers[number...] {
                    rest.discard()
                    queue.workerEnded()
                }
                queue.end(.now)
                throw error
            }
        }
    }

    deinit {
        stop()
    }

    var isBetweenMessages: Bool { chunk == nil }

    var sharesHeader: Bool { false }

    func goOn(behind header: [UInt8]) {}

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        // What counts as delivered is handed out before an interruption ends the source.
        if chunk == nil || interruption?.isPaused == true { try checkInterruption() }
        var filled = 0
        while filled < buffer.count {
            if let chunk {
                let count = min(buffer.count - filled, chunk.count - offset)
                let source = unsafe UnsafeRawBufferPointer(rebasing: chunk.memory[offset..<offset + count])
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: source)
                filled += count
                offset += count
                if offset < chunk.count { break }
                self.chunk = nil
                queue.recycle(chunk)
                if filled > 0, interruption?.stopsSources == true { break }
            }
            // What is there goes on without waiting for more.
            switch queue.next() {
            case .chunk(let next): begin(next)
            case .nothing:
                if filled > 0 { return filled }
                try wait()
            case .over:
                if filled > 0 { return filled }
                throw .interrupted(address: address)
            }
        }
        return filled
    }

    private func begin(_ next: Chunk) {
        chunk = next
        offset = 0
        let messages = next.messages
        counter.update { metrics in
            metrics.pending -= messages
            metrics.delivered += messages
        }
    }

    /// Handles an interruption: the file is removed, what was sent before is still received until the limit, and then the
    /// workers end.
    private func checkInterruption() throws(TransportError) {
        guard let interruption, interruption.stopsSources else { return }
        if interruption.isPaused { throw .interrupted(address: address) }
        guard let limit = drainLimit else {
            listener?.removeFile()
            drainLimit = .now + drain
            queue.end(.draining)
            return
        }
        guard limit < .now else { return }
        stop()
        throw .interrupted(address: address)
    }

    private func wait() throws(TransportError) {
        if let drainLimit {
            wakeup.wait(milliseconds: drainLimit.millisecondsFromNow)
        } else {
            wakeup.wait(or: interruption?.sourceDescriptor)
        }
        try checkInterruption()
    }

    /// Ends the workers, and counts what was not read.
    private func stop() {
        listener?.close()
        queue.end(.now)
        // They end within a batch; the port is free again then.
        let limit = Moment.now + 5_000_000_000
        while !queue.isOver, .now < limit { wakeup.wait(milliseconds: limit.millisecondsFromNow) }
        if let chunk {
            // What follows in a chunk that was begun is not delivered after all. Where messages end in it is not kept,
            // so this is their number if all are of the same length.
            let rest = UInt64(chunk.count - offset)
            let unread = rest == 0 || chunk.messages == 0 ? 0 : (chunk.messages * rest - 1) / UInt64(chunk.count) + 1
            counter.update { metrics in
                metrics.delivered -= unread
                metrics[.unread] += unread
            }
            queue.recycle(chunk)
        }
        chunk = nil
        while case .chunk(let rest) = queue.next() {
            let messages = rest.messages
            counter.update { metrics in
                metrics.pending -= messages
                metrics[.unread] += messages
            }
        }
    }
}
