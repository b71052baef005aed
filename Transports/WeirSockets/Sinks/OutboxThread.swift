internal import CWeir
internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// The event loop of a sink: connects, sends, spills and replays.
///
/// Safety of `@unchecked Sendable`: after `start`, everything but the outbox and the meter belongs to the thread.
@safe
final class OutboxThread: @unchecked Sendable {
    let outbox: Outbox
    let link: any OutgoingLink
    let spill: SpillFile?
    private let poller: Poller
    let meter: TransportMeter
    let address: String

    private var backoff: Backoff
    private var nextAttempt = Moment(nanoseconds: 0)
    var spillRetry: Moment?
    var saidThatSpillIsFull = false
    private var wasUp: Bool

    /// Whether the link has failed for good.
    private var isOver = false

    /// Why, unless the receiver had enough.
    private var fault: String?

    /// How many messages left since the link was opened.
    ///
    /// Where opening proves nothing it takes two to know that they arrive: the refusal of one is reported with the next.
    private var unprovenCount: UInt64 = 0

    /// What is being sent, and whether the spill has it too.
    var current: OutgoingBatch?
    var isReplay = false
    private var isBlocked = false

    static let workToken: UInt64 = 0

    /// How often to look whether everything was taken, in milliseconds.
    private static let pollingTime: Int32 = 2

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
        wasUp = link.isUp || link.isConnecting
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
        // A pipe without a reader is an error, and not the end of the process.
        cweir_child_ignore_broken_pipes()
        while step() {}
        var sending = Sending(.done)
        sending.refused = link.lastRefusals()
        count(sending)
        link.finish(by: outbox.deadline ?? .now)
        outbox.threadEnds()
    }

    private func step() -> Bool {
        guard !isOver else {
            outbox.takeNoMore(because: fault)
            giveUp()
            return false
        }
        let now = Moment.now
        if !link.isUp, !link.isConnecting, nextAttempt <= now { attempt(now) }
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
        poller.wait(
            milliseconds: canGoOn || isOver || (isPressed && spill?.isFull == false) ? 0 : waitingTime(deadline)
        )
        while let event = poller.nextEvent() {
            if event.token == Self.workToken {
                outbox.work.quiet()
            } else {
                isBlocked = false
                handle(event.token, event.ready)
            }
        }
        if let deadline = link.deadline, deadline <= .now {
            isBlocked = false
            if let sending = link.tick(.now) { take(sending) }
        }
        // The next one gets whole lines.
        if !link.isUp { current?.rewindToMessage() }
        return true
    }

    private func handle(_ token: UInt64, _ ready: PollEvents) {
        let wasConnecting = link.isConnecting
        if let sending = link.handle(token: token, ready: ready) {
            take(sending)
        } else if wasConnecting, link.isUp {
            unprovenCount = 0
            if link.isProvenByOpening { isProven() }
        }
    }

    /// Notes what the link says while nothing is being sent.
    private func take(_ sending: Sending) {
        count(sending)
        if case .failed(let failure) = sending.status { tryAgain(after: failure, .now) }
    }

    private func waitingTime(_ deadline: Moment?) -> Int32 {
        var earliest = deadline
        if !link.isUp, !link.isConnecting { earliest = min(earliest ?? nextAttempt, nextAttempt) }
        if let deadline = link.deadline { earliest = min(earliest ?? deadline, deadline) }
        if let spillRetry { earliest = min(earliest ?? spillRetry, spillRetry) }
        var milliseconds = earliest?.millisecondsFromNow ?? -1
        // Nothing says that the other side has taken the last of it. Not asked here: it may have since it was asked whether
        // everything is done, and the wait would be for the deadline.
        if deadline != nil, link.isUp, current == nil { milliseconds = min(milliseconds, Self.pollingTime) }
        // A system without memory for datagrams does not say when it has some again.
        return isBlocked ? (milliseconds < 0 ? 100 : min(100, milliseconds)) : milliseconds
    }

    private func attempt(_ now: Moment) {
        isBlocked = false
        guard let error = link.open() else {
            if link.isUp {
                unprovenCount = 0
                if link.isProvenByOpening { isProven() }
            } else if !link.isConnecting {
                // A reader connects, and its event wakes the thread.
                nextAttempt = now + .max / 4
            }
            return
        }
        tryAgain(after: LinkFailure(error), now)
    }

    private func tryAgain(after failure: LinkFailure, _ now: Moment) {
        guard !failure.isFinal else {
            meter.note("'\(address)' cannot be written to any more: \(failure.reason)")
            isOver = true
            fault = failure.hadEnough ? nil : failure.reason
            return
        }
        if wasUp { meter.note("'\(address)' cannot be written to: \(failure.reason); it is tried again") }
        wasUp = false
        nextAttempt = now + max(failure.pause ?? 0, backoff.next())
    }

    /// Records that what is sent arrives, and reports it after a failure.
    private func isProven() {
        if !wasUp { meter.note("'\(address)' can be written to again") }
        wasUp = true
    }

    // MARK: Sending

    /// Sends until there is nothing, or the other side takes no more.
    private func send(_ now: Moment) {
        // Bounded, so that the poller has its turn; the other side may end the connection after each batch.
        for _ in 0..<64 where link.isUp {
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
                outbox.recycle(&batch)
            case .blocked:
                current = batch
                isBlocked = true
                return
            case .failed(let failure):
                batch.rewindToMessage()
                current = batch
                link.close()
                return tryAgain(after: failure, now)
            }
        }
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
}

// A function of the file: a static method here crashes the region analysis of Swift 6.3.1.
private func runOutboxThread(_ thread: UnsafeMutableRawPointer?) {
    guard let thread = unsafe thread else { return }
    unsafe Unmanaged<OutboxThread>.fromOpaque(thread).takeRetainedValue().run()
}
