import Foundation
import Testing
import WeirCore
import WeirTesting

@testable import WeirRecords

@Suite struct TimeTextTests {
    private func nanoseconds(_ text: String, _ unit: TimeUnit = .milliseconds) -> ParsedInteger {
        let bytes = Array(text.utf8)
        return unsafe bytes.withUnsafeBufferPointer { unsafe TimeText.nanoseconds($0, scale: unit.nanoseconds) }
    }

    @Test func bareNumbersCountTheUnitExactly() {
        #expect(nanoseconds("20") == .value(20_000_000))
        #expect(nanoseconds(" -20.5\t") == .value(-20_500_000))
        #expect(nanoseconds("+1.25e3", .seconds) == .value(1_250_000_000_000))
        #expect(nanoseconds("125E-2", .seconds) == .value(1_250_000_000))
        #expect(nanoseconds("1700000000.123456789", .seconds) == .value(1_700_000_000_123_456_789))
        #expect(nanoseconds("9223372036854775807", .nanoseconds) == .value(.max))
        #expect(nanoseconds("-9223372036.854775808", .seconds) == .value(.min))
        #expect(nanoseconds("0.1", .seconds) == .value(100_000_000))
        #expect(nanoseconds("0e99999999999999999999") == .value(0))
        #expect(nanoseconds("1e-99999999999999999999") == .value(0))
        #expect(nanoseconds(".5") == .value(500_000))
        #expect(nanoseconds("5.") == .value(5_000_000))
    }

    @Test func fractionsOfANanosecondAreCutTowardsThePast() {
        #expect(nanoseconds("1.9", .nanoseconds) == .value(1))
        #expect(nanoseconds("-1.1", .nanoseconds) == .value(-2))
        #expect(nanoseconds("-1.0", .nanoseconds) == .value(-1))
        #expect(nanoseconds("-1e-30", .seconds) == .value(-1))
        #expect(nanoseconds("0." + String(repeating: "9", count: 5000), .seconds) == .value(999_999_999))
    }

    @Test func numbersThatDoNotFitAreOutOfRange() {
        for text in ["9223372036854775808", "-9223372036854775808.1", "1e19", "1e400", "99999999999999999999999"] {
            #expect(nanoseconds(text, .nanoseconds) == .outOfRange, "\(text)")
        }
        #expect(nanoseconds("9223372036.854775808", .seconds) == .outOfRange)
        #expect(nanoseconds("9223372036855") == .outOfRange)
    }

    @Test func calendarTimesAreRead() {
        let expected = ParsedInteger.value(1_717_862_700_000_000_000)
        for text in [
            "2024-06-08T16:05:00Z", "2024-06-08t16:05:00z", "2024-06-08 16:05:00Z", " 2024-06-08T18:05:00+02:00 ",
            "2024-06-08T16:05:00-00:00", "2024-06-07T16:06:00-23:59", "2024-06-08T16:05:00.000Z",
            "2024-06-08T18:05:00+0200", "2024/06/08T16:05:00Z", "2024-06-08T16:05Z", "2024-06-08 16:05:00 UTC",
            "08/Jun/2024:18:05:00 +0200",
        ] {
            #expect(nanoseconds(text) == expected, "\(text)")
        }
        for text in [
            "Sat Jun 08 16:05:00 +0000 2024", "Sat Jun 8 18:05:00 +0200 2024", " Xyz Jun  8 04:05:00 -1200 2024",
        ] {
            #expect(nanoseconds(text) == expected, "\(text)")
        }
        for text in [
            "Sat Jun 08 16:05:00 2024", "Sat Jun 08 16:05:00 +0000 24", "Sat Foo 08 16:05:00 +0000 2024",
            "Sat Jun 31 16:05:00 +0000 2024", "Sat Jun 08 24:05:00 +0000 2024", "Sat Jun 08 16:05:00 Z 2024",
            "Sat Jun 08 16:05:00 +00:00 2024", "Sat Jun 08 16:05:60 +0000 2024", "Jun 08 16:05:00 +0000 2024",
            "Sat Jun",
            "Sat Jun 08 16:05:00 +0000 2024x", "Sat Jun 08 16:05:00 +2400 2024", "",
        ] {
            #expect(nanoseconds(text) == .malformed, "\(text)")
        }
        #expect(nanoseconds("1970-01-01T00:00:00.123456789987654321Z") == .value(123_456_789))
        #expect(nanoseconds("1969-12-31T23:59:59.5Z") == .value(-500_000_000))
        #expect(nanoseconds("2000-02-29T00:00:00Z") == .value(951_782_400_000_000_000))
        #expect(nanoseconds("2262-04-11T23:47:16.854775807Z") == .value(.max))
        #expect(nanoseconds("1677-09-21T00:12:43.145224192Z") == .value(.min))
    }

    @Test func leapSecondsAreTheNextDaysFirst() {
        #expect(nanoseconds("2016-12-31T23:59:60Z") == nanoseconds("2017-01-01T00:00:00Z"))
        #expect(nanoseconds("2017-01-01T00:59:60.5+01:00") == nanoseconds("2017-01-01T00:00:00.5Z"))
        #expect(nanoseconds("2016-12-31T12:00:60Z") == .malformed)
    }

    @Test func calendarTimesThatDoNotFitAreOutOfRange() {
        for text in [
            "2262-04-11T23:47:16.854775808Z", "1677-09-21T00:12:43.145224191Z", "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59Z",
        ] {
            #expect(nanoseconds(text) == .outOfRange, "\(text)")
        }
    }

    @Test(arguments: [
        "", " ", "x", "-", "1x", "2024", "2024-06-08", "2024-06-08T16:05:00",
        "2024-13-01T00:00:00Z",
        "2024-00-01T00:00:00Z", "2024-06-31T00:00:00Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
        "2024-06-00T00:00:00Z", "2024-06-08T24:00:00Z", "2024-06-08T16:60:00Z", "2024-06-08T16:05:61Z",
        "2024-06-08T16:05:00.Z", "2024-06-08T16:05:00+2:00", "2024-06-08T16:05:00+24:00", "2024-06-08T16:05:00+02:60",
        "2024-06-08T16:05:00ZZ", "24-06-08T16:05:00Z", "nan",
        "-2024-06-08T16:05:00Z",
    ])
    func everythingElseIsMalformed(text: String) {
        if text != "2024" { #expect(nanoseconds(text) == .malformed) }
    }

    @Test func agreesWithFoundationOnRandomTimes() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let style = Date.ISO8601FormatStyle(timeZone: .gmt)
        for _ in 0..<20_000 {
            let seconds = Int64.random(in: -9_223_372_036...9_223_372_035, using: &generator)
            let text = Date(timeIntervalSince1970: Double(seconds)).formatted(style)
            #expect(nanoseconds(text) == .value(seconds * 1_000_000_000), "seed \(seed): \(text)")
            #expect(Timestamp(secondsSinceEpoch: seconds).description == text, "seed \(seed)")
        }
    }

    @Test func whatIsWrittenIsReadBack() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<20_000 {
            var number = Int64.random(in: .min ... .max, using: &generator)
            if round % 2 == 0 { number = number / 1_000_000 * 1_000_000 }
            if round == 0 { number = .min }
            let text = Timestamp(nanosecondsSinceEpoch: number).description
            #expect(nanoseconds(text) == .value(number), "seed \(seed): \(number)")
            for unit in TimeUnit.allCases {
                let text = TimeText.decimal(nanoseconds: number, scale: unit.nanoseconds)
                #expect(nanoseconds(text, unit) == .value(number), "seed \(seed): \(number)")
            }
        }
    }

    @Test func timesAreWrittenInTheFewestDigits() {
        #expect(TimeText.decimal(nanoseconds: 20_000_000, scale: 1_000_000) == "20")
        #expect(TimeText.decimal(nanoseconds: 1_250_000_000, scale: 1_000_000_000) == "1.25")
        #expect(TimeText.decimal(nanoseconds: -1, scale: 1_000_000_000) == "-0.000000001")
        #expect(TimeText.decimal(nanoseconds: 0, scale: 1_000) == "0")
        #expect(TimeText.decimal(nanoseconds: .min, scale: 1) == "-9223372036854775808")
    }
}
