public import Foundation
public import WeirCore
public import WeirWindows

extension EventStream {
    /// Cuts event time into the days, weeks, months or years of a time zone.
    ///
    ///     import Foundation
    ///
    ///     readings.windows(each: .day, in: TimeZone(identifier: "Europe/Berlin")!).mean(of: \.celsius)
    ///
    /// Days are as long as the zone's clocks make them, 23 or 25 hours where these are changed; weeks start on Monday;
    /// see ``CalendarGrid``. A window is `[start, end)`: an element exactly at midnight belongs to the new day.
    /// Emission, memory, late elements and limits are those of `windows(on:allowedLateness:emit:limit:)`.
    ///
    /// - Parameters:
    ///   - unit: How long a window is.
    ///   - zone: The time zone of the days.
    ///   - allowedLateness: How much older than the watermark an element may be; not negative.
    ///   - emission: When a window emits, besides when it closes.
    ///   - limit: How much the windows may hold.
    /// - Returns: The windows.
    /// - Complexity: O(1) per element that is in order, without allocation unless the aggregate allocates; some tens of
    ///   microseconds for each window.
    @inlinable
    public func windows(
        each unit: CalendarUnit,
        in zone: TimeZone,
        allowedLateness: Duration = .zero,
        emit emission: Emission = .onClose,
        limit: WindowLimit = WindowLimit()
    ) -> GriddedWindows<Self, CalendarGrid> {
        windows(on: CalendarGrid(unit, in: zone), allowedLateness: allowedLateness, emit: emission, limit: limit)
    }

    /// Cuts event time into the days, weeks, months or years of a calendar.
    ///
    ///     import Foundation
    ///
    ///     readings.windows(each: .week, of: Calendar.current).count()
    ///
    /// The calendar determines the time zone, the first day of the week, months and years. Everything else is as in
    /// `windows(each:in:allowedLateness:emit:limit:)`.
    ///
    /// - Parameters:
    ///   - unit: How long a window is.
    ///   - calendar: The calendar of the days, weeks, months and years.
    ///   - allowedLateness: How much older than the watermark an element may be; not negative.
    ///   - emission: When a window emits, besides when it closes.
    ///   - limit: How much the windows may hold.
    /// - Returns: The windows.
    /// - Complexity: That of `windows(each:in:allowedLateness:emit:limit:)`.
    @inlinable
    public func windows(
        each unit: CalendarUnit,
        of calendar: Calendar,
        allowedLateness: Duration = .zero,
        emit emission: Emission = .onClose,
        limit: WindowLimit = WindowLimit()
    ) -> GriddedWindows<Self, CalendarGrid> {
        windows(on: CalendarGrid(unit, of: calendar), allowedLateness: allowedLateness, emit: emission, limit: limit)
    }
}
