public import WeirAggregates
public import WeirCore

/// A stream cut into windows.
///
/// As a stream, it emits the elements of each window, by event time. Followed by `aggregate`, or by a short form such
/// as `mean(of:)`, it emits only the aggregate, and keeps no elements unless the aggregate or the kind of window has to.
///
///     readings.tumbling(.seconds(1))                             // WindowResult<[Reading]>
///     readings.tumbling(.seconds(1)).mean(of: \.celsius)         // WindowResult<Double>
///     readings.tumbling(.seconds(1)).aggregate(Count(), Max(of: \.celsius))
///
/// A window without elements emits nothing. A kind of window attaches an aggregate that can only add, and may have
/// faster ways for aggregates that can be merged or inverted.
public protocol WindowedStream<Input>: EventStream where Element == WindowResult<[Input]> {
    /// The elements that the windows are made of.
    associatedtype Input: Sendable

    /// The elements that came too late for their windows.
    var late: SideOutput<Input> { get }

    /// The elements that a limit refused.
    var refused: SideOutput<Input> { get }

    /// Attaches a sink behind an aggregate.
    func attach<A: Aggregate, S: Sink>(folding aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output>

    /// Attaches a sink behind an aggregate that can be merged.
    func attach<A: MergeableAggregate, S: Sink>(merging aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output>

    /// Attaches a sink behind an aggregate that elements can be removed from.
    func attach<A: InvertibleAggregate, S: Sink>(inverting aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output>

    /// Attaches a sink behind an aggregate that can be merged and that elements can be removed from.
    func attach<A: InvertibleAggregate & MergeableAggregate, S: Sink>(
        mergingOrInverting aggregate: A,
        _ sink: consuming S
    ) -> Subscription where A.Input == Input, S.Input == WindowResult<A.Output>

    /// Attaches a sink behind an aggregate that selects one of the values.
    func attach<A: SelectingAggregate, S: Sink>(selecting aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output>
}

extension WindowedStream {
    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == WindowResult<[Input]> {
        attach(merging: Collected(), sink)
    }

    @inlinable
    public func attach<A: MergeableAggregate, S: Sink>(merging aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output> {
        attach(folding: aggregate, sink)
    }

    @inlinable
    public func attach<A: InvertibleAggregate, S: Sink>(inverting aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output> {
        attach(folding: aggregate, sink)
    }

    @inlinable
    public func attach<A: InvertibleAggregate & MergeableAggregate, S: Sink>(
        mergingOrInverting aggregate: A,
        _ sink: consuming S
    ) -> Subscription where A.Input == Input, S.Input == WindowResult<A.Output> {
        attach(merging: aggregate, sink)
    }

    @inlinable
    public func attach<A: SelectingAggregate, S: Sink>(selecting aggregate: A, _ sink: consuming S) -> Subscription
    where A.Input == Input, S.Input == WindowResult<A.Output> {
        attach(merging: aggregate, sink)
    }
}
