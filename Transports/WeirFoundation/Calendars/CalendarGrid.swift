public import Foundation
public import WeirCore
public import WeirWindows

/// The days, weeks, months or years of a calendar in a time zone.
///
///     import Foundation
///
///     CalendarGrid(.day, in: TimeZone(identifier: "Europe/Berlin")!)
///
/// A day starts at the first moment that has its date: at midnight, or, where clocks skip midnight, at the moment they
/// jump to; it ends where the next one starts. So days follow each other without gaps, and last 23 or 25 hours (or
/// anything else) where clocks are changed. Where clocks go back over midnight, the hour that has the old date again
/// stays in the new day. A date that a zone left out has no day. Weeks, months and years are made of such days.
///
/// Thread safety: a value that is never changed; may be used from any thread.
///
/// - Complexity: A search through the zone's changes of about two days for each end of a window, some tens of
///   microseconds; called once for each window.
public struct CalendarGrid: WindowGrid {
    private let unit: CalendarUnit
    private let zone: TimeZone
    // In Greenwich time, where every day has as many seconds as any other: it knows dates, and the zone knows clocks.
    private let dates: Calendar

    /// Creates a grid of the ISO 8601 calendar: Gregorian, with weeks from Monday.
    ///
    /// - Parameters:
    ///   - unit: How long a window is.
    ///   - zone: The time zone of the days.
    public init(_ unit: CalendarUnit, in zone: TimeZone) {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = zone
        self.init(unit, of: calendar)
    }

    /// Creates a grid of a calendar.
    ///
    /// - Parameters:
    ///   - unit: How long a window is.
    ///   - calendar: The calendar, with its time zone and first day of the week.
    public init(_ unit: CalendarUnit, of calendar: Calendar) {
        self.unit = unit
        zone = calendar.timeZone
        var dates = calendar
        dates.timeZone = .gmt
        self.dates = dates
    }

    public func window(containing time: Timestamp) -> Range<Timestamp> {
        let seconds = time.wholeSeconds
        var local = localUnit(containing: seconds + offset(at: seconds))
        var (start, end) = (firstMoment(from: local.lowerBound), firstMoment(from: local.upperBound))
        // Where clocks go back over midnight, a time may have the date of the day before the one that it is in.
        while seconds >= end {
            local = localUnit(containing: local.upperBound)
            (start, end) = (end, firstMoment(from: local.upperBound))
        }
        while seconds < start {
            local = localUnit(containing: local.lowerBound - 1)
            (start, end) = (firstMoment(from: local.lowerBound), start)
        }
        return Timestamp(clampingSeconds: start)..<Timestamp(clampingSeconds: end)
    }

    /// The unit that a local time is in, both in seconds since the local epoch.
    private func localUnit(containing local: Int64) -> Range<Int64> {
        let component: Calendar.Component =
            switch unit {
            case .day: .day
            case .week: .weekOfYear
            case .month: .month
            case .year: .year
            }
        let date = Date(timeIntervalSince1970: TimeInterval(local))
        guard let interval = dates.dateInterval(of: component, for: date) else {
            preconditionFailure("the calendar \(dates.identifier) has no \(unit) at \(date): use another calendar")
        }
        return Int64(interval.start.timeIntervalSince1970)..<Int64(interval.end.timeIntervalSince1970)
    }

    private func offset(at seconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds))))
    }

    /// The first moment at which the local time is not before `local`.
    ///
    /// Goes through the stretches of time that have one offset each. An offset is at most 18 hours, and changes at most
    /// once in an hour.
    private func firstMoment(from local: Int64) -> Int64 {
        let reach: Int64 = 19 * 3600
        var stretchStart = local - reach
        var current = offset(at: stretchStart)
        while stretchStart < local + reach {
            let (next, nextOffset) = endOfStretch(from: stretchStart, current, atMost: local + reach)
            let moment = max(stretchStart, local - current)
            if moment < next { return moment }
            (stretchStart, current) = (next, nextOffset)
        }
        return local - current
    }

    /// The first second with another offset, and that offset.
    private func endOfStretch(from start: Int64, _ offset: Int64, atMost limit: Int64) -> (Int64, Int64) {
        var known = start
        while known < limit {
            var changed = min(known + 3600, limit)
            let other = self.offset(at: changed)
            guard other == offset else {
                while changed - known > 1 {
                    let middle = known + (changed - known) / 2
                    if self.offset(at: middle) == offset { known = middle } else { changed = middle }
                }
                return (changed, self.offset(at: changed))
            }
            known = changed
        }
        return (limit, offset)
    }
}

extension Timestamp {
    /// The seconds since the epoch, rounded down.
    fileprivate var wholeSeconds: Int64 {
        let (quotient, remainder) = nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: 1_000_000_000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The timestamp of a second, or the end of time that is nearest.
    fileprivate init(clampingSeconds seconds: Int64) {
        let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        self = overflow ? (seconds < 0 ? .distantPast : .distantFuture) : Timestamp(nanosecondsSinceEpoch: nanoseconds)
    }
}

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
