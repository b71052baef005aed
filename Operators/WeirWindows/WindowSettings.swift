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

/// A limit on the memory of the windows of a stream.
@frozen
public struct WindowLimit: Sendable, Hashable {
    /// The maximum number of windows, or of shared panes.
    public var windows: Int

    /// The maximum number of elements of all windows, where the aggregate keeps elements.
    public var elements: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - windows: The maximum number of windows, or of shared panes; positive.
    ///   - elements: The maximum number of elements of all windows, where the aggregate keeps elements; positive.
    @inlinable
    public init(windows: Int = 10_000, elements: Int = 1_000_000) {
        precondition(windows > 0, "WindowLimit: windows must be positive, but is \(windows)")
        precondition(elements > 0, "WindowLimit: elements must be positive, but is \(elements)")
        self.windows = windows
        self.elements = elements
    }
}

/// The settings of all windows by event time.
@frozen
@usableFromInline
struct WindowSettings: Sendable {
    @usableFromInline let lateness: Int64
    // Nanoseconds; 0 without periodic results.
    @usableFromInline let period: Int64
    @usableFromInline let emitsOnEveryElement: Bool
    @usableFromInline let limit: WindowLimit

    @inlinable
    init(_ lateness: Duration, _ emission: Emission, _ limit: WindowLimit) {
        precondition(lateness >= .zero, "WindowSettings: lateness must not be negative, but is \(lateness)")
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
@usableFromInline
struct WindowSides<Input: Sendable>: Sendable {
    /// The elements that came too late.
    @usableFromInline let late = SideOutput<Input>()

    /// The elements that a limit refused.
    @usableFromInline let refused = SideOutput<Input>()

    /// That no watermark comes.
    @usableFromInline let stalls = SideOutput<WatermarkStall>()

    @usableFromInline
    init() {}

    @usableFromInline
    func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(late)
        try state.exchange(refused)
        try state.exchange(stalls)
    }
}

extension StallWatch {
    /// Expects the first periodic result of a window that begins with an element.
    @inlinable
    mutating func expectResult(after time: Timestamp, _ period: Int64) {
        expect(at: time.shifted(byNanoseconds: period), within: period)
    }
}
