/// A part of a calendar that windows can be.
///
/// Hours and shorter units have a constant length: use `tumbling(_:)`.
public enum CalendarUnit: Sendable, Hashable, CaseIterable {
    /// A day, from local midnight to the next; 23 or 25 hours where clocks are changed.
    case day

    /// A week, which starts on the calendar's first day of the week.
    case week

    /// A month of the calendar.
    case month

    /// A year of the calendar.
    case year
}
