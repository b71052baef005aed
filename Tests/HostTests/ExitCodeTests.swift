#if os(Linux)
    import Foundation
    import Testing

    @testable import weir

    extension HostTests {
        /// Each documented exit code, from a run that ends so.
        @Suite struct ExitCodeTests {
            private let weir: WeirProcess

            init() throws {
                weir = try WeirProcess()
            }

            /// A command line in a shell, with the program as `$0`, that ends with a code.
            private static func line(endingWith code: ExitCode) -> String {
                switch code {
                case .done: #""$0" run shake a.csv"#
                case .inputRejected: #"echo bad >> a.csv; "$0" run shake a.csv --strict"#
                case .usage: #""$0" run shake a.csv --thresold 2"#
                case .rulesLeftOut:
                    #"mkdir r; echo 'any where true' > r/a.eql; echo 'any' > r/b.eql; "$0" match --rules r a.csv"#
                case .allRejected: #"printf 'time,x,y,z\nbad\n' > b.csv; "$0" run shake b.csv"#
                case .noInput: #""$0" run shake b.csv"#
                case .cannotLoad: #""$0" run ./no-library.so"#
                // Two descriptors are for Ctrl-C, one for reading the file, and none is left to stop the pipeline with.
                case .internalError:
                    #"exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n 6; "$0" run --config c.json --control none"#
                case .cannotCreate: #""$0" run shake a.csv --to nowhere/m.jsonl"#
                case .outputFailed: #""$0" run shake a.csv --to /dev/full"#
                case .badConfiguration: #"echo '{"pipelnes": {}}' > d.json; "$0" run --config d.json"#
                case .interrupted: #"mkfifo in.fifo; "$0" run shake in.fifo & sleep 0; kill -TERM $!; wait $!"#
                }
            }

            @Test(arguments: ExitCode.allCases)
            func everyCodeIsReached(code: ExitCode) throws {
                try weir.file("a.csv", jerk)
                try weir.file("no-library.so", "this is no library")
                try weir.file(
                    "c.json",
                    #"{"pipelines": {"one": {"plugin": "shake", "from": "a.csv", "to": "m.jsonl", "restarts": 0}}}"#
                )
                let line = Self.line(endingWith: code)
                let outcome = try weir.start([], input: .nothing, launcher: ["/bin/sh", "-c", line]).outcome()
                if code == .interrupted {
                    // The signal may come before the program can catch it.
                    #expect([130, 143].contains(outcome.exitCode))
                } else {
                    #expect(outcome.exitCode == code.rawValue, "\(outcome.errors)")
                }
                if code != .done, code != .interrupted { #expect(!outcome.errors.isEmpty) }
            }

            @Test func theHelpHasThemAll() throws {
                let help = try weir.run("help", "exit-codes").output
                for code in ExitCode.allCases {
                    #expect(help.contains("  \(code.rawValue) ") && help.contains(code.meaning))
                }
            }
        }
    }
#endif
