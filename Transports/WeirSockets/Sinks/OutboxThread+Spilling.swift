internal import WeirCore
internal import WeirRecords

/// What is kept in a file, and what becomes of it at the end.
extension OutboxThread {
    /// The oldest batch: what was spilled is older than what is in the queue.
    func takeNext() -> OutgoingBatch? {
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

    /// Moves the queue to the spill, where the writer waits for room.
    func makeRoom(_ now: Moment) {
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

    var isDone: Bool {
        current == nil && (spill?.isEmpty ?? true) && link.isFlushed && outbox.isEmpty
    }

    /// Keeps what was not sent in the spill, or counts it.
    func giveUp() {
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
