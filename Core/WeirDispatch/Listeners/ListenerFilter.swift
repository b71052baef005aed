public import WeirCore

/// Which of the events that reach a listener are worth handling.
public struct ListenerFilter<E: Sendable>: Sendable {
    @usableFromInline
    enum Kind: Sendable {
        case all
        case latestOnly
        case youngerThan(Duration)
        case matching(@Sendable (E, EventContext) -> Bool)
    }

    @usableFromInline let kind: Kind

    /// Every event.
    public static var all: ListenerFilter { ListenerFilter(kind: .all) }

    /// The newest of the events that are pending for the listener: a new one replaces the one that waits.
    ///
    /// Replaced events are counted as skipped.
    public static var latestOnly: ListenerFilter { ListenerFilter(kind: .latestOnly) }

    /// Events that were dispatched less than `age` ago when their turn comes; older ones are counted as skipped.
    ///
    /// - Parameter age: Positive.
    /// - Returns: The filter.
    public static func youngerThan(_ age: Duration) -> ListenerFilter {
        precondition(age > .zero, "an age limit must be positive, which \(age) is not")
        return ListenerFilter(kind: .youngerThan(age))
    }

    /// Events that satisfy a condition, which is asked on the thread that dispatches, before anything is put anywhere.
    ///
    /// - Parameter condition: Quick, and safe to call from any thread.
    /// - Returns: The filter.
    public static func `where`(_ condition: @escaping @Sendable (E) -> Bool) -> ListenerFilter {
        ListenerFilter(kind: .matching { event, _ in condition(event) })
    }

    /// Events that satisfy a condition, which also sees how they were dispatched.
    ///
    ///     let urgent = ListenerFilter<Reading>.where { $1.priority >= .high || $0.celsius > 30 }
    ///     EventBus.shared.listen(to: Reading.self, filter: urgent) { reading, _ in print(reading) }
    ///
    /// - Parameter condition: Quick, and safe to call from any thread; asked on the thread that dispatches, before anything is
    ///   put anywhere.
    /// - Returns: The filter.
    public static func `where`(_ condition: @escaping @Sendable (E, EventContext) -> Bool) -> ListenerFilter {
        ListenerFilter(kind: .matching(condition))
    }
}
