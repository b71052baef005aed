import Testing
import WeirCore

/// Times as RFC 3339 has them.
@Suite struct TimestampTextTests {
    @Test(arguments: [
        ("2024-06-08T16:05:00Z", 1_717_862_700_000_000_000), ("2024-06-08T16:05:00.25Z", 1_717_862_700_250_000_000),
        ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59.999999999Z", -1),
        ("2262-04-11T23:47:16.854775807Z", Int64.max), ("1677-09-21T00:12:43.145224192Z", Int64.min),
    ])
    func aTimeIsReadAndWritten(text: String, nanoseconds: Int64) {
        #expect(Timestamp(text) == Timestamp(nanosecondsSinceEpoch: nanoseconds))
        #expect(Timestamp(nanosecondsSinceEpoch: nanoseconds).description == text)
        #expect("\(Timestamp(nanosecondsSinceEpoch: nanoseconds))" == text)
    }

    @Test(arguments: ["2024-06-08 18:05:00+02:00", "2024-06-08t16:05:00.000z", "2024-06-07T16:06:00-23:59"])
    func aTimeHasSeveralTexts(text: String) {
        #expect(Timestamp(text)?.description == "2024-06-08T16:05:00Z")
    }

    @Test(arguments: [
        "", "20", "2024-06-08", "2024-06-08T16:05Z", " 2024-06-08T16:05:00Z", "2024-06-08T16:05:00Z ",
        "Sat Jun 08 16:05:00 +0000 2024", "2023-02-29T00:00:00Z", "2262-04-11T23:47:16.854775808Z",
        "9999-12-31T23:59:59Z", "2024-06-08T16:05:00", "2024-06-08T16:05:00+0200",
    ])
    func everythingElseIsRefused(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func durationsHaveMinutesHoursAndDays() {
        #expect(Duration.minutes(10) == .seconds(600))
        #expect(Duration.hours(-2) == .minutes(-120))
        #expect(Duration.days(3) == .hours(72))
    }
}
