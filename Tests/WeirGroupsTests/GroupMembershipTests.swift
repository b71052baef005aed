import Testing
import WeirCore
import WeirGroups

/// Members of one group that take their turns as a test says.
struct GroupMembershipTests {
    private let broker = SimulatedBroker(seed: 1, partitionCount: 4, messages: [])

    private func settings(_ query: String = "count", replaces: Bool = false) -> GroupSettings {
        var settings = GroupSettings([.init("query", query)], partitionCount: 4)
        settings.replaces = replaces
        return settings
    }

    private func member(_ name: String, _ settings: GroupSettings? = nil) -> GroupMembership {
        GroupMembership(name, settings ?? self.settings(), in: SimulatedConnection(name, broker))
    }

    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(millisecondsSinceEpoch: milliseconds) }

    /// Lets something happen after the next read, before its answer comes.
    private func afterRead(_ body: @escaping (SimulatedBroker) -> Void) {
        var count = 0
        broker.faults.delayed = 1_000
        broker.onDelay = { [unowned broker] _ in
            count += 1
            guard count == 2 else { return }
            broker.faults.delayed = 0
            body(broker)
        }
    }

    private var memberKeys: [String] { broker.read().keys.filter { $0.hasPrefix("member.") }.sorted() }

    @Test
    func theFirstMemberProposes() throws {
        var (a, b) = (member("a"), member("b"))
        #expect(try b.step(at(0)) == GroupShare())
        #expect(try a.step(at(0)) == GroupShare())
        // A member that is not the first waits for a map.
        #expect(try b.step(at(250)) == GroupShare())
        #expect(b.proposalCount == 0)
        #expect(try a.step(at(250)).kept == [0, 1])
        #expect(try b.step(at(500)).kept == [2, 3])
        #expect(a.proposalCount == 1)
        #expect(b.proposalCount == 0)
        #expect(a.members == ["a", "b"])
    }

    @Test
    func theLeaseIsMeasuredByOnesOwnClock() throws {
        var (a, b) = (member("a"), member("b"))
        let years: Int64 = 1_000_000_000_000
        _ = try a.step(at(0))
        _ = try b.step(at(years))
        #expect(try a.step(at(250)).kept == [0, 1])
        #expect(try b.step(at(years + 250)).kept == [2, 3])
        for time in stride(from: Int64(500), through: 2_249, by: 250) {
            #expect(try b.step(at(years + time)).kept == [2, 3])
            #expect(b.members == ["a", "b"])
        }
        // It has heard nothing of the other for a whole lease since it first saw it.
        #expect(try b.step(at(years + 2_250)).kept == [0, 1, 2, 3])
        #expect(b.members == ["b"])
        // The other one comes back, and gets its share as soon as it is handed over.
        #expect(try a.step(at(1_000)).kept == [])
        #expect(try b.step(at(years + 2_500)).hasAnnounced)
        let coming = try a.step(at(1_250)).coming
        #expect(try a.step(at(1_260), prepared: coming).kept == [])
        let leaving = try b.step(at(years + 2_600)).leaving
        #expect(leaving == coming && leaving.count == 2)
        _ = try b.step(at(years + 2_750), released: leaving.sorted())
        #expect(try a.step(at(1_500)).kept == leaving)
    }

    @Test
    func otherSettingsAreRefusedByName() throws {
        var a = member("a")
        _ = try a.step(at(0))
        var other = settings("sum")
        other.settings.append(.init("window", "5m"))
        var b = member("b", other)
        let error = #expect(throws: GroupError.self) { try b.step(at(0)) }
        #expect(error?.kind == .refused)
        #expect(
            error?.reason == "the group is another one: query is 'count' there and 'sum' here, window was not given"
        )
        var c = member("c", GroupSettings([], partitionCount: 4))
        let second = #expect(throws: GroupError.self) { try c.step(at(0)) }
        #expect(second?.reason == "the group is another one: query is given there")
        var d = member("d", settings(String(repeating: "x", count: 100)))
        let third = #expect(throws: GroupError.self) { try d.step(at(0)) }
        #expect(third?.reason == "the group is another one: query is another one")
        // They were no members, not even for a moment.
        #expect(memberKeys == ["member.a"])
    }

    /// A member of an older program, which does not know of all that members tell each other, would wait for good.
    @Test
    func anotherVersionIsRefusedInOneLine() throws {
        for (text, words) in [(#"{"query":"count"}"#, "1"), (#"{"query":"count","version of groups":"77"}"#, "77")] {
            _ = broker.write("group", Array(text.utf8))
            var a = member("a")
            let error = #expect(throws: GroupError.self) { try a.step(at(0)) }
            #expect(error?.kind == .refused)
            #expect(
                error?.reason
                    == "the group is another one: its members are of another version of weir (\(words) there, "
                    + "\(GroupSettings.version.value) here); end all of them, and start members with --state-mismatch drop, "
                    + "which keep what is known where nothing else differs"
            )
            #expect(memberKeys == [])
        }
        var b = member("b", settings(replaces: true))
        _ = try b.step(at(0))
        #expect(try b.step(at(250)).kept == [0, 1, 2, 3])
        var c = member("c")
        #expect(throws: Never.self) { _ = try c.step(at(250)) }
    }

    @Test
    func newSettingsReplaceOldOnes() throws {
        var (a, b) = (member("a"), member("b", settings("sum", replaces: true)))
        _ = try a.step(at(0))
        _ = try b.step(at(0))
        let error = #expect(throws: GroupError.self) { try a.step(at(250)) }
        #expect(error?.kind == .refused)
        #expect(error?.reason == "the group was joined with other settings, and goes on with those")
        try a.leave()
        #expect(try b.step(at(250)).kept == [0, 1, 2, 3])
    }

    /// Also where the answer was lost.
    @Test(arguments: [false, true])
    func whoeverReplacesSettingsIsNotPutOffByOldOnes(isUnclear: Bool) throws {
        var (a, b) = (member("a"), member("b", settings("sum", replaces: true)))
        _ = try a.step(at(0))
        if isUnclear {
            broker.faults.answerLost = 1_000
            #expect(throws: GroupError.self) { try b.step(at(0)) }
            broker.faults.answerLost = 0
        }
        _ = try b.step(at(0))
        broker.faults.stale = 500
        for time in stride(from: Int64(250), to: 10_000, by: 250) { _ = try b.step(at(time)) }
        broker.faults.stale = 0
        #expect(try b.step(at(20_000)).kept == [0, 1, 2, 3])
    }

    @Test
    func whatIsLeftIsTakenAtOnce() throws {
        var (a, b) = (member("a"), member("b"))
        for time in [Int64(0), 250, 500] {
            _ = try a.step(at(time))
            _ = try b.step(at(time))
        }
        try a.leave()
        #expect(memberKeys == ["member.b"])
        #expect(try b.step(at(501)).kept == [0, 1, 2, 3])
        // Only once.
        try a.leave()
    }

    @Test
    func handingOverNeedsTheOwner() throws {
        var (a, b) = (member("a"), member("b"))
        _ = try b.step(at(0))
        #expect(try b.step(at(250)).kept == [0, 1, 2, 3])
        _ = try a.step(at(500))
        let coming = try a.step(at(750)).coming
        #expect(coming.count == 2)
        // Until the other one is ready, it goes on with all of them.
        let before = try b.step(at(750))
        #expect(before.kept == [0, 1, 2, 3] && before.hasAnnounced && before.leaving == [])
        #expect(try a.step(at(800), prepared: coming).kept == [])
        let share = try b.step(at(850))
        #expect(share.kept.count == 2)
        #expect(share.leaving == coming)
        // However long it takes.
        for time in stride(from: Int64(1_000), to: 10_000, by: 250) {
            #expect(try a.step(at(time)).kept == [])
            #expect(try b.step(at(time)) == share)
        }
        #expect(try b.step(at(10_000), released: share.leaving.sorted()).leaving == [])
        #expect(try a.step(at(10_000)).kept == share.leaving)
    }

    /// Lets one member join another one, and make ready.
    ///
    /// - Returns: What the other one is to let go.
    private func prepare(_ new: inout GroupMembership, _ old: inout GroupMembership) throws -> Set<Int> {
        _ = try old.step(at(0))
        _ = try old.step(at(250))
        _ = try new.step(at(500))
        let coming = try new.step(at(750)).coming
        _ = try new.step(at(760), prepared: coming)
        let leaving = try old.step(at(770)).leaving
        #expect(leaving == coming && !leaving.isEmpty)
        return leaving
    }

    @Test
    func whatWasReleasedIsSaidUntilTheMapSaysIt() throws {
        var (a, b) = (member("a"), member("b"))
        let leaving = try prepare(&a, &b)
        broker.faults.lost = 1_000
        #expect(throws: GroupError.self) { try b.step(at(850), released: leaving.sorted()) }
        broker.faults.lost = 0
        #expect(try b.step(at(900)).leaving == [])
        #expect(try a.step(at(1_000)).kept == leaving)
    }

    @Test
    func ofTwoThatThinkTheyAreFirstOneIsRefused() throws {
        final class Other {
            var membership: GroupMembership
            var share = GroupShare()
            init(_ membership: GroupMembership) { self.membership = membership }
        }
        var a = member("a")
        let b = Other(member("b"))
        _ = try a.step(at(0))
        _ = try b.membership.step(at(0))
        _ = try b.membership.step(at(100))
        // While one waits for what it reads, the clock of the other runs fast: it thinks that it is alone.
        afterRead { _ in
            b.share = (try? b.membership.step(Timestamp(millisecondsSinceEpoch: 3_000))) ?? GroupShare()
        }
        let read = try a.step(at(200))
        #expect(b.share.kept == [0, 1, 2, 3])
        #expect(b.membership.members == ["b"])
        // The first had read before the other wrote.
        #expect(read.kept == [])
        #expect(a.proposalCount == 0)
        _ = try a.step(at(600))
        _ = try b.membership.step(at(3_100))
        let coming = try a.step(at(650)).coming
        _ = try a.step(at(660), prepared: coming)
        let share = try b.membership.step(at(3_150))
        #expect(share.kept.count == 2)
        _ = try b.membership.step(at(3_200), released: share.leaving.sorted())
        #expect(try a.step(at(700)).kept == share.leaving)
    }

    /// One request between letting go and having: neither a read before nor the next turn of the one that lets go.
    @Test
    func whatIsLetGoIsTheOthersWithTheNextRequest() throws {
        var (a, b) = (member("a"), member("b"))
        let leaving = try prepare(&a, &b)
        // Each request could be held up on its way there, and on its way back.
        var count = 0
        broker.faults.delayed = 1_000
        broker.onDelay = { _ in count += 1 }
        #expect(try b.step(at(780), released: leaving.sorted()).leaving == [])
        #expect(count == 2)
        broker.faults.delayed = 0
        #expect(try a.step(at(780)).kept == leaving)
    }

    /// Where another one has changed the map meanwhile, the same call finds that out and tries again.
    @Test
    func whatIsLetGoIsSaidAlsoWhereTheMapIsAnotherOne() throws {
        var (a, b, c) = (member("a"), member("b"), member("c"))
        let leaving = try prepare(&a, &b)
        _ = try c.step(at(780))
        _ = try a.step(at(790))
        #expect(try b.step(at(800), released: leaving.sorted()).leaving == [])
        #expect(try a.step(at(810)).kept.isSubset(of: leaving))
    }

    @Test
    func whoLeavesHandsOverToThoseThatStay() throws {
        var (a, b) = (member("a"), member("b"))
        for time in [Int64(0), 250, 500] {
            _ = try a.step(at(time))
            _ = try b.step(at(time))
        }
        // The one that proposes is the one that leaves.
        let before = try a.step(at(600), isLeaving: true)
        #expect(before.kept == [0, 1] && a.heirs == ["b"])
        #expect(try b.step(at(610)).coming == [0, 1])
        #expect(try a.step(at(620)).kept == [0, 1])
        #expect(try b.step(at(630), prepared: [0, 1]).kept == [2, 3])
        #expect(try a.step(at(640)).leaving == [0, 1])
        #expect(try a.step(at(650), released: [0, 1]) == GroupShare())
        #expect(try b.step(at(660)).kept == [0, 1, 2, 3])
        // It gets nothing back, as long as it is there.
        #expect(try a.step(at(700)) == GroupShare())
        #expect(try b.step(at(710)).kept == [0, 1, 2, 3])
    }

    @Test
    func whoeverIsAloneOrAmongLeaversHasNoHeirs() throws {
        var (a, b) = (member("a"), member("b"))
        for time in [Int64(0), 250, 500] {
            _ = try a.step(at(time))
            _ = try b.step(at(time))
        }
        _ = try a.step(at(600), isLeaving: true)
        _ = try b.step(at(610), isLeaving: true)
        _ = try a.step(at(620))
        #expect(a.heirs.isEmpty && b.heirs.isEmpty)
        // Both go on with what they have.
        #expect(try a.step(at(630)).kept == [0, 1])
        #expect(try b.step(at(630)).kept == [2, 3])
    }

    @Test
    func whoeverHasBeenSilentForLongIsForgotten() throws {
        var (a, b) = (member("a"), member("b"))
        _ = try b.step(at(0))
        _ = try a.step(at(0))
        _ = try a.step(at(250))
        _ = try a.step(at(20_000))
        #expect(memberKeys == ["member.a", "member.b"])
        _ = try a.step(at(20_251))
        #expect(memberKeys == ["member.a"])
        // It is there again as soon as it says so.
        _ = try b.step(at(20_000))
        _ = try a.step(at(20_500))
        #expect(a.members == ["a", "b"])
    }

    @Test
    func aFailureToForgetDoesNotHideTheShare() throws {
        let connection = SimulatedConnection("a", broker)
        var (a, b) = (GroupMembership("a", settings(), in: connection), member("b"))
        _ = try b.step(at(0))
        _ = try a.step(at(0))
        _ = try a.step(at(250))
        #expect(try a.step(at(20_000)).kept == [0, 1, 2, 3])
        afterRead { _ in connection.nextError = SimulatedConnection.noAnswer }
        #expect(try a.step(at(20_300)).kept == [0, 1, 2, 3])
        #expect(connection.nextError == nil)
        #expect(memberKeys == ["member.a", "member.b"])
        _ = try a.step(at(20_400))
        #expect(memberKeys == ["member.a"])
    }

    @Test
    func whoJoinsAtTheSameTimeJoinsWithTheNextCall() throws {
        var a = member("a")
        let settings = settings()
        afterRead { broker in
            var b = GroupMembership("b", settings, in: SimulatedConnection("b", broker))
            _ = try? b.step(.epoch)
        }
        #expect(try a.step(at(0)) == GroupShare())
        #expect(memberKeys == ["member.b"])
        _ = try a.step(at(100))
        #expect(memberKeys == ["member.a", "member.b"])
    }
}
