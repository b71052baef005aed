import TestStreams
import Testing
import WeirCore
import WeirExpressions
import WeirPatterns
import WeirTesting

/// Sets of patterns are interrupted at every position, with rules that come and go.
@Suite struct RuleStateTests {
    private typealias Kind = Pattern<Labelled>

    /// What the rules of a set find.
    private struct Findings: EventStream {
        typealias Element = String

        let set = PatternSet<Labelled>()
        let found = Multicast<String>()

        func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == String { found.attach(sink) }

        /// Adds the rules: with both strategies, groups, closures, negations, and limits that are met.
        func addRules(reversed: Bool = false, besides others: Int = 0) throws {
            let found = found
            for number in 0..<others {
                try set.add(Kind.first.where { $0.value == 5 + number }.next { _ in true }, named: "other \(number)") {
                    _ in
                }
            }
            let rules: [() throws -> Void] = [
                {
                    try set.add(Kind.first.where { $0.value == 1 }.followedBy.where { $0.value == 2 }, named: "compact")
                    {
                        (first, second) in found.send("compact \(first) \(second)", at: second.timestamp)
                    }
                },
                {
                    let pattern = Kind.first.where { $0.value > 1 }.next { $0.value > 0 }.within(.milliseconds(6))
                    try set.add(pattern.grouped(by: \.label), named: "groups") { (first, second) in
                        found.send("groups \(first) \(second)", at: second.timestamp)
                    }
                },
                {
                    let pattern = Kind.first.where { $0.value == 1 }.followedByAny.filter { $0.value < $1.value }
                        .within(.milliseconds(8))
                    let limits = PatternLimits(partialMatches: 3, policy: .fail)
                    try set.add(pattern, named: "runs", limits: limits) { (first, second) in
                        found.send("runs \(first) \(second)", at: second.timestamp)
                    }
                },
                {
                    let pattern = Kind.first.where { $0.value == 3 }.notFollowedBy { $0.value == 4 }
                        .within(.milliseconds(5))
                    try set.add(pattern, named: "missing") { (first) in
                        found.send("missing \(first)", at: first.timestamp)
                    }
                },
            ]
            for rule in reversed ? rules.reversed() : rules { try rule() }
        }

        var counts: [UInt64] {
            [set.late.count, set.refused.count, set.losses.partialMatches, set.losses.eventsCutShort]
                + set.rules.flatMap { rule in
                    [rule.matchCount, rule.losses.partialMatches, UInt64(rule.partialMatches.value)]
                        + [rule.failure == nil ? 0 : 1]
                }
        }
    }

    /// Ends what was found with the last of some streams.
    private struct EndSink: Sink {
        let found: Multicast<String>
        let left: SharedCell<Int>

        mutating func receive(_ element: borrowing Labelled, at time: Timestamp) {}

        mutating func advance(to watermark: Timestamp) {}

        mutating func finish(_ completion: Completion) {
            left.withValue { $0 -= 1 }
            if left.withValue({ $0 }) == 0 { found.finish(completion) }
        }

        mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
            try state.begin("end")
            try state.exchange(left)
        }
    }

    @Test func everyPosition() {
        let difference = RestoreTrials.difference(counting: \.counts) { channel in
            let findings = Findings()
            do { try findings.addRules() } catch { Issue.record(error) }
            channel.attach(findings.set)
            channel.attach(EndSink(found: findings.found, left: SharedCell(1)))
            return findings
        }
        #expect(difference == nil)
    }

    /// A set on two streams keeps what belongs to each.
    @Test func twoStreams() {
        let difference = RestoreTrials.difference(channels: 2, counting: \.counts) { channels in
            let findings = Findings()
            do { try findings.addRules() } catch { Issue.record(error) }
            let left = SharedCell(2)
            for channel in channels {
                channel.attach(findings.set)
                channel.attach(EndSink(found: findings.found, left: left))
            }
            return findings
        }
        #expect(difference == nil)
    }

    /// The partial matches of a rule are found by its name, in another order and among other rules.
    @Test func rulesComeAndGo() throws {
        for seed in 0..<60 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let events = (0..<30).map { id in
                Labelled(
                    timestamp: Timestamp(millisecondsSinceEpoch: Int64(id)),
                    value: Int.random(in: 0...4, using: &generator)
                )
            }
            let cut = Int.random(in: 0...events.count, using: &generator)
            let whole = try run(reversed: false, others: 0)
            whole.play(events)
            let first = try run(reversed: false, others: 2)
            first.play(events[..<cut])
            // Only what is left belongs to the state.
            first.findings.set.remove("other 0")
            let checkpoint = try first.channel.checkpoint()
            let second = try run(reversed: true, others: 0)
            let report = try second.channel.restore(checkpoint, droppingMismatches: true)
            #expect(report.dropped.map(\.name) == ["1/rule other 1/pattern"], "seed \(seed)")
            #expect(report.changed.isEmpty && report.added.isEmpty, "seed \(seed)")
            second.play(events[cut...])
            // Rules that one event completes say so in their order.
            #expect((first.texts + second.texts).sorted() == whole.texts.sorted(), "seed \(seed), cut \(cut)")
            #expect(
                second.findings.set.rules.map(\.matchCount) == whole.findings.set.rules.map(\.matchCount).reversed(),
                "seed \(seed), cut \(cut)"
            )
        }
    }

    private struct Run {
        let channel = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
        let findings = Findings()
        let recorder: Recorder<String>

        init(reversed: Bool, others: Int) throws {
            recorder = Recorder(findings)
            try findings.addRules(reversed: reversed, besides: others)
            channel.attach(findings.set)
        }

        func play(_ events: some Sequence<Labelled>) {
            for event in events { channel.publish(event) }
        }

        var texts: [String] { recorder.elements }
    }

    private func run(reversed: Bool, others: Int) throws -> Run { try Run(reversed: reversed, others: others) }

    private final class Found: Sendable {
        let texts = Locked<[String]>([])
    }

    /// A rule that says something else under its old name begins anew; the others go on.
    @Test func aChangedRuleBeginsAnew() throws {
        func channel(threshold: Int, _ found: Found) throws -> EventChannel<Labelled> {
            let (channel, set) = (EventChannel<Labelled>(clock: EventClock(VirtualClock())), PatternSet<Labelled>())
            try set.add(Kind.first.where { $0.value > threshold }.next.where { $0.value > 0 }, named: "changed") {
                (first, second) in found.texts.withLock { $0.append("changed \(first.value) \(second.value)") }
            }
            try set.add(Kind.first.where { $0.value > 1 }.next.where { $0.value > 0 }, named: "kept") {
                (first, second) in found.texts.withLock { $0.append("kept \(first.value) \(second.value)") }
            }
            channel.attach(set)
            return channel
        }
        let found = Found()
        let first = try channel(threshold: 1, found)
        first.publish(Labelled(timestamp: .epoch, value: 3))
        let checkpoint = try first.checkpoint()
        let other = try channel(threshold: 2, found)
        #expect(throws: StateError.self) { try channel(threshold: 2, found).restore(checkpoint) }
        let report = try other.restore(checkpoint, droppingMismatches: true)
        #expect(report.changed.map(\.name) == ["1/rule changed/pattern"])
        #expect(report.changed.allSatisfy { $0.items > 0 })
        other.publish(Labelled(timestamp: .epoch, value: 1))
        #expect(found.texts.withLock { $0 } == ["kept 3 1"])
    }

    /// What another process has saved, with another seed of hashes, is made again byte for byte.
    @Test func goldenFile() throws {
        let trial = RestoreTrial<Labelled>(seed: 9, upTo: 200) { _, time, generator in
            Labelled(timestamp: time, value: Int.random(in: 0...20, using: &generator))
        }
        let checkpoint = try trial.checkpoint { channels in
            let findings = Findings()
            do { try findings.addRules() } catch { Issue.record(error) }
            channels[0].attach(findings.set)
            return findings
        }
        let golden = try GoldenFile("rules-1.state").bytes(orMade: checkpoint.bytes)
        #expect(golden == checkpoint.bytes)
    }
}
