public import WeirCore

/// Times that recur by minute, hour, day, month and day of the week, written as in a crontab.
///
///     let weekdays = try CronSchedule("30 9 * * mon-fri")
///     weekdays.next(after: clock.now())
///
/// Five fields, separated by spaces:
///
/// | field | values |
/// |---|---|
/// | minute | 0-59 |
/// | hour | 0-23 |
/// | day of the month | 1-31 |
/// | month | 1-12, or `jan` to `dec` |
/// | day of the week | 0-7, or `sun` to `sat`; 0 and 7 are Sunday |
///
/// A field is a list, separated by commas, of `*`, a value, a range `a-b`, or one of `*` and a range with a step, `*/n`
/// or `a-b/n`. When neither the day of the month nor the day of the week starts with `*`, a day has to be in one of
/// them; otherwise in both. Letters may be small or great.
///
/// Not supported, though some dialects are: seconds and years, `@daily` and its kin, `L`, `W`, `#` and `?`, ranges that
/// wrap around, and time zones whose clocks change: times are at a constant distance from UTC, so every time of a
/// schedule exists once.
public struct CronSchedule: Sendable, Hashable {
    // Bit *n* represents the value *n*.
    private let minutes: UInt64
    private let hours: UInt64
    private let days: UInt64
    private let months: UInt64
    private let weekdays: UInt64
    private let takesEitherDay: Bool
    // Nanoseconds ahead of UTC.
    private let offset: Int64

    /// Reads a schedule.
    ///
    /// - Parameters:
    ///   - text: The five fields.
    ///   - offset: How far the schedule's clock is ahead of UTC; less than a day.
    /// - Throws: ``CronError`` when the text is no schedule, or one that is never due.
    public init(_ text: String, aheadOfUTC offset: Duration = .zero) throws(CronError) {
        precondition(abs(offset.wholeNanoseconds) < Self.day, "a clock is less than a day ahead of UTC, not \(offset)")
        let fields = text.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
        guard fields.count == 5 else { throw .fieldCount(fields.count) }
        minutes = try CronField(name: "minute", range: 0...59).bits(fields[0])
        hours = try CronField(name: "hour", range: 0...23).bits(fields[1])
        days = try CronField(name: "day of the month", range: 1...31).bits(fields[2])
        months = try CronField(name: "month", range: 1...12, words: CronField.months).bits(fields[3])
        let weekdays = try CronField(name: "day of the week", range: 0...7, words: CronField.weekdays).bits(fields[4])
        self.weekdays = weekdays | weekdays >> 7 & 1
        takesEitherDay = !fields[2].hasPrefix("*") && !fields[4].hasPrefix("*")
        self.offset = offset.wholeNanoseconds
        // The calendar repeats after 400 years, weekdays included.
        guard firstDay(from: 0, to: 146_097) != nil else { throw .neverDue(text) }
    }

    /// The first time of the schedule after another time.
    ///
    /// - Parameter time: Any time.
    /// - Returns: The time; `nil` when it is beyond the end of time.
    /// - Complexity: O(days until then).
    public func next(after time: Timestamp) -> Timestamp? {
        let (local, isBeyond) = time.nanosecondsSinceEpoch.addingReportingOverflow(offset)
        // At the very ends of time, a little earlier or later makes no difference to what is found.
        let start = isBeyond ? (offset > 0 ? Int64.max : .min) : local
        let minute = start.flooredQuotient(by: Self.minute) + 1
        let today = minute.flooredQuotient(by: 1440)
        if isDue(onDay: today), let found = firstMinute(from: minute - today * 1440) {
            return timestamp(minute: today * 1440 + found)
        }
        let lastDay = Int64.max / Self.day + 1
        guard let day = firstDay(from: today + 1, to: lastDay), let found = firstMinute(from: 0) else { return nil }
        return timestamp(minute: day * 1440 + found)
    }

    private static let minute: Int64 = 60_000_000_000
    private static let day: Int64 = 1440 * minute

    private func timestamp(minute: Int64) -> Timestamp? {
        let (local, isBeyond) = minute.multipliedReportingOverflow(by: Self.minute)
        let (time, isBeyondToo) = local.subtractingReportingOverflow(offset)
        return isBeyond || isBeyondToo ? nil : Timestamp(nanosecondsSinceEpoch: time)
    }

    private func firstMinute(from start: Int64) -> Int64? {
        (start..<1440).first { hours >> UInt64($0 / 60) & 1 == 1 && minutes >> UInt64($0 % 60) & 1 == 1 }
    }

    private func firstDay(from start: Int64, to end: Int64) -> Int64? {
        start < end ? (start..<end).first { isDue(onDay: $0) } : nil
    }

    private func isDue(onDay day: Int64) -> Bool {
        let date = GregorianCalendar.date(daysSinceEpoch: day)
        guard months >> UInt64(date.month) & 1 == 1 else { return false }
        // The first day of 1970 was a Thursday.
        let weekday = day + 4 - (day + 4).flooredQuotient(by: 7) * 7
        let isDay = days >> UInt64(date.day) & 1 == 1
        let isWeekday = weekdays >> UInt64(weekday) & 1 == 1
        return takesEitherDay ? isDay || isWeekday : isDay && isWeekday
    }
}

/// Why a text is no schedule.
public enum CronError: Error, Hashable {
    /// Expected five fields, found this number.
    case fieldCount(Int)

    /// A field is not a list of `*`, values, ranges and steps.
    case malformed(field: String, text: String)

    /// A value of a field is too small or too great.
    case outOfRange(field: String, text: String, allowed: ClosedRange<Int>)

    /// No day has such a date.
    case neverDue(String)
}

extension CronError: CustomStringConvertible {
    /// A description in one line.
    public var description: String { Excerpt.line(words) }

    private var words: String {
        switch self {
        case .fieldCount(let count):
            "expected five fields (minute, hour, day of the month, month, day of the week), found \(count)"
        case .malformed(let field, let text):
            "the \(field) \"\(text)\" is not a list of values, ranges like 1-5 and steps like */2"
        case .outOfRange(let field, let text, let allowed):
            "the \(field) \"\(text)\" is not within \(allowed.lowerBound)-\(allowed.upperBound)"
        case .neverDue(let text):
            "the schedule \"\(text)\" is never due: no month has such a day"
        }
    }
}

/// How a field of a schedule is read.
private struct CronField {
    static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    let name: String
    let range: ClosedRange<Int>
    var words: [String] = []

    func bits(_ text: String) throws(CronError) -> UInt64 {
        var bits: UInt64 = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "/", omittingEmptySubsequences: false)
            guard pieces.count <= 2 else { throw malformed(text) }
            let values = try values(pieces[0], text)
            var step = 1
            if pieces.count == 2 {
                guard pieces[0] == "*" || pieces[0].contains("-"), let number = number(pieces[1]) else {
                    throw malformed(text)
                }
                guard number > 0 else {
                    throw .outOfRange(field: "step of the \(name)", text: text, allowed: 1...range.upperBound)
                }
                step = number
            }
            for value in stride(from: values.lowerBound, through: values.upperBound, by: step) {
                bits |= 1 << UInt64(value)
            }
        }
        return bits
    }

    private func values(_ piece: Substring, _ text: String) throws(CronError) -> ClosedRange<Int> {
        if piece == "*" { return range }
        let ends = piece.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count <= 2, let low = value(ends[0]), let high = value(ends[ends.count - 1]), low <= high else {
            throw malformed(text)
        }
        guard range.contains(low), range.contains(high) else {
            throw .outOfRange(field: name, text: text, allowed: range)
        }
        return low...high
    }

    private func value(_ text: Substring) -> Int? {
        if let index = words.firstIndex(of: String(text)) { return index + range.lowerBound }
        return number(text)
    }

    /// Digits alone: no sign, and few enough for an integer.
    private func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && text.utf8.count <= 9
            ? Int(text) : nil
    }

    private func malformed(_ text: String) -> CronError { .malformed(field: name, text: text) }
}

extension Int64 {
    /// The quotient rounded down, for a positive divisor.
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
