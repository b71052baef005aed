import Foundation
import Testing
import WeirCore
import WeirFormats
import WeirRecords

@testable import weir

extension HostTests {
    /// What the text of an event may do where it is shown, and who may write what the program obeys.
    @Suite struct HostileTextTests {
        /// A match whose text holds everything that a terminal, a table or a template could obey.
        private static let match = Array(#"{"a":"\u001b]0;x\u0007\n\u009b2J\u202ey","b":"=1+2"}"#.utf8)

        @Test(arguments: ["json", "pretty", "csv", "csv:safe", "template:{a}|{b}"])
        func aTerminalObeysNoText(style: String) throws {
            var styler = try MatchStyle(style).makeStyler(isForTerminal: true)
            let raw = String(decoding: Self.match, as: UTF8.self).replacing(
                #"\u009b2J\u202e"#,
                with: "\u{9B}2J\u{202E}"
            )
            let text = String(decoding: styler.write(Array(raw.utf8)), as: UTF8.self)
            #expect(text.contains(#"\u009b2J\u202ey"#))
            #expect(
                !text.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n") || $0 == "\u{9B}" || $0 == "\u{202E}" }
            )
        }

        @Test func aMatchIsOneLineOfATemplate() throws {
            var styler = try MatchStyle("template:{a}|{b}").makeStyler()
            let text = String(decoding: styler.write(Self.match), as: UTF8.self)
            #expect(text == "\u{1B}]0;x\u{7}\\u000a\u{9B}2J\u{202E}y|=1+2\n")
        }

        @Test func formulasAreGuardedWhereAsked() throws {
            let match = Array(#"{"a":"=1+2","b":-5,"c":"-5.5","d":"@x","e":"+cmd","f":"a=b","g":"\t=1"}"#.utf8)
            var plain = try MatchStyle("csv").makeStyler()
            let expected = "a,b,c,d,e,f,g\n=1+2,-5,-5.5,@x,+cmd,a=b,\t=1\n"
            #expect(String(decoding: plain.write(match), as: UTF8.self) == expected)
            var safe = try MatchStyle("csv:safe").makeStyler()
            let guarded = "a,b,c,d,e,f,g\n'=1+2,-5,-5.5,'@x,'+cmd,a=b,'\t'=1\n"
            #expect(String(decoding: safe.write(match), as: UTF8.self) == guarded)
        }

        /// Where semicolons or tabs separate cells, a formula may begin within what is one cell here.
        @Test func formulasBehindOtherSeparatorsAreGuardedToo() throws {
            let match = Array(#"{"a":"x;=1+2;-3;y","b":"x\t@y","c":"\uff1d1+2","d":"\n=1","e":";","f":""}"#.utf8)
            var safe = try MatchStyle("csv:safe").makeStyler()
            let guarded = "a,b,c,d,e,f\nx;'=1+2;-3;y,x\t'@y,'\u{FF1D}1+2,\"'\n=1\",;,\n"
            #expect(String(decoding: safe.write(match), as: UTF8.self) == guarded)
        }

        /// A library may call anything a match; what a style cannot write is counted.
        @Test(arguments: ["csv", "csv:safe", "template:{a}"])
        func matchesThatAreNoObjectsAreCounted(style: String) throws {
            let lines = Array("null\nnot json\n{\"a\":1}\n{\"a\":2,\"a\":3}\n[1]\n{\"a\":\"\\ud800\"}\n".utf8)
            var styler = try MatchStyle(style).makeStyler()
            let text = String(decoding: styler.write(lines), as: UTF8.self)
            #expect(text == (style.hasPrefix("csv") ? "a\n1\n2\n" : "1\n2\n"))
            let leftOut = styler.leftOut
            #expect(leftOut.unreadable == 4 && leftOut.matches == 0)
            #expect(leftOut.remarks.count == 1 && leftOut.remarks[0].hasPrefix("4 matches are no JSON objects and "))
        }

        @Test func matchesThatAreNoObjectsAreShownAsTheyAre() throws {
            var pretty = try MatchStyle("pretty").makeStyler()
            #expect(String(decoding: pretty.write(Array("no\u{1B}\n{}\n".utf8)), as: UTF8.self) == "no\u{1B}\n{}\n")
            var json = try MatchStyle("json").makeStyler(isForTerminal: true)
            #expect(String(decoding: json.write(Array("no\u{1B}\n{}\n".utf8)), as: UTF8.self) == "no\\u001b\n{}\n")
        }

        /// A configuration with a great many members, or a library with a great many bytes, costs no more than reading it.
        @Test(.timeLimit(.minutes(20))) func greatTextsCostLittle() throws {
            let members = (0..<200_000).map { "\"k\($0)\":1" }.joined(separator: ",")
            #expect(throws: Never.self) { try JSONNode.read(Array("{\(members)}".utf8)) }
            #expect(Suggestion.nearest(to: String(repeating: "k", count: 1_000_000), among: ["threshold"]) == nil)
            let weir = try WeirProcess()
            let body = """
                const size_t n = 20 << 20; uint8_t *p = malloc(n); memset(p, 'A', n); const weir_text t = {p, n};
                h->take_count(h->context, 0, t, 1); h->reject(h->context, 1, 0, 0, t);
                const weir_text broken = {p, (size_t)1 << 50}; h->take_lines(h->context, broken, 1);
                """
            let library = try weir.library("long.so", WeirProcess.plugin("long", receiving: body))
            let outcome = try weir.run("run", library, "--from", "demo", "--metrics", "m.prom")
            #expect(outcome.exitCode == 0)
            #expect(outcome.errors.utf8.count < 20_000)
            #expect(try weir.contents(of: "m.prom").count < 20_000)
        }

        /// Who can rename a folder can put another one in its place, however far above the file it is.
        @Test func whatStandsBelowAFolderThatOthersCanWriteIsRefused() throws {
            let weir = try WeirProcess()
            let inner = weir.folder + "/outer/middle/inner"
            try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
            try weir.file("outer/middle/inner/c.json", #"{"pipelines": {"a": {"plugin": "shake", "from": "demo"}}}"#)
            let library = try weir.library("quiet.so", WeirProcess.plugin("quiet", receiving: ""))
            try FileManager.default.moveItem(atPath: library, toPath: inner + "/quiet.so")
            try FileManager.default.createSymbolicLink(atPath: weir.folder + "/link", withDestinationPath: inner)
            for path in ["outer/middle/inner", "link"] {
                for (arguments, code) in [
                    (["run", "--config", path + "/c.json"], Int32(78)),
                    (["run", path + "/quiet.so", "--from", "demo"], 69),
                ] {
                    #expect(try weir.start(arguments, input: .nothing).outcome().exitCode == 0)
                    #expect(unsafe chmod(weir.folder + "/outer", 0o777) == 0)
                    let refused = try weir.start(arguments, input: .nothing).outcome()
                    #expect(unsafe chmod(weir.folder + "/outer", 0o755) == 0)
                    #expect(refused.exitCode == code && refused.errorLines.count == 1, "\(refused.errors)")
                    #expect(refused.errors.contains("others can write the folder '"), "\(refused.errors)")
                }
            }
        }

        @Test func whatOthersCanWriteIsRefusedUnlessAllowed() throws {
            let weir = try WeirProcess()
            let library = try weir.library("quiet.so", WeirProcess.plugin("quiet", receiving: ""))
            try weir.file("pipelines.json", #"{"pipelines": {"a": {"plugin": "shake", "from": "demo"}}}"#)
            for (file, arguments, code) in [
                (library, ["run", library, "--from", "demo"], Int32(69)),
                (weir.folder + "/pipelines.json", ["run", "--config", weir.folder + "/pipelines.json"], 78),
            ] {
                #expect(try weir.start(arguments, input: .nothing).outcome().exitCode == 0)
                #expect(unsafe chmod(file, 0o666) == 0)
                let refused = try weir.start(arguments, input: .nothing).outcome()
                #expect(refused.exitCode == code)
                #expect(refused.errors.contains("others can write it; 'chmod go-w /"))
                #expect(refused.errors.hasSuffix("', or set WEIR_ALLOW_WRITABLE=1\n"))
                #expect(refused.errorLines.count == 1)
                let allowed = ["WEIR_ALLOW_WRITABLE": "1"]
                #expect(try weir.start(arguments, input: .nothing, environment: allowed).outcome().exitCode == 0)
                #expect(unsafe chmod(file, 0o644) == 0)
                #expect(unsafe chmod(weir.folder, 0o777) == 0)
                let folder = try weir.start(arguments, input: .nothing).outcome()
                #expect(folder.exitCode == code)
                #expect(folder.errors.contains("others can write its folder '"))
                #expect(unsafe chmod(weir.folder, 0o755) == 0)
            }
        }
    }
}
