import Foundation
import TestServers
import Testing
import WeirNATS

#if canImport(Glibc)
    import Glibc
#endif

/// `weir` as a member of a group.
@Suite(.serialized, .enabled(if: NATSServer.program != nil, "\(NATSServer.isMissing)")) struct GroupTests {
    private let weir: WeirProcess
    private let server: NATSServer
    private let client: NATSClient

    private static let query = "sequence by user [any where value % 3 == 0] [any where value % 5 == 0]"
    private static let partitionCount = 8

    init() throws {
        weir = try WeirProcess()
        server = try NATSServer()
        client = try server.client()
        try client.createStream(JetStreamSettings("in", subjects: ["in.*"]))
    }

    private func place(_ subject: String) -> String { "nats:\(server.address)/\(subject)" }

    private func arguments(
        _ query: String = Self.query,
        from input: String = "in",
        to output: String = "out",
        group: String = "g",
        _ more: String...
    ) -> [String] {
        ["match", query, "--from", place(input), "--to", place(output), "--group", group, "--checkpoint", "50ms"]
            + (input.hasSuffix("*") ? [] : ["--partitions", "\(Self.partitionCount)"]) + more
    }

    private static func lines(_ numbers: some Sequence<Int>) -> String {
        numbers.map { "{\"time\":\($0 * 10),\"user\":\"u\($0 * 7919 % 101)\",\"value\":\($0 * 31 % 1009)}\n" }.joined()
    }

    private func produce(_ numbers: Range<Int>, _ more: String...) throws {
        try weir.file("in.jsonl", Self.lines(numbers))
        let sent = try weir.start(
            ["produce", "in.jsonl", "--to", place("in?stream=in"), "--key", "user"]
                + ["--partitions", "\(Self.partitionCount)"] + more,
            input: .nothing
        ).outcome()
        #expect(sent.exitCode == 0, "\(sent.errors)")
    }

    private func run(_ words: [String]) throws -> Outcome { try weir.start(words, input: .nothing).outcome() }

    /// What a stream has of subjects, line by line.
    private func lines(_ stream: String, _ subject: String) throws -> [String] {
        guard let found = try? client.stream(stream) else { return [] }
        var lines: [String] = []
        var next = found.first
        while next <= found.last {
            let question = "{\"seq\":\(next),\"batch\":500,\"next_by_subj\":\"\(subject)\"}"
            let answers = try client.requestAll("$JS.API.DIRECT.GET.\(stream)", Array(question.utf8)[...])
            for answer in answers.dropLast() {
                lines += String(decoding: answer.payload, as: UTF8.self).split(separator: "\n").map(String.init)
                next = (answer.headers?["Nats-Sequence"].flatMap { UInt64($0) } ?? next) + 1
            }
            if answers.count <= 1 { break }
        }
        return lines
    }

    private func end(_ running: Running) throws -> Outcome {
        kill(running.process.processIdentifier, SIGTERM)
        return try running.outcome()
    }

    @Test func membersThatComeAndAreKilledFindWhatOneProgramFinds() throws {
        try produce(0..<20_000)
        var running: [Running] = []
        for _ in 0..<2 { running.append(try weir.start(arguments(), input: .nothing)) }
        for round in 0..<4 {
            try WeirProcess.eventually("it goes on") { try !lines("weir-g", "out.*").isEmpty }
            kill(running.removeFirst().process.processIdentifier, SIGKILL)
            running.append(try weir.start(arguments(), input: .nothing))
            try produce(20_000 + round * 1000..<21_000 + round * 1000, "--lines", "50")
        }
        try weir.file("all.jsonl", Self.lines(0..<24_000))
        let alone = try weir.run("match", Self.query, "all.jsonl", "--to", "alone.jsonl", "--time", "time")
        #expect(alone.exitCode == 0, "\(alone.errors)")
        let wanted = String(decoding: try weir.contents(of: "alone.jsonl"), as: UTF8.self).split(separator: "\n")
            .map(String.init)
        #expect(wanted.count > 1000)
        try WeirProcess.eventually("all is found") { try lines("weir-g", "out.*").count >= wanted.count }
        let shown = try weir.run("group", "g", "nats:\(server.address)")
        #expect(shown.output.hasPrefix("g: ") && shown.output.contains("8 partitions"), "\(shown.output)")
        let json = try weir.run("group", "g", "nats:\(server.address)", "--json")
        #expect(json.output.hasPrefix("{\"members\":[{\"name\":"), "\(json.output)")
        for member in running {
            let outcome = try end(member)
            #expect(outcome.exitCode == 130, "\(outcome.errors)")
        }
        #expect(try lines("weir-g", "out.*").sorted() == wanted.sorted())
        let nobody = try weir.run("group", "g", "nats:\(server.address)")
        #expect(nobody.exitCode == 1 && nobody.output.contains("without a member"), "\(nobody.output)")
    }

    @Test func aSecondGroupMergesTheOutputsOfTheFirstByTime() throws {
        let first = try weir.start(
            arguments("any where value % 2 == 0", to: "even", "--output", "events"),
            input: .nothing
        )
        try WeirProcess.eventually("the first begins") {
            ((try? client.subjects(of: "weir-g", like: "weir.g.checkpoint.*")) ?? []).count == Self.partitionCount
        }
        var second = try weir.start(
            arguments("any where true", from: "even.*", to: "all", group: "h", "--output", "events"),
            input: .nothing
        )
        for part in 0..<4 {
            try produce(part * 2000..<part * 2000 + 2000)
            if part == 2 {
                kill(second.process.processIdentifier, SIGKILL)
                second = try weir.start(
                    arguments("any where true", from: "even.*", to: "all", group: "h", "--output", "events"),
                    input: .nothing
                )
            }
        }
        // The last ones wait for the other partitions.
        try WeirProcess.eventually("most is merged") { try lines("weir-h", "all.*").count > 3500 }
        let outcome = try end(second)
        #expect(outcome.errors.contains(" 0 rejected") && !outcome.errors.contains(" late"), "\(outcome.errors)")
        _ = try end(first)
        let times = try lines("weir-h", "all.*").map { line in
            Int(line.split(separator: ":")[1].prefix { $0.isNumber }) ?? -1
        }
        let wanted = (0..<8000).filter { $0 * 31 % 1009 % 2 == 0 }.map { $0 * 10 }
        #expect(times == Array(wanted.prefix(times.count)))
    }

    @Test func whatIsWrongIsRefusedInOneLine() throws {
        func refused(_ words: [String], _ text: String) throws {
            let outcome = try run(words)
            #expect(outcome.exitCode == 2 || outcome.exitCode == 66, "\(outcome.errors)")
            #expect(outcome.errors.contains(text), "\(words): \(outcome.errors)")
            // A server that is slow for a moment is told of.
            let lines = outcome.errors.split(separator: "\n")
            #expect(
                lines.count { !$0.contains(" types: ") && !$0.contains("it is waited for") } == 1,
                "\(outcome.errors)"
            )
        }
        let base = arguments()
        for option in [["--state", "s"], ["--report", "r.html"], ["--workers", "2"], ["--idle-timeout", "1s"]] {
            try refused(base + option, option[0])
        }
        try refused(base + ["--output", "csv"], "--output")
        try refused(base + ["--format", "csv"], "no line that names the columns")
        try refused(base + ["--from", "nats:\(server.address)/more"], "one input")
        try refused(["match", Self.query, "in.jsonl", "--group", "g"], "one input")
        try refused(["run", "shake", "--from", "demo", "--group", "g"], "one input")
        try refused(["match", Self.query, "--from", place("in"), "--group", "g"], "to one output")
        try refused(["match", Self.query, "in.jsonl", "--partitions", "3"], "--group NAME")
        try refused(arguments(from: "elsewhere"), "nats stream add")
        try refused(arguments(group: "a b"), "is no name of a group")
        try refused(["group", "none", "nats:\(server.address)"], "there is no group 'none'")
        try refused(["group", "g", "file:x"], "keeps no groups")
    }

    @Test func whatNobodyWouldKeepIsNotPublished() throws {
        try weir.file("in.jsonl", Self.lines(0..<3))
        let lost = try run(["produce", "in.jsonl", "--to", place("nowhere"), "--key", "user"])
        #expect(lost.exitCode != 0 && lost.errors.contains("no stream takes 'nowhere.*'"), "\(lost.errors)")
        let kept = try run(["produce", "in.jsonl", "--to", place("in"), "--key", "user"])
        #expect(kept.exitCode == 0 && kept.errors.contains("3 delivered"), "\(kept.errors)")
    }

    @Test func anotherPluginIsRefusedUnlessItTakesThePlace() throws {
        try produce(0..<100)
        let running = try weir.start(arguments(), input: .nothing)
        try WeirProcess.eventually("it begins") {
            ((try? client.subjects(of: "weir-g", like: "weir.g.checkpoint.*")) ?? []).count == Self.partitionCount
        }
        let other = try run(arguments("any where value == 1"))
        #expect(other.errors.contains("the group is another one: rules"), "\(other.errors)")
        let more = try run(
            ["match", Self.query, "--from", place("in"), "--to", place("out"), "--group", "g", "--partitions", "16"]
        )
        #expect(more.errors.contains("--partitions is '8' there and '16' here"), "\(more.errors)")
        let divided = try run(
            ["match", Self.query, "--from", place("in"), "--to", place("out"), "--group", "g", "--partitions", "16"]
                + ["--state-mismatch", "drop"]
        )
        #expect(divided.errors.contains("give it another name"), "\(divided.errors)")
        let new = try weir.start(arguments("any where value == 1") + ["--state-mismatch", "drop"], input: .nothing)
        // The one with the old settings ends by itself.
        let outcome = try running.outcome()
        #expect(outcome.errors.contains("was joined with other settings"), "\(outcome.errors)")
        _ = try end(new)
    }

    private func begun(_ group: String = "g") throws {
        try WeirProcess.eventually("it begins") {
            ((try? client.subjects(of: "weir-\(group)", like: "weir.\(group).checkpoint.*")) ?? []).count
                == Self.partitionCount
        }
    }

    @Test func whatIsLateIsKeptOnlyWhereRecordsAreMerged() throws {
        let alone = try run(arguments() + ["--late", "late.jsonl"])
        #expect(alone.exitCode == 2 && alone.errors.contains("--late: "), "\(alone.errors)")
        let merged = try run(arguments(from: "none.*") + ["--late", "late.jsonl"])
        #expect(merged.errors.contains("no stream takes 'none.*'"), "\(merged.errors)")
    }

    @Test func aServerThatIsNotThereIsNamed() throws {
        let outcome = try weir.run("group", "g", "nats://127.0.0.1:1")
        #expect(outcome.exitCode == 66, "\(outcome.errors)")
        #expect(outcome.errors.contains("'nats://127.0.0.1:1' cannot be reached: "), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    }

    /// The next member goes on from the last commit.
    @Test func aMemberEndsSoonWhereTheServerIsLost() throws {
        try produce(0..<100)
        let running = try weir.start(arguments(), input: .nothing)
        try begun()
        server.stop()
        try WeirProcess.eventually("it is noticed") { try weir.text(of: ".errors").contains("it is tried again") }
        let outcome = try end(running)
        #expect(outcome.exitCode == 130, "\(outcome.errors)")
        #expect(outcome.errors.contains("interrupted before all was committed ("), "\(outcome.errors)")
    }

    /// As the guide says: within five seconds, and at once where a second signal comes.
    @Test func aMemberEndsSoonWhereTheServerHangs() throws {
        try produce(0..<100)
        let other = try WeirProcess()
        let members = [
            try weir.start(arguments(), input: .nothing), try other.start(arguments(), input: .nothing),
        ]
        try begun()
        server.pause()
        for member in members { kill(member.process.processIdentifier, SIGTERM) }
        // Signals in quick succession are one, so it comes until it is another one.
        try WeirProcess.eventually("a second signal ends it") {
            kill(members[1].process.processIdentifier, SIGTERM)
            return !members[1].process.isRunning
        }
        let second = try members[1].outcome()
        #expect(second.exitCode == -SIGTERM)
        let line =
            "weir: ended by a second signal, SIGTERM (status 143); nothing is lost: the next member goes on from the "
        #expect(second.errors.contains(line), "\(second.errors)")
        let outcome = try members[0].outcome()
        #expect(outcome.exitCode == 130, "\(outcome.errors)")
    }

    @Test func aServerThatHangsIsToldOfSoon() throws {
        server.pause()
        try weir.file("in.jsonl", Self.lines(0..<3))
        let produce = ["produce", "in.jsonl", "--to", place("in"), "--key", "user"]
        for (words, end) in [(arguments(), "interrupted before the group was reached"), (produce, "was interrupted")] {
            let running = try weir.start(words, input: .nothing)
            try WeirProcess.eventually("it is told") {
                try weir.text(of: ".errors").contains("does not answer; it is waited for")
            }
            let outcome = try self.end(running)
            #expect(outcome.exitCode == 130 && outcome.errors.contains(end), "\(outcome.errors)")
        }
        server.stop()
        let sent = try run(produce)
        #expect(sent.exitCode != 0 && sent.errors.contains("; see whether nats-server runs there"), "\(sent.errors)")
        let running = try weir.start(arguments(), input: .nothing)
        try WeirProcess.eventually("it is told") {
            try weir.text(of: ".errors").contains("host and port are right; it is tried again")
        }
        let outcome = try end(running)
        #expect(outcome.exitCode == 130, "\(outcome.errors)")
        #expect(outcome.errors.contains("interrupted before the group was reached"), "\(outcome.errors)")
    }

    /// A program before the version was a setting: its members are ended, and what they know stays.
    @Test func aGroupOfAnotherVersionIsTakenOverWithWhatItKnows() throws {
        try produce(0..<1000)
        let old = try weir.start(arguments(), input: .nothing)
        try begun()
        _ = try end(old)
        let bucket = try KeyValueBucket("weir-g", client)
        let settings = String(decoding: try #require(try bucket.get("group")).value, as: UTF8.self)
        let version = #","version of groups":"3""#
        #expect(settings.contains(version), "\(settings)")
        try bucket.put("group", Array(settings.replacing(version, with: "").utf8))
        let refused = try run(arguments())
        #expect(refused.exitCode == 66, "\(refused.errors)")
        #expect(refused.errors.contains("another version of weir (1 there, 3 here); end all"), "\(refused.errors)")
        let new = try weir.start(arguments() + ["--state-mismatch", "drop"], input: .nothing)
        try produce(1000..<2000)
        let other = try WeirProcess()
        try other.file("all.jsonl", Self.lines(0..<2000))
        let alone = try other.run("match", Self.query, "all.jsonl", "--to", "alone.jsonl", "--time", "time")
        #expect(alone.exitCode == 0, "\(alone.errors)")
        let wanted = try other.text(of: "alone.jsonl").split(separator: "\n").map(String.init)
        try WeirProcess.eventually("all is found") { try lines("weir-g", "out.*").count >= wanted.count }
        #expect(try end(new).exitCode == 130)
        #expect(try lines("weir-g", "out.*").sorted() == wanted.sorted())
    }

    /// Members that cannot write that they are there, as where the servers have no room left.
    @Test func membersThatCannotTellOfThemselvesAreShown() throws {
        let running = try weir.start(arguments(), input: .nothing)
        try begun()
        kill(running.process.processIdentifier, SIGKILL)
        _ = try running.outcome()
        let bucket = try KeyValueBucket("weir-g", client)
        for key in try bucket.get(like: ["member.*", "status.*"]).keys { try bucket.purge(key) }
        let shown = try run(["group", "g", "nats:\(server.address)"])
        #expect(
            shown.exitCode == 1 && shown.output.contains("see whether the servers have room left"),
            "\(shown.output)"
        )
        let row = shown.output.split(separator: "\n").first { $0.contains(" (silent) ") }?.split(separator: " ")
        #expect(row?.dropFirst(2).map(String.init) == ["8", "-", "-", "-", "-", "-"], "\(shown.output)")
        let json = try run(["group", "g", "nats:\(server.address)", "--json"])
        #expect(json.output.contains(#""there":false"#), "\(json.output)")
    }

    @Test func messagesOfNoPartitionAreToldOnce() throws {
        let question = #"{"name":"other","subjects":["other.*"],"allow_direct":true,"discard":"new"}"#
        _ = try client.request("$JS.API.STREAM.CREATE.other", Array(question.utf8)[...])
        let running = try weir.start(arguments(from: "other") + ["--metrics", "m.txt"], input: .nothing)
        try begun()
        for _ in 0..<3 { try client.store("other.foo", Array("{}".utf8)) }
        try client.store("other.300", Array("{}".utf8))
        try WeirProcess.eventually("it is counted") {
            String(decoding: (try? weir.contents(of: "m.txt")) ?? [], as: UTF8.self).contains(
                "weir_group_foreign_subjects{pipeline=\"match\"} 2"
            )
        }
        let outcome = try end(running)
        #expect(outcome.errors.components(separatedBy: "of no partition").count == 2, "\(outcome.errors)")
    }

    @Test func aStreamThatTakesNoLongMessagesIsRefused() throws {
        let question = #"""
            {"name":"small","subjects":["out.*","weir.g.checkpoint.*","weir.g.state.*"],"allow_direct":true,"discard":"new",
            "allow_rollup_hdrs":true,"allow_atomic":true,"max_msg_size":1000}
            """#
        _ = try client.request("$JS.API.STREAM.CREATE.small", Array(question.utf8)[...])
        let outcome = try run(arguments(to: "out?stream=small"))
        #expect(outcome.exitCode == 66, "\(outcome.errors)")
        #expect(outcome.errors.contains("nats stream edit small --max-msg-size=-1"), "\(outcome.errors)")
    }

    @Test func aStreamThatIsChangedMeanwhileEndsTheMember() throws {
        let running = try weir.start(arguments(), input: .nothing)
        try begun()
        let question = #"{"name":"in","subjects":["in.*"],"discard":"new","retention":"interest"}"#
        _ = try client.request("$JS.API.STREAM.UPDATE.in", Array(question.utf8)[...])
        let outcome = try running.outcome()
        #expect(outcome.exitCode == 66, "\(outcome.errors)")
        #expect(outcome.errors.contains("retention has to be 'limits'"), "\(outcome.errors)")
    }

    @Test func anOutputThatServersDoNotTakeIsCounted() throws {
        let server = try NATSServer(configuration: "max_payload: 8192")
        let client = try server.client()
        try client.createStream(JetStreamSettings("in", subjects: ["in.*"]))
        let long = String(repeating: "x", count: 8100)
        try client.store("in.1", Array("{\"time\":1,\"user\":\"a\",\"value\":3,\"text\":\"\(long)\"}".utf8))
        try client.store("in.1", Array("{\"time\":2,\"user\":\"a\",\"value\":5}".utf8))
        let running = try weir.start(
            ["match", "any where true", "--from", "nats:\(server.address)/in", "--to", "nats:\(server.address)/out"]
                + ["--group", "g", "--checkpoint", "50ms", "--partitions", "4", "--output", "json"],
            input: .nothing
        )
        try WeirProcess.eventually("it is committed") {
            let found = try? client.request("$JS.API.DIRECT.GET.weir-g.weir.g.checkpoint.1", [])
            return String(decoding: found?.payload ?? [], as: UTF8.self).contains("\"position\":2")
        }
        let outcome = try end(running)
        #expect(outcome.errors.contains(", 1 output lost that servers do not take"), "\(outcome.errors)")
    }

    /// It ends, and says what is missing.
    @Test(arguments: ["$KV.weir-g.>", "out.*"])
    func whatAUserMayNotPublishIsNamed(subject: String) throws {
        let server = try NATSServer(
            configuration: """
                authorization { users: [
                  { user: all, password: p },
                  { user: some, password: p, permissions: { publish: { deny: ["\(subject)"] } } }
                ] }
                """,
            credentials: .user("all", password: "p")
        )
        let client = try server.client()
        try client.createStream(JetStreamSettings("in", subjects: ["in.*"]))
        try client.store("in.1", Array("{\"time\":1,\"user\":\"a\",\"value\":3}".utf8))
        let place = "nats://some:p@" + server.address.dropFirst(2)
        let outcome = try run(
            ["match", "any where true", "--from", "\(place)/in", "--to", "\(place)/out", "--group", "g"]
                + ["--checkpoint", "50ms", "--partitions", "4"]
        )
        #expect(outcome.exitCode == 66, "\(outcome.errors)")
        #expect(
            outcome.errors.contains("the server refuses: 'Permissions Violation for Publish to \""),
            "\(outcome.errors)"
        )
        #expect(outcome.errors.contains("the permission for that subject"), "\(outcome.errors)")
    }

    @Test func aRecordThatCannotBeReadCostsNoOther() throws {
        try client.store("in.1", Array("{\"time\":1,\"user\":\"a\",\"value\":3}\nnonsense".utf8))
        try client.store("in.1", Array("{\"time\":2,\"user\":\"a\",\"value\":5}".utf8))
        let running = try weir.start(arguments() + ["--rejected", "bad.txt"], input: .nothing)
        try WeirProcess.eventually("it is found") { try lines("weir-g", "out.*").count == 1 }
        let outcome = try end(running)
        #expect(outcome.errors.contains("2 events read, 1 rejected, 1 match"), "\(outcome.errors)")
        #expect(try weir.contents(of: "bad.txt") == Array("nonsense\n".utf8))
    }
}
