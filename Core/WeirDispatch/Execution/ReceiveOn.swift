internal import Synchronization
public import WeirCore

extension EventStream {
    /// Moves the stream to a context: everything downstream runs there, whatever thread publishes.
    ///
    ///     readings.receive(on: .processor(logger)).filter { $0.celsius > 90 }.subscribe { print("hot:", $0) }
    ///     readings.receive(on: .mainActor).filter { $0.celsius > 90 }.subscribe { print("hot:", $0) }
    ///
    /// Elements wait in a ring, from where the context takes them in batches; watermarks and the completion come after
    /// what waits, and a watermark that makes room for an element comes after that. What is dropped is counted and
    /// offered on ``ReceivedOn/dropped``. Once the subscription is cancelled, nothing more is handed on.
    ///
    /// - Parameters:
    ///   - context: Where to run what comes after.
    ///   - capacity: How many elements may wait; a power of two.
    ///   - policy: What happens to an element that finds all places taken. With `OverflowPolicy.block`, one that the
    ///     context itself sends, or that is on its way to a scheduler or an actor, cannot wait: it is dropped and counted.
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
    public let dropped: SideOutput<Element>

    let upstream: Upstream
    let context: ExecutionContext
    let capacity: Int
    let policy: OverflowPolicy

    init(
        upstream: Upstream,
        context: ExecutionContext,
        capacity: Int,
        policy: OverflowPolicy,
        dropped: SideOutput<Element> = SideOutput()
    ) {
        self.upstream = upstream
        self.context = context
        self.capacity = capacity
        self.policy = policy
        self.dropped = dropped
    }

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let handover = Handover(sink, context, capacity, policy, dropped)
        let attached = upstream.attach(HandoverSink(handover: handover))
        // Weakly: a sink that holds the subscription is behind the handover.
        return Subscription { [weak handover] in
            handover?.cancel()
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
        let attached = DeferredSubscription()
        let (upstream, sink) = (upstream, sink)
        context.perform {
            if !attached.isCancelled { attached.set(upstream.attach(sink)) }
        }
        return Subscription { attached.cancel() }
    }
}

/// What is on its way from the thread that publishes to the context, and the sink at its end.
private final class Handover<Element: Sendable>: Sendable {
    enum Message: Sendable {
        case element(Element, Timestamp)
        case watermark(Timestamp)
    }

    /// What has no place in the ring, and comes after what waits there.
    private struct Ending: Sendable {
        var watermark: Timestamp?
        var completion: Completion?

        mutating func putOff(_ watermark: Timestamp) {
            self.watermark = max(self.watermark ?? watermark, watermark)
        }
    }

    /// What belongs to the context.
    private struct Receiver {
        // Nil when the stream is over.
        var sink: SinkHandle<Element>?
        var watermark = Timestamp.distantPast

        mutating func advance(to watermark: Timestamp) {
            // One that made room may come after a later one.
            guard watermark > self.watermark else { return }
            self.watermark = watermark
            sink?.advance(watermark)
        }
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
    private let ending = Locked(Ending())
    private let receiver = Locked<GatedState<Receiver>?>(nil)

    init<S: Sink>(
        _ sink: S,
        _ context: ExecutionContext,
        _ capacity: Int,
        _ policy: OverflowPolicy,
        _ dropped: SideOutput<Element>
    ) where S.Input == Element {
        SinkTemplate.requireNotTemplate()
        self.context = context
        self.capacity = capacity
        self.policy = policy
        self.dropped = dropped
        do {
            waiting = try SharedRing(capacity: capacity)
        } catch {
            preconditionFailure("a stream cannot be received with a capacity of \(capacity): \(error)")
        }
        let confined = GatedState({ Receiver(sink: SinkHandle(sink)) }) { [weak self] receiver in
            self?.deliver(to: &receiver)
        }
        receiver.withLock { $0 = confined }
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
            switch old {
            case .element(let element, let time): dropped.send(element, at: time)
            case .watermark(let watermark): ending.withLock { $0.putOff(watermark) }
            }
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
            if ending.watermark != nil || !waiting.push(.watermark(watermark)) { ending.putOff(watermark) }
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
        context.perform { self.receiver.withLock { $0 }?.run() }
    }

    // MARK: In the context

    private func deliver(to receiver: inout Receiver) {
        isScheduled.store(false, ordering: .sequentiallyConsistent)
        guard let sink = receiver.sink else { return }
        while true {
            let ending = ending.withLock { $0 }
            while let message = waiting.pop() {
                guard !isCancelled.load(ordering: .relaxed) else { return receiver.sink = nil }
                switch message {
                case .element(let element, let time): sink.receive(element, time)
                case .watermark(let watermark): receiver.advance(to: watermark)
                }
                tellOfRoom()
            }
            guard !isCancelled.load(ordering: .relaxed) else { return receiver.sink = nil }
            if let watermark = ending.watermark {
                self.ending.withLock { if $0.watermark == watermark { $0.watermark = nil } }
                receiver.advance(to: watermark)
            } else if let completion = ending.completion {
                receiver.sink = nil
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
