import Testing
import WeirCore

@Suite struct TimestampTests {
    @Test func timesMayBeFartherApartThanTheirRange() {
        let all = Timestamp.distantFuture - Timestamp.distantPast
        #expect(all == .nanoseconds(Int64.max) + .nanoseconds(Int64.max) + .nanoseconds(1))
        #expect(Timestamp.distantPast - Timestamp.distantFuture == .zero - all)
        #expect(all.wholeNanoseconds == .max)
        #expect(Timestamp(secondsSinceEpoch: 3) - Timestamp(secondsSinceEpoch: 5) == .seconds(-2))
    }
}
