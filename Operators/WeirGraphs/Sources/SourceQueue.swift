internal import CWeir
internal import Synchronization
public import WeirCore

/// What became of an element that was offered to a graph.
public enum Offer: Sendable, Hashable {
    /// It waits for demand, or is being sent.
    case accepted
    /// There was no room: it, or by the policy an older one, was dropped and counted.
    case dropped
    /// The graph takes no more.
    case closed
}

/// The handle of a source that is driven by calls.
///
///     let (queue, result) = Source<Int, SourceQueue<Int>>.queue(capacity: 16).to(.fold(0, +)) { ($0, $1) }.run()
///     queue.offer(1, at: now)
///     queue.finish()
///
/// Offered elements wait in a ring until the graph requests them. The source ends when the last reference to the handle
/// is released.
///
/// Thread safety: any thread; elements of one thread keep their order.
public final class SourceQueue<Element: Sendable>: Sendable {
    @usableFromInline let boundary: GraphBoundary<Element>
    private let policy: OverflowPolicy
    // Four times the number of calls that may be writing, one when the queue is closed: the end comes after them, and two while
    // it is saved: they wait.
    private let writers = Atomic<UInt64>(0)
    private let ending = Locked<Completion>(.finished)
    private let drops = Atomic<UInt64>(0)
    private let saving = Locked(())

    @usableFromInline
    init(capacity: Int, policy: OverflowPolicy) {
        precondition(
            policy != .block,
            "a source queue cannot block its producer; use another policy and check whether offers are accepted"
        )
        boundary = GraphBoundary(capacity: capacity)
        self.policy = policy
    }

    deinit {
        boundary.finish(.finished)
    }

    /// Starts a write, unless the queue is closed.
    private func enter() -> Bool {
        guard writers.load(ordering: .relaxed) & 1 == 0, !boundary.isCancelled else { return false }
        // Acquire and release, here and below: the thread that ends the source sees all that was written.
        while true {
            let state = writers.wrappingAdd(4, ordering: .acquiringAndReleasing).oldValue & 3
            if state == 0 { return true }
            leave()
            if state & 1 == 1 { return false }
            // What saves it is done soon; it copies what waits.
            saving.withLock { _ in }
        }
    }

    /// Ends the source when it was closed meanwhile and no other thread is writing.
    private func leave() {
        // When it was closed while it is saved, what saves it ends the source.
        guard writers.wrappingSubtract(4, ordering: .acquiringAndReleasing).newValue == 1 else { return }
        boundary.finish(ending.withLock { $0 })
    }

    /// Saves what waits, or gives it back; the reading end stands still.
    func exchangeState(_ exchange: inout StateExchange) throws(StateError) {
        var dropped = droppedCount
        try boundary.exchangeState(&exchange) { body in
            saving.withLock { _ in
                writers.bitwiseOr(2, ordering: .acquiringAndReleasing)
                var round: UInt32 = 0
                while writers.load(ordering: .acquiring) >= 4 {
                    cweir_thread_back_off(round)
                    round &+= 1
                }
                body()
                // Closed meanwhile: the last one that writes could not end the source.
                if writers.bitwiseAnd(~2, ordering: .acquiringAndReleasing).newValue == 1 {
                    boundary.finish(ending.withLock { $0 })
                }
            }
        }
        try exchange.exchange(&dropped)
        guard exchange.isRestoring else { return }
        drops.store(dropped, ordering: .relaxed)
        if boundary.end != nil { writers.bitwiseOr(1, ordering: .relaxed) }
    }

    /// Offers an element; never waits.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - time: Its event time.
    /// - Returns: What became of it.
    @discardableResult
    public func offer(_ element: Element, at time: Timestamp = .epoch) -> Offer {
        guard enter() else { return .closed }
        let offer = write(.element(Timed(element, at: time)))
        leave()
        // Not before: the thread may run the graph, and wait where that stands still to be saved.
        if offer.isWritten { boundary.hasWritten() }
        return offer.result
    }

    private func write(_ crossing: Crossing<Element>) -> (result: Offer, isWritten: Bool) {
        var offer = Offer.accepted
        if policy == .latest { makeRoom(upTo: .max) }
        while !boundary.ring.push(crossing) {
            offer = .dropped
            switch policy {
            case .block, .dropNewest:
                drops.wrappingAdd(1, ordering: .relaxed)
                return (.dropped, false)
            case .dropOldest, .latest:
                makeRoom(upTo: 1)
            case .fail:
                drops.wrappingAdd(1, ordering: .relaxed)
                finish(.failed(GraphError.overflow(capacity: boundary.capacity)))
                return (.dropped, false)
            }
        }
        return (offer, true)
    }

    private func makeRoom(upTo most: Int) {
        drops.wrappingAdd(boundary.dropOldest(most), ordering: .relaxed)
    }

    /// Sends a watermark: no older element will follow.
    ///
    /// Takes no room: if the queue is full, the latest watermark follows the waiting elements.
    ///
    /// - Parameter watermark: Not before the last one.
    public func advance(to watermark: Timestamp) {
        guard enter() else { return }
        boundary.writeWatermark(watermark)
        leave()
        boundary.hasWritten()
    }

    /// Ends the source after the waiting elements and pending offers; only the first call has an effect.
    ///
    /// - Parameter completion: Whether it ended or broke off.
    public func finish(_ completion: Completion = .finished) {
        let isFirst = ending.withLock { ending in
            guard writers.load(ordering: .relaxed) & 1 == 0 else { return false }
            ending = completion
            // As one more writer: who leaves last ends the source.
            writers.wrappingAdd(5, ordering: .acquiringAndReleasing)
            return true
        }
        if isFirst { leave() }
    }

    /// How many elements were dropped because there was no room.
    public var droppedCount: UInt64 { drops.load(ordering: .relaxed) }

    /// Whether the graph takes no more.
    public var isCancelled: Bool { boundary.isCancelled }
}

extension Source where Handle == SourceQueue<Element> {
    /// A source that is driven by calls; each run gives a queue of its own.
    ///
    /// - Parameters:
    ///   - capacity: How many elements may wait; rounded up to a power of two.
    ///   - policy: What happens to an element that finds no room; not `OverflowPolicy/block`.
    /// - Returns: The source.
    @inlinable
    public static func queue(capacity: Int, overflowPolicy policy: OverflowPolicy = .dropNewest) -> Source {
        Source(unchecked: { builder in
            let queue = SourceQueue<Element>(capacity: capacity, policy: policy)
            let boundary = queue.boundary
            let outlet = builder.addSource("queue", isExternal: true) { [weak queue] (context, outlet: Wire<Element>) in
                boundary.setReader(context.waker())
                context.keep(boundary, of: queue)
                return { boundary.read(outlet) }
            }
            return (outlet, queue)
        })
    }
}

extension Source where Handle == Subscription {
    /// The elements of a stream, which knows no demand: elements without demand wait in a ring.
    ///
    /// Attached when the graph runs, and detached when the graph takes no more; the handle detaches it too, and then the
    /// source ends. Watermarks and the completion come along.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - capacity: How many elements may wait; rounded up to a power of two.
    ///   - policy: What happens to an element that finds no room; not `OverflowPolicy/block`.
    ///   - dropped: Where the new elements go that were dropped.
    /// - Returns: The source.
    public static func stream<Upstream: EventStream>(
        _ stream: Upstream,
        capacity: Int = 1024,
        overflowPolicy policy: OverflowPolicy = .dropNewest,
        dropped: SideOutput<Element> = SideOutput()
    ) -> Source where Upstream.Element == Element {
        Source(unchecked: { builder in
            let queue = SourceQueue<Element>(capacity: capacity, policy: policy)
            let boundary = queue.boundary
            let upstream = Locked<Subscription?>(nil)
            let handle = Subscription {
                upstream.withLock { $0 }?.cancel()
                queue.finish()
            }
            let outlet: Outlet<Element> = builder.addSource("stream", isExternal: true) { context, outlet in
                boundary.setReader(context.waker())
                context.keep(boundary, of: queue)
                var isAttached = false
                return {
                    if !isAttached {
                        isAttached = true
                        let attached = stream.attach(QueueSink(queue: queue, dropped: dropped))
                        upstream.withLock { $0 = attached }
                        if handle.isCancelled { attached.cancel() }
                    }
                    boundary.read(outlet)
                    if outlet.isCancelled { handle.cancel() }
                }
            }
            return (outlet, handle)
        })
    }
}

/// Offers its elements to a queue.
struct QueueSink<Input: Sendable>: Sink {
    let queue: SourceQueue<Input>
    let dropped: SideOutput<Input>

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if queue.offer(copy element, at: time) == .dropped { dropped.send(copy element, at: time) }
    }

    mutating func advance(to watermark: Timestamp) {
        queue.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        queue.finish(completion)
    }

    /// The graph saves what waits.
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("graph")
        try state.exchange(dropped)
    }
}

extension StageContext {
    /// Makes what waits in a queue a part of checkpoints; called by the stage that reads.
    @usableFromInline
    func keep<Element>(_ boundary: GraphBoundary<Element>, of queue: SourceQueue<Element>?) {
        state.addField { [weak queue] state throws(StateError) in
            if let queue { return try queue.exchangeState(&state) }
            // Its handle is gone, and nothing writes any more.
            try boundary.exchangeState(&state)
            var dropped: UInt64 = 0
            try state.exchange(&dropped)
        }
    }
}
