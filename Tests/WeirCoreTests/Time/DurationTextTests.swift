import Testing
import WeirCore

/// Durations as people write them.
@Suite struct DurationTextTests {
    @Test(arguments: [
        ("0", 0), ("0s", 0), ("250ms", 250_000_000), ("5m", 300_000_000_000), ("1h30m", 5_400_000_000_000),
        ("1.5s", 1_500_000_000), (".5us", 500), ("1.us", 1_000), ("1d1ns", 86_400_000_000_001), ("0.1ns", 0),
        ("007ns", 7), ("1.5h", 5_400_000_000_000),
        ("0.3333333333333333333333d", 28_799_999_999_999),
        ("2562047h47m16.854775807s", Int64.max), ("9223372036854775807ns", Int64.max),
    ])
    func durationsAreReadExactly(text: String, nanoseconds: Int64) {
        #expect(Duration(text: text) == .nanoseconds(nanoseconds))
    }

    @Test(arguments: [
        "", "1", "00", "-1s", "+1s", "1 s", " 1s", "1S", "s", ".s", "1..5s", "1.5.s", "1e3s", "1m1h", "1s1s", "1sms",
        "5min", "ms", ".", "1.5", "1e3",
        "1\u{301}s", "1.2\u{301}s", "106752d", "9223372036854775808ns", "2562047h47m16.854775808s", "1s\u{301}", "１s",
        "1ｓ",
    ])
    func otherDurationsAreRefused(text: String) {
        #expect(Duration(text: text) == nil)
    }
}
