import TestStreams
import Testing
import WeirCore
import WeirCreation
import WeirDispatch
import WeirTesting

@Suite struct CronScheduleTests {
    private static let minute: Int64 = 60_000_000_000

    /// A date that is counted forth one day at a time.
    private struct Day {
        var (year, month, day, weekday) = (1970, 1, 1, 4)

        mutating func next() {
            let isLeap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            weekday = (weekday + 1) % 7
            day += 1
            if day > lengths[month - 1] { (day, month) = (1, month + 1) }
            if month > 12 { (month, year) = (1, year + 1) }
        }
    }

    /// A field and the values that it matches.
    private static func field(_ range: ClosedRange<Int>, _ generator: inout SeededGenerator) -> (String, Set<Int>) {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return ("*", Set(range))
        case 1:
            let step = Int.random(in: 1...9, using: &generator)
            return ("*/\(step)", Set(stride(from: range.lowerBound, through: range.upperBound, by: step)))
        case 2:
            let low = Int.random(in: range, using: &generator)
            let high = Int.random(in: low...range.upperBound, using: &generator)
            let step = Int.random(in: 1...3, using: &generator)
            return ("\(low)-\(high)/\(step)", Set(stride(from: low, through: high, by: step)))
        case 3:
            let low = Int.random(in: range, using: &generator)
            let high = Int.random(in: low...range.upperBound, using: &generator)
            return ("\(low)-\(high)", Set(low...high))
        default:
            let values = (0..<3).map { _ in Int.random(in: range, using: &generator) }
            return (values.map(String.init).joined(separator: ","), Set(values))
        }
    }

    @Test func agreesWithCountingThroughTheCalendar() {
        var days: [Day] = [Day()]
        for _ in 0..<3000 {
            var next = days[days.count - 1]
            next.next()
            days.append(next)
        }
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let (minuteText, minutes) = Self.field(0...59, &generator)
            let (hourText, hours) = Self.field(0...23, &generator)
            let (dayText, daysOfMonth) = Self.field(1...31, &generator)
            let (monthText, months) = Self.field(1...12, &generator)
            let (weekdayText, weekdays) = Self.field(0...7, &generator)
            let fields = [minuteText, hourText, dayText, monthText, weekdayText]
            let offset = Int64.random(in: -14...14, using: &generator) * 30
            // From some local minute of the first years, a nanosecond around it included.
            let start = Int64.random(in: 0..<1440 * 1000, using: &generator)
            let from = Timestamp(
                nanosecondsSinceEpoch: (start - offset) * Self.minute + .random(in: -1...1, using: &generator)
            )
            var expected: Int64?
            let first = from.nanosecondsSinceEpoch >= (start - offset) * Self.minute ? start + 1 : start
            search: for index in Int(first / 1440)..<days.count {
                let day = days[index]
                guard months.contains(day.month) else { continue }
                let isDay = daysOfMonth.contains(day.day)
                let isWeekday = weekdays.contains(day.weekday) || day.weekday == 0 && weekdays.contains(7)
                let isEither = !dayText.hasPrefix("*") && !weekdayText.hasPrefix("*")
                guard isEither ? isDay || isWeekday : isDay && isWeekday else { continue }
                for minute in 0..<1440 {
                    let local = Int64(index) * 1440 + Int64(minute)
                    guard local >= first, hours.contains(minute / 60), minutes.contains(minute % 60) else { continue }
                    expected = local
                    break search
                }
            }
            guard let schedule = try? CronSchedule(fields.joined(separator: " "), aheadOfUTC: .seconds(60 * offset))
            else {
                #expect(expected == nil, "seed \(seed): \(fields) was refused")
                continue
            }
            guard let expected else { continue }
            let time = schedule.next(after: from)
            guard time == Timestamp(nanosecondsSinceEpoch: (expected - offset) * Self.minute) else {
                Issue.record("seed \(seed): \(fields) after \(from) gave \(String(describing: time))")
                return
            }
        }
    }

    @Test func knowsWordsLeapDaysAndTheTimeBeforeTheEpoch() throws {
        let weekdays = try CronSchedule("30 9 * JAN-mar Mon-Fri")
        // 1970-01-01 was a Thursday.
        #expect(weekdays.next(after: .epoch) == Timestamp(secondsSinceEpoch: 9 * 3600 + 1800))
        #expect(weekdays == (try CronSchedule("30  9 * 1-3 1-5")))
        let sundays = try CronSchedule("0 0 * * 7")
        #expect(sundays.next(after: .epoch) == Timestamp(secondsSinceEpoch: 3 * 86_400))
        let before = Timestamp(secondsSinceEpoch: -5 * 86_400)
        #expect(sundays.next(after: before) == Timestamp(secondsSinceEpoch: -4 * 86_400))
        let leapDays = try CronSchedule("0 0 29 2 *")
        #expect(leapDays.next(after: .epoch) == Timestamp(secondsSinceEpoch: 789 * 86_400))
        let everyMinute = try CronSchedule("* * * * *")
        #expect(everyMinute.next(after: .distantFuture) == nil)
        #expect(everyMinute.next(after: .distantPast) != nil)
    }

    @Test func errorsAreOneLine() {
        let error = #expect(throws: CronError.self) { try CronSchedule("\u{1B}[31m * * * *") }
        #expect(
            error?.description
                == "the minute \"\u{FFFD}[31m\" is not a list of values, ranges like 1-5 and steps like */2"
        )
    }

    @Test(
        arguments: [
            ("* * * *", CronError.fieldCount(4)), ("* * * * * *", .fieldCount(6)), ("", .fieldCount(0)),
            ("60 * * * *", .outOfRange(field: "minute", text: "60", allowed: 0...59)),
            ("* 1-24 * * *", .outOfRange(field: "hour", text: "1-24", allowed: 0...23)),
            ("* * 0 * *", .outOfRange(field: "day of the month", text: "0", allowed: 1...31)),
            ("* * * 13 *", .outOfRange(field: "month", text: "13", allowed: 1...12)),
            ("* * * * 8", .outOfRange(field: "day of the week", text: "8", allowed: 0...7)),
            ("5-1 * * * *", .malformed(field: "minute", text: "5-1")),
            ("1, * * * *", .malformed(field: "minute", text: "1,")),
            ("-1 * * * *", .malformed(field: "minute", text: "-1")),
            ("+1 * * * *", .malformed(field: "minute", text: "+1")),
            ("5/2 * * * *", .malformed(field: "minute", text: "5/2")),
            ("*/ * * * *", .malformed(field: "minute", text: "*/")),
            ("*/0 * * * *", .outOfRange(field: "step of the minute", text: "*/0", allowed: 1...59)),
            ("99999999999999999999 * * * *", .malformed(field: "minute", text: "99999999999999999999")),
            ("* * * mon *", .malformed(field: "month", text: "mon")),
            ("0 0 30 2 *", .neverDue("0 0 30 2 *")), ("0 0 31 4,6,9,11 *", .neverDue("0 0 31 4,6,9,11 *")),
        ]
    )
    func whatIsNoScheduleIsRefused(text: String, error: CronError) {
        #expect(throws: error) { try CronSchedule(text) }
    }

    @Test func ticksFollowTheSchedule() throws {
        let clock = VirtualClock(at: Timestamp(secondsSinceEpoch: 30))
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        let recorder = Recorder<Timestamp>()
        let subscription = try Ticks(cron: CronSchedule("*/2 * * * *"), on: scheduler).attach(recorder.sink)
        clock.advance(by: .seconds(300))
        let times = [120, 240].map { Timestamp(secondsSinceEpoch: $0) }
        #expect(recorder.signals == times.flatMap { [.element($0, $0), .watermark($0)] })
        subscription.cancel()
        clock.advance(by: .seconds(300))
        #expect(recorder.elements == times)
        #expect(scheduler.pendingCount == 0)
    }
}
