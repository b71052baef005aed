internal import Synchronization

extension EventStream {
    /// Brings the stream to a context: what comes after this runs there, whatever thread publishes.
    ///
    ///     readings.receive(on: .processor(alarms)).filter { $0.celsius > 90 }.subscribe(ring)
    ///
    /// Elements wait in a ring, from where the context takes them in batches; watermarks and the completion come after what
    /// waits. What is dropped is counted and offered on ``ReceivedOn/dropped``. Once the subscription is cancelled, nothing
    /// more is handed on.
    ///
    /// - Parameters:
    ///   - context: Where to run what comes after.
    ///   - capacity: How many elements may wait; a power of two.
    ///   - policy: What happens to an element that finds all places taken. With ``OverflowPolicy/block``, one that the
    ///     context itself sends, or that is on its way to a scheduler, cannot wait: it is dropped and counted.
    /// - Returns: The stream.
    public func receive(
        on context: ExecutionContext,
        capacity: Int = 1024,
        overflowPolicy policy: OverflowPolicy = .block
    ) -> ReceivedOn<Self> {
        ReceivedOn(upstream: self, context: context, capacity: capacity, policy: policy)
    }

    /// Attaches to the stream in a context: what attaching does, such as sending what is known beforehand, runs there.
    ///
    /// - Parameter context: Where to attach.
    /// - Returns: The stream.
    public func attach(on context: ExecutionContext) -> AttachedOn<Self> {
        AttachedOn(upstream: self, context: context)
    }
}

/// A stream whose sinks run in a context; made by `receive(on:)`.
public struct ReceivedOn<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    /// The elements that found all places taken, with their times; shared by all sinks.
    public let dropped = SideOutput<Element>()

    let upstream: Upstream
    let context: ExecutionContext
    let capacity: Int
    let policy: OverflowPolicy

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let handover = Handover(sink, context, capacity, policy, dropped)
        let attached = upstream.attach(HandoverSink(handover: handover))
        return Subscription {
            handover.cancel()
            attached.cancel()
        }
    }
}

/// A stream that is attached to in a context; made by `attach(on:)`.
public struct AttachedOn<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    let upstream: Upstream
    let context: ExecutionContext

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let attached = LateSubscription()
        let (upstream, sink) = (upstream, sink)
        context.perform {
            if !attached.isCancelled { attached.set(upstream.attach(sink)) }
        }
        return Subscription { attached.cancel() }
    }
}

/// A subscription that is there some time later.
private final class LateSubscription: Sendable {
    private let state = Locked((subscription: Subscription?.none, isCancelled: false))

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func set(_ subscription: Subscription) {
        let isCancelled = state.withLock { state in
            state.subscription = subscription
            return state.isCancelled
        }
        if isCancelled { subscription.cancel() }
    }

    func cancel() {
        let subscription = state.withLock { state in
            state.isCancelled = true
            return state.subscription
        }
        subscription?.cancel()
    }
}

/// What is on its way from the thread that publishes to the context, and the sink at its end.
private final class Handover<Element: Sendable>: Sendable {
    enum Message: Sendable {
        case element(Element, Timestamp)
        case watermark(Timestamp)
    }

    private let context: ExecutionContext
    private let capacity: Int
    private let policy: OverflowPolicy
    private let dropped: SideOutput<Element>
    private let waiting: SharedRing<Message>
    private let room = Parker()
    private let isWaitingForRoom = Atomic(false)
    private let isScheduled = Atomic(false)
    private let isCancelled = Atomic(false)
    // What found no place, and comes after what waits.
    private let ending = Locked((watermark: Timestamp?.none, completion: Completion?.none))
    private let sink = Locked<GatedState<SinkHandle<Element>?>?>(nil)

    init<S: Sink>(
        _ sink: S,
        _ context: ExecutionContext,
        _ capacity: Int,
        _ policy: OverflowPolicy,
        _ dropped: SideOutput<Element>
    ) where S.Input == Element {
        self.context = context
        self.capacity = capacity
        self.policy = policy
        self.dropped = dropped
        do {
            waiting = try SharedRing(capacity: capacity)
        } catch {
            preconditionFailure("a stream cannot be received with a capacity of \(capacity): \(error)")
        }
        let confined = GatedState<SinkHandle<Element>?>({ SinkHandle(sink) }) { [weak self] handle in
            self?.deliver(to: &handle)
        }
        self.sink.withLock { $0 = confined }
    }

    // MARK: From the thread that publishes

    func send(_ element: Element, at time: Timestamp) {
        guard !isOver else { return }
        if policy == .latest { makeRoom(upTo: .max) }
        while !waiting.push(.element(element, time)) {
            switch policy {
            case .block where context.canBeWaitedFor():
                waitForRoom()
                if isOver { return }
            case .block, .dropNewest:
                return dropped.send(element, at: time)
            case .dropOldest, .latest:
                makeRoom(upTo: 1)
            case .fail:
                dropped.send(element, at: time)
                return finish(.failed(ChannelError.overflow(capacity: capacity)))
            }
        }
        schedule()
    }

    private var isOver: Bool {
        isCancelled.load(ordering: .relaxed) || ending.withLock { $0.completion != nil }
    }

    private func makeRoom(upTo most: Int) {
        var made = 0
        while made < most, let old = waiting.pop() {
            made += 1
            guard case .element(let element, let time) = old else { continue }
            dropped.send(element, at: time)
        }
    }

    private func waitForRoom() {
        schedule()
        isWaitingForRoom.store(true, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        // The reader looks at the flag after it has taken something: either it sees the flag, or there is room here.
        if waiting.count == capacity { room.park() }
    }

    func advance(to watermark: Timestamp) {
        guard !isOver else { return }
        ending.withLock { ending in
            // One that found no place is replaced by this one.
            guard ending.watermark == nil, waiting.push(.watermark(watermark)) else {
                return ending.watermark = max(ending.watermark ?? watermark, watermark)
            }
        }
        schedule()
    }

    func finish(_ completion: Completion) {
        ending.withLock { $0.completion = $0.completion ?? completion }
        schedule()
    }

    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        room.unpark()
    }

    private func schedule() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        context.perform { self.sink.withLock { $0 }?.run() }
    }

    // MARK: In the context

    private func deliver(to handle: inout SinkHandle<Element>?) {
        isScheduled.store(false, ordering: .sequentiallyConsistent)
        guard let sink = handle else { return }
        while true {
            let (watermark, completion) = ending.withLock { $0 }
            while let message = waiting.pop() {
                guard !isCancelled.load(ordering: .relaxed) else { return handle = nil }
                switch message {
                case .element(let element, let time): sink.receive(element, time)
                case .watermark(let watermark): sink.advance(watermark)
                }
                tellOfRoom()
            }
            guard !isCancelled.load(ordering: .relaxed) else { return handle = nil }
            if let watermark {
                ending.withLock { if $0.watermark == watermark { $0.watermark = nil } }
                sink.advance(watermark)
            } else if let completion {
                handle = nil
                return sink.finish(completion)
            } else {
                return
            }
        }
    }

    private func tellOfRoom() {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        guard isWaitingForRoom.load(ordering: .relaxed), waiting.count <= capacity / 2,
            isWaitingForRoom.exchange(false, ordering: .sequentiallyConsistent)
        else { return }
        room.unpark()
    }
}

/// Leaves what it receives for a context.
private struct HandoverSink<Input: Sendable>: Sink {
    let handover: Handover<Input>

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        handover.send(copy element, at: time)
    }

    mutating func advance(to watermark: Timestamp) {
        handover.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        handover.finish(completion)
    }
}
