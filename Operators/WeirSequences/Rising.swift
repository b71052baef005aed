public import WeirCore

extension EventStream {
    /// Finds runs of elements whose values rise from each to the next.
    ///
    ///     readings.rising(atLeast: 5, by: \.celsius).subscribe { run in print("warming up since", run[0].timestamp) }
    ///
    /// A run is as long as it can be: it ends before the first element that does not rise above the one before it, and
    /// that element begins the next run. Elements are taken in the order of arrival. A value that is not equal to
    /// itself (a NaN) is a run of its own.
    ///
    /// Emits a run of at least `least` elements when it ends: with the next element, or when the stream ends; a failure
    /// or an interruption discards it. The run has the event time of its last element, or the watermark if that has
    /// passed it. Watermarks do not end a run. Remembers the elements of the current run, at most `limit`.
    ///
    /// - Parameters:
    ///   - least: How many elements make a run; positive.
    ///   - value: The value that has to rise; called once per element.
    ///   - strictly: Whether equal values end a run.
    ///   - longRun: What happens to a run that becomes longer than `limit`; removed elements go to
    ///     ``MonotoneRuns/dropped``.
    ///   - limit: How many elements are remembered; at least `least`.
    /// - Returns: The runs, oldest element first.
    /// - Complexity: O(1) per element; one allocation per run that is emitted.
    @inlinable
    public func rising<Value: Comparable & Sendable>(
        atLeast least: Int,
        by value: @escaping @Sendable (Element) -> Value,
        strictly: Bool = true,
        longRun: LongRun = .split,
        limit: Int = 1024
    ) -> MonotoneRuns<Self, Value> {
        MonotoneRuns(self, value, strictly ? .rising : .notFalling, least, limit, longRun)
    }

    /// Finds runs of elements whose values fall from each to the next.
    ///
    ///     prices.falling(atLeast: 3, by: \.amount).subscribe { run in print("down to", run[run.count - 1].amount) }
    ///
    /// Emission, memory, the limit, watermarks and the completion are those of
    /// ``rising(atLeast:by:strictly:longRun:limit:)``.
    ///
    /// - Parameters:
    ///   - least: How many elements make a run; positive.
    ///   - value: The value that has to fall; called once per element.
    ///   - strictly: Whether equal values end a run.
    ///   - longRun: What happens to a run that becomes longer than `limit`; removed elements go to
    ///     ``MonotoneRuns/dropped``.
    ///   - limit: How many elements are remembered; at least `least`.
    /// - Returns: The runs, oldest element first.
    /// - Complexity: O(1) per element; one allocation per run that is emitted.
    @inlinable
    public func falling<Value: Comparable & Sendable>(
        atLeast least: Int,
        by value: @escaping @Sendable (Element) -> Value,
        strictly: Bool = true,
        longRun: LongRun = .split,
        limit: Int = 1024
    ) -> MonotoneRuns<Self, Value> {
        MonotoneRuns(self, value, strictly ? .falling : .notRising, least, limit, longRun)
    }
}

extension EventStream where Element: Comparable {
    /// Finds runs of elements that rise from each to the next.
    ///
    ///     levels.map(\.value).rising(atLeast: 5)
    ///
    /// Like ``EventStream/rising(atLeast:by:strictly:longRun:limit:)`` with the elements as values.
    ///
    /// - Parameters:
    ///   - least: How many elements make a run; positive.
    ///   - strictly: Whether equal elements end a run.
    ///   - longRun: What happens to a run that becomes longer than `limit`.
    ///   - limit: How many elements are remembered; at least `least`.
    /// - Returns: The runs, oldest element first.
    /// - Complexity: O(1) per element; one allocation per run that is emitted.
    @inlinable
    public func rising(
        atLeast least: Int,
        strictly: Bool = true,
        longRun: LongRun = .split,
        limit: Int = 1024
    ) -> MonotoneRuns<Self, Element> {
        rising(atLeast: least, by: { $0 }, strictly: strictly, longRun: longRun, limit: limit)
    }

    /// Finds runs of elements that fall from each to the next.
    ///
    ///     levels.map(\.value).falling(atLeast: 5)
    ///
    /// Like ``EventStream/rising(atLeast:by:strictly:longRun:limit:)`` with the elements as values, the other way
    /// round.
    ///
    /// - Parameters:
    ///   - least: How many elements make a run; positive.
    ///   - strictly: Whether equal elements end a run.
    ///   - longRun: What happens to a run that becomes longer than `limit`.
    ///   - limit: How many elements are remembered; at least `least`.
    /// - Returns: The runs, oldest element first.
    /// - Complexity: O(1) per element; one allocation per run that is emitted.
    @inlinable
    public func falling(
        atLeast least: Int,
        strictly: Bool = true,
        longRun: LongRun = .split,
        limit: Int = 1024
    ) -> MonotoneRuns<Self, Element> {
        falling(atLeast: least, by: { $0 }, strictly: strictly, longRun: longRun, limit: limit)
    }
}
