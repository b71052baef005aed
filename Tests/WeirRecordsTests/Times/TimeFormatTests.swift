import Testing

@testable import WeirCore
@testable import WeirRecords

@Suite struct TimeFormatTests {
    private func nanoseconds(_ text: String, _ times: InputTimes) -> Int64? {
        let bytes = Array(text.utf8)
        let result = unsafe bytes.withUnsafeBufferPointer { unsafe times.nanoseconds($0, isCounted: true) }
        guard case .value(let value) = result else { return nil }
        return value
    }

    private func times(_ format: String, _ zone: String = "UTC") throws -> InputTimes {
        InputTimes(unit: .milliseconds, zone: try ZoneFolder.rules(of: zone), format: try TimeFormat(format))
    }

    private func written(_ nanoseconds: Int64, _ times: InputTimes) -> String? {
        guard case .text(let bytes) = times.written(Timestamp(nanosecondsSinceEpoch: nanoseconds)) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func flaw(_ format: String) -> String? {
        do throws(TimeFormat.Flaw) {
            _ = try TimeFormat(format)
            return nil
        } catch {
            return error.reason
        }
    }

    // MARK: Against Python

    private static let formats = [
        "%d.%m.%Y %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f%z", "%Y%m%d%H%M%S", "%a %b %d %H:%M:%S %z %Y",
        "%A, %d %B %Y %I:%M:%S %p %Z", "%d/%b/%Y:%H:%M:%S %z", "%m/%d/%y %H:%M", "%Y-%j %H:%M:%S.%f", "%F %T", "%D %R",
        "%e %b %Y, %H:%M", "100%% %Y-%m-%d", "%H:%M:%S on %d-%m-%Y",
    ]

    /// Prints of random times, in each format, the microseconds since the epoch of the time that the text says.
    private static let script = """
        import datetime, random, sys, zoneinfo
        generator = random.Random(int(sys.argv[1]))
        zone = zoneinfo.ZoneInfo('Europe/Amsterdam')
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        for index, form in enumerate(sys.argv[2:]):
            for _ in range(100):
                while True:
                    clock = datetime.datetime(1970, 1, 1) + datetime.timedelta(
                        microseconds=generator.randrange(0, 3_000_000_000_000_000))
                    said = datetime.datetime(clock.year, clock.month, clock.day)
                    if '%H' in form or '%I' in form or '%T' in form or '%R' in form:
                        said = said.replace(hour=clock.hour, minute=clock.minute)
                    if '%S' in form or '%T' in form: said = said.replace(second=clock.second)
                    if '%f' in form: said = said.replace(microsecond=clock.microsecond)
                    # What the clocks skip is written as another time.
                    back = said.replace(tzinfo=zone).astimezone(datetime.timezone.utc).astimezone(zone)
                    if back.replace(tzinfo=None) == said: break
                time = clock.replace(tzinfo=zone)
                micros = (said.replace(tzinfo=zone) - epoch) // datetime.timedelta(microseconds=1)
                print(index, micros, time.strftime(form), sep='\\t')
        """

    @Test(.enabled(if: Python.isThere, Python.advice)) func textsOfPythonAreReadAndWritten() throws {
        let seed = UInt32.random(in: .min ... .max)
        let all = try Self.formats.map { format in
            // Python has six digits always.
            try times(
                format.split(separator: "%f", omittingEmptySubsequences: false).joined(separator: "%6f"),
                "Europe/Amsterdam"
            )
        }
        let lines = try Python.lines(of: Self.script, ["\(seed)"] + Self.formats)
        #expect(lines.count == Self.formats.count * 100)
        for line in lines {
            let parts = line.split(separator: "\t").map(String.init)
            let index = try #require(Int(parts[0]))
            let micros = try #require(Int64(parts[1]))
            #expect(nanoseconds(parts[2], all[index]) == micros * 1_000, "seed \(seed): \(line)")
            #expect(written(micros * 1_000, all[index]) == parts[2], "seed \(seed): \(line)")
        }
    }

    // MARK: Round trips

    @Test func whatIsWrittenIsRead() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let dates = ["%Y-%m-%d", "%d.%m.%Y", "%-d/%-m/%Y", "%e %B %Y", "%Y/%j", "%b %d %Y", "%A %d %b %Y"]
        let clocks = ["%H:%M:%S.%f", "%I:%M:%S.%N %p", "%-H.%M.%S,%9f", "%T%.f", "%H:%M:%S.%9N"]
        let zones = ["%z", "%:z", "UTC%z", "%Z"]
        for _ in 0..<3_000 {
            var format = dates.randomElement(using: &generator) ?? ""
            format += ["T", " ", " at "].randomElement(using: &generator) ?? ""
            format += clocks.randomElement(using: &generator) ?? ""
            format += " " + (zones.randomElement(using: &generator) ?? "")
            if Int.random(in: 0..<10, using: &generator) == 0 { format = "%s.%f" }
            let zone = ["UTC", "+05:30", "-11:00"].randomElement(using: &generator) ?? ""
            if zone != "UTC", format.hasSuffix("%Z") { continue }
            let times = try times(format, zone)
            // Four digits of the year, and no more than the range.
            let nanoseconds = Int64.random(
                in: -9_223_000_000_000_000_000...9_223_000_000_000_000_000,
                using: &generator
            )
            let rounded = Bool.random(using: &generator) ? nanoseconds : nanoseconds / 1_000_000_000 * 1_000_000_000
            let text = try #require(written(rounded, times))
            #expect(self.nanoseconds(text, times) == rounded, "seed \(seed): \(format) \(text)")
        }
    }

    @Test func timesBeforeTheEpochKeepTheirSignInSeconds() throws {
        let times = try times("%s.%f")
        for (text, value) in [("-0.5", -500_000_000), ("-1.25", -1_250_000_000), ("1.5", 1_500_000_000)]
            as [(String, Int64)]
        {
            #expect(nanoseconds(text, times) == value)
            #expect(written(value, times) == text)
        }
        #expect(nanoseconds("9223372037.0", times) == nil)
    }

    // MARK: What is read

    @Test func fieldsAreReadAsTheyAreWritten() throws {
        let expected: Int64 = 1_717_862_705_000_000_000
        for (format, text) in [
            ("%d.%m.%Y %H:%M:%S", "8.6.2024 16:5:05"), ("%d.%m.%Y %H:%M:%S", "08.06.2024   16:05:05"),
            ("%d %B %Y %T", "08 jun 2024 16:05:05"), ("%d %b %Y %T", "08 JUNE 2024 16:05:05"),
            ("%y%m%d %I:%M:%S%p", "240608 04:05:05pm"), ("%A %F %T", "Sat 2024-06-08 16:05:05"),
            ("%F %T %z", "2024-06-08 18:05:05 +02:00"), ("%F %T %z", "2024-06-08 18:05:05 +02"),
            ("%F %T %:z", "2024-06-08 16:05:05 Z"), ("%F %T %Z", "2024-06-08 16:05:05 GMT"),
            ("%F%n%T", "2024-06-08\t16:05:05"), ("%s", "1717862705"), ("%Y %j %T", "2024 160 16:05:05"),
        ] {
            #expect(nanoseconds(text, try times(format)) == expected, "\(format): \(text)")
        }
        for (format, text) in [
            ("%d.%m.%Y", "30.02.2024"), ("%d.%m.%Y", "1.1.24"), ("%d.%m.%Y", "01.01.2024 x"),
            ("%F %T", "2024-06-08T16:05:05"),
            ("%F %I %p", "2024-06-08 13 PM"), ("%Y %j", "2023 366"), ("%F %T", "2024-06-08 24:00:00"),
            ("%F %T.%3f", "2024-06-08 16:05:05.12"), ("%F %T %Z", "2024-06-08 16:05:05 CEST"), ("%s", "1e9"),
            ("%F", ""),
            ("%F %T", "2024-06-08 16:05:60"), ("%F", "1024-01-01"),
        ] {
            #expect(nanoseconds(text, try times(format)) == nil, "\(format): \(text)")
        }
        #expect(nanoseconds("2016-12-31 23:59:60", try times("%F %T")) == 1_483_228_800_000_000_000)
    }

    @Test func namesOfZonesTellWhatExistsTwice() throws {
        try #require(Python.isThere, "needs the system's time zones")
        let times = try times("%F %T %Z", "Europe/Amsterdam")
        #expect(nanoseconds("2024-10-27 02:30:00 CEST", times) == 1_729_989_000_000_000_000)
        #expect(nanoseconds("2024-10-27 02:30:00 CET", times) == 1_729_992_600_000_000_000)
        #expect(nanoseconds("2024-06-01 02:30:00 CET", times) == nil)
        #expect(written(1_729_992_600_000_000_000, times) == "2024-10-27 02:30:00 CET")
        #expect(times.repeatedCount == 0)
    }

    // MARK: Flaws

    @Test func wrongFormatsShowThePlace() {
        for (format, reason) in [
            ("%d.%Q.%Y", "there is no field '%Q', at the ^ in '%d.^%Q.%Y'"),
            ("%F %H:%M:%", "a field has no letter, at the ^ in '%F %H:%M:^%'"),
            ("%F %F", "the year stands there twice, at the ^ in '%F ^%F'"),
            ("%d.%m", "there is no year, such as %Y: '%d.%m'"), ("%Y %d", "there is no month, such as %m: '%Y %d'"),
            ("%Y %m", "there is no day, such as %d: '%Y %m'"), ("", "there is no year, such as %Y: ''"),
            ("%F %I", "%I and %p belong together: '%F %I'"), ("%F %M", "there is a minute and no hour: '%F %M'"),
            ("%s %H", "the seconds since the epoch need no hour beside them: '%s %H'"),
            ("%Y-%j-%d", "the day of the year needs no month and no day beside it: '%Y-%j-%d'"),
        ] {
            #expect(flaw(format) == reason, "\(format)")
        }
        #expect(flaw("%F %-Y") == "there is no field '%-Y', at the ^ in '%F ^%-Y'")
        #expect(flaw("%s%f") == nil && flaw("%F") == nil && flaw("%% %D") == nil)
    }

    @Test func anyTextIsAFormatOrHasAFlaw() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let letters = Array("%YmdHMSfNszZbBaApIjeyFTRDnt%-:.3 x\u{1B}ü")
        for _ in 0..<5_000 {
            let text = String(
                (0..<Int.random(in: 0...12, using: &generator)).compactMap { _ in
                    letters.randomElement(using: &generator)
                }
            )
            guard let format = try? TimeFormat(text) else {
                #expect(flaw(text)?.contains { $0.isNewline || $0 == "\u{1B}" } == false, "seed \(seed): \(text)")
                continue
            }
            let times = InputTimes(unit: .milliseconds, zone: ZoneRules(name: "UTC", offset: 0), format: format)
            // Written and read without a trap; what is read is the same when it is written again.
            guard let written = written(Int64.random(in: .min ... .max, using: &generator), times) else { continue }
            guard let value = nanoseconds(written, times) else { continue }
            #expect(self.written(value, times).flatMap { nanoseconds($0, times) } == value, "seed \(seed): \(text)")
        }
    }
}
