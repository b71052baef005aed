internal import CommonStream
internal import Synchronization
internal import WeirCore
internal import WeirExpressions
internal import WeirPatterns

/// A thousand patterns on one stream, each with constants of its own, within 10 s.
enum Rules {
    typealias Rule = StagedPattern<Captures2<OneEvent<StreamEvent>, OneEvent<StreamEvent>>>

    static let count: UInt32 = 1000

    /// For each key, an A and then the next B.
    static func key(_ key: UInt32) -> Rule {
        let first = Pattern<StreamEvent>.first.where { $0.key == key && $0.type == 0 }
        let second = first.followedBy.where { $0.key == key && $0.type == 1 }
        return second.within(.seconds(10))
    }

    /// A value within a thousandth of all values, and then the next one there.
    static func band(_ number: UInt32) -> Rule {
        let (low, high) = (Double(number) / 1000, Double(number + 1) / 1000)
        let first = Pattern<StreamEvent>.first.where { $0.value >= low && $0.value < high }
        let second = first.followedBy.where { $0.value >= low && $0.value < high }
        return second.within(.seconds(10))
    }

    /// A value above one of a thousand thresholds, the least 0.99, and then the next one below its counterpart.
    static func threshold(_ number: UInt32) -> Rule {
        let margin = Double(number + 1) / 100_000
        let first = Pattern<StreamEvent>.first.where { $0.value > 1 - margin }
        let second = first.followedBy.where { $0.value < margin }
        return second.within(.seconds(10))
    }

    /// All in one set.
    static func together(_ pattern: (UInt32) -> Rule, _ events: [StreamEvent]) -> MatchTally {
        let tally = Tally()
        let set = PatternSet<StreamEvent>()
        for number in 0..<count {
            do {
                try set.add(pattern(number)) { tally.add($0.0, $0.1) }
            } catch {
                fatalError("\(error)")
            }
        }
        let channel = EventChannel<StreamEvent>()
        channel.attach(set)
        for event in events { channel.publish(event) }
        channel.finish()
        return tally.value
    }

    /// Each attached to the stream by itself.
    static func apart(_ pattern: (UInt32) -> Rule, _ events: [StreamEvent]) -> MatchTally {
        let tally = Tally()
        let channel = EventChannel<StreamEvent>()
        for number in 0..<count { channel.matches(of: pattern(number)).subscribe { tally.add($0.0, $0.1) } }
        for event in events { channel.publish(event) }
        channel.finish()
        return tally.value
    }

    private final class Tally: Sendable {
        private let count = Atomic<Int>(0)
        private let checksum = Atomic<UInt64>(0)

        func add(_ first: StreamEvent, _ second: StreamEvent) {
            func milliseconds(_ event: StreamEvent) -> UInt64 {
                UInt64(bitPattern: event.timestamp.nanosecondsSinceEpoch / 1_000_000)
            }
            count.wrappingAdd(1, ordering: .relaxed)
            checksum.wrappingAdd(31 &* milliseconds(first) &+ milliseconds(second), ordering: .relaxed)
        }

        var value: MatchTally {
            MatchTally(count: count.load(ordering: .relaxed), checksum: checksum.load(ordering: .relaxed))
        }
    }
}
