internal import CWeir
internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// The event loop of a sink: connects, sends, spills and replays.
///
/// Safety of `@unchecked Sendable`: after `start`, everything but the outbox and the meter belongs to the thread.
@safe
final class OutboxThread: @unchecked Sendable {
    private let outbox: Outbox
    private let link: any OutgoingLink
    private let spill: SpillFile?
    private let poller: Poller
    private let meter: TransportMeter
    private let address: String

    private var backoff: Backoff
    private var nextAttempt = Moment(nanoseconds: 0)
    private var spillRetry: Moment?
    private var saidThatSpillIsFull = false
    private var wasUp: Bool

    /// How many messages left since the link was opened.
    ///
    /// Where opening proves nothing it takes two to know that they arrive: the refusal of one is reported with the next.
    private var unprovenCount: UInt64 = 0

    /// What is being sent, and whether the spill has it too.
    private var current: OutgoingBatch?
    private var isReplay = false
    private var isBlocked = false

    static let workToken: UInt64 = 0

    init(
        _ outbox: Outbox,
        link: any OutgoingLink,
        spill: SpillFile?,
        poller: Poller,
        retry: Duration,
        meter: TransportMeter,
        address: String
    ) throws(TransportError) {
        self.outbox = outbox
        self.link = link
        self.spill = spill
        self.poller = poller
        self.meter = meter
        self.address = address
        backoff = Backoff(longest: retry)
        wasUp = link.isUp
        if let error = poller.watch(outbox.work.descriptor, token: Self.workToken, from: [], to: .reading) {
            throw .cannotOpen(address: address, reason: "\(error)")
        }
        if let spill, spill.found > 0 {
            meter.update { metrics in
                metrics.arrived += spill.found
                metrics.pending += spill.found
            }
            meter.note("'\(address)' goes on with \(spill.found) messages that were spilled before")
        }
        if let damage = spill?.damage { meter.note(damage) }
    }

    /// Starts the thread, which keeps the object until it ends.
    ///
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when the system has no thread.
    func start() throws(TransportError) {
        let reference = unsafe Unmanaged.passRetained(self)
        let error = unsafe cweir_thread_start("weir.sink", runOutboxThread, reference.toOpaque())
        guard error != 0 else { return }
        unsafe reference.release()
        throw .cannotOpen(address: address, reason: "there is no thread to send with")
    }

    fileprivate func run() {
        while step() {}
        var sending = Sending(.done)
        sending.refused = link.lastRefusals()
        count(sending)
        link.close()
        outbox.threadEnds()
    }

    private func step() -> Bool {
        let now = Moment.now
        if !link.isUp, nextAttempt <= now { attempt(now) }
        if link.isUp, !isBlocked { send(now) }
        makeRoom(now)
        let (isPressed, deadline) = outbox.sleepUnlessPressed()
        if let deadline {
            if isDone { return false }
            guard now < deadline else {
                giveUp()
                return false
            }
        }
        let canGoOn = link.isUp && !isBlocked && (current != nil || spill?.isEmpty == false)
        poller.wait(milliseconds: canGoOn || (isPressed && spill?.isFull == false) ? 0 : waitingTime(deadline))
        while let event = poller.nextEvent() {
            if event.token == Self.workToken {
                outbox.work.quiet()
            } else {
                isBlocked = false
                var sending = Sending(.done)
                sending.untaken = link.handle(token: event.token, ready: event.ready)
                count(sending)
            }
        }
        // The next one gets whole lines.
        if !link.isUp { current?.rewindToMessage() }
        return true
    }

    private func waitingTime(_ deadline: Moment?) -> Int32 {
        var earliest = deadline
        if !link.isUp { earliest = min(earliest ?? nextAttempt, nextAttempt) }
        if let spillRetry { earliest = min(earliest ?? spillRetry, spillRetry) }
        // A system without memory for datagrams does not say when it has some again.
        let milliseconds = earliest?.millisecondsFromNow ?? -1
        return isBlocked ? (milliseconds < 0 ? 100 : min(100, milliseconds)) : milliseconds
    }

    private func attempt(_ now: Moment) {
        isBlocked = false
        guard let error = link.open() else {
            if link.isUp {
                unprovenCount = 0
                if link.isProvenByOpening { isProven() }
            } else {
                // A reader connects, and its event wakes the thread.
                nextAttempt = now + .max / 4
            }
            return
        }
        if wasUp { meter.note("'\(address)' cannot be written to: \(error); it is tried again") }
        wasUp = false
        nextAttempt = now + backoff.next()
    }

    /// Records that what is sent arrives, and reports it after a failure.
    private func isProven() {
        if !wasUp { meter.note("'\(address)' can be written to again") }
        wasUp = true
    }

    // MARK: Sending

    /// Sends until there is nothing, or the other side takes no more.
    private func send(_ now: Moment) {
        // Bounded, so that the poller has its turn.
        for _ in 0..<64 {
            guard var batch = current ?? takeNext() else { return }
            current = nil
            let sending = link.send(&batch)
            count(sending)
            switch sending.status {
            case .done:
                unprovenCount += sending.delivered
                if !wasUp, unprovenCount > 1 { isProven() }
                if wasUp { backoff.reset() }
                if isReplay {
                    spill?.removeFirst()
                    if spill?.isFull == false { outbox.setCanSpill(true) }
                }
                isReplay = false
            case .blocked:
                current = batch
                isBlocked = true
                return
            case .failed(let error):
                batch.rewindToMessage()
                current = batch
                link.close()
                if wasUp { meter.note("'\(address)' cannot be written to: \(error); it is tried again") }
                wasUp = false
                nextAttempt = now + backoff.next()
                return
            }
        }
    }

    /// The oldest batch: what was spilled is older than what is in the queue.
    private func takeNext() -> OutgoingBatch? {
        if let spill, !spill.isEmpty {
            if let batch = spill.first() {
                isReplay = true
                return batch
            }
            let lost = spill.messages
            spill.clear()
            meter.update { metrics in
                metrics.pending -= lost
                metrics[.damaged] += lost
            }
            meter.note("'\(address)': the spill cannot be read any more; \(lost) messages are lost")
        }
        isReplay = false
        return outbox.next()
    }

    private func count(_ sending: Sending) {
        guard sending.delivered + sending.tooLong + sending.refused + sending.untaken > 0 else { return }
        meter.update { metrics in
            metrics.pending -= sending.delivered + sending.tooLong
            metrics.delivered += sending.delivered
            metrics[.tooLongToSend] += sending.tooLong
            let refused = min(sending.refused, metrics.delivered)
            metrics.delivered -= refused
            metrics[.refused] += refused
            metrics.delivered -= sending.untaken
            metrics[.untaken] += sending.untaken
        }
    }

    // MARK: Spilling

    /// Moves the queue to the spill, where the writer waits for room.
    private func makeRoom(_ now: Moment) {
        guard let spill else { return }
        if let retry = spillRetry, retry <= now {
            // The disk may have room again.
            spillRetry = nil
            outbox.setCanSpill(true)
        }
        guard outbox.isPressed else { return }
        // What is being sent is older than all that is spilled from now on: it goes first, so that the file
        // has everything in order.
        if spill.isEmpty, !isReplay, let current {
            var rest = current
            rest.rewindToMessage()
            guard spill.append(rest.rest) else { return spillIsFull(spill, now) }
            guard spill.first() != nil else {
                // It cannot be read back; it is still in memory.
                spill.clear()
                if !saidThatSpillIsFull {
                    let consequence = outbox.overflow.consequence
                    meter.note("'\(address)': the spill '\(spill.path)' cannot be read back; \(consequence)")
                }
                saidThatSpillIsFull = true
                return spillIsFull(spill, now)
            }
            isReplay = true
        }
        while let batch = outbox.next() {
            guard spill.append(batch) else {
                // It is what is sent next after all that was spilled.
                outbox.putBack(batch)
                return spillIsFull(spill, now)
            }
        }
        saidThatSpillIsFull = false
    }

    /// Leaves the rest to the policy for a full buffer, for a while.
    private func spillIsFull(_ spill: SpillFile, _ now: Moment) {
        outbox.setCanSpill(false)
        spillRetry = now + 1_000_000_000
        // Once, and not each time that it is tried again.
        guard !saidThatSpillIsFull else { return }
        saidThatSpillIsFull = true
        meter.note("'\(address)': \(spill.fullText); \(outbox.overflow.consequence)")
    }

    // MARK: The end

    private var isDone: Bool {
        current == nil && (spill?.isEmpty ?? true) && link.isFlushed && outbox.isEmpty
    }

    /// Keeps what was not sent in the spill, or counts it.
    private func giveUp() {
        var lost: UInt64 = 0
        func keep(_ batch: OutgoingBatch) {
            // What is kept has no gap: behind one that did not fit, a shorter one does not go in.
            if lost == 0, let spill, spill.append(batch) { return }
            lost += batch.messages
        }
        if let current, !isReplay {
            var rest = current
            rest.rewindToMessage()
            keep(rest.rest)
        }
        while let batch = outbox.next() { keep(batch) }
        // It was handed to readers that did not take it.
        let untaken = link.unflushedMessages
        if untaken > 0 {
            meter.update { metrics in
                let count = min(untaken, metrics.delivered)
                metrics.delivered -= count
                metrics[.unsent] += count
            }
        }
        if let spill, spill.messages > 0 {
            meter.note("'\(address)': \(spill.messages) messages are kept in '\(spill.path)' for the next start")
        }
        guard lost > 0 else { return }
        if let spill, !saidThatSpillIsFull { meter.note("'\(address)': \(spill.fullText); \(lost) messages are lost") }
        meter.update { [lost] metrics in
            metrics.pending -= lost
            metrics[.unsent] += lost
        }
    }
}

// A function of the file: a static method here crashes the region analysis of Swift 6.3.1.
private func runOutboxThread(_ thread: UnsafeMutableRawPointer?) {
    guard let thread = unsafe thread else { return }
    unsafe Unmanaged<OutboxThread>.fromOpaque(thread).takeRetainedValue().run()
}
