public import CWeir
public import WeirCore

/// Payloads that wait for their time: millions of timers for one owner, in exact order.
///
/// The queue reads no clock and starts no thread. Its owner asks when the next timer is due, waits until then in its
/// own way, and takes what is due, so the same queue serves wall time, event time and virtual time.
///
///     var timers = try TimerQueue<String>(limit: 1000)
///     let tea = try timers.add(at: start + .seconds(180), "tea")
///     try timers.add(at: start + .seconds(60), "milk")
///     timers.nextDeadline                       // start + 60 s
///     timers.popDue(upTo: start + .seconds(60)) // (start + 60 s, "milk")
///     timers.cancel(tea)                        // "tea"
///
/// Timers fire in the order of their deadlines, those with equal deadlines in the order in which they were added. A
/// deadline may be in the past: such a timer is simply the next one.
///
/// Payloads that are still pending when the queue is gone are deinitialised.
///
/// Thread safety: one thread at a time holds the queue; it may be sent to another.
///
/// - Complexity: adding, cancelling and taking a timer are O(1) amortised as long as no more than some hundreds of
///   deadlines are equal, otherwise O(log *n*). Memory grows in steps of 1024 timers up to the limit and is kept;
///   nothing else allocates.
@safe
@frozen
public struct TimerQueue<Payload: Sendable>: ~Copyable, @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the queue cannot be copied and its methods are mutating, so one thread at a time
    // uses what the pointer points to. Passing the queue on synchronises.

    /// How many timers may be pending.
    public let limit: Int

    @usableFromInline let queue: OpaquePointer

    /// Creates an empty queue.
    ///
    /// - Parameter limit: How many timers may be pending: between 1 and 2³¹.
    /// - Throws: ``TimerError/invalidLimit(_:)`` or ``TimerError/outOfMemory``.
    public init(limit: Int = 1 << 20) throws(TimerError) {
        guard limit > 0, limit <= 1 << 31 else { throw .invalidLimit(limit) }
        precondition(
            MemoryLayout<Payload>.alignment <= CWEIR_CACHE_LINE,
            "a payload cannot be aligned to more than \(CWEIR_CACHE_LINE) bytes; put it into an object"
        )
        guard
            let queue = unsafe cweir_timer_queue_create(
                limit,
                MemoryLayout<Payload>.size,
                MemoryLayout<Payload>.alignment
            )
        else { throw .outOfMemory }
        self.limit = limit
        unsafe self.queue = queue
    }

    deinit {
        var cursor: UInt32 = 0
        while let payload = unsafe cweir_timer_queue_remove_any(queue, &cursor) {
            unsafe payload.assumingMemoryBound(to: Payload.self).deinitialize(count: 1)
        }
        unsafe cweir_timer_queue_destroy(queue)
    }

    /// How many timers are pending.
    @inlinable
    public var count: Int { unsafe cweir_timer_queue_count(queue) }

    /// Whether no timer is pending.
    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// The earliest deadline; nil when no timer is pending.
    @inlinable
    public var nextDeadline: Timestamp? {
        mutating get {
            var deadline: Int64 = 0
            guard unsafe cweir_timer_queue_peek(queue, &deadline) else { return nil }
            return Timestamp(nanosecondsSinceEpoch: deadline)
        }
    }

    /// Adds a timer.
    ///
    /// - Parameters:
    ///   - deadline: When it is due.
    ///   - payload: What to get back then.
    /// - Returns: The handle that cancels it.
    /// - Throws: ``TimerError/full(limit:)`` or ``TimerError/outOfMemory``; then nothing has changed.
    @inlinable
    @discardableResult
    public mutating func add(at deadline: Timestamp, _ payload: consuming Payload) throws(TimerError) -> TimerHandle {
        var timer = cweir_timer_t(sequence: 0, slot: 0)
        guard let memory = unsafe cweir_timer_queue_add(queue, deadline.nanosecondsSinceEpoch, &timer) else {
            throw count == limit ? .full(limit: limit) : .outOfMemory
        }
        unsafe memory.initializeMemory(as: Payload.self, to: payload)
        return TimerHandle(timer)
    }

    /// Cancels a timer.
    ///
    /// - Parameter handle: The timer.
    /// - Returns: Its payload; nil when it has fired or was cancelled before.
    @inlinable
    @discardableResult
    public mutating func cancel(_ handle: TimerHandle) -> Payload? {
        guard let payload = unsafe cweir_timer_queue_cancel(queue, handle.timer) else { return nil }
        return unsafe payload.assumingMemoryBound(to: Payload.self).move()
    }

    /// Moves a timer to another deadline, as if it had been cancelled and added again.
    ///
    /// - Parameters:
    ///   - handle: The timer; set to its new handle. Copies of the old one are stale.
    ///   - deadline: When it is due from now on.
    /// - Returns: Whether the timer was pending; otherwise nothing has changed.
    @inlinable
    @discardableResult
    public mutating func reschedule(_ handle: inout TimerHandle, at deadline: Timestamp) -> Bool {
        var timer = handle.timer
        guard unsafe cweir_timer_queue_reschedule(queue, &timer, deadline.nanosecondsSinceEpoch) else { return false }
        handle = TimerHandle(timer)
        return true
    }

    /// Whether a timer has neither fired nor been cancelled.
    ///
    /// - Parameter handle: The timer.
    /// - Returns: True while it is pending.
    @inlinable
    public func isPending(_ handle: TimerHandle) -> Bool {
        unsafe cweir_timer_queue_find(queue, handle.timer) != nil
    }

    /// Takes the next timer if it is due.
    ///
    /// - Parameter time: The time up to which timers are due, itself included.
    /// - Returns: The timer's deadline and payload; nil when no timer is due.
    @inlinable
    public mutating func popDue(upTo time: Timestamp) -> (deadline: Timestamp, payload: Payload)? {
        var deadline: Int64 = 0
        guard let payload = unsafe cweir_timer_queue_pop(queue, time.nanosecondsSinceEpoch, &deadline) else {
            return nil
        }
        return unsafe (
            Timestamp(nanosecondsSinceEpoch: deadline), payload.assumingMemoryBound(to: Payload.self).move()
        )
    }

    /// Prefetches what the payload of the next timer points to.
    ///
    /// - Parameter offset: Where in the payload the pointer is, in bytes.
    func fetchNext(pointerAt offset: Int) {
        assert(offset + MemoryLayout<Int>.size <= MemoryLayout<Payload>.size)
        unsafe cweir_timer_queue_fetch_next(queue, offset)
    }

    /// Cancels all timers.
    ///
    /// - Complexity: O(*n*) for the most timers that were ever pending.
    public mutating func removeAll() {
        var cursor: UInt32 = 0
        while let payload = unsafe cweir_timer_queue_remove_any(queue, &cursor) {
            unsafe payload.assumingMemoryBound(to: Payload.self).deinitialize(count: 1)
        }
    }
}

/// Names one timer of one queue.
///
/// A handle whose timer has fired or was cancelled is recognised as stale for ever, since handles are never reused. A
/// handle is of no use with another queue than its own.
@frozen
public struct TimerHandle: Sendable, Hashable {
    @usableFromInline var slot: UInt32
    @usableFromInline var sequence: UInt64

    @inlinable
    init(_ timer: cweir_timer_t) {
        slot = timer.slot
        sequence = timer.sequence
    }

    @inlinable var timer: cweir_timer_t { cweir_timer_t(sequence: sequence, slot: slot) }
}

/// Why a timer queue or a timer cannot be made.
public enum TimerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A queue can hold between 1 and 2³¹ timers.
    case invalidLimit(Int)
    /// As many timers are pending as the queue may hold.
    case full(limit: Int)
    /// There is no memory for another timer.
    case outOfMemory

    public var description: String {
        switch self {
        case .invalidLimit(let limit): "a timer queue cannot be limited to \(limit) timers, only to 1 up to 2^31"
        case .full(let limit): "\(limit) timers are pending, as many as the queue may hold"
        case .outOfMemory: "there is no memory for another timer"
        }
    }
}
