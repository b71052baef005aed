import TestServers
import Testing
import WeirCore
import WeirFormats
import WeirGroups
import WeirRecords
import WeirTesting

@testable import WeirNATS

/// States of several pieces, and what is kept of them.
@Suite(.serialized, .enabled(if: NATSServer.program != nil, "\(NATSServer.isMissing)")) struct LargeStateTests {
    private let server: NATSServer
    private let client: NATSClient

    init() throws {
        server = try NATSServer(configuration: "max_payload: 4096")
        client = try server.client()
        try client.createStream(JetStreamSettings("in", subjects: ["in.*"]))
        try client.store("in.0", [65])
    }

    private func log() throws -> NATSPartitionLog {
        let request = GroupRequest(
            name: "g",
            input: server.address + "/in",
            output: server.address + "/out",
            partitionCount: 4
        ) { _ in }
        let log = try NATSTransport().openGroup(request).makeLog(clock: MonotonicClock())
        return try #require(log as? NATSPartitionLog)
    }

    private func commit(_ state: [UInt8]?, after revision: UInt64, of partition: Int = 0) -> PartitionCommit {
        PartitionCommit(partition: partition, revision: revision, position: 1, outputs: [], state: state)
    }

    private func pieceCount(of partition: Int = 0) throws -> Int {
        let subject = "weir.g.state.\(partition)"
        let question = Array(#"{"subjects_filter":"\#(subject)"}"#.utf8)
        let answer = try client.request("$JS.API.STREAM.INFO.weir-g", question[...])
        return try #require(try JSONNode.read(answer.payload)["state"]?["subjects"]?[subject]?.integer)
    }

    private static func noise(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private static func change(_ state: inout [UInt8], _ random: inout SeededGenerator) {
        let place = Int.random(in: 0..<state.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: state.insert(contentsOf: noise(100, &random), at: place)
        case 1: state.removeSubrange(place..<min(state.count, place + 1000))
        default: state[place] &+= 1
        }
    }

    /// Members that go on with each other's states, some of which were read in advance and some never.
    @Test func changesAreKeptBehindTheStateTheyAreOf() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var state = Self.noise(300_000, &random)
        var owner = try log()
        var revision = try owner.commit([commit(state, after: 0)])[0].get()
        let whole = try pieceCount()
        #expect(whole == 98)
        var (wholeCount, preparedCount) = (0, 0)
        for step in 0..<80 {
            let before = try pieceCount()
            switch Int.random(in: 0..<20, using: &random) {
            case 0: state = Self.noise(Int.random(in: 10_000...300_000, using: &random), &random)
            case 1:
                // One that is refused changes nothing.
                let refused = owner.commit([commit(Self.noise(1000, &random), after: revision + 1)])[0]
                #expect(throws: GroupError.self) { _ = try refused.get() }
                #expect(try owner.lastCommits(of: [0])[0]?.state == state, "seed \(seed), step \(step)")
            case 2...5:
                let next = try log()
                if Bool.random(using: &random) {
                    for _ in 0..<200 { if try next.prepare([0]) { break } }
                    preparedCount += next.preparedStates[0]?.isWhole == true ? 1 : 0
                    if Bool.random(using: &random) {
                        Self.change(&state, &random)
                        revision = try owner.commit([commit(state, after: revision)])[0].get()
                    }
                }
                let place = try next.lastCommits(of: [0])[0]
                #expect(place?.state == state && place?.revision == revision, "seed \(seed), step \(step)")
                owner = next
            default: Self.change(&state, &random)
            }
            let isSame = Int.random(in: 0..<5, using: &random) == 0
            if isSame {
                revision = try owner.commit([commit(nil, after: revision)])[0].get()
                state = try #require(try owner.lastCommits(of: [0])[0]).state
            } else {
                revision = try owner.commit([commit(state, after: revision)])[0].get()
            }
            let count = try pieceCount()
            if count < before { wholeCount += 1 }
            #expect(count <= 98 * 3 / 2, "seed \(seed), step \(step)")
            #expect(try log().lastCommits(of: [0])[0]?.state == state, "seed \(seed), step \(step)")
        }
        #expect(wholeCount > 0 && wholeCount < 60 && preparedCount > 0, "seed \(seed): \(wholeCount), \(preparedCount)")
    }

    /// A small change of a large state is a few messages.
    @Test func aCommitHasTheChangesAlone() throws {
        var random = SeededGenerator(seed: 1)
        var states = (0..<4).map { _ in Self.noise(300_000, &random) }
        let log = try log()
        var revisions = try log.commit(states.enumerated().map { commit($1, after: 0, of: $0) }).map { try $0.get() }
        let before = try client.stream("weir-g").last
        for partition in 0..<4 { states[partition][150_000] &+= 1 }
        let commits = (0..<4).map { commit(states[$0], after: revisions[$0], of: $0) }
        revisions = try log.commit(commits).map { try $0.get() }
        // Two parts of 8 KiB, at most.
        #expect(try client.stream("weir-g").last - before <= 4 * (6 + 1))
        let places = try self.log().lastCommits(of: [0, 1, 2, 3])
        for partition in 0..<4 {
            #expect(places[partition]?.state == states[partition])
            #expect(places[partition]?.revision == revisions[partition])
        }
    }

    /// Its owner writes all anew while another one reads it in advance.
    @Test func aStateThatIsReplacedWhileItIsReadInAdvanceIsReadInTheEnd() throws {
        var random = SeededGenerator(seed: 2)
        let (owner, next) = (try log(), try log())
        let first = try owner.commit([commit(Self.noise(2_500_000, &random), after: 0)])[0].get()
        // A part of it.
        _ = try next.prepare([0])
        #expect(next.isPreparingStates)
        let state = Self.noise(2_400_000, &random)
        let second = try owner.commit([commit(state, after: first)])[0].get()
        for _ in 0..<200 { if try next.prepare([0]) { break } }
        #expect(!next.isPreparingStates)
        let place = try next.lastCommits(of: [0])[0]
        #expect(place?.state == state && place?.revision == second)
    }

    /// What another program wrote behind a state is told of, and is no end of the program.
    @Test func changesThatAreNoneAreRefused() throws {
        let log = try log()
        let revision = try log.commit([commit([UInt8](repeating: 1, count: 5000), after: 0)])[0].get()
        _ = try client.store("weir.g.state.0", [1, 2, 3])
        let head = try client.lastMessages(of: "weir-g", like: ["weir.g.checkpoint.0"])[0]
        let text = String(decoding: head.payload, as: UTF8.self)
            .replacing(
                #""pieces":2,"bytes":5000"#,
                with: #""first":\#(revision - 2),"pieces":3,"bytes":5003,"changes":[3]"#
            )
        _ = try client.store("weir.g.checkpoint.0", Array(text.utf8))
        let error = #expect(throws: GroupError.self) { _ = try self.log().lastCommits(of: [0]) }
        #expect(error?.reason.contains("what is known of partition 0 is no state") == true, "\(error?.reason ?? "")")
    }
}
