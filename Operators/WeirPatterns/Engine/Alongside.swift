public import WeirCore

extension EventStream {
    /// Puts the elements of two streams into one, for patterns of events of two types.
    ///
    ///     let unpaid = Pattern<Either<Order, Payment>>
    ///         .first { if case .first = $0 { true } else { false } }
    ///         .notFollowedBy.filter { order, event in event.pays(order) }
    ///         .within(.seconds(3600))
    ///     orders.alongside(payments).matches(of: unpaid, PatternSettings(order: .byWatermark))
    ///
    /// Emits an element when it arrives, with its time; two streams rarely come in the order of their times together,
    /// so patterns wait for watermarks. Remembers nothing but how far each stream is: the watermark is the earlier of
    /// both. The completion passes when both streams have finished, a failure or an interruption at once. For more than
    /// two streams, put together what was put together.
    ///
    /// - Parameter other: The other stream.
    /// - Returns: The elements of both.
    /// - Complexity: O(1) per element, without allocation.
    @inlinable
    public func alongside<Other: EventStream>(_ other: Other) -> EitherStream<Self, Other> {
        EitherStream(self, other)
    }
}
