internal import WeirCore
internal import WeirRecords

/// The batches between the thread that writes to a sink and the thread that sends them: bounded, in order.
///
/// Thread safety: any thread; small writes are joined, so the lock is taken once per write and once per batch.
final class Outbox: Sendable {
    fileprivate struct State {
        var queue: [OutgoingBatch] = []
        var byteCount = 0
        /// One that was sent, without what was in it: the next one takes its memory.
        var spare = OutgoingBatch()
        var senderSleeps = false
        var writerWaits = false
        /// Whether the thread can make room by spilling.
        var canSpill: Bool
        var deadline: Moment?
        /// Whether nothing is sent any more, though the thread goes on for a moment.
        var takesNoMore = false
        /// Why, unless the receiver had enough.
        var fault: String?
        var hasEnded = false
    }

    private let state: Locked<State>
    private let settings: OutboxSettings
    private let meter: TransportMeter

    /// What happens when there is no room.
    var overflow: SocketOverflow { settings.overflow }

    /// Wakes the thread that sends.
    let work: Wakeup

    /// Wakes the thread that writes.
    let room: Wakeup

    /// Creates an empty outbox.
    init(
        _ settings: OutboxSettings,
        canSpill: Bool,
        meter: TransportMeter,
        address: String
    ) throws(TransportError) {
        state = Locked(State(canSpill: canSpill))
        self.settings = settings
        self.meter = meter
        work = try Wakeup(address: address)
        room = try Wakeup(address: address)
    }

    // MARK: For the thread that writes

    /// What became of a batch.
    enum Offer {
        case taken
        /// There is no room now; `room` is rung when there may be.
        case full(OutgoingBatch)
        /// Nothing is sent any more, and why, unless the receiver had enough.
        case over(fault: String?)
    }

    /// Puts a batch in the queue, or drops one, as the policy says.
    func offer(_ batch: OutgoingBatch) -> Offer {
        // Counted first: the thread may send it, and take it off, before this returns.
        let count = batch.messages
        let byteCount = UInt64(batch.bytes.count)
        meter.update { metrics in
            metrics.arrived += count
            metrics.arrivedBytes += byteCount
            metrics.pending += count
        }
        var dropped: UInt64 = 0
        var oldest: UInt64 = 0
        var wakes = false
        let offer: Offer = state.withLock { state in
            guard !state.hasEnded, !state.takesNoMore else { return .over(fault: state.fault) }
            while state.byteCount + batch.bytes.count > settings.buffer, !state.queue.isEmpty {
                guard settings.overflow != .block, !state.canSpill else {
                    state.writerWaits = true
                    // The thread may have to spill to make room.
                    wakes = state.canSpill && exchange(&state.senderSleeps, with: false)
                    return .full(batch)
                }
                guard settings.overflow == .dropOldest else {
                    dropped = batch.messages
                    return .taken
                }
                let first = state.queue.removeFirst()
                state.byteCount -= first.bytes.count
                oldest += first.messages
            }
            state.add(batch, joinLimit: settings.batch)
            wakes = exchange(&state.senderSleeps, with: false)
            return .taken
        }
        if wakes { work.ring() }
        let isBack = if case .taken = offer { false } else { true }
        if dropped > 0 || oldest > 0 || isBack {
            meter.update { metrics in
                if isBack {
                    metrics.arrived -= count
                    metrics.arrivedBytes -= byteCount
                    metrics.pending -= count
                }
                metrics.pending -= dropped + oldest
                metrics[.queueFull] += dropped
                metrics[.oldest] += oldest
            }
        }
        return offer
    }

    /// Called once at the end: nothing follows.
    ///
    /// - Parameter deadline: Until when to go on sending.
    func end(by deadline: Moment) {
        state.withLock { $0.deadline = $0.deadline.map { min($0, deadline) } ?? deadline }
        work.ring()
    }

    /// Whether the thread has ended.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    // MARK: For the thread

    /// Takes the next batch; where there is none, the thread is woken when there is.
    func next() -> OutgoingBatch? {
        var wakes = false
        let batch: OutgoingBatch? = state.withLock { state in
            guard !state.queue.isEmpty else {
                state.senderSleeps = true
                return nil
            }
            let batch = state.queue.removeFirst()
            state.byteCount -= batch.bytes.count
            wakes = exchange(&state.writerWaits, with: false)
            return batch
        }
        if wakes { room.ring() }
        return batch
    }

    /// Takes back the memory of a batch that was sent.
    func recycle(_ batch: inout OutgoingBatch) {
        batch.removeAll()
        state.withLock { swap(&$0.spare, &batch) }
    }

    /// Puts a batch that was taken at the front again.
    func putBack(_ batch: OutgoingBatch) {
        state.withLock { state in
            state.queue.insert(batch, at: 0)
            state.byteCount += batch.bytes.count
        }
    }

    var isEmpty: Bool { state.withLock { $0.queue.isEmpty } }

    /// Marks that the thread is about to sleep; returns whether it should not.
    ///
    /// - Returns: Whether the writer waits for room, and until when to go on where nothing follows.
    func sleepUnlessPressed() -> (isPressed: Bool, deadline: Moment?) {
        state.withLock { state in
            state.senderSleeps = true
            return (state.writerWaits && state.canSpill, state.deadline)
        }
    }

    /// Whether the writer waits for room that spilling would make.
    var isPressed: Bool { state.withLock { $0.writerWaits && $0.canSpill } }

    /// Says whether spilling can make room.
    func setCanSpill(_ canSpill: Bool) {
        let wakes = state.withLock { state in
            let changed = state.canSpill != canSpill
            state.canSpill = canSpill
            return changed && exchange(&state.writerWaits, with: false)
        }
        // The writer looks again, now under the policy for a full buffer.
        if wakes { room.ring() }
    }

    /// Until when to go on; `nil` where more may follow.
    var deadline: Moment? { state.withLock { $0.deadline } }

    /// Refuses what is written from now on.
    func takeNoMore(because fault: String?) {
        state.withLock { state in
            state.takesNoMore = true
            state.fault = fault
        }
    }

    /// Marks the end of the thread.
    func threadEnds() {
        state.withLock { $0.hasEnded = true }
        room.ring()
    }
}

extension Outbox.State {
    fileprivate mutating func add(_ batch: OutgoingBatch, joinLimit: Int) {
        byteCount += batch.bytes.count
        let last = queue.count - 1
        guard last >= 0, queue[last].bytes.count + batch.bytes.count <= joinLimit else {
            var next = exchange(&spare, with: OutgoingBatch())
            next.append(batch)
            queue.append(next)
            return
        }
        queue[last].append(batch)
    }
}
