/// An element that a ``TallySink`` takes.
public protocol Tallied: Sendable {
    /// What is summed up of it.
    var number: Double { get }
}

extension Double: Tallied {
    @inlinable
    public var number: Double { self }
}
