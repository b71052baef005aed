import Foundation
import Testing

@testable import WeirCore
@testable import WeirRecords

@Suite struct ZoneRulesTests {
    /// Prints of each zone, for clocks at random times and around changes of the clocks: what they show in seconds, how far
    /// they are from UTC, of both times that they show, and of the time that it is in UTC the distance and the name.
    private static let script = """
        import datetime, random, sys, zoneinfo
        generator = random.Random(int(sys.argv[1]))
        epoch = datetime.datetime(1970, 1, 1)
        utc = datetime.timezone.utc
        def seconds(duration): return round(duration.total_seconds())
        def offset(zone, time):
            return seconds((epoch.replace(tzinfo=utc) + datetime.timedelta(seconds=time)).astimezone(zone).utcoffset())
        for name in sorted(zoneinfo.available_timezones()):
            zone = zoneinfo.ZoneInfo(name)
            clocks = [generator.randrange(-9_000_000_000, 9_200_000_000) for _ in range(6)]
            for _ in range(6):
                begin = seconds(datetime.datetime(generator.randrange(1900, 2260), 1, 1) - epoch)
                for month in range(12):
                    low, high = begin + month * 2_629_800, begin + (month + 1) * 2_629_800
                    first = offset(zone, low)
                    if offset(zone, high) == first: continue
                    while high - low > 1:
                        middle = (low + high) // 2
                        if offset(zone, middle) == first: low = middle
                        else: high = middle
                    clocks += [high + first + generator.randrange(-7200, 7200), high + first, high + first - 1]
            for clock in clocks:
                time = epoch + datetime.timedelta(seconds=clock)
                early = seconds(time.replace(tzinfo=zone).utcoffset())
                late = seconds(time.replace(tzinfo=zone, fold=1).utcoffset())
                there = (time - datetime.timedelta(seconds=early)).replace(tzinfo=utc).astimezone(zone)
                print(name, clock, early, late, seconds(there.utcoffset()), there.tzname())
        """

    @Test(.enabled(if: Python.isThere, Python.advice)) func allZonesAgreeWithPython() throws {
        let seed = UInt32.random(in: .min ... .max)
        var rules: ZoneRules?
        var count = 0
        var place = 0
        for line in try Python.lines(of: Self.script, ["\(seed)"]) {
            let words = line.split(separator: " ")
            let numbers = words[1..<5].compactMap { Int64($0) }
            let name = String(words[0])
            if rules?.name != name { rules = try ZoneFolder.rules(of: name) }
            guard let zone = rules, numbers.count == 4, zone.name == name else { continue }
            // Before its first change Python takes another of a zone's clocks than RFC 8536 says.
            let (clock, early, late) = (numbers[0], numbers[1], numbers[2])
            let (offset, reading) = zone.offset(atLocal: clock, place: &place)
            if place == 0, !name.hasPrefix("Etc/") { continue }
            count += 1
            #expect(offset == early, "seed \(seed): \(line)")
            #expect(
                reading == (early == late ? .once : early < late ? .skipped : .repeated),
                "seed \(seed): \(line)"
            )
            let period = zone.period(at: Timestamp(secondsSinceEpoch: clock - offset))
            #expect(period.offset == numbers[3], "seed \(seed): \(line)")
            #expect(String(decoding: period.abbreviation, as: UTF8.self) == words[5], "seed \(seed): \(line)")
        }
        #expect(count > 5_000)
    }

    // MARK: Files

    /// A file with the changes given, of version 2 where it has a footer.
    private func file(
        _ changes: [(time: Int64, type: UInt8)],
        _ types: [(offset: Int32, name: UInt8)],
        names: String = "AAA\0BBB\0",
        footer: String? = nil,
        leapSeconds: Int = 0
    ) -> [UInt8] {
        func big(_ value: some FixedWidthInteger) -> [UInt8] {
            let width = Int64(value.bitWidth)
            return stride(from: width - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
        }
        func part(_ isWide: Bool) -> [UInt8] {
            var bytes = Array("TZif".utf8) + [footer == nil ? 0 : UInt8(ascii: "2")] + [UInt8](repeating: 0, count: 15)
            for count in [0, 0, leapSeconds, changes.count, types.count, names.utf8.count] {
                bytes += big(Int32(count))
            }
            for change in changes { bytes += isWide ? big(change.time) : big(Int32(clamping: change.time)) }
            bytes += changes.map(\.type)
            for type in types { bytes += big(type.offset) + [0, type.name] }
            bytes += Array(names.utf8)
            return bytes + [UInt8](repeating: 0, count: leapSeconds * (isWide ? 12 : 8))
        }
        return part(false) + (footer.map { part(true) + Array("\n\($0)\n".utf8) } ?? [])
    }

    private func reason(_ bytes: [UInt8]) -> String? {
        do throws(ZoneFile.Flaw) {
            _ = try ZoneFile.rules(bytes, name: "X")
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func timesThatExistTwiceOrNotAtAllAreReadAsBeforeTheChange() throws {
        // An hour forward at 1000, an hour back at 100000.
        let zone = try ZoneFile.rules(
            file([(1_000, 1), (100_000, 0)], [(0, 0), (3_600, 4)]),
            name: "X"
        )
        var place = -5
        func check(_ local: Int64, _ offset: Int64, _ reading: ZoneRules.Reading) {
            let found = zone.offset(atLocal: local, place: &place)
            #expect(found.seconds == offset && found.reading == reading, "\(local)")
        }
        check(999, 0, .once)
        check(1_000, 0, .skipped)
        check(4_599, 0, .skipped)
        check(4_600, 3_600, .once)
        check(99_999, 3_600, .once)
        check(100_000, 3_600, .repeated)
        check(103_599, 3_600, .repeated)
        check(103_600, 0, .once)
        #expect(zone.offset(atLocal: 100_000, called: "AAA".utf8) == 0)
        #expect(zone.offset(atLocal: 100_000, called: "BBB".utf8) == 3_600)
        #expect(zone.offset(atLocal: 99_999, called: "AAA".utf8) == nil)
        #expect(zone.offset(atLocal: 4_599, called: "AAA".utf8) == nil)
        #expect(zone.offset(atLocal: 4_600, called: "BBB".utf8) == 3_600)
    }

    @Test func theFooterHoldsAfterTheLastChange() throws {
        let types: [(offset: Int32, name: UInt8)] = [(3_600, 0), (7_200, 4)]
        let zone = try ZoneFile.rules(file([], types, footer: "AAA-1BBB,M3.5.0,M10.5.0/3"), name: "X")
        func offset(_ text: String) throws -> Int64 { zone.offset(at: try #require(Timestamp(text))) }
        #expect(try offset("2026-03-29T00:59:59Z") == 3_600)
        #expect(try offset("2026-03-29T01:00:00Z") == 7_200)
        #expect(try offset("2261-10-27T00:59:59Z") == 7_200)
        #expect(try offset("2261-10-27T01:00:00Z") == 3_600)
        let always = try ZoneFile.rules(file([], types, footer: "XXX3EDT4,0/0,J365/23"), name: "X")
        for year in [1_900, 2_000, 2_023, 2_200] {
            for month in 1...12 {
                let time = try #require(Timestamp(year: year, month: month, day: 1))
                #expect(always.offset(at: time) == -4 * 3_600, "\(year)-\(month)")
            }
        }
        let julian = try ZoneFile.rules(file([], types, footer: "<+01>-1<+02>,J60/-1,59/25:00:30"), name: "X")
        // February 28 at 23:00, also in leap years; and the 60th day, which is February 29 there, one day later.
        #expect(try julian.offset(at: #require(Timestamp("2024-02-29T22:00:00Z"))) == 7_200)
        #expect(try julian.offset(at: #require(Timestamp("2024-02-29T21:59:59Z"))) == 3_600)
    }

    @Test func filesThatAreNoneSayWhy() {
        let types: [(offset: Int32, name: UInt8)] = [(0, 0), (3_600, 4)]
        #expect(reason([]) == "ends before it should")
        #expect(reason([UInt8](repeating: 7, count: 100)) == "is no time zone")
        #expect(reason([UInt8](repeating: 7, count: ZoneFile.largestSize + 1)) == "is too large to be a time zone")
        #expect(reason(file([], [])) == "has no type of time")
        #expect(reason(file([(5, 2)], types)) == "names a type of time that it does not have")
        #expect(reason(file([(5, 0), (5, 1)], types)) == "has changes that are out of order")
        #expect(reason(file([(.max, 0)], types, footer: "")) == "has a change that is out of range")
        #expect(reason(file([], [(90_000_000, 0)])) == "has a clock 90000000 s from UTC")
        #expect(reason(file([], [(0, 9)])) == "has a type of time without a name")
        #expect(reason(file([], types, leapSeconds: 1)) == "counts leap seconds, which Unix time does not")
        for footer in ["AAA", "AA3", "AAA-1BBB", "AAA-1BBB,M13.1.0,M10.5.0", "AAA0BBB,M3.5.0,M10.5.0/3x", "<A0"] {
            #expect(reason(file([], types, footer: footer)) == "ends with a rule that cannot be read: '\(footer)'")
        }
        #expect(reason(file([], types, footer: "AAA0")) == nil)
        #expect(reason(file([], types, footer: "")) == nil)
    }

    @Test func damagedFilesAreReadOrRefused() throws {
        let types: [(offset: Int32, name: UInt8)] = [(3_600, 0), (7_200, 4)]
        let whole = file([(-5, 1), (1_000, 0)], types, footer: "AAA-1BBB,M3.5.0,M10.5.0/3")
        for length in 0..<whole.count { #expect(reason(Array(whole[..<length])) != nil, "\(length)") }
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
                    in: .min ... .max,
                    using: &generator
                )
            }
            guard let zone = try? ZoneFile.rules(bytes, name: "X") else { continue }
            for _ in 0..<20 {
                let local = Int64.random(in: -9_300_000_000...9_300_000_000, using: &generator)
                var place = Int.random(in: -3...600, using: &generator)
                let (offset, _) = zone.offset(atLocal: local, place: &place)
                var other = 0
                #expect(zone.offset(atLocal: local, place: &other).seconds == offset, "seed \(seed)")
            }
        }
    }

    // MARK: Names

    @Test func namesLeadNowhereElse() {
        for name in ["", "/etc/passwd", "../UTC", "Europe/../UTC", "Europe//Paris", "a b", "\u{1B}", "Europe/"] {
            #expect(!ZoneFolder.isName(name), "\(name)")
        }
        #expect(ZoneFolder.isName("America/Argentina/Buenos_Aires") && ZoneFolder.isName("Etc/GMT+5"))
    }

    @Test func distancesFromUTCNeedNoFile() throws {
        let offsets: [(String, Int64)] = [("UTC", 0), ("Z", 0), ("+02:00", 7_200), ("-0330", -12_600), ("+01", 3_600)]
        for (name, offset) in offsets {
            #expect(try ZoneFolder.rules(of: name).offset(at: .epoch) == offset, "\(name)")
        }
    }

    @Test(.enabled(if: Python.isThere, Python.advice)) func unknownNamesGetASuggestion() {
        func reason(_ name: String) -> String? {
            do throws(ZoneFolder.NotFound) {
                _ = try ZoneFolder.rules(of: name)
                return nil
            } catch {
                return error.reason
            }
        }
        #expect(
            reason("Europe/Amsterdm") == "there is no time zone 'Europe/Amsterdm'; did you mean 'Europe/Amsterdam'?"
        )
        #expect(reason("amsterdam") == "there is no time zone 'amsterdam'; did you mean 'Europe/Amsterdam'?")
        #expect(reason("Xyzzyxyzzy") == "there is no time zone 'Xyzzyxyzzy'; such as Europe/Amsterdam, UTC or +02:00")
        #expect(reason("../x") == "'../x' is no name of a time zone")
        // A folder.
        #expect(reason("Europe")?.hasPrefix("there is no time zone 'Europe'") ?? false)
    }
}
