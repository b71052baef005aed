internal import CWeirSockets
internal import WeirCore
internal import WeirFiles

/// A sink whose lines a thread of its own sends, so that the engine does not wait for the other side until the buffer is
/// full.
///
/// Safety: the writer's thread alone uses what is not a constant.
@safe
final class OutboxSink: TransportSink {
    let meter: TransportMeter?

    private let outbox: Outbox
    private let settings: OutboxSettings
    private let counter: TransportMeter
    private let address: String
    private let interruption: Interruption?

    /// The beginning of a line whose end is still to be written.
    private var tail: [UInt8] = []
    private var isFinished = false

    /// Until when a writer waits for room after an interruption.
    private var patience: Moment?

    private static let pieceLength = 64 << 10

    /// Starts the thread of a sink.
    ///
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when the system lacks something.
    init(
        _ link: any OutgoingLink,
        settings: OutboxSettings,
        spill: SpillFile?,
        poller: Poller,
        meter: TransportMeter,
        address: String,
        interruption: Interruption?
    ) throws(TransportError) {
        self.settings = settings
        self.meter = meter
        self.address = address
        self.interruption = interruption
        counter = meter
        outbox = try Outbox(settings, canSpill: spill != nil, meter: meter, address: address)
        let thread = OutboxThread(
            outbox,
            link: link,
            spill: spill,
            poller: poller,
            retry: settings.retry,
            meter: meter,
            address: address
        )
        do throws(TransportError) {
            try thread.start()
        } catch {
            isFinished = true
            throw error
        }
    }

    deinit {
        if !isFinished { outbox.end(by: .now) }
    }

    func write(_ bytes: Span<UInt8>) throws(TransportError) {
        precondition(!isFinished, "a sink takes nothing after it was finished")
        var failure: TransportError?
        unsafe bytes.withUnsafeBytes { bytes in
            do throws(TransportError) {
                unsafe try write(bytes)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    func finish() throws(TransportError) {
        guard !isFinished else { return }
        if !tail.isEmpty {
            let rest = exchange(&tail, with: [])
            var batch = OutgoingBatch()
            unsafe rest.withUnsafeBytes { rest in
                if settings.datagram == nil {
                    unsafe batch.append(lines: rest, count: 1)
                } else {
                    unsafe batch.append(message: rest)
                }
            }
            try push(batch)
        }
        isFinished = true
        outbox.end(by: .now + settings.linger.inNanoseconds)
        while !outbox.hasEnded { outbox.room.wait(milliseconds: 100) }
        let unsent = counter.metrics[.unsent]
        guard unsent == 0 else {
            throw .writeFailed(address: address, reason: "nobody took the last \(unsent) messages")
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
        var rest = unsafe bytes[...]
        if !tail.isEmpty {
            guard let newline = unsafe rest.firstIndex(of: UInt8(ascii: "\n")) else {
                unsafe try keep(unsafe UnsafeRawBufferPointer(rebasing: rest))
                return
            }
            unsafe tail += rest[...newline]
            unsafe rest = rest[(newline + 1)...]
            let line = exchange(&tail, with: [])
            var batch = OutgoingBatch()
            unsafe line.withUnsafeBytes { unsafe add($0, to: &batch) }
            try push(batch)
        }
        while unsafe !rest.isEmpty {
            // Pieces, so that a long write is being sent while the rest is taken in.
            let piece = unsafe UnsafeRawBufferPointer(rebasing: rest.prefix(Self.pieceLength))
            var length = unsafe wholeLines(piece)
            if length == 0 {
                guard let newline = unsafe rest.firstIndex(of: UInt8(ascii: "\n")) else {
                    unsafe try keep(unsafe UnsafeRawBufferPointer(rebasing: rest))
                    return
                }
                length = unsafe newline - rest.startIndex + 1
            }
            var batch = OutgoingBatch()
            unsafe add(UnsafeRawBufferPointer(rebasing: rest.prefix(length)), to: &batch)
            unsafe rest = rest.dropFirst(length)
            try push(batch)
        }
    }

    /// Keeps the beginning of a line.
    private func keep(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
        guard tail.count + bytes.count <= settings.buffer else {
            throw .writeFailed(address: address, reason: "a line is longer than the buffer, \(settings.buffer) bytes")
        }
        unsafe tail += bytes
    }

    private func wholeLines(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        return unsafe cweir_net_after_last_newline(start, bytes.count)
    }

    /// Adds whole lines to a batch: as they are to a stream, several in each message otherwise.
    private func add(_ lines: UnsafeRawBufferPointer, to batch: inout OutgoingBatch) {
        guard let start = unsafe lines.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        guard let limit = settings.datagram else {
            unsafe batch.append(lines: lines, count: UInt64(cweir_net_count_newlines(start, lines.count)))
            return
        }
        var first = 0
        var place = 0
        var count = 0
        while place < lines.count {
            let length = unsafe cweir_net_after_newline(start + place, lines.count - place)
            if place > first, place + length - first > limit || count == settings.linesPerDatagram {
                unsafe batch.append(message: UnsafeRawBufferPointer(rebasing: lines[first..<place]))
                first = place
                count = 0
            }
            place += length
            count += 1
        }
        unsafe batch.append(message: UnsafeRawBufferPointer(rebasing: lines[first..<place]))
    }

    private func push(_ batch: OutgoingBatch) throws(TransportError) {
        var batch = batch
        while true {
            switch outbox.offer(batch) {
            case .taken: return
            case .over: throw .closed(address: address)
            case .full(let same):
                batch = same
                try waitForRoom(batch.messages)
            }
        }
    }

    private func waitForRoom(_ messages: UInt64) throws(TransportError) {
        guard let interruption, interruption.isTriggered else {
            outbox.room.wait(or: interruption?.descriptor)
            return
        }
        // Nobody should have to wait for ever for somebody who takes nothing.
        let limit = patience ?? (.now + settings.linger.inNanoseconds)
        patience = limit
        guard .now < limit else {
            counter.update { metrics in
                metrics.arrived += messages
                metrics[.unsent] += messages
            }
            throw .writeFailed(address: address, reason: "nobody took what was to be written before the end")
        }
        outbox.room.wait(milliseconds: limit.millisecondsFromNow)
    }
}
