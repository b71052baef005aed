public import WeirCore

/// When a window emits results.
@frozen
public enum Emission: Sendable, Hashable {
    /// Once, when the window closes.
    case onClose

    /// After each element, and when the window closes.
    case onEveryElement

    /// Whenever the watermark passes a multiple of the duration, if the window has changed since; and when it closes.
    case every(Duration)
}

/// How much the windows of one stream may hold, whatever their number of elements.
@frozen
public struct WindowLimit: Sendable, Hashable {
    /// How many windows, or shared panes of windows, there may be at a time.
    public var windows: Int

    /// How many elements all windows may hold together, where the aggregate keeps elements.
    public var elements: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - windows: How many windows, or shared panes of windows, there may be at a time; positive.
    ///   - elements: How many elements all windows may hold together, where the aggregate keeps elements; positive.
    @inlinable
    public init(windows: Int = 10_000, elements: Int = 1_000_000) {
        precondition(windows > 0, "a limit of \(windows) windows leaves no room for any")
        precondition(elements > 0, "a limit of \(elements) elements leaves no room for any")
        self.windows = windows
        self.elements = elements
    }
}

/// What all windows by event time are told.
@frozen
public struct WindowSettings: Sendable {
    @usableFromInline let lateness: Int64
    // Nanoseconds; 0 without periodic results.
    @usableFromInline let period: Int64
    @usableFromInline let emitsOnEveryElement: Bool
    @usableFromInline let limit: WindowLimit

    @inlinable
    init(_ lateness: Duration, _ emission: Emission, _ limit: WindowLimit) {
        precondition(lateness >= .zero, "an allowed lateness cannot be negative, like \(lateness)")
        self.lateness = lateness.wholeNanoseconds
        self.limit = limit
        switch emission {
        case .onClose:
            (period, emitsOnEveryElement) = (0, false)
        case .onEveryElement:
            (period, emitsOnEveryElement) = (0, true)
        case .every(let duration):
            period = duration.wholeNanoseconds
            precondition(period > 0, "results need a positive duration between them, not \(duration)")
            emitsOnEveryElement = false
        }
    }

    @inlinable
    var emitsOnlyOnClose: Bool { period == 0 && !emitsOnEveryElement }

    /// Whether a watermark is the first one at or after the time of a periodic result; moves that time on.
    @inlinable
    func isDue(at watermark: Timestamp, _ next: inout Int64) -> Bool {
        let nanoseconds = watermark.nanosecondsSinceEpoch
        guard period > 0, nanoseconds >= next else { return false }
        next = Nanoseconds.sum(Nanoseconds.floor(nanoseconds, to: period), period)
        return true
    }
}

/// The side outputs of windows.
@frozen
public struct WindowSides<Input: Sendable>: Sendable {
    /// The elements that came too late.
    public let late = SideOutput<Input>()

    /// The elements that a limit left no room for.
    public let refused = SideOutput<Input>()

    @usableFromInline
    init() {}
}
