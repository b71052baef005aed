import Foundation
import Testing
import WeirCore
import WeirRecords

@testable import weir

#if canImport(FoundationXML)
    import FoundationXML
#endif

extension HostTests {
    /// Text of others controls no terminal, whatever command shows it.
    @Suite struct TerminalTextTests {
        /// A title, a colour of eight bits, an override of the direction, a bell.
        private static let hostile = "\u{1B}]0;x\u{7}\u{9B}31m\u{202E}y"

        private static func isHarmless(_ text: String) -> Bool {
            !text.unicodeScalars.contains { Excerpt.isActive($0) && $0 != "\n" && $0 != "\r" && $0 != "\t" }
        }

        /// Keeps what is written.
        private final class Kept: TransportSink {
            var bytes: [UInt8] = []
            func write(_ bytes: Span<UInt8>) throws(TransportError) {
                for index in bytes.indices { self.bytes.append(bytes[index]) }
            }
        }

        private func shown(_ bytes: [UInt8], in pieces: [Int]) throws -> [UInt8] {
            let kept = Kept()
            let sink = TerminalSink(kept)
            var rest = bytes[...]
            for count in pieces {
                try sink.write(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            try sink.write(Array(rest))
            try sink.finish()
            return kept.bytes
        }

        @Test func charactersAreReplacedHoweverTheyAreCut() throws {
            #expect(
                try shown(Array("a\tä\r\n\rb\u{1B}[2J\u{9B}1m\u{202E}€\u{1F600}\n".utf8), in: [])
                    == Array("a\tä\r\n\\u000db\\u001b[2J\\u009b1m\\u202e€\u{1F600}\n".utf8)
            )
            #expect(try shown([0x61, 0x9B, 0xFF, 0xC2], in: [3]) == Array("a\u{FFFD}\u{FFFD}\u{FFFD}".utf8))
            let alphabet: [[UInt8]] =
                [
                    "\u{1B}", "\u{9B}", "\u{202E}", "ä", "€", "\u{1F600}", "\r", "\n", "\r\n", "\t", "a", "\u{7F}",
                ].map { Array($0.utf8) } + [[0x9B], [0xE2, 0x80], [0xF0], [0xFF]]
            for seed in 1...300 as ClosedRange<UInt64> {
                var random = SeededGenerator(seed: seed)
                let bytes = (0..<Int(random.next() % 30)).flatMap { _ in
                    alphabet[Int(random.next() % UInt64(alphabet.count))]
                }
                let pieces = (0..<Int(random.next() % 20)).map { _ in Int(random.next() % 4) }
                let whole = try shown(bytes, in: [])
                #expect(try shown(bytes, in: pieces) == whole, "seed \(seed)")
                #expect(Self.isHarmless(String(decoding: whole, as: UTF8.self)), "seed \(seed)")
            }
        }

        @Test func aSnapshotIsALineForEachThing() throws {
            let status = PipelineStatus(name: "a" + Self.hostile + "\r\nb")
            status.update { numbers in
                numbers.lastError = "cannot open '\(Self.hostile)\n'"
                numbers.counts = [("late\n" + Self.hostile, 7)]
            }
            let text = StatusText.text([status])
            #expect(Self.isHarmless(text) && !text.contains("\r"))
            #expect(text.hasPrefix("weir: a"))
            #expect(text.split(separator: "\n").dropFirst().allSatisfy { $0.hasPrefix("  ") })
            var view = LiveView(title: "weir top")
            view.update([StatusReport(status)], at: .epoch)
            let screen = view.screen(columns: 160, rows: 8, isColoured: false)
            #expect(!screen.contains("\u{202E}") && !screen.contains("\u{9B}") && !screen.contains("\u{7}"))
        }

        #if os(Linux)
            private static let graph = """
                static void told(const weir_setting *s, size_t n, const weir_host *h)
                    { (void)s; (void)n; const weir_node node = {.label = TEXT(LABEL)}; h->take_node(h->context, &node); }
                """

            /// A library whose texts do what texts can.
            private func library(_ weir: WeirProcess, label: String) throws -> String {
                let source = WeirProcess.plugin("hostile", receiving: "")
                    .replacing("#define TEXT(", with: "#define LABEL \"\(label)\"\n#define TEXT(")
                    .replacing("static const weir_plugin table", with: Self.graph + "static const weir_plugin table")
                    .replacing(
                        ".partition_field = partition",
                        with: #".partition_field = partition, .graph = told, .summary = TEXT("a\x1b[2J")"#
                    )
                return try weir.library("hostile.so", source)
            }

            @Test(arguments: [
                "graph LIBRARY", "graph LIBRARY --format dot", "graph LIBRARY --format svg", "run LIBRARY --help",
                "convert in.jsonl stdout", "convert in.jsonl stdout --to-format csv", "convert in.jsonl /dev/tty",
                "run shake in.jsonl --by dev", "run shake in.jsonl --by dev --to /dev/tty",
                "run shake in.jsonl --by dev --to /dev/stdout --output csv",
                "run shake in.jsonl --by dev --rejected /dev/stdout --to m.jsonl",
                "run shake in.jsonl --by dev --late /dev/tty --to m.jsonl --lateness 1ms",
                "replay in.rec --speed max", "replay in.jsonl --time time --speed max", "graph shake --by HOSTILE",
            ])
            func noCommandHandsThemOn(command: String) throws {
                let weir = try WeirProcess()
                var lines = (0..<9).map {
                    #"{"time":\#($0 * 20),"x":\#($0 % 2 * 3),"y":0,"z":1,"dev":"d\#(Self.hostile)"}"#
                }
                // Raw control characters are no JSON, but those of C1 and of the direction are.
                lines = lines.map { $0.replacing("\u{1B}", with: "\\u001b").replacing("\u{7}", with: "\\u0007") }
                lines += ["{\"time\":0,\"x\":0,\"y\":0,\"z\":1,\"dev\":\"late\u{9B}\"}", "no" + Self.hostile]
                try weir.file("in.jsonl", lines.joined(separator: "\n") + "\n")
                #expect(try weir.run("record", "in.jsonl", "in.rec").exitCode == 0)
                let words = command.split(separator: " ").map(String.init)
                let library = words.contains("LIBRARY") ? try library(weir, label: #"\x1b[2J\xe2\x80\xae"#) : ""
                let terminal = try Terminal()
                let run = try weir.start(
                    words.map { $0.replacing("LIBRARY", with: library).replacing("HOSTILE", with: Self.hostile) },
                    input: .handle(terminal.side),
                    output: terminal.side,
                    environment: ["XDG_RUNTIME_DIR": weir.folder],
                    launcher: ["/usr/bin/setsid", "--ctty", "--wait"]
                )
                var arrivals = Arrivals(terminal.screen)
                while run.process.isRunning || arrivals.takeSome(milliseconds: 0) {
                    _ = arrivals.takeSome(milliseconds: 20)
                }
                let outcome = try run.outcome()
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
                // What was written to a terminal may arrive a moment later.
                let wasShown = arrivals.wait(for: "\\u")
                #expect(wasShown, "nothing hostile was shown")
                #expect(Self.isHarmless(arrivals.text), "\(arrivals.text.debugDescription)")
                #expect(Self.isHarmless(outcome.errors))
            }

            /// A quote that an accent follows is one all the same, and a line break ends a statement.
            @Test func labelsStayInTheirQuotes() throws {
                let weir = try WeirProcess()
                let label = #"\"\314\201 [URL=x]\r\nn1 --> n2\n<\314\201b>&\314\201\\\001"#
                let library = try library(weir, label: label)
                let svg = try weir.run("graph", library, "--format", "svg").output
                #expect(XMLParser(data: Data(svg.utf8)).parse())
                let dot = try weir.run("graph", library, "--format", "dot").output
                #expect(dot.split(separator: "\n").count == 4)
                #expect(dot.unicodeScalars.contains("\u{301}"))
                let quotes = dot.unicodeScalars.filter { $0 == "\"" }.count
                #expect(dot.ranges(of: #"\\u000d\\u000an1 --> n2"#).count == 1)
                // Those of the names, of the font and of the label; and the one in the label, with its stroke before it.
                #expect(quotes == 7)
                let mermaid = try weir.run("graph", library).output
                #expect(mermaid.split(separator: "\n").count == 2)
                #expect(mermaid.unicodeScalars.filter { $0 == "\"" }.count == 2)
                #expect(!mermaid.unicodeScalars.contains("<"))
            }
        #endif
    }
}
