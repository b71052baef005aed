public import WeirCore

/// An element on its way through a graph, with its event time.
@frozen
public struct Timed<Element: Sendable>: Sendable {
    /// The element.
    public var element: Element

    /// Its event time.
    public var time: Timestamp

    /// Creates a timed element.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - time: Its event time.
    @inlinable
    public init(_ element: Element, at time: Timestamp) {
        self.element = element
        self.time = time
    }
}

extension Timed: Equatable where Element: Equatable {}
extension Timed: Hashable where Element: Hashable {}
