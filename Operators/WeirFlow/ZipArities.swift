public import WeirCore

extension EventStream {
    /// Puts the first elements of three streams together, the second ones, and so on: like the form for two.
    ///
    ///     requests.zip(replies, receipts, limit: 100).filter { row in row.0.path == row.1.path }
    ///
    /// An element waits until all other streams have its number, each stream's apart, and so does the limit count.
    ///
    /// - Parameters:
    ///   - second: The second stream.
    ///   - third: The third stream.
    ///   - policy: What happens to an element that finds no room; what is given up goes to `Tupled.refused`,
    ///     and a failure is ``FlowError/overflow(limit:)``.
    ///   - limit: How many elements of each stream may wait; positive.
    /// - Returns: Tuples, the element of this stream first.
    /// - Complexity: O(1) per element, without allocation once the memory has grown.
    @inlinable
    public func zip<Second: EventStream, Third: EventStream>(
        _ second: Second,
        _ third: Third,
        overflowPolicy policy: LimitPolicy = .fail,
        limit: Int = 1 << 20
    ) -> Tupled<
        ZippedTuples<Self, Second, Third>,
        (Element, Second.Element, Third.Element),
        (Element?, Second.Element?, Third.Element?)
    > {
        Tupled(ZippedTuples(self, second, third, limit: limit, policy: policy))
    }

    /// Puts the first elements of four streams together, the second ones, and so on: like the form for two.
    ///
    ///     requests.zip(replies, receipts, answers, limit: 100).filter { row in row.0.path == row.1.path }
    ///
    /// An element waits until all other streams have its number, each stream's apart, and so does the limit count.
    ///
    /// - Parameters:
    ///   - second: The second stream.
    ///   - third: The third stream.
    ///   - fourth: The fourth stream.
    ///   - policy: What happens to an element that finds no room; what is given up goes to `Tupled.refused`,
    ///     and a failure is ``FlowError/overflow(limit:)``.
    ///   - limit: How many elements of each stream may wait; positive.
    /// - Returns: Tuples, the element of this stream first.
    /// - Complexity: O(1) per element, without allocation once the memory has grown.
    @inlinable
    public func zip<Second: EventStream, Third: EventStream, Fourth: EventStream>(
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        overflowPolicy policy: LimitPolicy = .fail,
        limit: Int = 1 << 20
    ) -> Tupled<
        ZippedTuples<Self, Second, Third, Fourth>,
        (Element, Second.Element, Third.Element, Fourth.Element),
        (Element?, Second.Element?, Third.Element?, Fourth.Element?)
    > {
        Tupled(ZippedTuples(self, second, third, fourth, limit: limit, policy: policy))
    }

    /// Puts the first elements of five streams together, the second ones, and so on: like the form for two.
    ///
    ///     requests.zip(replies, receipts, answers, refunds, limit: 100).filter { row in row.0.path == row.1.path }
    ///
    /// An element waits until all other streams have its number, each stream's apart, and so does the limit count.
    ///
    /// - Parameters:
    ///   - second: The second stream.
    ///   - third: The third stream.
    ///   - fourth: The fourth stream.
    ///   - fifth: The fifth stream.
    ///   - policy: What happens to an element that finds no room; what is given up goes to `Tupled.refused`,
    ///     and a failure is ``FlowError/overflow(limit:)``.
    ///   - limit: How many elements of each stream may wait; positive.
    /// - Returns: Tuples, the element of this stream first.
    /// - Complexity: O(1) per element, without allocation once the memory has grown.
    @inlinable
    public func zip<Second: EventStream, Third: EventStream, Fourth: EventStream, Fifth: EventStream>(
        _ second: Second,
        _ third: Third,
        _ fourth: Fourth,
        _ fifth: Fifth,
        overflowPolicy policy: LimitPolicy = .fail,
        limit: Int = 1 << 20
    ) -> Tupled<
        ZippedTuples<Self, Second, Third, Fourth, Fifth>,
        (Element, Second.Element, Third.Element, Fourth.Element, Fifth.Element),
        (Element?, Second.Element?, Third.Element?, Fourth.Element?, Fifth.Element?)
    > {
        Tupled(ZippedTuples(self, second, third, fourth, fifth, limit: limit, policy: policy))
    }

    /// Puts the first elements of six streams together, the second ones, and so on: like the form for two.
    ///
    ///     requests.zip(replies, receipts, answers, refunds, complaints, limit: 100).filter { row in row.0.path == row.1.path }
    ///
    /// An element waits until all other streams have its number, each stream's apart, and so does the limit count.
    ///
    /// - Parameters:
    ///   - second: The second stream.
    ///   - third: The third stream.
    ///   - fourth: The fourth stream.
    ///   - fifth: The fifth stream.
    ///   - sixth: The sixth stream.
    ///   - policy: What happens to an element that finds no room; what is given up goes to `Tupled.refused`,
    ///     and a failure is ``FlowError/overflow(limit:)``.
    ///   - limit: How many elements of each stream may wait; positive.
    /// - Returns: Tuples, the element of this stream first.
    /// - Complexity: O(1) per element, without allocation once the memory has grown.
    @inlinable
    public func zip<
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
        _ sixth: Sixth,
        overflowPolicy policy: LimitPolicy = .fail,
        limit: Int = 1 << 20
    ) -> Tupled<
        ZippedTuples<Self, Second, Third, Fourth, Fifth, Sixth>,
        (Element, Second.Element, Third.Element, Fourth.Element, Fifth.Element, Sixth.Element),
        (Element?, Second.Element?, Third.Element?, Fourth.Element?, Fifth.Element?, Sixth.Element?)
    > {
        Tupled(ZippedTuples(self, second, third, fourth, fifth, sixth, limit: limit, policy: policy))
    }
}
