public import WeirAggregates
public import WeirCore

/// The aggregates of windows; made by `aggregate` and its short forms.
@frozen
public struct AggregatedWindows<Windows: WindowedStream, Route: AggregateRoute>: EventStream
where Windows.Input == Route.Base.Input {
    public typealias Element = WindowResult<Route.Base.Output>

    @usableFromInline let windows: Windows
    @usableFromInline let route: Route

    @inlinable
    init(_ windows: Windows, _ route: Route) {
        self.windows = windows
        self.route = route
    }

    /// The elements that came too late for their windows.
    @inlinable
    public var late: SideOutput<Windows.Input> { windows.late }

    /// The elements that a limit refused.
    @inlinable
    public var refused: SideOutput<Windows.Input> { windows.refused }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        route.attach(to: windows, sink)
    }
}

extension AggregatedWindows: WatermarkWaiting where Windows: WatermarkWaiting {
    @inlinable
    public var stalls: SideOutput<WatermarkStall> { windows.stalls }
}

extension AggregatedWindows: GroupableStream where Windows: GroupableStream {}

extension WindowedStream {
    /// Emits an aggregate of each window instead of its elements.
    ///
    ///     readings.tumbling(.seconds(1)).aggregate(Mean(of: \.celsius))
    ///
    /// Emits when the kind of window does, with its times, phases, watermarks and completion. Remembers what the kind
    /// of window documents, and elements only if the aggregate or the kind of window needs them.
    ///
    /// The other forms of `aggregate` do the same for aggregates that can do more, at less cost; the compiler chooses.
    ///
    /// - Parameter aggregate: The aggregate of no elements; copied for each window.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for an aggregate like this.
    @inlinable
    public func aggregate<A: Aggregate>(_ aggregate: A) -> AggregatedWindows<Self, FoldingRoute<A>>
    where A.Input == Input {
        AggregatedWindows(self, FoldingRoute(aggregate))
    }

    /// Emits an aggregate of each window instead of its elements, by merging where that helps.
    ///
    /// - Parameter aggregate: The aggregate of no elements; copied for each window.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for an aggregate like this.
    @inlinable
    public func aggregate<A: MergeableAggregate>(_ aggregate: A) -> AggregatedWindows<Self, MergingRoute<A>>
    where A.Input == Input {
        AggregatedWindows(self, MergingRoute(aggregate))
    }

    /// Emits an aggregate of each window instead of its elements, by removing elements where that helps.
    ///
    /// - Parameter aggregate: The aggregate of no elements; copied for each window.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for an aggregate like this.
    @inlinable
    public func aggregate<A: InvertibleAggregate>(_ aggregate: A) -> AggregatedWindows<Self, InvertingRoute<A>>
    where A.Input == Input {
        AggregatedWindows(self, InvertingRoute(aggregate))
    }

    /// Emits an aggregate of each window instead of its elements, by merging or by removing elements where that helps.
    ///
    /// - Parameter aggregate: The aggregate of no elements; copied for each window.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for an aggregate like this.
    @inlinable
    public func aggregate<A: InvertibleAggregate & MergeableAggregate>(
        _ aggregate: A
    ) -> AggregatedWindows<Self, MergingOrInvertingRoute<A>>
    where A.Input == Input {
        AggregatedWindows(self, MergingOrInvertingRoute(aggregate))
    }

    /// Emits an aggregate of each window instead of its elements, by selecting a value where that helps.
    ///
    /// - Parameter aggregate: The aggregate of no elements; copied for each window.
    /// - Returns: The aggregates.
    /// - Complexity: That of the kind of window, for an aggregate like this.
    @inlinable
    public func aggregate<A: SelectingAggregate>(_ aggregate: A) -> AggregatedWindows<Self, SelectingRoute<A>>
    where A.Input == Input {
        AggregatedWindows(self, SelectingRoute(aggregate))
    }
}
