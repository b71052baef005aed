public import WeirCore

/// Which of the events that reach a listener are worth handling.
public struct Interest<E: Event>: Sendable {
    @usableFromInline
    enum Kind: Sendable {
        case all
        case latestOnly
        case youngerThan(Duration)
        case matching(@Sendable (E) -> Bool)
    }

    @usableFromInline let kind: Kind

    /// Every event.
    public static var all: Interest { Interest(kind: .all) }

    /// The newest of the events that are pending for the listener: a new one replaces the one that waits.
    ///
    /// Replaced events are counted as skipped.
    public static var latestOnly: Interest { Interest(kind: .latestOnly) }

    /// Events that were dispatched less than `age` ago when their turn comes; older ones are counted as skipped.
    ///
    /// - Parameter age: Positive.
    /// - Returns: The interest.
    public static func youngerThan(_ age: Duration) -> Interest {
        precondition(age > .zero, "an age limit must be positive, which \(age) is not")
        return Interest(kind: .youngerThan(age))
    }

    /// Events that satisfy a condition, which is asked on the thread that dispatches, before anything is put anywhere.
    ///
    /// - Parameter condition: Quick, and safe to call from any thread.
    /// - Returns: The interest.
    public static func `where`(_ condition: @escaping @Sendable (E) -> Bool) -> Interest {
        Interest(kind: .matching(condition))
    }
}
