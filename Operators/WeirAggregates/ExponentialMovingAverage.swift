public import WeirCore

/// An average in which an element weighs less the more came after it.
///
///     prices.running(ExponentialMovingAverage(of: \.amount, weight: 0.1))
///
/// The first element is the average; each further one moves it by `weight` of the difference, in the order in which they
/// are added. NaN propagates. Remembers a number; O(1) to add. It can be neither merged nor inverted.
@frozen
public struct ExponentialMovingAverage<Input: Sendable>: Aggregate {
    @usableFromInline let value: @Sendable (Input) -> Double
    @usableFromInline let weight: Double
    @usableFromInline var average: Double?

    /// Creates the average of no elements.
    ///
    /// - Parameters:
    ///   - value: The number of an element.
    ///   - weight: How much the newest element weighs, above 0 and up to 1.
    @inlinable
    public init(of value: @escaping @Sendable (Input) -> Double, weight: Double) {
        precondition(weight > 0 && weight <= 1, "a weight is above 0 and up to 1, not \(weight)")
        self.value = value
        self.weight = weight
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        let number = value(element)
        average = average.map { $0 + weight * (number - $0) } ?? number
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&average)
    }

    /// NaN when there is no element.
    @inlinable
    public func result() -> Double { average ?? .nan }
}
