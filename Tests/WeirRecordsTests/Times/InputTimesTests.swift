import Testing

@testable import WeirCore
@testable import WeirRecords

@Suite struct InputTimesTests {
    private enum Read: Equatable {
        case value(Int64)
        case refused(String)
    }

    private func read(_ text: String, _ times: InputTimes) -> Read {
        let bytes = Array(text.utf8)
        let result = unsafe bytes.withUnsafeBufferPointer { unsafe times.nanoseconds($0, isCounted: true) }
        if case .value(let value) = result { return .value(value) }
        return .refused("\(result.reason(excerpt: text))")
    }

    private func written(_ nanoseconds: Int64, _ times: InputTimes) -> String {
        let time = Timestamp(nanosecondsSinceEpoch: nanoseconds)
        switch times.written(time) {
        case .number(let unit): return TimeText.decimal(nanoseconds: nanoseconds, scale: unit.nanoseconds)
        case .rfc3339: return time.description
        case .text(let bytes): return String(decoding: bytes, as: UTF8.self)
        }
    }

    private let utc = ZoneRules(name: "UTC", offset: 0)

    /// Two hours ahead, and three from the epoch to 100000 seconds after it.
    private var changing: ZoneRules {
        let standard = ZoneRules.Period(offset: 7_200, abbreviation: Array("A".utf8))
        let summer = ZoneRules.Period(offset: 10_800, abbreviation: Array("B".utf8))
        return ZoneRules(
            name: "X",
            first: standard,
            changes: [.init(time: 0, period: summer), .init(time: 100_000, period: standard)]
        )
    }

    // MARK: Forms

    @Test(arguments: [
        "2024-06-08T16:05:00Z", "2024-06-08t16:05:00.25z", "2024-06-08 16:05:00+02:00",
        "2024-06-08T16:05:00.123456789-11:30",
        "2024/06/08 16:05:00 +0000", "2024-06-08 16:05:00+0200", "2024-06-08 16:05:00 UTC", "2024-06-08T16:05+02",
        "08/Jun/2024:16:05:00 +0100", "Sat Jun 08 16:05:00 +0200 2024", "2024-06-08 16:05:00,5 -0330",
    ])
    func timesThatSayTheirZoneAreWrittenAsTheyWereRead(text: String) throws {
        let times = InputTimes(unit: .milliseconds)
        guard case .value(let value) = read(text, times) else { throw TestFailure(text: text) }
        #expect(written(value, times) == text)
        // The default of schemas without such options reads the same.
        let bytes = Array(text.utf8)
        #expect(unsafe bytes.withUnsafeBufferPointer { unsafe TimeText.nanoseconds($0, scale: 1) } == .value(value))
    }

    @Test(arguments: [
        "2016/01/01", "2016-01-01", "2016/01/01 10:00", "2016-01-01 10:00:00", "2016-01-01T10:00:00.5",
        "01/Jan/2016:10:00:00", "Fri Jan 01 10:00:00 2016",
    ])
    func timesWithoutAZoneNeedOne(text: String) throws {
        #expect(read(text, InputTimes(unit: .milliseconds)) == .refused("has no time zone: '\(text)'"))
        let ahead = InputTimes(unit: .milliseconds, zone: ZoneRules(name: "+02:00", offset: 7_200))
        let plain = InputTimes(unit: .milliseconds, zone: utc)
        guard case .value(let early) = read(text, ahead), case .value(let late) = read(text, plain) else {
            throw TestFailure(text: text)
        }
        #expect(late - early == 7_200_000_000_000)
        #expect(written(early, ahead) == text)
        #expect(written(late, plain) == text)
    }

    private struct TestFailure: Error {
        let text: String
    }

    @Test func whatIsNoTimeIsRefused() {
        let times = InputTimes(unit: .milliseconds, zone: utc)
        for text in [
            "", "-", "soon", "2024-13-01T00:00:00Z", "2024-02-30", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z",
            "2024-01/01", "01/02/2024", "2024-01-01T10", "2024-01-01T10:0", "2024-01-01T10:00:0",
            "2024-01-01T10:00:00.",
            "2024-01-01T10:00:00+24:00", "2024-01-01T10:00:00+02:60", "2024-01-01T10:00:00+02:0",
            "2024-01-01T10:00:00 ZZ",
            "2024-01-01x10:00:00", "2024-01-01T10:00:60Z", "32/Jan/2024:10:00:00 +0000", "01/Jxn/2024:10:00:00 +0000",
            "01/Jan/2024:10:00 +0000", "Sat Jun 08 16:05 2024", "Sat Jun 08 16:05:00 +02:00 2024",
        ] {
            #expect(read(text, times) == .refused("is neither a number nor a time: '\(text)'"), "\(text)")
        }
        #expect(read("0001-01-01", times) == .refused("is out of range: '0001-01-01'"))
        #expect(read("9999-12-31 23:59:59", times) == .refused("is out of range: '9999-12-31 23:59:59'"))
        #expect(read(" 2024-06-08T16:05:00 \t", times) == .value(1_717_862_700_000_000_000))
    }

    @Test func randomCalendarTimesAreWrittenAndRead() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            var form = CalendarForm(rawValue: UInt64.random(in: 1...3, using: &generator))
            form.hasSlashes = Bool.random(using: &generator)
            let separators: [CalendarForm.Separator] = [.letter, .smallLetter, .blank]
            form.separator = separators.randomElement(using: &generator) ?? .letter
            let zones: [CalendarForm.Zone] = [.letter, .smallLetter, .colon, .digits, .hours, .word]
            form.zone = form.layout == .post ? .digits : zones.randomElement(using: &generator) ?? .letter
            form.offset = Int64.random(in: -1_439...1_439, using: &generator) * 60
            form.hasComma = Bool.random(using: &generator)
            let value = Int64.random(in: -9_223_000_000_000_000_000...9_223_000_000_000_000_000, using: &generator)
            var bytes: [UInt8] = []
            form.append(Timestamp(nanosecondsSinceEpoch: value), offset: form.offset, to: &bytes)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(read(text, InputTimes(unit: .milliseconds)) == .value(value), "seed \(seed): \(text)")
        }
    }

    @Test func anyBytesAreReadOrRefused() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let times = InputTimes(unit: nil, zone: changing)
        let letters = Array("0123456789-/:+ .,TZUCeJanSt".utf8)
        for _ in 0..<20_000 {
            var bytes = Array("2024-06-08T16:05:00.5+02:00".utf8.prefix(Int.random(in: 0...27, using: &generator)))
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                let byte = letters.randomElement(using: &generator) ?? 0
                bytes.insert(byte, at: Int.random(in: 0...bytes.count, using: &generator))
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard case .value(let value) = read(text, times), times.unitSeen == nil else { continue }
            let again = InputTimes(unit: nil, zone: changing)
            _ = read(text, again)
            if case .value(let second) = read(written(value, again), again), times.repeatedCount == 0 {
                #expect(second == value, "seed \(seed): \(text)")
            }
        }
    }

    // MARK: Numbers

    @Test func numbersAreWrittenInTheUnitTheyCount() {
        let times = InputTimes(unit: .seconds)
        #expect(read("1.5", times) == .value(1_500_000_000))
        #expect(written(2_250_000_000, times) == "2.25")
        // The first one says how.
        #expect(read("2024-06-08T16:05:00Z", times) == .value(1_717_862_700_000_000_000))
        #expect(written(2_250_000_000, times) == "2.25")
    }

    @Test func theFirstNumberTellsTheUnit() {
        for (unit, text) in [
            (TimeUnit.seconds, "1717862700.5"), (.milliseconds, "1717862700500"), (.microseconds, "1717862700500000"),
            (.nanoseconds, "1717862700500000000"),
        ] {
            let times = InputTimes(unit: nil)
            #expect(times.unitRemark == nil)
            #expect(read("5", times) == .refused("is too small to tell what it counts: '5'"))
            #expect(read(text, times) == .value(1_717_862_700_500_000_000))
            #expect(times.unitSeen == unit)
            #expect(times.unitRemark?.hasSuffix("; --time-unit \(unit.rawValue) says so") ?? false)
            #expect(written(1_717_862_700_500_000_000, times) == text)
            let other = unit == .seconds ? "1717862700500" : "1717862700"
            #expect(
                read(other, times)
                    == .refused(
                        "counts \(unit == .seconds ? "milliseconds" : "seconds"), and the first time \(unit.plural): '\(other)'"
                    )
            )
            #expect(read("2024-06-08T16:05:00Z", times) == .value(1_717_862_700_000_000_000))
            #expect(read("99999999999999999999999", times) == .refused("is out of range: '99999999999999999999999'"))
        }
        #expect(TimeUnit(ofEpochCount: 99_999_999) == nil)
        #expect(TimeUnit(ofEpochCount: 100_000_000) == .seconds && TimeUnit(ofEpochCount: -99_999_999_999) == .seconds)
        #expect(TimeUnit(ofEpochCount: 100_000_000_000) == .milliseconds)
        #expect(TimeUnit(ofEpochCount: 100_000_000_000_000) == .microseconds)
        #expect(TimeUnit(ofEpochCount: 100_000_000_000_000_000) == .nanoseconds)
    }

    // MARK: Counting

    @Test func timesThatClocksDoNotShowOnceAreCounted() {
        let times = InputTimes(unit: .milliseconds, zone: changing)
        #expect(read("1970-01-01 01:59:59", times) == .value(-1_000_000_000))
        #expect(times.remarks.isEmpty)
        #expect(read("1970-01-01 02:00:00", times) == .value(0))
        #expect(read("1970-01-01 02:59:59", times) == .value(3_599_000_000_000))
        #expect(read("1970-01-01 03:00:00", times) == .value(0))
        // 100000 is 06:46:40 in summer and 05:46:40 again.
        #expect(read("1970-01-02 05:46:40", times) == .value(96_400_000_000_000))
        #expect(times.skippedCount == 2)
        #expect(times.repeatedCount == 1)
        #expect(times.remarks.map { $0.prefix(7) } == ["1 times", "2 times"])
    }

    @Test func aPluginsTimesAreCountedOnceHoweverOftenTheHostReadsThem() throws {
        let times = InputTimes(unit: .milliseconds, zone: changing)
        let schema = RecordSchema(fields: [.init("time")], times: times, timeField: 0)
        var batch = RecordBatch(schema: schema, capacity: 1)
        let text = Array("1970-01-01 02:30:00".utf8)
        unsafe text.withUnsafeBytes { bytes in
            unsafe batch.begin(in: bytes)
            batch.beginRecord(line: 1)
            batch.setField(0, start: 0, length: bytes.count, encoding: .plain)
            batch.endRecord(start: 0, length: bytes.count)
            let time = Timestamp(millisecondsSinceEpoch: 1_800_000)
            #expect(batch.time(ofField: 0, inRecordAt: 0) == time)
            #expect(times.skippedCount == 0)
            #expect((try? batch.countedTime(ofField: 0, inRecordAt: 0)) == time)
            #expect(times.skippedCount == 1)
        }
    }

    // MARK: Options

    private func times(_ given: [String: String]) throws(PluginError) -> InputTimes {
        try OptionValues(OptionDeclaration.times, given: given).times(countingIn: MatchOutput())
    }

    @Test func optionsSayHowTimesAreReadAndWritten() throws {
        let plain = try times([:])
        #expect(written(5, plain) == "1970-01-01T00:00:00.000000005Z")
        _ = read("20", plain)
        #expect(written(5_000_000, plain) == "5")
        let format = try times(["time-format": "%d.%m.%Y", "time-zone": "+02:00"])
        #expect(read("02.01.1970", format) == .value(79_200_000_000_000))
        #expect(read("1970-01-02", format) == .refused("does not have the form of --time-format: '1970-01-02'"))
        #expect(written(79_200_000_000_000, format) == "02.01.1970")
        let internet = try times(["time-unit": "s", "time-form": "rfc3339"])
        #expect(read("1", internet) == .value(1_000_000_000))
        #expect(written(1_000_000_000, internet) == "1970-01-01T00:00:01Z")
        let number = try times(["time-unit": "us", "time-form": "number"])
        #expect(read("1970-01-01T00:00:01Z", number) == .value(1_000_000_000))
        #expect(written(1_000_000_000, number) == "1000000")
    }

    @Test func theInstancesOfARunKnowTheFirstTimeTogether() throws {
        let values = try OptionValues(OptionDeclaration.times, given: ["time-unit": "auto"])
        let (one, other) = (try values.times(countingIn: MatchOutput()), try values.times(countingIn: MatchOutput()))
        _ = read("1717862700", one)
        #expect(other.unitSeen == .seconds)
        #expect(one == other)
    }

    @Test(arguments: [
        (["time-zone": "../x"], "--time-zone: '../x' is no name of a time zone"),
        (["time-format": "%d.%Q"], "--time-format: there is no field '%Q', at the ^ in '%d.^%Q'"),
        (
            ["time-format": "%F"],
            "--time-format: '%F' has no time zone; say it with --time-zone, such as --time-zone UTC"
        ),
        (["time-unit": "h"], "--time-unit: 'h' is not one of s, ms, us, ns, auto"),
    ])
    func wrongOptionsSayWhatIsWrong(given: [String: String], message: String) {
        #expect(throws: PluginError.self) { try times(given) }
        do throws(PluginError) {
            _ = try times(given)
        } catch {
            #expect("\(error)" == message)
        }
    }

    @Test func aMatchHasTheFormOfTheInput() {
        struct Match: FieldEncodable {
            let form: TimeForm

            func encode(to writer: inout FieldWriter) {
                writer.write("time", Timestamp(secondsSinceEpoch: 1), as: form)
            }
        }
        let times = InputTimes(unit: .milliseconds, zone: utc, format: try? TimeFormat(#"%F "%T" \%Z"#))
        var writer = FieldWriter()
        writer.writeLine(Match(form: times.form))
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"time":"1970-01-01 \"00:00:01\" \\UTC"}"# + "\n")
    }
}
