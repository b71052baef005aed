internal import CWeirSockets
internal import WeirCore
package import WeirFiles
package import WeirRecords

/// A sink whose messages a thread of its own sends, so that the engine does not wait for the other side until the buffer
/// is full.
///
/// What is written is cut into messages as the framing says, lines or frames, and each stays whole: in one datagram, in
/// what a connection that breaks in the middle of it sends again, and in the spill.
///
/// Safety: the writer's thread alone uses what is not a constant.
@safe
package final class OutboxSink: MessageSink {
    package let meter: TransportMeter?

    /// How many bytes a message may have for the other side.
    package let messageLimit: Int?

    private let outbox: Outbox
    private let settings: OutboxSettings
    private let counter: TransportMeter
    private let address: String
    private let interruption: Interruption?

    /// The beginning of a message whose end is still to be written.
    private var tail: [UInt8] = []
    private var isFinished = false

    /// Until when a writer waits for room after an interruption.
    private var patience: Moment?

    private static let pieceLength = 64 << 10

    /// Starts the thread of a sink.
    ///
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when the system lacks something.
    package init(
        _ link: any OutgoingLink,
        settings: OutboxSettings,
        spill: SpillFile?,
        poller: Poller,
        meter: TransportMeter,
        address: String,
        interruption: Interruption?,
        messageLimit: Int? = nil
    ) throws(TransportError) {
        self.messageLimit = messageLimit
        self.settings = settings
        self.meter = meter
        self.address = address
        self.interruption = interruption
        counter = meter
        outbox = try Outbox(settings, canSpill: spill != nil, meter: meter, address: address)
        do throws(TransportError) {
            let thread = try OutboxThread(
                outbox,
                link: link,
                spill: spill,
                poller: poller,
                retry: settings.retry,
                meter: meter,
                address: address
            )
            try thread.start()
        } catch {
            isFinished = true
            throw error
        }
    }

    deinit {
        if !isFinished { outbox.end(by: .now) }
    }

    package func write(_ bytes: Span<UInt8>) throws(TransportError) {
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

    package func finish() throws(TransportError) {
        guard !isFinished else { return }
        if !tail.isEmpty {
            let rest = exchange(&tail, with: [])
            guard settings.boundary == .lines else {
                try? finish()
                throw .writeFailed(address: address, reason: "what was written ends in the middle of a frame")
            }
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
        let limit = Moment.now + settings.linger.inNanoseconds
        outbox.end(by: limit)
        var tellTime: Moment? = .now + settings.silence.inNanoseconds
        var isShortened = false
        while !outbox.hasEnded {
            if !isShortened, isInterrupted {
                isShortened = true
                outbox.end(by: .now + linger.inNanoseconds)
            }
            outbox.room.wait(milliseconds: 100)
            guard let time = tellTime, time <= .now, time < limit, !outbox.hasEnded, !isShortened else { continue }
            let words = "the end waits up to \(settings.linger) until the rest is taken, as 'linger' says"
            counter.note("'\(address)': \(words)")
            tellTime = nil
        }
        let metrics = counter.metrics
        guard metrics[.unsent] == 0 else {
            throw .writeFailed(address: address, reason: "the last \(metrics[.unsent]) messages were not taken")
        }
        // What a full buffer drops was agreed upon, and what is damaged in the spill was said.
        let causes: [TransportMetrics.Drop] = [.refused, .tooLongToSend]
        let lost = causes.filter { metrics[$0] > 0 }.map { "\(metrics[$0]) \($0.rawValue)" }
        guard lost.isEmpty else {
            throw .writeFailed(address: address, reason: "messages were lost: \(lost.joined(separator: ", "))")
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
        var rest = unsafe bytes[...]
        while !tail.isEmpty, unsafe !rest.isEmpty {
            let count = unsafe min(rest.count, missingCount(UnsafeRawBufferPointer(rebasing: rest)))
            unsafe try keep(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            unsafe rest = rest.dropFirst(count)
            guard isTailWhole else { continue }
            let message = exchange(&tail, with: [])
            var batch = OutgoingBatch()
            unsafe message.withUnsafeBytes { unsafe add($0, to: &batch) }
            try push(batch)
        }
        while unsafe !rest.isEmpty {
            // Pieces, so that a long write is being sent while the rest is taken in.
            let piece = unsafe UnsafeRawBufferPointer(rebasing: rest.prefix(Self.pieceLength))
            var length = unsafe wholeMessages(piece)
            if length == 0 {
                length = unsafe firstMessage(UnsafeRawBufferPointer(rebasing: rest))
                guard length > 0 else {
                    unsafe try keep(UnsafeRawBufferPointer(rebasing: rest))
                    return
                }
            }
            var batch = OutgoingBatch()
            unsafe add(UnsafeRawBufferPointer(rebasing: rest.prefix(length)), to: &batch)
            unsafe rest = rest.dropFirst(length)
            try push(batch)
        }
    }

    /// Keeps the beginning of a message.
    private func keep(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
        guard tail.count + bytes.count <= settings.buffer else {
            throw .writeFailed(
                address: address,
                reason: "a line or frame is longer than the buffer, \(settings.buffer) bytes"
            )
        }
        unsafe tail += bytes
    }

    // MARK: Messages

    /// Whether the message that was begun has come to its end.
    private var isTailWhole: Bool {
        guard settings.boundary != .lines else { return tail.last == UInt8(ascii: "\n") }
        return unsafe tail.withUnsafeBytes { unsafe firstMessage($0) } > 0
    }

    /// How many of some bytes may belong to the message that was begun: all up to its end, as far as that is known.
    private func missingCount(_ bytes: UnsafeRawBufferPointer) -> Int {
        if settings.boundary == .lines {
            let length = unsafe firstMessage(bytes)
            return length > 0 ? length : bytes.count
        }
        guard tail.count >= Boundary.lengthByteCount else { return Boundary.lengthByteCount - tail.count }
        return unsafe Boundary.lengthByteCount + tail.withUnsafeBytes { unsafe Boundary.readLength($0) } - tail.count
    }

    /// How long the first message is, where it is whole; zero where it is not.
    private func firstMessage(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        if settings.boundary == .lines { return unsafe cweir_net_after_newline(start, bytes.count) }
        guard bytes.count >= Boundary.lengthByteCount else { return 0 }
        let length = unsafe Boundary.lengthByteCount + Boundary.readLength(bytes)
        return length <= bytes.count ? length : 0
    }

    /// How long the whole messages at the start of some bytes are together.
    private func wholeMessages(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard settings.boundary == .lines else {
            var place = 0
            while case let length = unsafe firstMessage(UnsafeRawBufferPointer(rebasing: bytes[place...])), length > 0 {
                place += length
            }
            return place
        }
        guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        return unsafe cweir_net_after_last_newline(start, bytes.count)
    }

    /// Adds whole messages to a batch: as they are to a stream, several in each datagram otherwise.
    private func add(_ messages: UnsafeRawBufferPointer, to batch: inout OutgoingBatch) {
        guard let start = unsafe messages.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        if settings.datagram == nil, settings.boundary == .lines {
            unsafe batch.append(lines: messages, count: UInt64(cweir_net_count_newlines(start, messages.count)))
            return
        }
        let base = batch.bytes.count
        unsafe batch.append(bytes: messages)
        // A frame of a stream stands alone.
        let limit = settings.datagram ?? 0
        var first = 0
        var place = 0
        var count = 0
        while place < messages.count {
            let length = unsafe firstMessage(UnsafeRawBufferPointer(rebasing: messages[place...]))
            if place > first, place + length - first > limit || count == settings.linesPerDatagram {
                batch.endMessage(at: base + place)
                first = place
                count = 0
            }
            place += length
            count += 1
        }
        batch.endMessage(at: base + place)
    }

    private func push(_ batch: OutgoingBatch) throws(TransportError) {
        var batch = batch
        while true {
            switch outbox.offer(batch) {
            case .taken: return
            case .over(let fault?): throw .writeFailed(address: address, reason: fault)
            case .over: throw .closed(address: address)
            case .full(let same):
                batch = same
                try waitForRoom(batch.messages)
            }
        }
    }

    private var isInterrupted: Bool { interruption?.isTriggered ?? false }

    /// How long the end waits.
    private var linger: Duration { isInterrupted ? settings.lingerAtInterruption ?? settings.linger : settings.linger }

    private func waitForRoom(_ messages: UInt64) throws(TransportError) {
        guard isInterrupted else {
            outbox.room.wait(or: interruption?.descriptor)
            return
        }
        // After an interruption the wait is bounded.
        let limit = patience ?? (.now + linger.inNanoseconds)
        patience = limit
        guard .now < limit else {
            counter.update { metrics in
                metrics.arrived += messages
                metrics[.unsent] += messages
            }
            throw .writeFailed(address: address, reason: "the last messages were not taken in time")
        }
        outbox.room.wait(milliseconds: limit.millisecondsFromNow)
    }
}
