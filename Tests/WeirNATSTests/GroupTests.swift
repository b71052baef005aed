import TestServers
import TestThreads
import Testing
import WeirCore
import WeirFormats
import WeirGroups
import WeirRecords
import WeirTesting

@testable import WeirNATS

/// Partitions, commits and shared values on a server.
@Suite(.serialized, .enabled(if: NATSServer.program != nil, "\(NATSServer.isMissing)")) struct GroupTests {
    private let server: NATSServer
    private let client: NATSClient
    private let clock = MonotonicClock()

    init() throws {
        // So that a state of some thousand bytes takes several messages.
        server = try NATSServer(configuration: "max_payload: 4096")
        client = try server.client()
        try client.createStream(JetStreamSettings("in", subjects: ["in.*"]))
    }

    private func request(
        _ name: String = "g",
        partitions: Int = 4,
        output: String = "/out",
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) -> GroupRequest {
        GroupRequest(
            name: name,
            input: server.address + "/in",
            output: server.address + output,
            partitionCount: partitions,
            notice: notice
        )
    }

    private func log(_ name: String = "g", partitions: Int = 4) throws -> any PartitionLog {
        try NATSTransport().openGroup(request(name, partitions: partitions)).makeLog(clock: clock)
    }

    private func commit(
        _ partition: Int,
        after revision: UInt64,
        at position: UInt64 = 1,
        _ outputs: String = "",
        _ state: [UInt8]? = [1]
    ) -> PartitionCommit {
        PartitionCommit(
            partition: partition,
            revision: revision,
            position: position,
            outputs: Array(outputs.utf8),
            state: state
        )
    }

    /// What the stream of a group has for a partition.
    private func outputs(_ partition: Int) throws -> [String] {
        let stream = try client.stream("weir-g")
        var found: [String] = []
        for number in stream.first..<stream.last + 1 {
            let answer = try client.request("$JS.API.DIRECT.GET.weir-g", Array("{\"seq\":\(number)}".utf8)[...])
            guard answer.headers?["Nats-Subject"] == "out.\(partition)" else { continue }
            found.append(String(decoding: answer.payload, as: UTF8.self))
        }
        return found
    }

    @Test func aCommitIsKeptWhereItFollowsTheLastOne() throws {
        let log = try log()
        #expect(try log.lastCommit(of: 1) == nil)
        let large = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 * 31) }
        let first = try log.commit([commit(1, after: 0, at: 7, "a\nb\n", large)])[0].get()
        #expect(try log.lastCommit(of: 1) == PartitionPlace(revision: first, position: 7, state: large))
        // What is known stays where it is, also for another member.
        let second = try log.commit([commit(1, after: first, at: 9, "c\n", nil)])[0].get()
        let other = try self.log()
        #expect(try other.lastCommit(of: 1) == PartitionPlace(revision: second, position: 9, state: large))
        let third = try other.commit([commit(1, after: second, at: 10, "", nil)])[0].get()
        #expect(try log.lastCommit(of: 1)?.revision == third)
        // One that does not know of it is refused, and those beside it are kept.
        let results = log.commit([
            commit(0, after: 0, "x\n"), commit(1, after: second, "never\n"), commit(2, after: 0, "y\n"),
        ])
        #expect(throws: Never.self) { _ = try results[0].get() }
        #expect(throws: Never.self) { _ = try results[2].get() }
        #expect(throws: GroupError.self) { _ = try results[1].get() }
        if case .failure(let error) = results[1] { #expect(error.kind == .outdated) }
        #expect(try outputs(0) == ["x"])
        #expect(try outputs(1) == ["a", "b", "c"])
        #expect(try outputs(2) == ["y"])
        // Of what is known, only the last is kept.
        #expect(try client.subjects(of: "weir-g", like: "weir.g.checkpoint.*").count == 3)
    }

    @Test func anyNumberOfOutputsFitsACommit() throws {
        let log = try log()
        let lines = (0..<5000).map { "line \($0)" }
        let text = lines.map { $0 + "\n" }.joined()
        _ = try log.commit([commit(0, after: 0, text, [UInt8](repeating: 1, count: 100_000))])[0].get()
        let messages = try outputs(0)
        #expect(messages.count <= 800 && messages.joined(separator: "\n") == lines.joined(separator: "\n"))
        // As many messages as no server takes.
        let states = [UInt8](repeating: 1, count: 4 << 20)
        let refused = log.commit([commit(1, after: 0, "", states), commit(2, after: 0, "z\n")])
        #expect(throws: GroupError.self) { _ = try refused[0].get() }
        if case .failure(let error) = refused[0] {
            #expect(error.kind == .refused && error.reason.contains("max_payload"), "\(error)")
        }
        #expect(throws: Never.self) { _ = try refused[1].get() }
    }

    /// Also where its commit was planned for a batch that had no room for it, and not where it was refused.
    @Test func anOutputThatServersDoNotTakeIsToldOfOnce() throws {
        let notices = Locked<[String]>([])
        let log = try NATSTransport().openGroup(request { line in notices.withLock { $0.append(line) } })
            .makeLog(clock: clock)
        let long = String(repeating: "x", count: 5000) + "\n"
        let revision = try log.commit([commit(2, after: 0)])[0].get()
        #expect(throws: GroupError.self) { _ = try log.commit([commit(2, after: revision + 1, long)])[0].get() }
        #expect(log.lostOutputCount == 0)
        let large = [UInt8](repeating: 1, count: 2_500_000)
        let lost = { notices.withLock { $0 }.filter { $0.contains("it is lost") } }
        #expect(lost() == [])
        for result in log.commit([commit(0, after: 0, "", large), commit(1, after: 0, long, large)]) {
            _ = try result.get()
        }
        #expect(log.lostOutputCount == 1)
        #expect(lost().count == 1 && lost()[0].contains("partition 1 has an output of 5000 bytes"), "\(lost())")
    }

    /// Partitions that are made ready for, read, given up and gone on with at random get each message, in order.
    @Test func eachPartitionGetsItsMessagesWhateverIsReadBesideIt() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let log = try log()
        var published: [[UInt64]] = [[], [], [], []]
        var handled: [Int: [UInt64]] = [:]
        var committed: [[UInt64]] = [[], [], [], []]
        var revisions: [UInt64] = [0, 0, 0, 0]
        for _ in 0..<80 {
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                let partition = Int.random(in: 0..<4, using: &random)
                published[partition].append(try client.store("in.\(partition)", [65]).sequence)
            }
            let partition = Int.random(in: 0..<4, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: handled[partition] = nil
            case 1:
                // As if another one had gone on with it meanwhile.
                let place = max(committed[partition].last ?? 0, UInt64.random(in: 0...200, using: &random))
                committed[partition] = published[partition].filter { $0 <= place }
                handled[partition] = committed[partition]
            case 2:
                guard let known = handled[partition] else { break }
                committed[partition] = known
                let commit = commit(partition, after: revisions[partition], at: known.last ?? 0)
                revisions[partition] = try log.commit([commit])[0].get()
            default: break
            }
            try log.read(Dictionary(uniqueKeysWithValues: handled.map { ($0.key, $0.value.last ?? 0) }))
            let others = (0..<4).filter { handled[$0] == nil }
            if Int.random(in: 0..<3, using: &random) == 0 {
                _ = try log.prepare(Set(others.filter { _ in Bool.random(using: &random) }))
            }
            try log.receive(until: clock.now().shifted(byNanoseconds: 20_000_000)) { partition, number, _ in
                guard let last = handled[partition].map({ $0.last ?? 0 }), number > last else { return }
                handled[partition]?.append(number)
            }
            for (partition, known) in handled {
                #expect(known.elementsEqual(published[partition].prefix(known.count)), "seed \(seed)")
                let rest = published[partition].dropFirst(known.count)
                #expect(rest.allSatisfy { $0 > log.frontier(of: partition) }, "seed \(seed)")
            }
        }
        for partition in 0..<4 { handled[partition] = handled[partition] ?? committed[partition] }
        try log.read(handled.mapValues { $0.last ?? 0 })
        func receive() throws {
            try log.receive(until: clock.now().shifted(byNanoseconds: 20_000_000)) { partition, number, _ in
                guard number > handled[partition]?.last ?? 0 else { return }
                handled[partition]?.append(number)
            }
        }
        try eventually("all has come, seed \(seed)") {
            try receive()
            return (0..<4).allSatisfy { (handled[$0]?.count ?? 0) >= published[$0].count }
        }
        // And nothing more.
        for _ in 0..<4 { try receive() }
        for partition in 0..<4 { #expect(handled[partition] == published[partition], "seed \(seed)") }
    }

    /// Nothing comes of a partition that is another one's so far, and all behind its last commit once it has come.
    @Test func whatWasMadeReadyBeginsBehindTheLastCommit() throws {
        let log = try log()
        var numbers: [UInt64] = []
        for index in 0..<10 { numbers.append(try client.store("in.\(index % 2)", [65]).sequence) }
        let revision = try log.commit([commit(1, after: 0, at: numbers[3])])[0].get()
        try log.read([0: 0])
        var found: [Int: [UInt64]] = [:]
        func receive() throws {
            try log.receive(until: clock.now().shifted(byNanoseconds: 50_000_000)) { partition, number, _ in
                found[partition, default: []].append(number)
            }
        }
        // Others go on while a consumer is made.
        try eventually("it is made ready") {
            if try log.prepare([1, 2]) { return true }
            try receive()
            return false
        }
        let consumers = try client.request("$JS.API.CONSUMER.NAMES.in", [])
        try eventually("all of the partition that is read has come") {
            try receive()
            return (found[0]?.count ?? 0) >= 5
        }
        // And nothing of the other.
        for _ in 0..<4 { try receive() }
        #expect(found == [0: stride(from: 0, to: 10, by: 2).map { numbers[$0] }])
        // Its owner has come further.
        _ = try log.commit([commit(1, after: revision, at: numbers[5])])[0].get()
        let place = try log.lastCommit(of: 1)
        #expect(place?.position == numbers[5])
        try log.read([0: numbers[8], 1: numbers[5]])
        // What was there before is what is read from now on.
        #expect(try client.request("$JS.API.CONSUMER.NAMES.in", []).payload == consumers.payload)
        try eventually("all of the other has come") {
            try receive()
            return found[1]?.last == numbers[9]
        }
        #expect(found[1]?.filter { $0 > numbers[5] } == [numbers[7], numbers[9]])
        #expect(log.frontier(of: 1) >= numbers[9])
    }

    /// The stream has removed what was to be read while a partition was made ready for: that shows when it comes.
    @Test func whatWasMadeReadyIsNoReasonToSkip() throws {
        let log = try log()
        for _ in 0..<10 { try client.store("in.1", [65]) }
        _ = try log.commit([commit(1, after: 0, at: 2)])[0].get()
        _ = try client.request("$JS.API.STREAM.PURGE.in", Array("{\"seq\":6}".utf8)[...])
        // It is another one's, which may be further than that.
        _ = try log.prepare([1])
        let error = #expect(throws: GroupError.self) { try log.read([1: 2]) }
        #expect(error?.kind == .refused && error?.reason.contains("begins with message 6") == true)
        let other = try self.log()
        _ = try other.prepare([1])
        try other.read([1: 8])
        var found: [UInt64] = []
        try eventually("all has come") {
            try other.receive(until: clock.now().shifted(byNanoseconds: 50_000_000)) { _, number, _ in
                found.append(number)
            }
            return found.last == 10
        }
        #expect(found.filter { $0 > 8 } == [9, 10])
    }

    @Test func whatWasRemovedBeforeItWasReadEndsTheGroup() throws {
        let log = try log()
        for _ in 0..<10 { try client.store("in.1", [65]) }
        _ = try client.request("$JS.API.STREAM.PURGE.in", Array("{\"seq\":6}".utf8)[...])
        // Nobody has read anything yet.
        try log.read([1: 0])
        let error = #expect(throws: GroupError.self) { try log.read([0: 2, 1: 2]) }
        #expect(
            error?.kind == .refused && error?.reason.contains("begins with message 6") == true,
            "\(error?.reason ?? "")"
        )
        var willing = request()
        willing.skipsRemoved = true
        try NATSTransport().openGroup(willing).makeLog(clock: clock).read([1: 2])
    }

    @Test func whatIsRemovedWhileItIsReadEndsTheGroup() throws {
        let log = try log()
        try log.read([0: 0])
        for _ in 0..<6000 { try client.publish("in.0", [65]) }
        try client.flush()
        // A stream keeps what the server has taken a moment later.
        try eventually("all is kept") { try client.stream("in").last >= 6000 }
        _ = try client.request("$JS.API.STREAM.PURGE.in", Array("{\"seq\":5000}".utf8)[...])
        var last: UInt64 = 0
        var count = 0
        try eventually("the last one has come") {
            try log.receive(until: clock.now().shifted(byNanoseconds: 20_000_000)) { _, number, _ in
                last = number
                count += 1
            }
            return last >= 6000
        }
        #expect(last == 6000 && count < 6000, "\(last), \(count)")
        // What is committed would be behind what nobody has seen.
        let results = log.commit([commit(0, after: 0, at: last)])
        if case .failure(let error) = results[0] {
            #expect(error.kind == .refused && error.reason.contains("begins with message 5000"), "\(error)")
        } else {
            Issue.record("it was committed")
        }
    }

    @Test func whatPartitionsKnewIsNotBegunAnewInSilence() throws {
        let backend = try NATSTransport().openGroup(request())
        _ = try backend.makeLog(clock: clock).commit([commit(0, after: 0)])[0].get()
        try backend.makeValues().put(GroupMembership.begunKey, [])
        #expect(throws: Never.self) { _ = try NATSTransport().openGroup(request()) }
        _ = try client.request("$JS.API.STREAM.PURGE.weir-g", [])
        for _ in 0..<2 {
            let error = #expect(throws: GroupError.self) { _ = try NATSTransport().openGroup(request()) }
            #expect(error?.reason.contains("is gone from the stream 'weir-g'") == true, "\(error?.reason ?? "")")
            _ = try? client.request("$JS.API.STREAM.DELETE.weir-g", [])
        }
        var willing = request()
        willing.skipsRemoved = true
        #expect(throws: Never.self) { _ = try NATSTransport().openGroup(willing) }
    }

    @Test(arguments: [("workqueue", "retention has to be 'limits'"), ("interest", "retention has to be 'limits'")])
    func anInputThatRemovesWhatWasReadIsRefused(retention: String, words: String) throws {
        let text =
            "{\"name\":\"q\",\"subjects\":[\"q.*\"],\"storage\":\"file\",\"num_replicas\":1,\"retention\":\"\(retention)\"}"
        _ = try client.request("$JS.API.STREAM.CREATE.q", Array(text.utf8)[...])
        var other = request()
        other.input = server.address + "/q"
        let error = #expect(throws: GroupError.self) { _ = try NATSTransport().openGroup(other) }
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
    }

    /// A group asks for messages by the subjects under which they are kept.
    @Test(arguments: [
        ("", "kept.>", true), ("q.*", "kept.{{wildcard(1)}}", true), ("q.*", "q.x.$1", true),
        ("q.*", "q.{{partition(4,1)}}", false), ("r.*", "kept.{{wildcard(1)}}", false),
    ])
    func anInputThatIsKeptUnderOtherSubjectsIsRefused(source: String, destination: String, isRefused: Bool) throws {
        let text = #"""
            {"name":"q","subjects":["q.*","r.*"],"storage":"file","num_replicas":1,
            "subject_transform":{"src":"\#(source)","dest":"\#(destination)"}}
            """#
        let answer = try client.request("$JS.API.STREAM.CREATE.q", Array(text.utf8)[...])
        try #require(!String(decoding: answer.payload, as: UTF8.self).contains("error"))
        var other = request()
        other.input = server.address + "/q"
        guard isRefused else {
            #expect(throws: Never.self) { _ = try NATSTransport().openGroup(other) }
            return
        }
        let error = #expect(throws: GroupError.self) { _ = try NATSTransport().openGroup(other) }
        #expect(error?.reason.contains("'q.*' as '\(destination)'") == true, "\(error?.reason ?? "")")
    }

    @Test func anOutputThatIsKeptUnderOtherSubjectsIsRefused() throws {
        let text = #"""
            {"name":"weir-g","subjects":["out.*","weir.g.checkpoint.*","weir.g.state.*"],"allow_direct":true,"discard":"new",
            "allow_rollup_hdrs":true,"allow_atomic":true,"subject_transform":{"src":"weir.>","dest":"kept.>"}}
            """#
        _ = try client.request("$JS.API.STREAM.CREATE.weir-g", Array(text.utf8)[...])
        let error = #expect(throws: GroupError.self) { _ = try NATSTransport().openGroup(request()) }
        #expect(error?.reason.contains("'weir.g.checkpoint.*' as 'kept.>'") == true, "\(error?.reason ?? "")")
    }

    /// A server keeps consumers over its end, and has no more than 1,000 of a stream.
    @Test func noConsumerIsLeftWhereConnectionsBreak() throws {
        let log = try log()
        let number = try client.store("in.1", [65]).sequence
        var found: [UInt64] = []
        for _ in 0..<3 {
            found = []
            try log.read([1: 0])
            try eventually("it has come") {
                do throws(GroupError) {
                    found += try numbers(from: log)
                } catch {
                    #expect(error.kind == .unreachable, "\(error.reason)")
                    try log.read([1: 0])
                }
                return !found.isEmpty
            }
            #expect(found == [number])
            // It asks for that, and goes on.
            try eventually("there is one consumer") {
                if try consumerCount() == 1 { return true }
                _ = try numbers(from: log)
                return false
            }
            server.stop()
            try server.start()
            #expect(try consumerCount() == 1)
        }
    }

    /// The numbers of the messages that come within a while.
    private func numbers(from log: any PartitionLog) throws(GroupError) -> [UInt64] {
        var numbers: [UInt64] = []
        let limit = clock.now().shifted(byNanoseconds: 50_000_000)
        try log.receive(until: limit) { _, number, _ in numbers.append(number) }
        return numbers
    }

    private func consumerCount() throws -> Int? {
        let answer = try client.request("$JS.API.CONSUMER.NAMES.in", [])
        return try JSONNode.read(answer.payload, allowsRepeatedNames: true)["total"]?.integer
    }

    /// Those of members that are gone go away after a while.
    @Test func aStreamThatHasAllItsConsumersIsTriedAgain() throws {
        for index in 0..<1_000 { try client.createConsumer(JetStreamConsumerSettings("c\(index)"), of: "in") }
        let number = try client.store("in.1", [65]).sequence
        let log = try log()
        var found: [UInt64] = []
        func receive() throws {
            try log.read([1: 0])
            try eventually("it has come") {
                found += try numbers(from: log)
                return !found.isEmpty
            }
        }
        let error = #expect(throws: GroupError.self) { try receive() }
        #expect(error?.kind == .unreachable && error?.reason.contains("consumers") == true, "\(error?.reason ?? "")")
        _ = try client.request("$JS.API.CONSUMER.DELETE.in.c0", [])
        try receive()
        #expect(found == [number])
    }

    @Test func aGroupOutlivesAnyNumberOfMembers() throws {
        let values = try NATSTransport().openGroup(request()).makeValues()
        for number in 0..<1100 {
            try values.put("member.\(number)", [1])
            try values.remove("member.\(number)")
        }
        try values.put("member.last", [2])
        #expect(try values.values(["member.*"]).mapValues(\.bytes) == ["member.last": [2]])
    }

    @Test(arguments: [
        (name: "a b", stream: "", "is no name of a group"),
        (name: "g", stream: "other", "does not take 'out.*'"),
        (name: "g", stream: "plain", "several messages as one"),
        (name: "g", stream: "old", "does not let a message replace others"),
        (name: "g", stream: "aging", "gives up old messages"),
        (name: "g", stream: "short", "keeps fewer messages"),
        (name: "g", stream: "none", "there is no stream 'none'"),
    ])
    func whatCannotBeAGroupIsRefused(name: String, stream: String, words: String) throws {
        let subjects = NATSGroupPlaces.streamSubjects(of: "g", "out")
        func make(_ settings: JetStreamSettings, _ more: String = "") throws {
            guard settings.name == stream else { return }
            if more.isEmpty { return _ = try client.createStream(settings) }
            let list = settings.subjects.map { "\"\($0)\"" }.joined(separator: ",")
            let text =
                "{\"name\":\"\(settings.name)\",\"subjects\":[\(list)],\"storage\":\"file\",\"num_replicas\":1,"
                + "\"allow_atomic\":true,\"allow_rollup_hdrs\":true,\"allow_direct\":true,\(more)}"
            _ = try client.request("$JS.API.STREAM.CREATE.\(settings.name)", Array(text.utf8)[...])
        }
        var batches = JetStreamSettings("old", subjects: subjects)
        batches.takesBatches = true
        try make(JetStreamSettings("plain", subjects: subjects))
        try make(batches)
        try make(JetStreamSettings("aging", subjects: subjects), "\"max_age\":1000000000")
        try make(JetStreamSettings("short", subjects: subjects), "\"max_msgs_per_subject\":10")
        try make(JetStreamSettings("other", subjects: ["x.*"]))
        let refused = request(name, output: stream.isEmpty ? "/out" : "/out?stream=\(stream)")
        let error = #expect(throws: GroupError.self) { _ = try NATSTransport().openGroup(refused) }
        #expect(error?.kind == .refused && error?.reason.contains(words) == true, "\(error?.reason ?? "")")
    }

    @Test func otherInputsAndSubjectsAreRefused() throws {
        func reason(_ request: GroupRequest) -> String {
            let error = #expect(throws: GroupError.self) { _ = try NATSTransport().openGroup(request) }
            return error?.reason ?? ""
        }
        var other = request()
        other.input = server.address + "/elsewhere"
        #expect(reason(other).contains("nats stream add NAME --subjects 'elsewhere.*'"))
        other.input = "//127.0.0.1:1/in"
        #expect(reason(other).contains("the same servers"))
        #expect(reason(request(output: "/in")).contains("the same subject"))
        try client.createStream(JetStreamSettings("taken", subjects: ["taken.*"]))
        #expect(reason(request(output: "/taken")).contains("takes a part"))
        other = request()
        other.input += "?durable=d&stream=in"
        #expect(reason(other).contains("'durable'"))
        try client.store("in.9", [65])
        #expect(reason(request()).contains("'in.9'"))
        #expect(throws: Never.self) { _ = try NATSTransport().openGroup(request(partitions: 10)) }
        let missing = #expect(throws: GroupError.self) { _ = try NATSTransport().findGroup("none", at: server.address) }
        #expect(missing?.reason == "there is no group 'none'")
    }

    @Test func membersShareValues() throws {
        let backend = try NATSTransport().openGroup(request())
        let values = try backend.makeValues()
        let others = try NATSTransport().findGroup("g", at: server.address)
        #expect(try values.values(["a", "b.*"]).isEmpty)
        try values.put("b.one", [1])
        try values.put("b.two", [2])
        try values.replace("a", [3], revision: 0)
        let found = try others.values(["a", "b.*"])
        #expect(found.mapValues(\.bytes) == ["a": [3], "b.one": [1], "b.two": [2]])
        let taken = #expect(throws: GroupError.self) { try others.replace("a", [4], revision: 0) }
        #expect(taken?.kind == .outdated)
        try others.replace("a", [4], revision: found["a"]?.revision ?? 0)
        try others.remove("b.one")
        #expect(try values.values(["a", "b.*"]).mapValues(\.bytes) == ["a": [4], "b.two": [2]])
        try values.replace("b.one", [5], revision: 0)
        // A stream that tells no last messages has no lag that is known.
        #expect(try values.lastMessages() == [:])
        try client.createStream(
            {
                var settings = JetStreamSettings("more", subjects: ["more.*"])
                settings.permitsReplacing = true
                return settings
            }()
        )
        try client.store("more.3", [65])
        try client.store("more.3", [65])
        var more = request("m", output: "/mout")
        more.input = server.address + "/more"
        #expect(try NATSTransport().openGroup(more).makeValues().lastMessages() == [3: 2])
    }

    @Test func whatIsNoCommitIsSaid() throws {
        let log = try log()
        try client.store("weir.g.checkpoint.1", Array("nonsense".utf8))
        let error = #expect(throws: GroupError.self) { _ = try log.lastCommit(of: 1) }
        #expect(error?.kind == .refused && error?.reason.contains("weir.g.checkpoint.1") == true)
        // Another stream of the same name has other messages.
        _ = try log.commit([commit(2, after: 0)])[0].get()
        _ = try client.request("$JS.API.STREAM.DELETE.in", [])
        try client.createStream(JetStreamSettings("in", subjects: ["in.*"]))
        let other = #expect(throws: GroupError.self) { _ = try self.log().lastCommit(of: 2) }
        #expect(other?.reason.contains("another name") == true, "\(other?.reason ?? "")")
    }
}

extension PartitionLog {
    fileprivate func lastCommit(of partition: Int) throws(GroupError) -> PartitionPlace? {
        try lastCommits(of: [partition])[partition]
    }
}
