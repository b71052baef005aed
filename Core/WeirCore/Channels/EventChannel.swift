public import CWeir
public import Synchronization

/// Where events enter: hands each event to every attached sink, on the thread that publishes.
///
///     let readings = EventChannel<Reading>()
///     readings.filter { $0.celsius > 30 }.subscribe { print("hot:", $0) }
///     readings.publish(Reading(timestamp: .epoch, celsius: 31))
///
/// ## Elements without a time
///
/// A channel takes any `Sendable` type. Elements that are no events get the time of their arrival, by the channel's
/// clock, as their event time; it does not go back, and is the same for all sinks.
///
///     struct LoadPlan: Sendable {}
///     let plans = EventChannel<LoadPlan>()
///     plans.subscribe { print($0) }
///     plans.publish(LoadPlan())
///
/// ## Order and threads
///
/// The sinks run on one thread at a time. A publisher that finds the channel free runs them before `publish` returns.
/// A concurrent publisher, or one inside a sink, enqueues the event in the channel's waiting ring; the thread inside
/// takes it after the event, or the batch, that it is handling. So no publisher waits, nothing recurses, and the events
/// of one publisher keep their order. The ring is bounded, and the overflow policy says what happens when it is full.
///
/// A watermark or the completion that meets a busy channel takes effect after all events that wait. A sink that comes
/// later is told the last watermark, or the completion, at once.
///
/// Thread safety: all members may be called from any thread, also from inside a sink.
///
/// - Complexity: `publish` is O(*s*) for *s* sinks, without allocation or lock.
@safe
public final class EventChannel<Element: Sendable>: GroupableStream, SinkSource, @unchecked Sendable {
    // Safety of `@unchecked Sendable`: `inside` is touched only from inside the gate, whose enter and leave order one
    // thread's work before the next one's. Everything else is atomic, constant, or under the lock of `registration`.

    /// What must only change together with the list of sinks.
    struct Registration: Sendable {
        // In the order of their numbers, by which checkpoints know them.
        var subscribers: [(id: UInt64, number: UInt64, subscriber: Subscriber<Element>)] = []
        var lastNumber: UInt64 = 0
        var receivers: [Receiver<Element>] = []
        var hasHadSubscribers = false
        var requestedCompletion: Completion?
        var completion: Completion?
    }

    /// What belongs to the thread inside the gate.
    @safe
    @frozen
    @usableFromInline
    struct Inside {
        @usableFromInline var table: Unmanaged<ObjectTable<Subscriber<Element>>>
        @usableFromInline var isFinished = false
        @usableFromInline var options = DispatchOptions()
        // When the event that is being sent was dispatched; set at the first use (`isStamped`).
        @usableFromInline var dispatchTime = Timestamp.distantPast
        @usableFromInline var isStamped = false
        @usableFromInline var latest: Element?
        // The time of the element without one that is being sent; not before that of the last one.
        @usableFromInline var arrival = Timestamp.distantPast
        var aheadLimit: AheadLimit?
        var watermark = Timestamp.distantPast

        init(table: Unmanaged<ObjectTable<Subscriber<Element>>>) {
            unsafe self.table = table
        }
    }

    /// An event that found the channel busy.
    @usableFromInline
    struct Waiting: Sendable {
        let event: Element
        let options: DispatchOptions
        let dispatchTime: Timestamp
    }

    /// How many events may wait.
    public let capacity: Int

    /// What happens to an event that finds all places taken.
    public let overflowPolicy: OverflowPolicy

    /// Whether a sink or listener starts with the latest event that was published before it came.
    public let replaysLatest: Bool

    /// What dispatches are stamped with.
    public let clock: EventClock

    /// The events that ran too far ahead in event time, by the limit that the channel was made with.
    public let ahead = SideOutput<Element>()

    package let departed = DepartedSinks()

    // Whether each event has to be looked at: the latest is kept, or there is a limit.
    @usableFromInline package let looksAtEach: Bool

    @usableFromInline let gate: UnsafeMutablePointer<cweir_gate_t>
    @usableFromInline let incomingTable: UnsafeMutablePointer<cweir_handoff_t>
    @usableFromInline let inside: UnsafeMutablePointer<Inside>

    @usableFromInline let receivers = Snapshot<ObjectTable<Receiver<Element>>>()
    // False while there is neither a sink nor a completion to send: then publishers skip the gate.
    @usableFromInline let needsGate: Atomic<Bool>
    // Written inside the gate, by plain stores. What goes to receivers alone is counted by reading their table.
    @usableFromInline let publishedInside = Atomic<UInt64>(0)
    @usableFromInline let publishedToNobody = Atomic<UInt64>(0)

    // What `EventTime` says of the type, for code that does not know it.
    let isTimed = EventTime.isCarried(by: Element.self)
    @usableFromInline let waiting: SharedRing<Waiting>
    let registration = Locked(Registration())
    let requestedWatermark = Atomic<Int64>(.min)
    let nextSubscriberID = Atomic<UInt64>(0)
    let completionRequested = Atomic<Bool>(false)
    let dropped = Atomic<UInt64>(0)
    let droppedAfterEnd = Atomic<UInt64>(0)
    let waitingHighWaterMark = Atomic<Int>(0)
    let ignoredWatermarks = Atomic<UInt64>(0)

    /// Creates a channel without sinks.
    ///
    /// - Parameters:
    ///   - capacity: How many events may wait while another one is being handled; a power of two.
    ///   - overflowPolicy: What happens to an event that finds all places taken. With ``OverflowPolicy/block``, an
    ///     event that a sink publishes into its own full channel is dropped and counted: it cannot wait for itself.
    ///   - replaysLatest: Whether a sink or listener starts with the latest event that was published before it came.
    ///   - maxAhead: How far an event may run ahead in event time: those beyond go to ``ahead``, and neither to sinks nor to
    ///     listeners. Without a limit one event of the far future makes all that follow late.
    ///   - clock: What dispatches, and elements without a time, are stamped with.
    public init(
        capacity: Int = 1024,
        overflowPolicy: OverflowPolicy = .block,
        replaysLatest: Bool = false,
        maxAhead: AheadLimit? = nil,
        clock: EventClock = EventClock()
    ) {
        self.capacity = capacity
        self.overflowPolicy = overflowPolicy
        self.replaysLatest = replaysLatest
        self.clock = clock
        looksAtEach = replaysLatest || maxAhead != nil
        needsGate = Atomic(looksAtEach)
        do {
            waiting = try SharedRing(capacity: capacity)
        } catch {
            preconditionFailure("a channel of capacity \(capacity) cannot be made: \(error)")
        }
        guard let line = unsafe cweir_allocate_lines(1, MemoryLayout<cweir_gate_t>.size) else {
            preconditionFailure("there is no memory for a channel")
        }
        unsafe gate = line.bindMemory(to: cweir_gate_t.self, capacity: 1)
        unsafe cweir_gate_init(gate)
        unsafe incomingTable = .allocate(capacity: 1)
        unsafe cweir_handoff_init(incomingTable)
        unsafe inside = .allocate(capacity: 1)
        unsafe inside.initialize(to: Inside(table: .passRetained(ObjectTable([]))))
        unsafe inside.pointee.aheadLimit = maxAhead
    }

    deinit {
        takeTable()
        unsafe inside.pointee.table.release()
        unsafe inside.deinitialize(count: 1)
        unsafe inside.deallocate()
        unsafe incomingTable.deallocate()
        unsafe cweir_free_lines(gate)
    }

    /// A snapshot of the channel's counts; reading it delays no publisher.
    public var metrics: ChannelMetrics {
        ChannelMetrics(
            published: publishedInside.load(ordering: .relaxed) + publishedToNobody.load(ordering: .relaxed)
                + receivers.countedReads,
            droppedByOverflow: dropped.load(ordering: .relaxed),
            droppedAfterEnd: droppedAfterEnd.load(ordering: .relaxed),
            droppedAhead: ahead.count,
            ignoredWatermarks: ignoredWatermarks.load(ordering: .relaxed),
            waiting: waiting.count,
            waitingHighWaterMark: waitingHighWaterMark.load(ordering: .relaxed)
        )
    }
}
