public import WeirCore

extension EventStream {
    /// Emits two aggregates of all elements so far, after each, as one tuple.
    ///
    ///     readings.running(Mean(of: \.celsius), Count()).map { (mean, count) in mean * Double(count) }
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    /// - Returns: The running results.
    /// - Complexity: That of the aggregates.
    @inlinable
    public func running<First: Aggregate, Second: Aggregate>(
        _ first: First,
        _ second: Second
    ) -> Running<Self, Aggregates2<First, Second>>
    where
        First.Input == Element,
        Second.Input == Element
    {
        Running(self, Aggregates2(first, second))
    }

    /// Emits three aggregates of all elements so far, after each, as one tuple.
    ///
    ///     readings.running(Mean(of: \.celsius), Count(), Max(of: \.humidity)).map { result in (result.0, result.2) }
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    /// - Returns: The running results.
    /// - Complexity: That of the aggregates.
    @inlinable
    public func running<First: Aggregate, Second: Aggregate, Third: Aggregate>(
        _ first: First,
        _ second: Second,
        _ third: Third
    ) -> Running<Self, Aggregates3<First, Second, Third>>
    where
        First.Input == Element,
        Second.Input == Element,
        Third.Input == Element
    {
        Running(self, Aggregates3(first, second, third))
    }

    /// Emits four aggregates of all elements so far, after each, as one tuple.
    ///
    ///     readings.running(Mean(of: \.celsius), Count(), Max(of: \.humidity), Min(of: \.humidity)).map { result in (result.0, result.3) }
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    ///   - fourth: The fourth aggregate, of no elements.
    /// - Returns: The running results.
    /// - Complexity: That of the aggregates.
    @inlinable
    public func running<First: Aggregate, Second: Aggregate, Third: Aggregate, Fourth: Aggregate>(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth
    ) -> Running<Self, Aggregates4<First, Second, Third, Fourth>>
    where
        First.Input == Element,
        Second.Input == Element,
        Third.Input == Element,
        Fourth.Input == Element
    {
        Running(self, Aggregates4(first, second, third, fourth))
    }

    /// Emits five aggregates of all elements so far, after each, as one tuple.
    ///
    ///     readings.running(Mean(of: \.celsius), Count(), Max(of: \.humidity), Min(of: \.humidity), Sum(of: \.value)).map { result in (result.0, result.4) }
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    ///   - fourth: The fourth aggregate, of no elements.
    ///   - fifth: The fifth aggregate, of no elements.
    /// - Returns: The running results.
    /// - Complexity: That of the aggregates.
    @inlinable
    public func running<First: Aggregate, Second: Aggregate, Third: Aggregate, Fourth: Aggregate, Fifth: Aggregate>(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth
    ) -> Running<Self, Aggregates5<First, Second, Third, Fourth, Fifth>>
    where
        First.Input == Element,
        Second.Input == Element,
        Third.Input == Element,
        Fourth.Input == Element,
        Fifth.Input == Element
    {
        Running(self, Aggregates5(first, second, third, fourth, fifth))
    }

    /// Emits six aggregates of all elements so far, after each, as one tuple.
    ///
    ///     readings.running(Mean(of: \.celsius), Count(), Max(of: \.humidity), Min(of: \.humidity), Sum(of: \.value), Last(of: \.x)).map { result in (result.0, result.5) }
    ///
    /// - Parameters:
    ///   - first: The first aggregate, of no elements.
    ///   - second: The second aggregate, of no elements.
    ///   - third: The third aggregate, of no elements.
    ///   - fourth: The fourth aggregate, of no elements.
    ///   - fifth: The fifth aggregate, of no elements.
    ///   - sixth: The sixth aggregate, of no elements.
    /// - Returns: The running results.
    /// - Complexity: That of the aggregates.
    @inlinable
    public func running<
        First: Aggregate,
        Second: Aggregate,
        Third: Aggregate,
        Fourth: Aggregate,
        Fifth: Aggregate,
        Sixth: Aggregate
    >(
        _ first: First,
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth,
        _ sixth: Sixth
    ) -> Running<Self, Aggregates6<First, Second, Third, Fourth, Fifth, Sixth>>
    where
        First.Input == Element,
        Second.Input == Element,
        Third.Input == Element,
        Fourth.Input == Element,
        Fifth.Input == Element,
        Sixth.Input == Element
    {
        Running(self, Aggregates6(first, second, third, fourth, fifth, sixth))
    }
}
