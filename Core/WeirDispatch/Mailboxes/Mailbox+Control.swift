internal import CWeir
public import WeirCore

/// How a consumer's wait ended.
@frozen
public enum MailboxAwakening: Hashable, Sendable {
    /// There may be something to take, or ``Mailbox/nudge()`` was called.
    case ready

    /// The deadline passed.
    case timedOut

    /// The mailbox is closed and empty: nothing will come any more.
    case finished
}

extension Mailbox {
    /// Waits until there is something to take, without using the processor.
    ///
    ///     loop: while true {
    ///         while let next = unsafe mailbox.take() { handle(next) }
    ///         switch unsafe mailbox.park() {
    ///         case .finished: break loop
    ///         case .ready, .timedOut: continue
    ///         }
    ///     }
    ///
    /// A burst of elements wakes the thread once.
    ///
    /// - Warning: Only for the consumer, as ``take()``.
    /// - Parameters:
    ///   - deadline: When to return at the latest, on the `MonotonicClock`.
    ///   - patience: How long to look for elements, using the processor, before sleeping. Waking from sleep takes some
    ///     microseconds, an element found while spinning less than one.
    /// - Returns: How the wait ended.
    /// - Complexity: O(1) wake-ups, whatever arrives; no allocation.
    @unsafe
    @discardableResult
    public func park(
        until deadline: Timestamp = .distantFuture,
        spinning patience: Duration = .zero
    ) -> MailboxAwakening {
        let spin = patience == .zero ? 0 : patience.wholeNanoseconds
        return switch unsafe Int(cweir_mailbox_park(mailbox, deadline.nanosecondsSinceEpoch, spin)) {
        case Int(CWEIR_MAILBOX_TIMED_OUT): .timedOut
        case Int(CWEIR_MAILBOX_FINISHED): .finished
        default: .ready
        }
    }

    /// Closes the mailbox: every later put returns `false` and is counted.
    ///
    /// Wakes the consumer and the producers that wait for room. What waits can still be taken.
    public func close() {
        unsafe cweir_mailbox_close(mailbox)
    }

    /// Makes the consumer return from its current wait, or else from the next one, with nothing to take.
    public func nudge() {
        unsafe cweir_mailbox_nudge(mailbox)
    }

    /// Makes the calling thread the consumer from now on.
    ///
    /// The mailbox has to know, to drop what its own consumer puts into a full place instead of waiting for ever;
    /// ``park(until:spinning:)`` says it, too.
    public func becomeConsumer() {
        unsafe cweir_mailbox_become_consumer(mailbox)
    }

    /// Removes the calling thread as the consumer; does nothing when it is not.
    ///
    /// For a consumer that ends before its mailbox: the system gives a thread's identity to later ones.
    public func resignConsumer() {
        unsafe cweir_mailbox_resign_consumer(mailbox)
    }

    /// Whether the calling thread is the consumer, as far as the mailbox has been told.
    public var isConsumer: Bool {
        unsafe cweir_mailbox_is_consumer(mailbox)
    }

    /// Whether the mailbox lets nothing more in.
    public var isClosed: Bool {
        unsafe cweir_mailbox_is_closed(mailbox)
    }

    /// Why the mailbox closed itself: the first overflow where the policy is to fail.
    public var failure: MailboxError? {
        let lane = unsafe cweir_mailbox_failed_lane(mailbox)
        guard lane < UInt32(MailboxLane.count) else { return nil }
        return .overflow(
            priority: MailboxLane.priority(lane),
            order: MailboxLane.order(lane),
            capacity: bounds[Int(lane)].capacity
        )
    }

    /// What the mailbox holds and has seen; readable at any time, from any thread.
    ///
    /// - Complexity: O(1), wait-free, one allocation.
    public var metrics: MailboxMetrics {
        var metrics = MailboxMetrics()
        metrics.lanes = (0..<UInt32(MailboxLane.count)).map { lane in
            unsafe MailboxMetrics.Lane(cweir_mailbox_read(mailbox, lane))
        }
        metrics.sleeps = unsafe cweir_mailbox_sleeps(mailbox)
        metrics.wakeUps = unsafe cweir_mailbox_wakes(mailbox)
        return metrics
    }
}
