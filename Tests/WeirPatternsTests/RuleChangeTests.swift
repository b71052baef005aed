import Synchronization
import Testing
import WeirCore
import WeirExpressions
import WeirTesting

@testable import WeirPatterns

/// Sets that change while streams are attached to them.
@Suite struct RuleChangeTests {
    typealias Tick = PatternSetTests.Tick

    final class Log: Sendable {
        private let texts = Mutex<[String]>([])

        var lines: [String] { texts.withLock { $0 } }

        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    static func send(_ prices: Int..., to source: Multicast<Tick>, at time: Int64 = 0, symbol: String = "") {
        for price in prices {
            let time = Timestamp(nanosecondsSinceEpoch: time)
            source.send(Tick(symbol: symbol, price: price, time: time.nanosecondsSinceEpoch), at: time)
        }
    }

    static func pair(_ first: Int, _ second: Int) -> some EventPattern<Tick, (Tick, Tick)> {
        Pattern<Tick>.first.where { $0.price == first }.followedBy.where { $0.price == second }
    }

    @Test func aHandlerChangesTheSetThatCallsIt() throws {
        let (set, log, source) = (PatternSet<Tick>(), Log(), Multicast<Tick>())
        let one = Pattern<Tick>.first.where { $0.price == 1 }
        try set.add(one, named: "first") { [weak set] _ in
            log.add("first")
            guard let set else { return }
            #expect(set.remove("first") && set.remove("second"))
            do { try set.add(one, named: "third") { _ in log.add("third") } } catch { Issue.record(error) }
            do { try set.replace("last", with: one) { _ in log.add("new last") } } catch { Issue.record(error) }
        }
        try set.add(one, named: "second") { _ in log.add("second") }
        try set.add(one, named: "last") { _ in log.add("last") }
        source.attach(set)
        Self.send(1, to: source)
        #expect(log.lines == ["first", "second", "last"])
        Self.send(1, to: source)
        #expect(log.lines.dropFirst(3) == ["new last", "third"])
        #expect(set.rules.map(\.name) == ["last", "third"])
    }

    @Test func aHandlerPublishesToItsOwnStream() throws {
        let (set, log, source) = (PatternSet<Tick>(), Log(), Multicast<Tick>())
        try set.add(Pattern<Tick>.first.where { $0.price == 1 }) { [weak source, weak set] _ in
            log.add("one")
            guard let source else { return }
            do { try set?.add(Pattern<Tick>.first.where { $0.price == 2 }) { _ in log.add("two") } } catch {
                Issue.record(error)
            }
            Self.send(2, to: source)
        }
        source.attach(set)
        Self.send(1, to: source)
        #expect(log.lines == ["one", "two"])
    }

    @Test func anUnchangedRuleKeepsItsEngineAndARemovedOneIsReleased() throws {
        final class Token: Sendable {}
        let set = PatternSet<Tick>()
        var sink = PatternSetSink(set)
        try set.add(Self.pair(1, 2), named: "kept") { _ in }
        weak var weakToken: Token?
        do {
            let token = Token()
            weakToken = token
            let removed = try set.add(Self.pair(1, 2), named: "removed") { _ in withExtendedLifetime(token) {} }
            #expect(removed.name == "removed")
        }
        sink.receive(Tick(symbol: "", price: 1, time: 0), at: .epoch)
        let (kept, gone) = (sink.engines.value.engines[0], try #require(set["removed"]))
        #expect(gone.partialMatches.value > 0)
        #expect(set.remove(gone))
        #expect(weakToken != nil)
        try set.add(Self.pair(3, 4), named: "added") { _ in }
        sink.advance(to: .epoch)
        #expect(weakToken == nil)
        #expect(gone.partialMatches.value == 0)
        #expect(sink.engines.value.engines[0] === kept)
        #expect(sink.engines.value.engines.count == 2)
        #expect(!set.remove(gone))
        #expect(set.count == 2)
    }

    @Test func aRemovedRuleEndsWithoutTimeoutsAndNegations() throws {
        let (set, log, source) = (PatternSet<Tick>(), Log(), Multicast<Tick>())
        let alone = Pattern<Tick>.first.where { $0.price == 1 }.notFollowedBy.where { $0.price == 2 }
            .within(.nanoseconds(10))
        for name in ["a", "b", "c"] { try set.add(alone, named: name) { _ in log.add(name) } }
        source.attach(set)
        Self.send(1, to: source, at: 0)
        set.remove("a")
        source.advance(to: Timestamp(nanosecondsSinceEpoch: 20))
        #expect(log.lines == ["b", "c"])
        Self.send(1, to: source, at: 20)
        set.remove("b")
        source.finish()
        #expect(log.lines == ["b", "c", "c"])
    }

    @Test func whatIsAddedAfterTheCompletionReachesOtherStreams() throws {
        let (set, log) = (PatternSet<Tick>(), Log())
        let (ended, other) = (Multicast<Tick>(), Multicast<Tick>())
        ended.attach(set)
        other.attach(set)
        ended.finish()
        try set.add(Pattern<Tick>.first.where { $0.price == 1 }) { _ in log.add("one") }
        Self.send(1, to: ended)
        Self.send(1, to: other)
        #expect(log.lines == ["one"])
        let later = Multicast<Tick>()
        later.attach(set)
        Self.send(1, to: later)
        #expect(log.lines == ["one", "one"])
    }

    @Test func aMistakeLeavesTheSetAsItWas() throws {
        let (set, log, source) = (PatternSet<Tick>(), Log(), Multicast<Tick>())
        try set.add(Self.pair(1, 2), named: "pair") { _ in log.add("pair") }
        source.attach(set)
        Self.send(1, to: source)
        let mistaken = Pattern<Tick>.first.where { $0.price == 1 }.notFollowedBy.where { $0.price == 2 }
        #expect(throws: PatternError.unboundedNegation(stage: "stage 1")) { try set.add(mistaken) { _ in } }
        #expect(throws: PatternError.unboundedNegation(stage: "stage 1")) {
            try set.replace("pair", with: mistaken) { _ in }
        }
        #expect(throws: PatternError.duplicateRule("pair")) { try set.add(Self.pair(1, 2), named: "pair") { _ in } }
        #expect(throws: PatternError.unknownRule("other")) { try set.replace("other", with: Self.pair(1, 2)) { _ in } }
        Self.send(2, to: source)
        #expect(log.lines == ["pair"])
    }

    @Test func rulesWithoutNamesGetSome() throws {
        let set = PatternSet<Tick>()
        try set.add(Self.pair(1, 2), named: "rule 2") { _ in }
        try set.add(Self.pair(1, 2)) { _ in }
        set.remove("rule 2")
        try set.add(Self.pair(1, 2)) { _ in }
        #expect(set.rules.map(\.name) == ["rule 3", "rule 4"].map { $0 })
        #expect(set["rule 3"] != nil && set["rule 2"] == nil)
    }

    // MARK: Groups

    @Test(arguments: [LimitPolicy.dropNewest, .fail])
    func theGroupsOfARuleAreBounded(policy: LimitPolicy) throws {
        let (set, source) = (PatternSet<Tick>(), Multicast<Tick>())
        let pattern = Pattern<Tick>.first.where { $0.price == 1 }.followedBy.where { $0.price == 2 }
        let limits = PatternLimits(groups: 10, policy: policy)
        let bounded = try set.add(pattern.grouped(by: \.symbol), named: "bounded", limits: limits) { _ in }
        let free = try set.add(pattern.grouped(by: \.symbol), named: "free") { _ in }
        source.attach(set)
        for key in 0..<1000 { Self.send(1, to: source, symbol: "s\(key)") }
        #expect(set.refused.count == 990)
        for key in 0..<1000 { Self.send(2, to: source, symbol: "s\(key)") }
        #expect(free.matchCount == 1000)
        #expect(bounded.matchCount == (policy == .fail ? 0 : 10))
        #expect(bounded.failure == (policy == .fail ? .limitReached("10 groups") : nil))
    }

    @Test func aHotKeyLeavesRoomForOthers() throws {
        let (set, source) = (PatternSet<Tick>(), Multicast<Tick>())
        let pattern = Pattern<Tick>.first.where { $0.price == 1 }.followedBy.filter { first, tick in
            tick.price == 2 && tick.symbol == first.symbol
        }
        let limits = PatternLimits(partialMatches: 100, partialMatchesPerGroup: 10)
        let rule = try set.add(pattern.grouped(by: \.symbol), limits: limits) { _ in }
        source.attach(set)
        for _ in 0..<1000 { Self.send(1, to: source, symbol: "hot") }
        for key in 0..<9 { Self.send(1, to: source, symbol: "s\(key)") }
        #expect(rule.losses.partialMatches == 990)
        #expect(rule.partialMatches.value == 19)
        for key in 0..<9 { Self.send(2, to: source, symbol: "s\(key)") }
        #expect(rule.matchCount == 9)
        set.remove(rule)
        #expect(set.givenUpPartialMatches == 990)
    }

    @Test func watermarksLetRulesGiveBackWhatHasExpired() throws {
        let (set, source) = (PatternSet<Tick>(), Multicast<Tick>())
        for rule in 0..<3 {
            let pattern = Pattern<Tick>.first.where { $0.price == rule }.followedBy.where { $0.price == 100 + rule }
            try set.add(pattern.within(.nanoseconds(10)).grouped(by: \.symbol)) { _ in }
        }
        source.attach(set)
        for key in 0..<1000 { Self.send(0, 1, 2, to: source, symbol: "s\(key)") }
        #expect(set.rules.allSatisfy { $0.partialMatches.value == 1000 })
        for time in 100..<110 as Range<Int64> { source.advance(to: Timestamp(nanosecondsSinceEpoch: time)) }
        #expect(set.rules.allSatisfy { $0.partialMatches.value == 0 })
    }

    // MARK: Threads

    @Test func otherThreadsChangeTheSetWhileEventsCome() async throws {
        let (set, log) = (PatternSet<Tick>(), Log())
        let channel = EventChannel<Tick>()
        let (count, changers) = (4000, 3)
        let kept = try set.add(Self.pair(1, 2), named: "kept") { _ in }
        channel.attach(set)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for index in 0..<count { channel.publish(Tick(symbol: "", price: 1 + index % 2, time: 0)) }
            }
            for changer in 0..<changers {
                group.addTask {
                    for round in 0..<300 {
                        do {
                            let rule = try set.add(Self.pair(1, 2 + round % 3), named: "\(changer)") { _ in }
                            if round % 2 == 0 { try set.replace("\(changer)", with: Self.pair(2, 1)) { _ in } }
                            #expect(set.remove(rule) == (round % 2 == 1))
                            #expect(set.remove("\(changer)") == (round % 2 == 0))
                        } catch { Issue.record(error) }
                    }
                    do { try set.add(Self.pair(3, 4), named: "\(changer)") { _ in log.add("\(changer)") } } catch {
                        Issue.record(error)
                    }
                }
            }
        }
        #expect(kept.matchCount == count / 2)
        #expect(set.count == 1 + changers)
        channel.publish(Tick(symbol: "", price: 3, time: 0))
        channel.publish(Tick(symbol: "", price: 4, time: 0))
        #expect(log.lines.sorted() == (0..<changers).map { "\($0)" })
    }
}
