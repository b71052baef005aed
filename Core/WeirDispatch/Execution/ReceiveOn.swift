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
