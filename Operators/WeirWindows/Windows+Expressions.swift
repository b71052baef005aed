public import WeirCore
public import WeirExpressions

extension EventStream {
    /// Looks back to the first element that satisfies a typed expression, over a window that grows.
    ///
    ///     readings.landmark(when: \.celsius > 100).count()
    ///
    /// Does what `landmark(when:allowedLateness:emit:limit:)` does with a closure.
    ///
    /// - Parameters:
    ///   - opens: Computed for each element until it is `true`.
    ///   - allowedLateness: How much older than the watermark an element may be; not negative.
    ///   - emission: When the window emits, besides when it closes.
    ///   - limit: How much the window may hold.
    /// - Returns: The window.
    /// - Complexity: O(1) per element, and that of the aggregate's result, without allocation of its own.
    @inlinable
    public func landmark<Condition: ElementExpression>(
        when opens: Condition,
        allowedLateness: Duration = .zero,
        emit emission: Emission = .onEveryElement,
        limit: WindowLimit = WindowLimit()
    ) -> BoundedWindow<Self> where Condition.Root == Element, Condition.Value == Bool {
        landmark(when: opens.function, allowedLateness: allowedLateness, emit: emission, limit: limit)
    }

    /// Cuts the stream into windows that elements open and close, by typed expressions.
    ///
    ///     readings.windows(opensWhen: \.celsius > 30, closesWhen: \.celsius < 25).count()
    ///
    /// Does what `windows(opensWhen:closesWhen:within:emit:limit:)` does with closures.
    ///
    /// - Parameters:
    ///   - opens: Whether an element opens a window.
    ///   - closes: Whether an element closes the window.
    ///   - within: How long a window may be; positive.
    ///   - emission: When a window emits, besides when it closes.
    ///   - limit: How many elements a window may hold; positive.
    /// - Returns: The windows.
    /// - Complexity: O(1) per element, without allocation unless the aggregate allocates.
    @inlinable
    public func windows<Opening: ElementExpression, Closing: ElementExpression>(
        opensWhen opens: Opening,
        closesWhen closes: Closing,
        within: Duration? = nil,
        emit emission: Emission = .onClose,
        limit: Int = 1_000_000
    ) -> CustomWindows<Self>
    where Opening.Root == Element, Opening.Value == Bool, Closing.Root == Element, Closing.Value == Bool {
        windows(
            opensWhen: opens.function,
            closesWhen: closes.function,
            within: within,
            emit: emission,
            limit: limit
        )
    }
}
