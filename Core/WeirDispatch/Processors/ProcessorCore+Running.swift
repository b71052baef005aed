internal import CWeir
internal import Synchronization
internal import WeirCore

/// What the processor's own thread does.
extension ProcessorCore {
    func run() {
        mailbox.becomeConsumer()
        while true {
            if hasWork.load(ordering: .acquiring) { doWork() }
            if dropsPending.load(ordering: .relaxed) { break }
            // Safety: this thread is the mailbox's one consumer.
            if let (envelope, priority, order) = unsafe mailbox.take() {
                handle(envelope, priority, order)
            } else if hasRetired.load(ordering: .relaxed), letRetiredGo() {
                continue
            } else if unsafe mailbox.park(spinning: patience) == .finished {
                // Closed by `stop()` or by an overflow, and no event is pending or being put.
                break
            }
        }
        finish()
    }

    func handle(_ envelope: Envelope, _ priority: Priority, _ order: DispatchOrder) {
        let context = EventContext(
            priority: priority,
            order: order,
            dispatchTime: envelope.dispatchTime,
            clock: clock
        )
        let handled = handledCount.load(ordering: .relaxed) &+ 1
        busySince.store(cweir_clock_coarse(), ordering: .relaxed)
        // A clock that is exact costs as much as a short handler: a sample tells how long handlers take.
        if handled % 32 == 1 {
            let start = cweir_clock_monotonic()
            envelope.open(context)
            times.record(nanoseconds: cweir_clock_monotonic() - start)
        } else {
            envelope.open(context)
        }
        busySince.store(0, ordering: .relaxed)
        handledCount.store(handled, ordering: .relaxed)
    }

    /// Releases the retired inboxes, unless something is pending; returns whether it did.
    private func letRetiredGo() -> Bool {
        // What was sent to them was sent before they were retired: so it is counted, if it was not taken.
        let gone = state.withLock { state -> [Inbox] in
            guard mailbox.isAtRest else { return [] }
            hasRetired.store(false, ordering: .relaxed)
            defer { state.retired = [] }
            return state.retired
        }
        // Outside the lock: what goes with them is foreign.
        return !gone.isEmpty
    }

    /// Does the work that there is; returns whether there was any.
    @discardableResult
    func doWork() -> Bool {
        var work: [Work] = []
        state.withLock { state in
            hasWork.store(false, ordering: .relaxed)
            guard !state.work.isEmpty else {
                state.hasSuccessor = false
                return
            }
            swap(&work, &state.work)
            swap(&state.work, &state.spare)
        }
        guard !work.isEmpty else { return false }
        for (index, piece) in work.enumerated() {
            workLeft.store(work.count - 1 - index, ordering: .relaxed)
            run(piece)
        }
        work.removeAll(keepingCapacity: true)
        // After a flood the memory goes.
        if work.capacity <= 1024 { state.withLock { swap(&work, &$0.spare) } }
        return true
    }

    func run(_ work: Work) {
        workCount.wrappingAdd(1, ordering: .relaxed)
        switch work {
        case .job(let job, let executor):
            unsafe job.runSynchronously(
                isolatedTo: executor.asUnownedSerialExecutor(),
                taskExecutor: executor.asUnownedTaskExecutor()
            )
        case .closure(let body):
            body()
        }
    }

    /// Drops what is pending in the closed mailbox, and on its way in, until nothing can come any more.
    private func discardPending() {
        // Safety: no other thread consumes: this is the processor's thread, or it never ran. After the end it takes
        // nothing.
        while unsafe mailbox.park() != .finished {
            while let (envelope, _, _) = unsafe mailbox.take() {
                envelope.destroy()
                discardedCount.wrappingAdd(1, ordering: .relaxed)
            }
        }
    }

    /// Drops what is left, and tells those who wait; only then has the processor stopped.
    func finish() {
        discardPending()
        while true {
            let (work, onStop) = state.withLock { state in
                if state.work.isEmpty && state.onStop.isEmpty { state.phase = .stopped }
                defer { (state.work, state.onStop) = ([], [:]) }
                return (state.work, state.onStop.sorted { $0.key < $1.key }.map(\.value))
            }
            if work.isEmpty && onStop.isEmpty { break }
            for piece in work { run(piece) }
            for body in onStop { body() }
        }
        _ = letRetiredGo()
        mailbox.resignConsumer()
    }
}
