public import WeirCore

extension EventStream {
    /// Puts the latest elements of three streams together whenever one of them changes: like the form for two.
    ///
    ///     temperature.combineLatest(humidity, levels).map { latest in (latest.0, latest.2) }
    ///
    /// - Parameters:
    ///   - second: The second stream.
    ///   - third: The third stream.
    /// - Returns: Tuples, the element of this stream first.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func combineLatest<Second: EventStream, Third: EventStream>(
        _ second: Second,
        _ third: Third
    ) -> Tupled<
        LatestTuples<Self, Second, Third>,
        (Element, Second.Element, Third.Element),
        (Element?, Second.Element?, Third.Element?)
    > {
        Tupled(LatestTuples(self, second, third))
    }

    /// Puts the latest elements of four streams together whenever one of them changes: like the form for two.
    ///
    ///     temperature.combineLatest(humidity, levels, wind).map { latest in (latest.0, latest.3) }
    ///
    /// - Parameters:
    ///   - second: The second stream.
    ///   - third: The third stream.
    ///   - fourth: The fourth stream.
    /// - Returns: Tuples, the element of this stream first.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func combineLatest<Second: EventStream, Third: EventStream, Fourth: EventStream>(
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth
    ) -> Tupled<
        LatestTuples<Self, Second, Third, Fourth>,
        (Element, Second.Element, Third.Element, Fourth.Element),
        (Element?, Second.Element?, Third.Element?, Fourth.Element?)
    > {
        Tupled(LatestTuples(self, second, third, fourth))
    }

    /// Puts the latest elements of five streams together whenever one of them changes: like the form for two.
    ///
    ///     temperature.combineLatest(humidity, levels, wind, rain).map { latest in (latest.0, latest.4) }
    ///
    /// - Parameters:
    ///   - second: The second stream.
    ///   - third: The third stream.
    ///   - fourth: The fourth stream.
    ///   - fifth: The fifth stream.
    /// - Returns: Tuples, the element of this stream first.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func combineLatest<Second: EventStream, Third: EventStream, Fourth: EventStream, Fifth: EventStream>(
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth
    ) -> Tupled<
        LatestTuples<Self, Second, Third, Fourth, Fifth>,
        (Element, Second.Element, Third.Element, Fourth.Element, Fifth.Element),
        (Element?, Second.Element?, Third.Element?, Fourth.Element?, Fifth.Element?)
    > {
        Tupled(LatestTuples(self, second, third, fourth, fifth))
    }

    /// Puts the latest elements of six streams together whenever one of them changes: like the form for two.
    ///
    ///     temperature.combineLatest(humidity, levels, wind, rain, light).map { latest in (latest.0, latest.5) }
    ///
    /// - Parameters:
    ///   - second: The second stream.
    ///   - third: The third stream.
    ///   - fourth: The fourth stream.
    ///   - fifth: The fifth stream.
    ///   - sixth: The sixth stream.
    /// - Returns: Tuples, the element of this stream first.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func combineLatest<
        Second: EventStream,
        Third: EventStream,
        Fourth: EventStream,
        Fifth: EventStream,
        Sixth: EventStream
    >(
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth,
        _ sixth: Sixth
    ) -> Tupled<
        LatestTuples<Self, Second, Third, Fourth, Fifth, Sixth>,
        (Element, Second.Element, Third.Element, Fourth.Element, Fifth.Element, Sixth.Element),
        (Element?, Second.Element?, Third.Element?, Fourth.Element?, Fifth.Element?, Sixth.Element?)
    > {
        Tupled(LatestTuples(self, second, third, fourth, fifth, sixth))
    }
}
