internal import Synchronization
public import WeirCore

/// What became of an element that was offered to a graph.
public enum Offer: Sendable, Hashable {
    /// It waits to be asked for, or is on its way.
    case accepted
    /// There was no room: it, or by the policy an older one, was dropped and counted.
    case dropped
    /// The graph takes no more.
    case closed
}

/// The handle of a source that is driven by calls.
///
///     let (queue, result) = Source<Int, SourceQueue<Int>>.queue(capacity: 16).to(sink) { ($0, $1) }.run()
///     queue.offer(1, at: now)
///     queue.finish()
///
/// What is offered waits in a ring until the graph asks for it. When the last reference to the handle goes, the source ends.
///
/// Thread safety: any thread; elements of one thread keep their order.
public final class SourceQueue<Element: Sendable>: Sendable {
    @usableFromInline let boundary: GraphBoundary<Element>
    private let policy: OverflowPolicy
    private let isClosed = Atomic(false)
    private let drops = Atomic<UInt64>(0)

    @usableFromInline
    init(capacity: Int, policy: OverflowPolicy) {
        precondition(
            policy != .block,
            "a queue cannot make the one who offers wait; see whether the offer was accepted"
        )
        boundary = GraphBoundary(capacity: capacity)
        self.policy = policy
    }

    deinit {
        boundary.finish(.finished)
    }

    /// Offers an element; never waits.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - time: Its event time.
    /// - Returns: What became of it.
    @discardableResult
    public func offer(_ element: Element, at time: Timestamp = .epoch) -> Offer {
        guard !isClosed.load(ordering: .acquiring), !boundary.isCancelled else { return .closed }
        let crossing = Crossing.element(Timed(element, at: time))
        var offer = Offer.accepted
        if policy == .latest { makeRoom(upTo: .max) }
        while !boundary.ring.push(crossing) {
            offer = .dropped
            switch policy {
            case .block, .dropNewest:
                drops.wrappingAdd(1, ordering: .relaxed)
                return .dropped
            case .dropOldest, .latest:
                makeRoom(upTo: 1)
            case .fail:
                drops.wrappingAdd(1, ordering: .relaxed)
                finish(.failed(GraphError.overflow(capacity: boundary.capacity)))
                return .dropped
            }
        }
        boundary.hasWritten()
        return offer
    }

    private func makeRoom(upTo most: Int) {
        drops.wrappingAdd(boundary.dropOldest(most), ordering: .relaxed)
    }

    /// Says that no element older than `watermark` will follow.
    ///
    /// Takes no room: where the queue is full, the watermark comes later, after what waits, and of several the latest.
    ///
    /// - Parameter watermark: Not before the last one.
    public func advance(to watermark: Timestamp) {
        guard !isClosed.load(ordering: .acquiring), !boundary.isCancelled else { return }
        boundary.writeWatermark(watermark)
    }

    /// Ends the source after what waits; only the first call counts.
    ///
    /// - Parameter completion: Whether it ended or broke off.
    public func finish(_ completion: Completion = .finished) {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        boundary.finish(completion)
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
    ///   - policy: What happens to an element that finds no room; not ``OverflowPolicy/block``.
    /// - Returns: The source.
    @inlinable
    public static func queue(capacity: Int, overflowPolicy policy: OverflowPolicy = .dropNewest) -> Source {
        Source(unchecked: { builder in
            let queue = SourceQueue<Element>(capacity: capacity, policy: policy)
            let boundary = queue.boundary
            return (builder.addReader("queue", boundary), queue)
        })
    }
}

extension GraphBuilder {
    /// Adds a source that reads what somebody outside of the graph writes.
    @inlinable
    func addReader<Element>(_ name: String, _ boundary: GraphBoundary<Element>) -> Outlet<Element> {
        addSource(name, isExternal: true) { context, outlet in
            boundary.setReader(context.waker())
            return { boundary.read(outlet) }
        }
    }
}

extension Source where Handle == Subscription {
    /// The elements of a stream, which does not wait for anybody: what nobody has asked for waits in a ring.
    ///
    /// Attached when the graph runs, and detached when the graph takes no more; the handle detaches it too, and then the
    /// source ends. Watermarks and the completion come along.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - capacity: How many elements may wait; rounded up to a power of two.
    ///   - policy: What happens to an element that finds no room; not ``OverflowPolicy/block``.
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

/// Offers what it gets to a queue.
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
}
