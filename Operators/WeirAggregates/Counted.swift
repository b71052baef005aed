/// A value and how often it was there.
@frozen
public struct Counted<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value

    /// How often it was there; for sketches, at most.
    public var count: Int

    /// By how much `count` may be too high; 0 where counts are exact.
    public var error: Int

    /// Creates a count.
    @inlinable
    public init(value: Value, count: Int, error: Int = 0) {
        self.value = value
        self.count = count
        self.error = error
    }
}

extension Counted: Equatable where Value: Equatable {}
