public import WeirCore

/// When a window's result was made.
@frozen
public enum WindowPhase: Sendable {
    /// Before the window closed.
    case early

    /// When the window closed.
    case closing

    /// After the window closed, because a late element was still allowed in; it replaces the results before.
    case late
}

/// The elements of the window, or their aggregate.
@frozen
public struct WindowResult<Value: Sendable>: Sendable {
    /// Where the window starts.
    public var start: Timestamp

    /// Where the window ends; whether the end belongs to it depends on the kind of window.
    public var end: Timestamp

    /// The elements or the aggregate.
    public var value: Value

    /// When the result was made.
    public var phase: WindowPhase

    /// Creates a result.
    @inlinable
    public init(start: Timestamp, end: Timestamp, value: Value, phase: WindowPhase = .closing) {
        self.start = start
        self.end = end
        self.value = value
        self.phase = phase
    }
}

extension WindowResult: Equatable where Value: Equatable {}
extension WindowResult: Hashable where Value: Hashable {}
