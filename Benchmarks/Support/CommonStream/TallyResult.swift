public import Synchronization

/// Where handlers and sinks leave what they have counted.
public final class TallyResult: Sendable {
    @usableFromInline let value = Mutex(Tally())

    /// Creates a result that is empty yet.
    public init() {}

    @inlinable
    public var tally: Tally {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }

    /// Counts a value.
    @inlinable
    public func add(_ number: Double) {
        value.withLock { $0.add(number) }
    }
}
