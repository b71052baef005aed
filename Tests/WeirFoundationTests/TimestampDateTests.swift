import Foundation
import Testing
import WeirCore
import WeirFoundation

@Suite struct TimestampDateTests {
    @Test func datesComeBack() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let interval = Double.random(in: 8_640_000...8_000_000_000, using: &generator)
            for interval in [interval, -interval] {
                let date = Date(timeIntervalSinceReferenceDate: interval)
                #expect(Date(Timestamp(date)) == date, "seed \(seed): \(interval)")
            }
        }
    }

    @Test func timesComeBackToAStepOfADate() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let time = Timestamp(nanosecondsSinceEpoch: .random(in: .min ... .max, using: &generator))
            let step = Date(time).timeIntervalSinceReferenceDate.ulp
            let difference = Timestamp(Date(time)) - time
            #expect(abs(difference / .seconds(1)) <= step, "seed \(seed): \(time)")
        }
    }

    @Test func wholeSecondsAreExact() {
        #expect(Timestamp(Date(timeIntervalSince1970: 1_700_000_000.25)) == Timestamp("2023-11-14T22:13:20.25Z"))
        #expect(Timestamp(Date(timeIntervalSince1970: -0.5)).nanosecondsSinceEpoch == -500_000_000)
        #expect(Date(Timestamp(secondsSinceEpoch: -5)) == Date(timeIntervalSince1970: -5))
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: 0)) == Timestamp("2001-01-01T00:00:00Z"))
        let early = Timestamp(Date(timeIntervalSince1970: -9_223_372_036.5))
        #expect(early.nanosecondsSinceEpoch == -9_223_372_036_500_000_000)
    }

    @Test func datesBeyondTheRangeAreItsEnds() {
        #expect(Timestamp(Date.distantPast) == .distantPast)
        #expect(Timestamp(Date.distantFuture) == .distantFuture)
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: .infinity)) == .distantFuture)
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: -1e300)) == .distantPast)
    }
}
