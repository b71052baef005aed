public import WeirCore
public import WeirDispatch

extension EventStream {
    /// Attaches to the stream again at once when it fails.
    ///
    ///     connection.retry(3)
    ///
    /// Everything but the pause is as in ``retry(_:after:on:)``; the stream is attached again on the thread on which it
    /// fails. A stream that fails each time before `attach` returns is attached `count` times more before this one's
    /// `attach` returns.
    ///
    /// - Parameter count: How often to try again at most; positive.
    /// - Returns: The elements of all attempts.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func retry(_ count: Int) -> Retry<Self> {
        precondition(count > 0, "retry: count must be positive, but is \(count)")
        return Retry(self, count, .zero, nil)
    }

    /// Attaches to the stream again when it fails, after a pause that doubles.
    ///
    ///     connection.retry(5, after: .milliseconds(100), on: scheduler)
    ///
    /// Emits the elements of all attempts when they arrive, with their times; elements that an attempt repeats are
    /// emitted again. Remembers the last watermark; watermarks that are not later are dropped. After `count` attempts more, the
    /// failure passes; so does it when the scheduler has no room. The end and an interruption pass at once.
    ///
    /// A checkpoint has how often is left to try and how long to pause. Where one of a pause is restored, the pause is over: the
    /// stream was attached by then.
    ///
    /// - Parameters:
    ///   - count: How often to try again at most; positive.
    ///   - pause: How long to wait before the first time; the pause doubles each time. Not negative.
    ///   - scheduler: The scheduler that waits; the stream is attached again on its thread.
    /// - Returns: The elements of all attempts.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func retry(_ count: Int, after pause: Duration, on scheduler: Scheduler) -> Retry<Self> {
        precondition(count > 0, "retry: count must be positive, but is \(count)")
        precondition(pause >= .zero, "retry: pause must not be negative, but is \(pause)")
        return Retry(self, count, pause, scheduler)
    }
}

/// A stream that is tried again when it fails; made by `retry`.
@frozen
public struct Retry<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let count: Int
    @usableFromInline let pause: Duration
    // Without one there is no pause.
    @usableFromInline let scheduler: Scheduler?

    @inlinable
    init(_ upstream: Upstream, _ count: Int, _ pause: Duration, _ scheduler: Scheduler?) {
        self.upstream = upstream
        self.count = count
        self.pause = pause
        self.scheduler = scheduler
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let chain = SubscriptionChain()
        let first = RetrySink(upstream, count, pause, scheduler, chain, .distantPast, sink)
        chain.attachAgain { [upstream] in upstream.attach(first) }
        return chain.subscription()
    }
}

/// Attaches itself again at a failure.
@frozen
@usableFromInline
struct RetrySink<Upstream: EventStream, Downstream: Sink>: Sink where Upstream.Element == Downstream.Input {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let upstream: Upstream
    @usableFromInline var count: Int
    @usableFromInline var pause: Duration
    @usableFromInline let scheduler: Scheduler?
    @usableFromInline let chain: SubscriptionChain
    @usableFromInline var watermark: Timestamp
    @usableFromInline var downstream: Downstream?

    @inlinable
    init(
        _ upstream: Upstream,
        _ count: Int,
        _ pause: Duration,
        _ scheduler: Scheduler?,
        _ chain: SubscriptionChain,
        _ watermark: Timestamp,
        _ downstream: consuming Downstream
    ) {
        self.upstream = upstream
        self.count = count
        self.pause = pause
        self.scheduler = scheduler
        self.chain = chain
        self.watermark = watermark
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        downstream?.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard watermark > self.watermark else { return }
        self.watermark = watermark
        downstream?.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard var last = downstream.take() else { return }
        guard case .failed = completion, count > 0, !chain.isCancelled else {
            chain.end()
            last.finish(completion)
            return
        }
        let (upstream, chain) = (upstream, chain)
        // More than there is time for makes no difference.
        let nextPause = pause < .seconds(1 << 40) ? pause * 2 : pause
        let next = RetrySink(upstream, count - 1, nextPause, scheduler, chain, watermark, last)
        guard let scheduler else {
            chain.attachAgain { upstream.attach(next) }
            return
        }
        chain.pause { state throws(StateError) in
            // What waits is not used before it is attached.
            var waiting = next
            try waiting.exchangeState(&state)
        }
        do throws(TimerError) {
            chain.set(
                chain.next(),
                try scheduler.schedule(after: pause) { _ in
                    chain.attachAgain { upstream.attach(next) }
                }
            )
        } catch {
            chain.end()
            last.finish(completion)
        }
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("retry")
        try state.exchange(&count)
        try state.exchange(&pause)
        try state.exchange(&watermark)
        try downstream?.exchangeState(&state)
    }
}
