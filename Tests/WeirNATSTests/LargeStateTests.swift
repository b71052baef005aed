import TestServers
import TestThreads
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

    private func request(notice: @escaping @Sendable (String) -> Void = { _ in }) -> GroupRequest {
        GroupRequest(
            name: "g",
            input: server.address + "/in",
            output: server.address + "/out",
            partitionCount: 4,
            notice: notice
        )
    }

    private func log() throws -> NATSPartitionLog {
        let log = try NATSTransport().openGroup(request()).makeLog(clock: MonotonicClock())
        let found = try #require(log as? NATSPartitionLog)
        // However slow this machine is.
        found.preparedReadTime = .seconds(60)
        return found
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
        case 1: state.removeSubrange(place..<min(state.count, place + 100))
        default: state[place] &+= 1
        }
    }

    /// Has a log make ready for partitions, as far as it does.
    private func prepare(_ partitions: Set<Int>, _ log: NATSPartitionLog) throws {
        let clock = MonotonicClock()
        try eventually("\(partitions) are ready") {
            if try log.prepare(partitions) { return true }
            // Its consumer is made meanwhile.
            try log.receive(until: clock.now().shifted(byNanoseconds: 20_000_000)) { _, _, _ in }
            return false
        }
    }

    /// Members that go on with each other's states, some of which were read in advance.
    @Test func changesAreKeptBehindTheStateTheyAreOf() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("large states: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var state = Self.noise(300_000, &random)
        var owner = try log()
        var revision = try owner.commit([commit(state, after: 0)])[0].get()
        #expect(try pieceCount() == 98)
        var (wholeCount, preparedCount, known) = (0, 0, [owner])
        for step in 0..<100 {
            let before = try pieceCount()
            switch step % 25 == 24 ? 0 : Int.random(in: 1..<10, using: &random) {
            case 0: state = Self.noise(Int.random(in: 20_000...300_000, using: &random), &random)
            case 1:
                // Commits that are refused change nothing, also where the member knows an older state.
                let other = try #require(known.randomElement(using: &random))
                var wrong = state
                Self.change(&wrong, &random)
                let refused = other.commit([commit(wrong, after: revision + 1)])[0]
                #expect(throws: GroupError.self, "seed \(seed), step \(step)") { _ = try refused.get() }
                #expect(try owner.lastCommits(of: [0])[0]?.state == state, "seed \(seed), step \(step)")
            case 2, 3:
                let next = Bool.random(using: &random) ? try log() : try #require(known.randomElement(using: &random))
                if next !== owner, Bool.random(using: &random) {
                    try prepare([0], next)
                    preparedCount += next.preparedStates[0]?.isWhole == true ? 1 : 0
                    Self.change(&state, &random)
                    let last = PartitionCommit(
                        partition: 0,
                        revision: revision,
                        position: 1,
                        outputs: [],
                        state: state,
                        isHandover: true
                    )
                    revision = try owner.commit([last])[0].get()
                }
                let place = try next.lastCommits(of: [0])[0]
                #expect(place?.state == state && place?.revision == revision, "seed \(seed), step \(step)")
                #expect(next.preparedStates.isEmpty)
                owner = next
                known.append(next)
            case 4: revision = try owner.commit([commit(nil, after: revision)])[0].get()
            default: Self.change(&state, &random)
            }
            revision = try owner.commit([commit(state, after: revision)])[0].get()
            let count = try pieceCount()
            if count < before { wholeCount += 1 }
            #expect(
                try #require(owner.kept[0]).byteCount <= state.count + state.count / 2,
                "seed \(seed), step \(step)"
            )
            #expect(try log().lastCommits(of: [0])[0]?.state == state, "seed \(seed), step \(step)")
        }
        #expect((1...40).contains(wholeCount) && preparedCount > 0, "seed \(seed): \(wholeCount), \(preparedCount)")
    }

    /// As many changes as there are at most, each of one part: all of them together are less than half of the state.
    @Test func changesWithoutEndAreWrittenAnew() throws {
        var random = SeededGenerator(seed: 3)
        var state = Self.noise(2_200_000, &random)
        let log = try log()
        var revision = try log.commit([commit(state, after: 0)])[0].get()
        var counts: [Int] = []
        for _ in 0..<130 {
            state[0] &+= 1
            revision = try log.commit([commit(state, after: revision)])[0].get()
            counts.append(try #require(log.kept[0]).changes.count)
        }
        #expect(counts == Array(1...128) + [0, 1])
        #expect(try self.log().lastCommits(of: [0])[0]?.state == state)
    }

    /// What changes is half of a state: it is written whole, but where another member has read what there is.
    @Test(arguments: [false, true]) func theLastCommitOfAnOwnerHasChanges(isHandover: Bool) throws {
        var random = SeededGenerator(seed: 9)
        let first = Self.noise(300_000, &random)
        let second = Self.noise(100_000, &random) + first[100_000...]
        let third = Self.noise(100_000, &random) + first[100_000...]
        let log = try log()
        var revision = try log.commit([commit(first, after: 0)])[0].get()
        revision = try log.commit([commit(second, after: revision)])[0].get()
        #expect(log.kept[0]?.changes.count == 1)
        let last = PartitionCommit(
            partition: 0,
            revision: revision,
            position: 1,
            outputs: [],
            state: third,
            isHandover: isHandover
        )
        revision = try log.commit([last])[0].get()
        #expect(log.kept[0]?.changes.count == (isHandover ? 2 : 0))
        let next = try self.log()
        #expect(try next.lastCommits(of: [0])[0]?.state == third)
        // More than half is changes then, so that the next one is whole.
        revision = try next.commit([commit(first, after: revision)])[0].get()
        #expect(next.kept[0]?.changes.count == (isHandover ? 0 : 1))
        #expect(try self.log().lastCommits(of: [0])[0]?.state == first)
    }

    /// Two members that work at the same partition: the changes of the one are not of what the other one has kept.
    @Test func changesOfAnOlderStateAreRefused() throws {
        var random = SeededGenerator(seed: 5)
        let state = Self.noise(100_000, &random)
        let (one, zombie) = (try log(), try log())
        let first = try one.commit([commit(state, after: 0)])[0].get()
        _ = try zombie.lastCommits(of: [0])
        var (newer, older) = (state, state)
        newer[10] &+= 1
        older[90_000] &+= 1
        let second = try one.commit([commit(newer, after: first)])[0].get()
        let refused = zombie.commit([commit(older, after: first), commit(older, after: 0, of: 1)])
        if case .failure(let error) = refused[0] {
            #expect(error.kind == .outdated)
        } else {
            Issue.record("it is kept")
        }
        // The one beside it is kept, by itself.
        #expect(throws: Never.self) { _ = try refused[1].get() }
        #expect(try log().lastCommits(of: [0, 1]).mapValues(\.state) == [0: newer, 1: older])
        // What is not of the commit that it follows is written whole.
        let third = try zombie.commit([commit(older, after: second)])[0].get()
        let place = try log().lastCommits(of: [0])[0]
        #expect(place == PartitionPlace(revision: third, position: 1, state: older))
        #expect(try pieceCount() == 33)
    }

    /// Of several partitions, some come first: what was read of the others stays.
    @Test func whatWasReadInAdvanceStaysUntilItComes() throws {
        var random = SeededGenerator(seed: 6)
        var states = (0..<3).map { _ in Self.noise(400_000, &random) }
        let (owner, next) = (try log(), try log())
        var revisions = try owner.commit(states.enumerated().map { commit($1, after: 0, of: $0) }).map { try $0.get() }
        try prepare([0, 1, 2], next)
        #expect(next.preparedStates.mapValues(\.isWhole) == [0: true, 1: true, 2: true])
        #expect(try next.lastCommits(of: [1])[1]?.state == states[1])
        try next.read([1: 1])
        states[2][7] &+= 1
        revisions[2] = try owner.commit([commit(states[2], after: revisions[2], of: 2)])[0].get()
        try prepare([0, 2], next)
        #expect(next.preparedStates.mapValues(\.isWhole) == [0: true, 2: true])
        #expect(try next.lastCommits(of: [0, 2]).mapValues(\.state) == [0: states[0], 2: states[2]])
        // What has no room is read once it comes.
        let small = try log()
        small.preparedLimit = 1_000_000
        try prepare([0, 1, 2], small)
        #expect(small.preparedStates.mapValues(\.isWhole) == [0: true, 1: true])
        #expect(try small.lastCommits(of: [2])[2]?.state == states[2])
        // One that does not come after all is forgotten, also where it was not read yet.
        let other = try log()
        _ = try other.prepare([0, 1])
        #expect(other.isPreparingStates)
        #expect(try other.prepare([]))
        #expect(!other.isPreparingStates && other.preparedStates.isEmpty)
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
        try prepare([0], next)
        // It was begun once more.
        #expect(next.preparedStates[0]?.isWhole == true)
        let place = try next.lastCommits(of: [0])[0]
        #expect(place?.state == state && place?.revision == second)
    }

    // MARK: Other programs

    private func store(_ text: String) throws { try client.store("weir.g.state.0", Array(text.utf8)) }

    /// What another program writes among the pieces is none of them.
    @Test func messagesOfOthersAmongThePiecesAreLeftOut() throws {
        var random = SeededGenerator(seed: 7)
        var state = Self.noise(300_000, &random)
        let owner = try log()
        var revision = try owner.commit([commit(state, after: 0)])[0].get()
        for _ in 0..<3 {
            state[150_000] &+= 1
            revision = try owner.commit([commit(state, after: revision)])[0].get()
        }
        try store("hello")
        #expect(try log().lastCommits(of: [0])[0]?.state == state)
        // Changes follow the last piece, and nothing else.
        state[10] &+= 1
        revision = try owner.commit([commit(state, after: revision)])[0].get()
        #expect(try pieceCount() == 98)
        #expect(try log().lastCommits(of: [0])[0] == PartitionPlace(revision: revision, position: 1, state: state))
    }

    /// Pieces that are removed while their owner works: its next commit has all of the state.
    @Test func piecesThatAreRemovedAreWrittenAnew() throws {
        var random = SeededGenerator(seed: 8)
        var states = (0..<2).map { _ in Self.noise(300_000, &random) }
        let owner = try log()
        let revisions = try owner.commit(states.enumerated().map { commit($1, after: 0, of: $0) }).map { try $0.get() }
        _ = try client.request("$JS.API.STREAM.PURGE.weir-g", Array(#"{"filter":"weir.g.state.*"}"#.utf8)[...])
        for partition in 0..<2 { states[partition][7] &+= 1 }
        let last = owner.commit((0..<2).map { commit(states[$0], after: revisions[$0], of: $0) })
        for result in last { _ = try result.get() }
        #expect(try log().lastCommits(of: [0, 1]).mapValues(\.state) == [0: states[0], 1: states[1]])
    }

    /// Pieces that are removed before another member reads them: that is said once it is sure, or the partition goes on
    /// without what it knew.
    @Test func piecesThatAreMissingAreToldOf() throws {
        let notices = Locked<[String]>([])
        let owner = try log()
        let revision = try owner.commit([commit([UInt8](repeating: 1, count: 5000), after: 0)])[0].get()
        _ = try client.request("$JS.API.STREAM.MSG.DELETE.weir-g", Array("{\"seq\":\(revision - 1)}".utf8)[...])
        let other = try log()
        let doubtful = #expect(throws: GroupError.self) { _ = try other.lastCommits(of: [0]) }
        #expect(doubtful?.kind == .unreachable)
        other.doubt = 0
        let error = #expect(throws: GroupError.self) { _ = try other.lastCommits(of: [0]) }
        #expect(
            error?.kind == .refused && error?.reason.contains("--state-mismatch drop") == true,
            "\(error?.reason ?? "")"
        )
        #expect(error?.reason.contains("are missing in 'weir.g.state.0' of the stream 'weir-g'") == true)
        var request = request { line in notices.withLock { $0.append(line) } }
        request.skipsRemoved = true
        let log = try NATSTransport().openGroup(request).makeLog(clock: MonotonicClock())
        (log as? NATSPartitionLog)?.doubt = 0
        let place = try log.lastCommits(of: [0])[0]
        #expect(place == PartitionPlace(revision: revision, position: 1, state: nil))
        #expect(notices.withLock { $0 }.contains { $0.contains("knows nothing and goes on behind message 1") })
        _ = try log.commit([commit([2], after: revision)])[0].get()
        #expect(try self.log().lastCommits(of: [0])[0]?.state == [2])
    }

    /// A partition whose head is gone would begin anew, and find all again.
    @Test func aHeadThatIsMissingIsToldOf() throws {
        let notices = Locked<[String]>([])
        let owner = try log()
        let revision = try owner.commit([commit([1, 2, 3], after: 0)])[0].get()
        _ = try owner.commit([commit([1], after: 0, of: 1)])[0].get()
        _ = try client.request("$JS.API.STREAM.MSG.DELETE.weir-g", Array("{\"seq\":\(revision)}".utf8)[...])
        let other = try log()
        // A server may lag behind.
        let doubtful = #expect(throws: GroupError.self) { _ = try other.lastCommits(of: [0, 1, 2]) }
        #expect(doubtful?.kind == .unreachable)
        other.doubt = 0
        let error = #expect(throws: GroupError.self) { _ = try other.lastCommits(of: [0, 1, 2]) }
        #expect(error?.kind == .refused)
        let words = "the last commit of partition 0 is missing in 'weir.g.checkpoint.0' of the stream 'weir-g'"
        #expect(error?.reason.hasPrefix(words) == true, "\(error?.reason ?? "")")
        #expect(try other.lastCommits(of: [1, 2]).keys.sorted() == [1])
        var request = request { line in notices.withLock { $0.append(line) } }
        request.skipsRemoved = true
        let log = try NATSTransport().openGroup(request).makeLog(clock: MonotonicClock())
        (log as? NATSPartitionLog)?.doubt = 0
        #expect(try log.lastCommits(of: [0, 1, 2]).keys.sorted() == [1])
        #expect(notices.withLock { $0 }.contains { $0.contains("begins anew, with the first message") })
        _ = try log.commit([commit([4], after: 0)])[0].get()
        #expect(try self.log().lastCommits(of: [0])[0]?.state == [4])
    }

    /// Many outputs beside a state of many pieces: they take the room that is left.
    @Test func outputsTakeTheRoomBesideTheState() throws {
        let lines = (0..<700).map { "line \($0)\n" }.joined()
        let state = [UInt8](repeating: 1, count: 3072 * 900)
        let last = PartitionCommit(partition: 0, revision: 0, position: 1, outputs: Array(lines.utf8), state: state)
        _ = try log().commit([last])[0].get()
        #expect(try log().lastCommits(of: [0])[0]?.state == state)
    }
}
