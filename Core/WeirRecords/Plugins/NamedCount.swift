internal import WeirCore

/// A count that a plugin keeps of something that people should know of, such as what it discards.
///
/// The host shows counts that are not zero when a run ends, and whenever it is asked how the run goes.
///
/// Thread safety: any thread.
public final class NamedCount: Sendable {
    /// What is counted, in words that follow the number, such as `locations discarded as inaccurate`.
    public let name: String

    private let state = Locked<UInt64>(0)
    private let counted: (@Sendable () -> UInt64)?

    init(_ name: String, counted: (@Sendable () -> UInt64)? = nil) {
        self.name = name
        self.counted = counted
    }

    /// How many there were.
    public var value: UInt64 { Self.sum(state.withLock { $0 }, counted?() ?? 0) }

    /// Counts some more.
    ///
    /// - Parameter amount: How many.
    public func add(_ amount: UInt64 = 1) {
        state.withLock { $0 = Self.sum($0, amount) }
    }

    /// The sum of two counts, or the greatest number where they are more: a library may say anything.
    package static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}
