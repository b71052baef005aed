public import WeirCore

extension EventStream {
    /// Turns each element into a stream, and emits the elements of these streams.
    ///
    ///     requests.flatMap(.latest) { request in answers.filter { $0.session == request.session } }
    ///     let stations = recorded.flatMap(.merge(limit: 8)) { reading in
    ///         TaskValue(at: { _ in reading.timestamp }) { try await database.station(of: reading) }
    ///     }
    ///
    /// Emits what the inner streams emit, when they emit it, with its time. The strategy says how many of them run at once:
    ///
    /// | strategy | also called | an element that comes while streams run |
    /// |---|---|---|
    /// | `.merge(limit:)` | `mergeMap`, `flatMapMerge` | is turned into a stream at once; waits when there are `limit` |
    /// | `.concat` | `concatMap`, `flatMapConcat` | waits until the stream has finished |
    /// | `.latest` | `switchMap`, `flatMapLatest` | detaches the stream; its element goes to ``FlatMapStreams/replaced`` |
    /// | `.first` | `exhaustMap`, `flatMapFirst` | goes to ``FlatMapStreams/refused`` |
    ///
    /// Remembers the elements of the streams that run, and up to `limit` elements that wait. What finds no room goes to
    /// ``FlatMapStreams/refused``, or fails the stream, as `overflowPolicy` says. A stream that never ends keeps its place.
    ///
    /// A watermark passes when this stream and all inner streams have passed it: an inner stream is taken to emit nothing
    /// older than its element before it says more by a watermark of its own, and so is an element that waits. An inner
    /// stream without watermarks holds them back until it finishes. Elements that are older all the same pass; they are
    /// late for what follows. Idle streams are not waited for.
    ///
    /// Finishes when this stream and all inner streams have finished; ends when one of them fails or is interrupted, and
    /// detaches the others. Put `catch` or `replaceError(with:)` behind an inner stream that may fail.
    ///
    /// A checkpoint has what belongs to a stream that goes on: inner streams that outlive this one are not in it.
    ///
    /// The streams may run on different threads: signals that meet a busy one wait in a ring of 1,024, and when that is full
    /// the publishing thread waits. Inner streams are made and attached one at a time, on a thread that sends a signal.
    ///
    /// - Parameters:
    ///   - strategy: How many inner streams run, and what becomes of elements that come meanwhile.
    ///   - overflowPolicy: What happens to an element that finds no room to wait.
    ///   - limit: How many elements may wait; not negative.
    ///   - innerState: What a checkpoint does while inner streams run. With `.repeated`, those are attached again with the
    ///     first signal that comes after the state was restored.
    ///   - transform: Makes the stream of an element; called once for each.
    /// - Returns: The elements of the inner streams.
    /// - Complexity: O(1) per element, without allocation; an allocation per inner stream. A watermark of the stream that is
    ///   last is O(streams that run), others O(1).
    @inlinable
    public func flatMap<Inner: EventStream>(
        _ strategy: FlatteningStrategy,
        overflowPolicy: LimitPolicy = .fail,
        limit: Int = 1024,
        innerState: InnerStreamState = .refused,
        _ transform: @escaping @Sendable (Element) -> Inner
    ) -> FlatMapStreams<Self, Inner> {
        precondition(strategy.width > 0, "flatMap: at least one stream must run at once, not \(strategy.width)")
        precondition(limit >= 0, "flatMap: limit must not be negative, but is \(limit)")
        let settings = FlatMapSettings(strategy, overflowPolicy, limit, repeats: innerState == .repeated)
        return FlatMapStreams(self, settings, transform)
    }
}

extension EventStream where Element: EventStream {
    /// Emits the elements of the latest of the streams that this stream emits.
    ///
    ///     let sources = PassthroughSubject<EventChannel<Reading>>()
    ///     sources.switchToLatest().subscribe { print($0) }
    ///
    /// Signals, memory and limits are those of `flatMap(.latest)` with the streams themselves; `flatMap(.concat) { $0 }`
    /// and the other strategies do the rest.
    ///
    /// - Returns: The elements of one stream after the other.
    /// - Complexity: O(1) per element, without allocation; an allocation per inner stream.
    @inlinable
    public func switchToLatest() -> FlatMapStreams<Self, Element> {
        flatMap(.latest) { $0 }
    }
}

/// The elements of the streams that the elements of a stream are turned into; made by `flatMap` and `switchToLatest`.
@frozen
public struct FlatMapStreams<Upstream: EventStream, Inner: EventStream>: EventStream {
    public typealias Element = Inner.Element

    /// The elements that were turned into no stream: there was no room to wait, or another stream ran.
    public let refused = SideOutput<Upstream.Element>()

    /// The elements whose streams were detached before their end, for a later one.
    public let replaced = SideOutput<Upstream.Element>()

    @usableFromInline let upstream: Upstream
    @usableFromInline let settings: FlatMapSettings
    @usableFromInline let transform: @Sendable (Upstream.Element) -> Inner

    @inlinable
    init(
        _ upstream: Upstream,
        _ settings: FlatMapSettings,
        _ transform: @escaping @Sendable (Upstream.Element) -> Inner
    ) {
        self.upstream = upstream
        self.settings = settings
        self.transform = transform
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let starts = InnerStarts<Upstream.Element>()
        let state = FlatMapState(settings, refused, replaced, starts, sink)
        let core = FlatMapCore(Junction(state, inputs: 1), starts, transform)
        let own = DeferredSubscription()
        starts.add(outer: own)
        own.set(upstream.attach(FlatMapSink(core)))
        return core.junction.subscription(Subscription { starts.cancelAll() })
    }
}

/// How a `flatMap` runs.
@frozen
@usableFromInline
struct FlatMapSettings: Sendable {
    @usableFromInline let strategy: FlatteningStrategy
    @usableFromInline let policy: LimitPolicy
    @usableFromInline let limit: Int
    // Whether streams that run are made again when the state is restored.
    @usableFromInline let repeats: Bool

    @usableFromInline
    init(_ strategy: FlatteningStrategy, _ policy: LimitPolicy, _ limit: Int, repeats: Bool) {
        self.strategy = strategy
        self.policy = policy
        self.limit = limit
        self.repeats = repeats
    }
}
