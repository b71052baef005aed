public import CWeir
internal import Synchronization
public import WeirCore

/// A bounded place where events of five priorities wait for one consumer, put there by any number of producers.
///
///     let mailbox = try Mailbox<Int>()
///     mailbox.put(1, priority: .low)
///     mailbox.put(2, priority: .high)
///     mailbox.put(3, priority: .lowest, order: .stack)
///     unsafe mailbox.take()    // (3, .lowest, .stack), then 2, then 1
///
/// ## Order
///
/// Every stacked element comes before every queued one; within each, a higher priority comes first; within one priority
/// the newest of the stack and the oldest of the queue. The rule is applied anew for each element that is taken, so an
/// element that arrives late waits for at most the one that is being handled and for those that go before it by rule. A
/// producer that is interrupted in the middle of a put to a queue holds up the elements behind its own in that queue.
///
/// ## Limits
///
/// Each priority's queue and stack has a capacity and an `OverflowPolicy` of its own, see ``MailboxBounds``:
/// - `block`: the producer waits, spinning for microseconds, then sleeping. The consumer cannot wait for itself: what it
///   puts into a full place of its own mailbox is dropped and counted.
/// - `dropNewest`, `dropOldest`: drop and count.
/// - `latest`: at most one element waits; a new one replaces it.
/// - `fail`: the mailbox closes, the new element is dropped, and ``failure`` says why; what waits can still be taken.
///
/// Slots hold the elements themselves; nothing is allocated after the mailbox is made. Elements that wait when the last
/// reference goes are deinitialised.
///
/// Thread safety: all members may be called from any thread, but for ``take()`` and ``park(until:spinning:)``, which are
/// the consumer's.
@safe
public final class Mailbox<Element: Sendable>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: both fields never change, the C functions may be called from any thread, and
    // those that may not are behind methods that are unsafe to call.

    @usableFromInline let mailbox: UnsafeMutablePointer<cweir_mailbox_t>
    @usableFromInline let bounds: [MailboxBound]

    // For elements that own what Swift does not know of.
    private let onDrop: (@Sendable (consuming Element) -> Void)?

    // Held by the producer that takes out what was put after the consumer had ended.
    private let lateTaking = Locked(())

    // How many producers are dropping what they have taken out.
    private let droppingCount = Atomic<Int>(0)

    /// Makes an empty mailbox.
    ///
    /// - Parameters:
    ///   - bounds: How many elements may wait in each priority's queue and stack, and what happens then.
    ///   - onDrop: Takes each element that is dropped to make room, or that is left at the end.
    /// - Throws: ``MailboxError/invalidCapacity(_:)`` or ``MailboxError/outOfMemory``.
    /// - Complexity: O(*c*) for capacities of *c* in total.
    public init(
        bounds: MailboxBounds = MailboxBounds(),
        onDrop: (@Sendable (consuming Element) -> Void)? = nil
    ) throws(MailboxError) {
        self.onDrop = onDrop
        var lanes = bounds.lanes
        for lane in lanes.indices {
            // The newest replaces all that wait: with one slot there is never more than one.
            if lanes[lane].overflowPolicy == .latest { lanes[lane].capacity = 1 }
            let capacity = lanes[lane].capacity
            guard capacity > 0, capacity & (capacity - 1) == 0, capacity <= 1 << 30 else {
                throw .invalidCapacity(capacity)
            }
        }
        let limits = lanes.map { bound in
            cweir_mailbox_bound_t(
                capacity: bound.capacity,
                drops_oldest: bound.overflowPolicy == .dropOldest || bound.overflowPolicy == .latest
            )
        }
        let made = unsafe limits.withUnsafeBufferPointer { limits -> UnsafeMutablePointer<cweir_mailbox_t>? in
            guard let first = limits.baseAddress else { return nil }
            return unsafe cweir_mailbox_create(first, MemoryLayout<Element>.stride)
        }
        guard let made = unsafe made else { throw .outOfMemory }
        unsafe mailbox = made
        self.bounds = lanes
    }

    deinit {
        while let (element, _, _) = unsafe take() { onDrop?(element) }
        unsafe cweir_mailbox_destroy(mailbox)
    }

    /// Puts an element into a queue or onto a stack.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - priority: How urgent it is.
    ///   - order: Whether to queue or to stack it.
    /// - Returns: `false` when the element was dropped, and counted: because its place was full, or the mailbox closed.
    ///   A put at the very time of ``close()`` may return `true` for an element that is dropped all the same, and counted
    ///   in ``MailboxMetrics/Lane/droppedLate``, because the consumer has ended.
    /// - Complexity: O(1) unless it blocks, no allocation; lock-free to a queue, under a spin lock to a stack.
    @inlinable
    @discardableResult
    public func put(
        _ element: consuming Element,
        priority: Priority = .normal,
        order: DispatchOrder = .queue
    ) -> Bool {
        let lane = MailboxLane.number(priority, order)
        let item = unsafe cweir_mailbox_claim(mailbox, lane)
        guard let slot = unsafe item.slot else { return putWithoutRoom(element, lane: lane) }
        unsafe slot.assumingMemoryBound(to: Element.self).initialize(to: element)
        unsafe publish(item)
        return true
    }

    /// Publishes a filled slot to the consumer, or takes it out again when that has ended.
    @unsafe
    @inlinable
    @inline(__always)
    func publish(_ item: cweir_mailbox_item_t) {
        if unsafe cweir_mailbox_publish(mailbox, item) { dropLate() }
    }

    /// Puts an element that `write` makes where it will lie, which saves moving it there.
    ///
    /// - Returns: `false` when there is no room, and nothing was written or counted: then ``put(_:priority:order:)``.
    @unsafe
    @inlinable
    @inline(__always)
    func putIfRoom(_ priority: Priority, _ order: DispatchOrder, _ write: (UnsafeMutableRawPointer) -> Void) -> Bool {
        let item = unsafe cweir_mailbox_claim(mailbox, MailboxLane.number(priority, order))
        guard let slot = unsafe item.slot else { return false }
        unsafe write(slot)
        unsafe publish(item)
        return true
    }

    /// Takes the next element by the rule of the mailbox.
    ///
    /// Its slot is free for the producers when this returns.
    ///
    /// - Warning: Only for the consumer: one thread at a time, and who takes after another thread has to synchronise
    ///   with it.
    /// - Returns: The element and how it was put; or `nil` when nothing waits, or is still being written.
    /// - Complexity: O(1), no allocation.
    @unsafe
    @inlinable
    public func take() -> (element: Element, priority: Priority, order: DispatchOrder)? {
        let item = unsafe cweir_mailbox_take(mailbox)
        guard let slot = unsafe item.slot else { return nil }
        let element = unsafe slot.assumingMemoryBound(to: Element.self).move()
        unsafe cweir_mailbox_give_back(mailbox, item)
        return unsafe (element, MailboxLane.priority(item.lane), MailboxLane.order(item.lane))
    }

    /// Puts an element that found no free slot, or a closed mailbox.
    @inlinable
    @inline(never)
    func putWithoutRoom(_ element: consuming Element, lane: UInt32) -> Bool {
        switch offerWithoutRoom(element, lane: lane) {
        case .taken: return true
        case .dropped: return false
        case .closed: return dropClosed(lane)
        }
    }

    /// What became of an element that was offered.
    @usableFromInline
    enum Outcome {
        case taken
        case dropped
        /// Not counted: the caller may have another mailbox.
        case closed
    }

    /// Puts an element as ``put(_:priority:order:)`` does, and leaves it to the caller to count one that finds the
    /// mailbox closed.
    func offer(_ element: consuming Element, _ priority: Priority, _ order: DispatchOrder) -> Outcome {
        let lane = MailboxLane.number(priority, order)
        let item = unsafe cweir_mailbox_claim(mailbox, lane)
        guard let slot = unsafe item.slot else { return offerWithoutRoom(element, lane: lane) }
        unsafe slot.assumingMemoryBound(to: Element.self).initialize(to: element)
        unsafe publish(item)
        return .taken
    }

    @inlinable
    func offerWithoutRoom(_ element: consuming Element, lane: UInt32) -> Outcome {
        var round: UInt32 = 0
        while true {
            if isClosed { return .closed }
            guard makeRoom(lane: lane, round: round) else { return .dropped }
            let item = unsafe cweir_mailbox_claim(mailbox, lane)
            if let slot = unsafe item.slot {
                unsafe slot.assumingMemoryBound(to: Element.self).initialize(to: element)
                unsafe publish(item)
                return .taken
            }
            round = round == .max ? round : round + 1
        }
    }

    /// Does what the policy of a full lane says, and returns whether to try again.
    @usableFromInline
    func makeRoom(lane: UInt32, round: UInt32) -> Bool {
        switch bounds[Int(lane)].overflowPolicy {
        case .block:
            if isConsumer { return drop(lane, CWEIR_MAILBOX_DROPPED_OWN) }
            if unsafe !cweir_mailbox_wait_for_room(mailbox, lane, round) {
                return drop(lane, CWEIR_MAILBOX_DROPPED_OWN)
            }
        case .dropNewest:
            return drop(lane, CWEIR_MAILBOX_DROPPED_NEWEST)
        case .dropOldest, .latest:
            // The oldest may be in the hands of another thread that is writing or taking it.
            if !dropOldest(lane: lane) { cweir_thread_back_off(round) }
        case .fail:
            unsafe cweir_mailbox_fail(mailbox, lane)
            return drop(lane, CWEIR_MAILBOX_DROPPED_NEWEST)
        }
        return true
    }

    @usableFromInline
    func dropClosed(_ lane: UInt32) -> Bool {
        drop(lane, CWEIR_MAILBOX_DROPPED_CLOSED)
    }

    private func drop(_ lane: UInt32, _ cause: some BinaryInteger) -> Bool {
        unsafe cweir_mailbox_count_dropped(mailbox, lane, UInt32(cause))
        return false
    }

    private func dropOldest(lane: UInt32) -> Bool {
        beginDropping()
        defer { endDropping() }
        let item = unsafe cweir_mailbox_take_oldest(mailbox, lane)
        guard let slot = unsafe item.slot else { return false }
        // Moved out first: the element's deinit is foreign code, and must not run inside the stack's lock.
        let oldest = unsafe slot.assumingMemoryBound(to: Element.self).move()
        unsafe cweir_mailbox_remove_oldest(mailbox, item)
        if let onDrop { onDrop(oldest) } else { _ = consume oldest }
        return true
    }

    /// Takes out and drops what was put after the consumer had ended, by this thread or by others.
    @usableFromInline
    @inline(never)
    func dropLate() {
        beginDropping()
        defer { endDropping() }
        // Out of the lock with them: what goes with an element is foreign. There are no more than the mailbox has room for.
        let late = lateTaking.withLock { _ in
            var late: [Element] = []
            var round: UInt32 = 0
            repeat {
                // Safety: a thread that takes after the consumer's end has the lock.
                while let (element, priority, order) = unsafe take() {
                    late.append(element)
                    _ = drop(MailboxLane.number(priority, order), CWEIR_MAILBOX_DROPPED_LATE)
                }
                cweir_thread_back_off(round)
                round &+= 1
            } while unsafe !cweir_mailbox_is_left_empty(mailbox)
            return late
        }
        guard let onDrop else { return }
        for element in late { onDrop(element) }
    }

    private func beginDropping() {
        droppingCount.wrappingAdd(1, ordering: .sequentiallyConsistent)
        // Before anything is taken: who sees that it is gone sees the count.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    private func endDropping() {
        droppingCount.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    }

    /// Whether nothing is pending, nor in the hands of a producer that drops it.
    var isAtRest: Bool {
        guard pendingCount == 0 else { return false }
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        return droppingCount.load(ordering: .sequentiallyConsistent) == 0
    }
}
