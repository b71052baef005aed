import Foundation
import Testing

extension HostTests {
    @Suite struct CommandLineTests {
        private let weir: WeirProcess

        init() throws {
            weir = try WeirProcess()
        }

        /// A screen of 80 columns and 24 rows, the last of them for the shell.
        @Test(arguments: [
            ["--help"], ["-h"], ["help"], ["help", "options"], ["help", "addresses"], ["help", "tcp"],
            ["help", "nats"],
            ["help", "formats"], ["help", "csv"], ["help", "times"],
            ["help", "exit-codes"],
            ["help", "signals"], ["help", "environment"], ["help", "output"],
            ["help", "checkpoints"], ["help", "journals"], ["help", "zones"], ["help", "state"], ["state", "--help"],
            ["run", "--help"],
            ["help", "run"], ["run", "shake", "--help"], ["run", "walk", "--help"], ["run", "sentiment", "-h"],
            ["run", "fraud", "--help"], ["run", "shake", "--from", "demo", "-h"], ["list", "--help"], ["help", "list"],
            ["convert", "--help"], ["produce", "--help"], ["validate", "--help"], ["top", "--help"],
            ["graph", "--help"],
            ["record", "--help"],
            ["replay", "--help"], ["report", "--help"], ["bench", "--help"], ["create", "--help"],
            ["completion", "--help"], ["doctor", "--help"], ["match", "--help"], ["test", "--help"],
        ])
        func helpFitsOneScreen(arguments: [String]) throws {
            let outcome = try weir.start(arguments, input: .nothing).outcome()
            let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(outcome.exitCode == 0)
            #expect(outcome.errors == "")
            #expect(outcome.output.contains("Usage: "))
            if arguments != ["help", "options"] { #expect(lines[1...3].contains("Examples:")) }
            #expect(lines.count <= 24, "\(outcome.output)")
            for line in lines { #expect(line.count <= 80 && line.last != " ", "\(line)") }
        }

        @Test(arguments: [
            ["run", "shake"], ["run", "walk"], ["run", "sentiment"], ["run", "fraud"], ["convert"], ["match"], ["test"],
        ])
        func theLongHelpLeavesNothingOut(page: [String]) throws {
            let long = try weir.start(["help"] + page, input: .nothing).outcome().output
            let short = try weir.start(page + ["--help"], input: .nothing).outcome().output
            #expect(short.contains("'weir help \(page.joined(separator: " "))' says more"))
            for line in short.split(separator: "\n") where line.hasPrefix("  --") {
                let option = line.split(separator: " ")[0]
                #expect(long.contains("\n  \(option)"))
            }
            // A command line stays whole.
            for line in long.split(separator: "\n") where !line.hasPrefix("  weir ") {
                #expect(line.count <= 80, "\(line)")
            }
        }

        @Test func showsTheVersion() throws {
            let outcome = try weir.run("--version")
            #expect(outcome.output == "weir 0.1.0\n")
            #expect(outcome.exitCode == 0)
        }

        @Test func listsWhatThereIs() throws {
            let all = try weir.run("list").output
            for name in ["  shake ", "  file ", "  stdin ", "  stdout ", "  demo ", "  csv ", "  jsonl ", "  binary "] {
                #expect(all.contains(name))
            }
            let formats = try weir.run("list", "formats").output.split(separator: "\n")
            #expect(formats.count { !$0.hasPrefix("   ") } == 12)
            #expect(try !weir.run("list", "plugins").output.contains("csv"))
            #expect(try weir.run("list", "transports").output.contains("  file "))
        }

        @Test func withoutArgumentsTheHelpIsAnError() throws {
            let outcome = try weir.run()
            #expect(outcome.exitCode == 2)
            #expect(outcome.output == "")
            #expect(outcome.errors.contains("Usage:"))
        }

        @Test(arguments: [
            (["rn"], "there is no command 'rn'; did you mean 'run'?"),
            (["--versoin"], "there is no option '--versoin'; did you mean '--version'?"),
            (["list", "plugns"], "'plugns' cannot be listed; did you mean 'plugins'?"),
            (["help", "rnu"], "there is no help on 'rnu'; did you mean 'run'?"),
            (["run"], "name the plugin first"),
            (["run", "shaek"], "there is no plugin 'shaek'; did you mean 'shake'?"),
            (
                ["run", "nothing-like-it"],
                "there is no plugin 'nothing-like-it'; 'weir list plugins' lists what there is"
            ),
            (["run", "shake", "--treshold", "2"], "there is no option '--treshold'; did you mean '--threshold'?"),
            (["run", "shake", "--sate", "x"], "there is no option '--sate'; did you mean '--state'?"),
            (["run", "shake", "-q"], "there is no option '-q'; 'weir run shake --help' lists them"),
            (["run", "shake", "--from"], "--from lacks its value"),
            (["run", "shake", "--by="], "--by lacks its value"),
            (["run", "shake", "--threshold", "--strict"], "--threshold lacks its value"),
            (["run", "shake", "--strict=yes"], "--strict takes no value, so 'yes' means nothing"),
            (["run", "shake", "--strict", "--strict"], "--strict is given twice"),
            (["run", "shake", "--threshold", "much"], "--threshold: 'much' is not a number"),
            (["run", "shake", "--unit", "G"], "--unit: 'G' is not one of g, mg, m/s2"),
            (["run", "shake", "--columns", "w=a"], "--columns: there is no 'w'; the keys are time, x, y, z"),
            (["run", "shake", "--quiet-period", "5"], "--quiet-period: '5' is not a duration"),
            (
                ["run", "shake", "--format", "jsnl"],
                "there is no format 'jsnl', only csv, tsv, jsonl, json, binary, logfmt, clf, combined, cef, leef, syslog and pattern:TEXT; did you mean 'jsonl'?"
            ),
            (
                ["run", "shake", "fil:a"],
                "there is no transport 'fil', and a file of that name is 'file:fil:a'; did you mean"
            ),
            (["run", "shake", "--from", "file"], "--from: 'file' lacks its path; write file:PATH"),
            (["run", "shake", "--to", "fiel:a"], "there is no transport 'fiel'"),
            (["run", "shake", "stdin", "stdin"], "--from: standard input is given twice; it can be read once"),
            (["run", "shake", "--max-line", "huge"], "--max-line: 'huge' is not a size; write 4096, 64KiB or 1MiB"),
            (["run", "shake", "--max-line", "15"], "--max-line: 15 is not between 16 and 1GiB"),
            (["run", "shake", "--seed", "1"], "--seed is of use only with '--from demo'"),
            (["run", "shake", "--from", "demo", "--seed", "-1"], "--seed: '-1' is not a whole number"),
            (["run", "shake", "--from", "demo", "--format", "jsonl"], "--format: the demo is always csv"),
        ])
        func explainsInOneLineWhatIsWrong(arguments: [String], message: String) throws {
            let outcome = try weir.start(arguments, input: .nothing).outcome()
            #expect(outcome.exitCode == 2)
            #expect(outcome.output == "")
            #expect(outcome.errors.hasPrefix("weir: " + message), "\(outcome.errors)")
            #expect(outcome.errorLines.count == 1)
        }

        @Test func takesOptionsInBothForms() throws {
            try weir.file("a.csv", "t,a,y,z\n0,0,0,1000\n20,2000,0,1000\n")
            let one = try weir.run("run", "shake", "a.csv", "--columns", "time=t,x=a", "--unit", "mg")
            let other = try weir.run("run", "shake", "--unit=mg", "--columns=time=t,x=a", "--from=file:a.csv")
            let third = try weir.run("run", "shake", "--unit=mg", "--columns=time=t,x=a", "--", "a.csv")
            #expect(one.exitCode == 0)
            #expect(one.output.contains(#""difference":2000.0,"unit":"mg""#))
            #expect(other.output == one.output)
            #expect(third.output == one.output)
        }

        #if os(Linux)
            @Test func asksForAnInputOnATerminal() throws {
                let terminal = try Terminal()
                let process = try weir.start(["run", "shake"], input: .handle(terminal.side))
                let outcome = try process.outcome()
                #expect(outcome.exitCode == 2)
                #expect(outcome.errors.hasPrefix("weir: there is nothing to read; name a file, pipe it in, or try"))
            }
        #endif
    }
}
