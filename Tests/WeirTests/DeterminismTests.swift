internal import Foundation
import TestStreams
import Testing
import Weir
import WeirTesting

@testable import WeirCore

/// Nothing that reaches an output or a checkpoint depends on the seed of Swift's hashes, which differs from process to
/// process: what another process has noted, of pipelines of all families, is found again.
@Suite struct DeterminismTests {
    /// Runs a pipeline over long random streams, and notes a line of its signals and its checkpoints.
    private func note<Output: EventStream>(
        _ name: String,
        _ build: ([EventChannel<Labelled>]) -> Output
    ) throws -> String {
        var generator = SeededGenerator(seed: 11)
        let channels = (0..<2).map { _ in EventChannel<Labelled>(clock: EventClock(VirtualClock())) }
        let recorder = Recorder(build(channels))
        var saved: [UInt8] = []
        for id in 0..<400 as Range<Int64> {
            let time = Timestamp(millisecondsSinceEpoch: id + Int64.random(in: -2...2, using: &generator))
            let event = Labelled(timestamp: time, value: Int.random(in: 0...40, using: &generator))
            channels[Int.random(in: 0..<2, using: &generator)].publish(event)
            if id % 16 == 0 {
                for channel in channels { channel.advance(to: Timestamp(millisecondsSinceEpoch: id - 3)) }
            }
            guard id % 133 == 0 else { continue }
            saved += try Checkpoint { state throws(StateError) in
                for (index, channel) in channels.enumerated() {
                    try state.scoped("channel\(index)") { state throws(StateError) in try channel.exchangeState(&state)
                    }
                }
            }.bytes
        }
        for channel in channels { channel.finish() }
        let texts = Array(recorder.signals.map { "\($0)" }.joined(separator: "\n").utf8)
        return
            "\(name): \(recorder.signals.count) signals, \(Self.sum(texts)); \(saved.count) bytes, \(Self.sum(saved))\n"
    }

    private static func sum(_ bytes: [UInt8]) -> String {
        let digits = String(Checksum.of(bytes, 0..<bytes.count), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    @Test func anotherProcessHasNotedTheSame() throws {
        var notes = ""
        notes += try note("scan") { $0[0].scan(into: [:]) { $0[$1.label, default: 0] += 1 }.map { $0.count } }
        notes += try note("distinct") { $0[0].distinct(by: \.label, within: .milliseconds(30)) }
        notes += try note("distinct of the last") { $0[0].distinct(by: \.label, last: 9) }
        notes += try note("groups") {
            $0[0].grouped(by: \.label) { $0.scan(into: 0) { $0 += $1.value }.debounce(for: .milliseconds(9)) }
        }
        notes += try note("groups that go") { channels in
            channels[0].grouped(by: \.label, evictingAfter: .milliseconds(40), .finish, limit: 12) { $0.buffer(2) }
        }
        notes += try note("join") { $0[0].join($0[1], within: .milliseconds(9), by: \.label, and: \.label) }
        notes += try note("join in windows") {
            $0[0].join($0[1], .outer, every: .milliseconds(25), by: \.label, and: \.label)
        }
        notes += try note("except") { $0[0].except($0[1], every: .milliseconds(25), by: \.label, and: \.label) }
        notes += try note("enrich") { $0[0].enrich(with: $0[1], by: \.label, and: \.label) }
        notes += try note("latest") { $0[0].combineLatest($0[1]) }
        notes += try note("merge") { $0[0].merge($0[1]) }
        notes += try note("any") { WeirLogic.any($0[0], $0[1]) }
        notes += try note("absent") { $0[0].absent(for: .milliseconds(3)) }
        notes += try note("distinct counts") {
            $0[0].tumbling(.milliseconds(40)).aggregate(DistinctCount(of: { $0.label }))
        }
        notes += try note("approximate counts") {
            $0[0].tumbling(.milliseconds(40)).aggregate(ApproximateDistinctCount(of: { $0.label }))
        }
        notes += try note("most frequent") {
            $0[0].hopping(.milliseconds(60), every: .milliseconds(20)).aggregate(TopK(3, of: { $0.label }))
        }
        notes += try note("heavy hitters") { $0[0].running(HeavyHitters(3, of: { $0.label }, counters: 5)) }
        notes += try note("sessions of groups") { channels in
            channels[0].grouped(by: \.value) { $0.sessions(gap: .milliseconds(30)).count() }
        }
        notes += try note("windows that slide") { $0[0].sliding(.milliseconds(20)).max(of: \.label) }
        let pair = Pattern<Labelled>.first { $0.value > 3 }.followedByAny { $0.value > 9 }.within(.milliseconds(40))
        notes += try note("patterns") {
            $0[0].matches(of: pair.grouped(by: \.label), PatternSettings(strategy: .compact))
        }
        notes += try note("patterns with runs") {
            $0[0].matches(of: pair.grouped(by: \.label), PatternSettings(strategy: .runs))
        }
        let same = Pattern<Labelled>.first.where { $0.value > 1 }.followedBy.on { first, next in
            first.label == next.label
        }
        notes += try note("equal labels") { $0[0].matches(of: same.within(.milliseconds(50))) }
        notes += try note("rules") { channels in
            let (set, found) = (PatternSet<Labelled>(), Multicast<String>())
            for value in 0..<40 {
                let rule = Pattern<Labelled>.first.where { $0.value == value }.followedBy.where { $0.value > value }
                do {
                    try set.add(rule.within(.milliseconds(30)), named: "rule \(value)") { (first, second) in
                        found.send("\(value) \(first.value) \(second.value)", at: second.timestamp)
                    }
                } catch {
                    Issue.record(error)
                }
            }
            channels[0].attach(set)
            return found
        }
        notes += try note("signals") { channels in
            let found = Multicast<String>()
            channels[0].hostSignals(initial: Labelled(timestamp: .epoch, value: 0)) { latest, bag in
                let value = latest.map(\.value)
                let parity = value.map { $0 % 2 }
                Signal { "\(value()) \(parity())" }.observe { found.send($0, at: .epoch) }.store(in: bag)
            }
            return found
        }
        notes += try note("collected") { $0[0].collect(limit: 90) }
        let golden = try GoldenFile("determinism-1.txt").bytes(orMade: Array(notes.utf8))
        let other = String(decoding: golden, as: UTF8.self).split(separator: "\n")
        let own = notes.split(separator: "\n")
        #expect(own.count == other.count)
        for (own, other) in zip(own, other) { #expect(own == other) }
    }

    /// Otherwise another process would prove nothing.
    @Test func hashesDifferFromProcessToProcess() {
        #expect(ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] == nil)
    }
}
