import Synchronization
import Testing
import WeirCore
import WeirFormats
import WeirRecords

@testable import weir

/// The parts of the program that a run cannot show.
@Suite struct PartTests {
    @Test func suggestsOnlyWhatIsNear() {
        let names = ["from", "format", "to", "rejected", "strict"]
        #expect(Suggestion.nearest(to: "form", among: names) == "from")
        #expect(Suggestion.nearest(to: "frmo", among: names) == "from")
        #expect(Suggestion.nearest(to: "FROM", among: names) == "from")
        #expect(Suggestion.nearest(to: "rej", among: names) == "rejected")
        #expect(Suggestion.nearest(to: "banana", among: names) == nil)
        #expect(Suggestion.nearest(to: "", among: names) == nil)
        #expect(Suggestion.distance("kitten", "sitting") == 3)
        #expect(Suggestion.distance("ab", "ba") == 1)
        #expect(Suggestion.distance("", "abc") == 3)
    }

    @Test func readsSizes() {
        #expect(ByteSize.parse("4096") == 4096)
        #expect(ByteSize.parse("64KiB") == 65536)
        #expect(ByteSize.parse("1MiB") == 1 << 20)
        #expect(ByteSize.parse("1mb") == 1_000_000)
        for text in ["", "KiB", "1.5MiB", "-1", "1 MiB", "1XiB", "99999999999999999999", "9223372036854775807KiB"] {
            #expect(ByteSize.parse(text) == nil, "\(text)")
        }
    }

    @Test(arguments: ["01", "-", "1.", ".5", "-.5", "0x10", "1e", "1e+", "+1", "1e400", "Infinity", "--1", "00"])
    func numbersAreThoseOfJSON(text: String) {
        #expect(throws: JSONError.self) { try JSONNode.read(Array("[\(text)]".utf8)) }
    }

    @Test(arguments: ["0", "-0", "10", "1.50", "1e5", "1E+05", "-0.1e-2"])
    func numbersStayAsTheyAreWritten(text: String) throws {
        let node = try JSONNode.read(Array("[\(text)]".utf8))
        guard case .array(let elements) = node.value, case .number(let found)? = elements.first?.value else {
            Issue.record("no number")
            return
        }
        #expect(found == text)
    }

    @Test func tablesQuoteWhatAnAccentFollows() {
        var styler = MatchStyle.csv.makeStyler()
        let line = Array("{\"a\":\"x,\u{301}y\",\"b\":\"\\\"\u{301}\"}\n".utf8)
        #expect(String(decoding: styler.write(line), as: UTF8.self) == "a,b\n\"x,\u{301}y\",\"\"\"\u{301}\"\n")
    }

    @Test func metricsEscapeEndsOfLines() {
        let text = MetricsText.text([PipelineStatus(name: "a\r\nb\"\u{301}")])
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let label = "{pipeline=\"a\r\\nb\\\"\u{301}\""
        #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("weir_") && $0.contains(label) })
    }

    @Test func linesOfTheConsoleAreLines() {
        let sink = LineSink()
        Console(sink).writeLine("there is no option 'a\r\n\u{1B}[31m\u{9B}2J'", about: "b\u{7}")
        let line = "weir: [b\u{FFFD}] there is no option 'a\u{FFFD}\u{FFFD}\u{FFFD}[31m\u{FFFD}2J'\n"
        #expect(sink.text.withLock { $0 } == line)
    }

    private final class LineSink: TransportSink {
        let text = Mutex("")

        func write(_ bytes: Span<UInt8>) throws(TransportError) {
            let piece = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            text.withLock { $0 += piece }
        }
    }

    @Test func writesNumbersForPeople() {
        #expect([0, 999, 1000, 1_234_567].map { Quantity.grouped($0) } == ["0", "999", "1,000", "1,234,567"])
        #expect(Quantity.seconds(1_020_499_999) == "1.020")
        #expect(Quantity.rate(10, in: 0) == "10,000,000,000")
        #expect(Quantity.counted(1, "match", "matches") == "1 match")
    }

    @Test func aDefectInTheProgramHasACodeOfItsOwn() throws {
        #expect(ExitCode.internalError.rawValue == 70)
        #expect(try Registry.builtIn(interruption: nil).plugins.isEmpty == false)
    }

    @Test func progressIsShownFiveTimesASecondAndErased() {
        let clock = SteppingClock()
        let screen = Screen()
        var progress = Progress(Console(screen), isOn: true, expectedByteCount: 1000, clock: clock)
        for step in 1...10 {
            clock.step(milliseconds: 50)
            progress.update(events: UInt64(step * 100), byteCount: Int64(step * 60))
        }
        #expect(
            screen.text == "\r\u{1B}[Kweir: 24 %, 400 events, 2,000 events/s"
                + "\r\u{1B}[Kweir: 48 %, 800 events, 2,000 events/s"
        )
        progress.erase()
        progress.erase()
        #expect(screen.text.hasSuffix(" events/s\r\u{1B}[K"))
        #expect(progress.elapsedNanoseconds == 500_000_000)
    }

    @Test func progressIsSilentWhereItIsOff() {
        let clock = SteppingClock()
        let screen = Screen()
        var progress = Progress(Console(screen), isOn: false, expectedByteCount: nil, clock: clock)
        clock.step(milliseconds: 1000)
        progress.update(events: 1, byteCount: 1)
        progress.erase()
        #expect(screen.text == "")
    }
}

private final class SteppingClock: TimeSource {
    private let nanoseconds = Atomic<Int64>(0)

    func step(milliseconds: Int64) {
        nanoseconds.add(milliseconds * 1_000_000, ordering: .relaxed)
    }

    func now() -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: nanoseconds.load(ordering: .relaxed))
    }
}

private final class Screen: TransportSink, Sendable {
    private let shown = Mutex("")

    var text: String { shown.withLock { $0 } }

    func write(_ bytes: Span<UInt8>) throws(TransportError) {
        var copy: [UInt8] = []
        for index in bytes.indices { copy.append(bytes[index]) }
        shown.withLock { [copy] in $0 += String(decoding: copy, as: UTF8.self) }
    }
}
