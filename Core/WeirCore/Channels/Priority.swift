/// How urgent an event is.
///
///     Priority.highest > .low    // true
@frozen
public enum Priority: UInt8, CaseIterable, Comparable, Sendable {
    /// Before everything else.
    case highest = 0

    /// Before what is normal.
    case high = 1

    /// The default of an event.
    case normal = 2

    /// After what is normal.
    case low = 3

    /// After everything else.
    case lowest = 4

    @inlinable
    public static func < (left: Priority, right: Priority) -> Bool {
        left.rawValue > right.rawValue
    }
}
