import Foundation
import Testing

extension HostTests {
    /// The smaller commands, and the styles of output.
    @Suite struct CommandTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        @Test func graphsComeInThreeForms() throws {
            for plugin in ["shake", "walk", "sentiment", "fraud"] {
                let mermaid = try weir.run("graph", plugin)
                #expect(mermaid.exitCode == 0)
                #expect(mermaid.output.hasPrefix("flowchart TD\n  n0([\"") && mermaid.output.contains(" --> "))
                #expect(try weir.run("graph", plugin, "--format", "dot").output.hasPrefix("digraph \"\(plugin)\" {\n"))
                let svg = try weir.run("graph", plugin, "--format", "svg").output
                #expect(XMLCheck.isWellFormed(svg))
            }
            #expect(try weir.run("graph", "shake", "--by", "a<b\"").output.contains("grouped by a#lt;b#quot;"))
            #expect(try weir.run("graph", "fraud", "--within", "90m").output.contains("km away within 1h30m"))
            let wrong = try weir.run("graph", "shake", "--format", "sgv")
            #expect(wrong.exitCode == 2 && wrong.errors.contains("did you mean 'svg'?"))
        }

        @Test func listsAsJSONHaveTheOptionsAsSchema() throws {
            let output = try weir.run("list", "--format", "json").output
            let object = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
            let plugins = try #require(object["plugins"] as? [[String: Any]])
            let shake = try #require(plugins.first { $0["name"] as? String == "shake" })
            let schema = try #require(shake["options"] as? [String: Any])
            let properties = try #require(schema["properties"] as? [String: [String: Any]])
            #expect(properties["threshold"]?["type"] as? String == "number")
            #expect(properties["threshold"]?["default"] as? Double == 1)
            #expect((properties["unit"]?["enum"] as? [String])?.contains("mg") == true)
            #expect(Set(object.keys) == ["plugins", "languages", "transports", "formats", "operators"])
        }

        @Test func outputComesInStyles() throws {
            let csv = try weir.run("run", "shake", "--from", "demo", "--output", "csv").output.split(separator: "\n")
            #expect(csv.count == 4)
            #expect(csv[0].hasPrefix("time,axis,difference,unit,previous.time,"))
            let template = try weir.run(
                "run",
                "shake",
                "--from",
                "demo",
                "--output",
                #"template:{{{axis}}}\t{current.time} {none}"#
            )
            #expect(template.output.hasPrefix("{x}\t11020 \n"))
            let pretty = try weir.run("run", "shake", "--from", "demo", "--output", "pretty").output
            #expect(pretty.hasPrefix("{\n  \"time\": 11020,\n") && !pretty.contains("\u{1B}"))
            for (style, message) in [
                ("prety", "'prety' is not one of json, pretty, csv, csv:safe or template:TEXT; did you mean 'pretty'?"),
                ("template:{x", "the template has a '{' without a field and a '}'; write '{{' for a brace"),
                ("template:}", "the template has a '}' without a '{'; write '}}' for a brace"),
            ] {
                let outcome = try weir.run("run", "shake", "--from", "demo", "--output", style)
                #expect(outcome.exitCode == 2)
                #expect(outcome.errors == "weir: --output: \(message)\n")
            }
        }

        #if os(Linux)
            @Test func coloursAreForTerminalsThatWantThem() throws {
                for (variable, isColoured) in [("", true), ("1", false)] {
                    let terminal = try Terminal()
                    let run = try weir.start(
                        ["run", "shake", "--from", "demo", "--output", "pretty"],
                        input: .nothing,
                        output: terminal.side,
                        environment: ["NO_COLOR": variable, "TERM": "xterm"]
                    )
                    #expect(try run.outcome().exitCode == 0)
                    var arrivals = Arrivals(terminal.screen)
                    let hasArrived = arrivals.wait(for: "17500")
                    #expect(hasArrived)
                    #expect(arrivals.text.contains("\u{1B}[34m\"time\"") == isColoured)
                }
            }
        #endif

        @Test func whatWasRecordedIsSentAgain() throws {
            let rows = table(readings(seed: 3, count: 500))
            // A name like that of a table gets a table.
            #expect(try weir.run("record", "-", "r.csv", input: .text(rows)).exitCode == 0)
            #expect(try weir.text(of: "r.csv") == rows)
            let replay = try weir.run("replay", "r.csv", "--speed", "max")
            #expect(replay.output == rows)
            #expect(replay.errors == "weir: 500 lines sent\n")
            try weir.file("p.csv", "time,x\n0,1\n150,2\nlater,3\n300,4\n")
            let start = ContinuousClock.now
            let paced = try weir.run("replay", "p.csv", "--speed", "2x")
            #expect(ContinuousClock.now - start >= .milliseconds(150))
            #expect(paced.output == "time,x\n0,1\n150,2\n300,4\n")
            #expect(paced.errors == "weir: 3 lines sent, 1 left out because their time cannot be read\n")
            #expect(try weir.run("replay", "p.csv", "--speed", "0x").exitCode == 2)
            #expect(try weir.run("replay", "p.csv", "--time", "t").exitCode == 66)
        }

        @Test func reportsAndBenchmarksAreRunsOfTheirOwnKind() throws {
            try weir.file("r.csv", table(readings(seed: 4, count: 500)))
            #expect(try weir.run("report", "shake", "r.csv", "--to", "p.html").exitCode == 0)
            #expect(try weir.text(of: "p.html").contains("Acceleration"))
            let bench = try weir.run("bench", "shake", "r.csv", "--rounds", "3")
            #expect(bench.exitCode == 0)
            #expect(bench.output.contains("500,") && bench.output.contains("median of 3"))
            #expect(try weir.run("bench", "shake", "r.csv", "--rounds", "none").exitCode == 2)
            try weir.file("empty.csv", "time,x,y,z\n")
            let empty = try weir.run("bench", "shake", "empty.csv")
            #expect(empty.exitCode == 66)
            #expect(empty.errors == "weir: the input has no events to measure with; give one that has\n")
        }

        @Test(arguments: ["bash", "zsh", "fish"])
        func completionKnowsCommandsPluginsAndOptions(shell: String) throws {
            let outcome = try weir.run("completion", shell)
            #expect(outcome.exitCode == 0)
            for word in ["validate", "shake", "quiet-period", "partition-by"] { #expect(outcome.output.contains(word)) }
        }

        @Test func bashCompletesWithIt() throws {
            try weir.file("c.bash", try weir.run("completion", "bash").output)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = [
                "-c",
                """
                . "$0"
                complete() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _weir_words; echo "${COMPREPLY[@]}"; }
                complete weir run shake --thr
                complete weir va
                complete weir run shake --unit m
                complete weir replay x --sp
                complete weir bench shake --rou
                complete weir help exi
                complete weir run shake --format ''
                complete weir graph shake --format ''
                complete weir list --format ''
                complete weir match --expl
                complete weir match --language ''
                """,
                weir.folder + "/c.bash",
            ]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            var arrivals = Arrivals(output)
            try output.fileHandleForWriting.close()
            arrivals.waitForEnd()
            process.waitUntilExit()
            #expect(
                arrivals.text == "--threshold\nvalidate\nmg m/s2\n--speed\n--rounds\nexit-codes\n"
                    + "csv tsv jsonl json binary logfmt clf combined cef leef syslog\nmermaid dot svg\ntext json\n"
                    + "--explain\neql\n"
            )
        }

        @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")))
        func fishCompletesWithIt() throws {
            try weir.file("c.fish", try weir.run("completion", "fish").output)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/fish")
            process.arguments = [
                "--no-config", "-c",
                "source $argv[1]; for line in 'weir run sha' 'weir run shake --thr' 'weir replay x --sp'; complete -C $line; end",
                weir.folder + "/c.fish",
            ]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            try output.fileHandleForWriting.close()
            var arrivals = Arrivals(output)
            arrivals.waitForEnd()
            process.waitUntilExit()
            let words = arrivals.text.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
            #expect(words == ["shake", "--threshold", "--speed"])
        }

        @Test func theDoctorSaysWhatItSees() throws {
            let outcome = try weir.run("doctor")
            #expect(outcome.exitCode == 0 || outcome.exitCode == 1)
            #expect(outcome.output.contains("open files") && outcome.output.contains("control socket"))
            #expect((outcome.exitCode == 1) == outcome.output.contains("CHANGE"))
        }
    }
}

/// Looks whether tags close in the order in which they open.
enum XMLCheck {
    static func isWellFormed(_ text: String) -> Bool {
        var open: [Substring] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            guard let end = rest[start...].firstIndex(of: ">") else { return false }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasSuffix("/") { continue }
            if tag.hasPrefix("/") {
                guard open.popLast() == tag.dropFirst() else { return false }
            } else {
                open.append(tag.prefix { $0 != " " })
            }
        }
        return open.isEmpty && !rest.contains("&&")
    }
}
