public import WeirAggregates
public import WeirCore

/// How an aggregate is attached to windows, by its capabilities.
public protocol AggregateRoute<Base>: Sendable {
    /// The aggregate.
    associatedtype Base: Aggregate

    /// Attaches a sink behind the aggregate.
    func attach<W: WindowedStream, S: Sink>(to windows: W, _ sink: consuming S) -> Subscription
    where W.Input == Base.Input, S.Input == WindowResult<Base.Output>
}

/// Aggregates windows by adding elements.
@frozen
public struct FoldingRoute<Base: Aggregate>: AggregateRoute {
    @usableFromInline let base: Base

    @inlinable
    init(_ base: Base) {
        self.base = base
    }

    @inlinable
    public func attach<W: WindowedStream, S: Sink>(to windows: W, _ sink: consuming S) -> Subscription
    where W.Input == Base.Input, S.Input == WindowResult<Base.Output> {
        windows.attach(folding: base, sink)
    }
}

/// Aggregates windows by merging.
@frozen
public struct MergingRoute<Base: MergeableAggregate>: AggregateRoute {
    @usableFromInline let base: Base

    @inlinable
    init(_ base: Base) {
        self.base = base
    }

    @inlinable
    public func attach<W: WindowedStream, S: Sink>(to windows: W, _ sink: consuming S) -> Subscription
    where W.Input == Base.Input, S.Input == WindowResult<Base.Output> {
        windows.attach(merging: base, sink)
    }
}

/// Aggregates windows by removing elements.
@frozen
public struct InvertingRoute<Base: InvertibleAggregate>: AggregateRoute {
    @usableFromInline let base: Base

    @inlinable
    init(_ base: Base) {
        self.base = base
    }

    @inlinable
    public func attach<W: WindowedStream, S: Sink>(to windows: W, _ sink: consuming S) -> Subscription
    where W.Input == Base.Input, S.Input == WindowResult<Base.Output> {
        windows.attach(inverting: base, sink)
    }
}

/// Aggregates windows by merging or by removing elements.
@frozen
public struct MergingOrInvertingRoute<Base: InvertibleAggregate & MergeableAggregate>: AggregateRoute {
    @usableFromInline let base: Base

    @inlinable
    init(_ base: Base) {
        self.base = base
    }

    @inlinable
    public func attach<W: WindowedStream, S: Sink>(to windows: W, _ sink: consuming S) -> Subscription
    where W.Input == Base.Input, S.Input == WindowResult<Base.Output> {
        windows.attach(mergingOrInverting: base, sink)
    }
}

/// Aggregates windows by selecting a value.
@frozen
public struct SelectingRoute<Base: SelectingAggregate>: AggregateRoute {
    @usableFromInline let base: Base

    @inlinable
    init(_ base: Base) {
        self.base = base
    }

    @inlinable
    public func attach<W: WindowedStream, S: Sink>(to windows: W, _ sink: consuming S) -> Subscription
    where W.Input == Base.Input, S.Input == WindowResult<Base.Output> {
        windows.attach(selecting: base, sink)
    }
}
