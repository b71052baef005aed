public import WeirCore

extension EventStream {
    /// Turns each element into another value with an asynchronous function.
    ///
    ///     readings.mapAsync(limit: 4) { reading in try await database.station(of: reading) }
    ///
    /// Each call is a task of its own; a new one begins when fewer than `limit` run. Emits a value when it is there
    /// and, if `ordered`, all before it have been emitted, with its element's time, on the thread that finished the
    /// work. Remembers `limit` elements at work, and at most `capacity` more, which wait for a task or to be emitted;
    /// those without room are given up by `policy`, and offered on ``MapAsync/refused``. A watermark comes after all
    /// elements that came before it, and so does the end. An error that is thrown fails the stream (`CancellationError`
    /// interrupts it), in its element's place if `ordered` and at once otherwise; a failure or an interruption of this
    /// stream passes at once. Then, and when the subscription is cancelled, the tasks are cancelled, and what waits is
    /// given up. In a checkpoint, elements that are being worked on are as those that wait: `transform` is called for them
    /// again after a restart. So it should do no harm the second time.
    ///
    /// - Parameters:
    ///   - limit: How many calls run at a time; positive.
    ///   - ordered: Whether the values keep the order of the elements.
    ///   - capacity: How many elements may wait; not negative.
    ///   - policy: What is given up when more come. With `fail`, the error is ``FlowError/overflow(limit:)``.
    ///   - transform: Makes the value.
    /// - Returns: The values.
    /// - Complexity: A task per element.
    public func mapAsync<Output: Sendable>(
        limit: Int = 1,
        ordered: Bool = true,
        capacity: Int = 1024,
        overflowPolicy policy: LimitPolicy = .fail,
        _ transform: @escaping @Sendable (Element) async throws -> Output
    ) -> MapAsync<Self, Output> {
        precondition(limit > 0, "mapAsync: limit must be positive, but is \(limit)")
        precondition(capacity >= 0, "mapAsync: capacity must not be negative, but is \(capacity)")
        let settings = AsyncWorkSettings(limit: limit, isOrdered: ordered, capacity: capacity, policy: policy)
        return MapAsync(upstream: self, settings: settings, transform: transform)
    }
}

/// The values that an asynchronous function makes of a stream; made by `mapAsync`.
public struct MapAsync<Upstream: EventStream, Element: Sendable>: EventStream {
    /// The elements that found no room, with their times; shared by all sinks.
    public let refused = SideOutput<Upstream.Element>()

    let upstream: Upstream
    let settings: AsyncWorkSettings
    let transform: @Sendable (Upstream.Element) async throws -> Element

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let work = AsyncWork(settings, refused, transform, sink)
        work.own.set(upstream.attach(AsyncWorkSink(work: work)))
        return Subscription { work.cancel() }
    }
}

/// Passes what it receives to asynchronous work.
private struct AsyncWorkSink<Input: Sendable, Output: Sendable>: Sink {
    let work: AsyncWork<Input, Output>

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        work.add(copy element, at: time)
    }

    mutating func advance(to watermark: Timestamp) {
        work.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        work.finish(completion)
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try work.exchangeState(&state)
    }
}
