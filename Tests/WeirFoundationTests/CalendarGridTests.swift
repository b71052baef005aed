import Foundation
import Testing
import WeirAggregates
import WeirCore
import WeirFoundation
import WeirTesting
import WeirWindows

private func zone(_ name: String) throws -> TimeZone { try #require(TimeZone(identifier: name)) }

private func at(_ text: String) throws -> Timestamp {
    let date = try Date(text, strategy: .iso8601)
    return Timestamp(secondsSinceEpoch: Int64(date.timeIntervalSince1970))
}

private func hours(_ window: Range<Timestamp>) -> Double {
    Double((window.upperBound - window.lowerBound).wholeNanoseconds) / 3.6e12
}

@Suite struct CalendarGridTests {
    @Test(
        arguments: [
            // Clocks go forward and back where they are changed at night.
            ("Europe/Berlin", "2024-03-31T12:00:00Z", "2024-03-30T23:00:00Z", 23.0),
            ("Europe/Berlin", "2024-10-27T12:00:00Z", "2024-10-26T22:00:00Z", 25.0),
            ("Europe/Berlin", "2024-06-01T00:00:00Z", "2024-05-31T22:00:00Z", 24.0),
            ("America/New_York", "2024-03-10T12:00:00Z", "2024-03-10T05:00:00Z", 23.0),
            ("America/New_York", "2024-11-03T12:00:00Z", "2024-11-03T04:00:00Z", 25.0),
            // Clocks skip midnight: the day starts at one o'clock.
            ("America/Sao_Paulo", "2018-11-04T12:00:00Z", "2018-11-04T03:00:00Z", 23.0),
            // At midnight clocks go back to eleven, which keeps the old date.
            ("America/Sao_Paulo", "2018-02-17T12:00:00Z", "2018-02-17T02:00:00Z", 25.0),
            // Half an hour.
            ("Australia/Lord_Howe", "2024-04-07T00:00:00Z", "2024-04-06T13:00:00Z", 24.5),
            // Before the epoch.
            ("Europe/Berlin", "1947-05-11T12:00:00Z", "1947-05-10T22:00:00Z", 23.0),
        ]
    )
    func daysAreAsLongAsTheClocksMakeThem(name: String, inside: String, start: String, length: Double) throws {
        let window = CalendarGrid(.day, in: try zone(name)).window(containing: try at(inside))
        #expect(window.lowerBound == (try at(start)))
        #expect(hours(window) == length)
    }

    @Test func aDateThatWasLeftOutHasNoDay() throws {
        // Samoa went from the 29th to the 31st of December 2011.
        let grid = CalendarGrid(.day, in: try zone("Pacific/Apia"))
        let last = grid.window(containing: try at("2011-12-30T09:59:59Z"))
        let next = grid.window(containing: try at("2011-12-30T10:00:00Z"))
        #expect(hours(last) == 24)
        #expect(last.upperBound == next.lowerBound)
        #expect(hours(next) == 24)
    }

    /// The oldest definition: a day starts at the first second that has a date not before it.
    @Test(
        arguments: [
            "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/St_Johns", "Asia/Beirut", "Africa/Cairo",
            "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu", "UTC", "Atlantic/Azores",
        ]
    )
    func unitsFollowEachOtherAndHoldTheirDates(name: String) throws {
        let zone = try zone(name)
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        func localDate(_ seconds: Int64) -> Date {
            let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds)))
            return Date(timeIntervalSince1970: TimeInterval(seconds + Int64(offset)))
        }
        for unit in CalendarUnit.allCases {
            let grid = CalendarGrid(unit, in: zone)
            var time = try at(unit == .year ? "1960-01-01T00:00:00Z" : "2010-12-01T00:00:00Z")
            var largest = Date.distantPast
            for _ in 0..<(unit == .day ? 800 : 60) {
                let window = grid.window(containing: time)
                #expect(window.contains(time))
                #expect(grid.window(containing: window.lowerBound) == window)
                #expect(grid.window(containing: window.upperBound - .nanoseconds(1)) == window)
                let first = localDate(window.lowerBound.nanosecondsSinceEpoch / 1_000_000_000)
                let component: Calendar.Component =
                    switch unit {
                    case .day: .day
                    case .week: .weekOfYear
                    case .month: .month
                    case .year: .year
                    }
                let interval = try #require(calendar.dateInterval(of: component, for: first))
                // Just before, no clock had shown anything of this unit.
                largest = max(largest, localDate(window.lowerBound.nanosecondsSinceEpoch / 1_000_000_000 - 1))
                #expect(largest < interval.start, "\(name) \(unit) \(window)")
                if unit == .week { #expect(calendar.component(.weekday, from: first) == 2) }
                if unit == .month || unit == .year { #expect(calendar.component(.day, from: first) == 1) }
                time = window.upperBound
            }
        }
    }

    @Test func theEndsOfTimeAreInAWindow() throws {
        for unit in CalendarUnit.allCases {
            let grid = CalendarGrid(unit, in: try zone("Europe/Berlin"))
            #expect(grid.window(containing: .distantPast).lowerBound == .distantPast)
            #expect(grid.window(containing: .distantFuture).upperBound == .distantFuture)
        }
    }

    @Test func aCalendarSaysWhenAWeekStarts() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try zone("America/New_York")
        calendar.firstWeekday = 1
        let window = CalendarGrid(.week, of: calendar).window(containing: try at("2024-11-04T12:00:00Z"))
        #expect(window.lowerBound == (try at("2024-11-03T04:00:00Z")))
        #expect(hours(window) == 7 * 24 + 1)
    }
}

@Suite struct CalendarWindowsTests {
    @Test func aDayClosesAtLocalMidnight() throws {
        let channel = EventChannel<Tick>()
        let recorder = Recorder(channel.windows(each: .day, in: try zone("Europe/Berlin")).count())
        // 25 hours of ticks, one every hour, from midnight to midnight; the last is in the next day.
        let start = try at("2024-10-26T22:00:00Z")
        for hour in 0...25 { channel.publish(Tick(timestamp: start + .seconds(hour * 3600), number: hour)) }
        channel.advance(to: start + .seconds(25 * 3600) - .nanoseconds(1))
        #expect(recorder.elements.isEmpty)
        channel.advance(to: start + .seconds(25 * 3600))
        #expect(recorder.elements.map(\.value) == [25])
        channel.finish()
        #expect(recorder.elements.map(\.value) == [25, 1])
    }
}
