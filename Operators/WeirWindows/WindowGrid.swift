public import WeirCore

/// A division of event time into windows that follow each other without gaps, each as long as it likes.
///
/// Conform to it for windows that no one size describes: shifts, billing periods, days of a calendar.
///
///     struct Shifts: WindowGrid {
///         // Three a day, from 6, 14 and 22 o'clock.
///         func window(containing time: Timestamp) -> Range<Timestamp> {
///             let hours = (time - .epoch).components.seconds / 3600
///             let start = Timestamp.epoch + .seconds((hours + 2) / 8 * 8 * 3600 - 2 * 3600)
///             return start..<start + .seconds(8 * 3600)
///         }
///     }
///     readings.windows(on: Shifts()).mean(of: \.celsius)
public protocol WindowGrid: Sendable {
    /// The window that a time is in.
    ///
    /// - Parameter time: Any time.
    /// - Returns: From the start of the window to its end, which is the start of the next one. It contains `time`, and is
    ///   the same for every time in it. At the end of time, where no end can be after `time`, a window may contain it
    ///   by ending at `Timestamp/distantFuture`.
    func window(containing time: Timestamp) -> Range<Timestamp>
}
