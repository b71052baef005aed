internal import CommonStream
internal import Synchronization
internal import WeirCore
internal import WeirExpressions
internal import WeirPatterns

/// A thousand patterns on one stream: for each key, an A and then the next B, within 10 s.
enum Rules {
    static let count: UInt32 = 1000

    static func pattern(_ key: UInt32) -> StagedPattern<StreamEvent, (StreamEvent, StreamEvent)> {
        let first = Pattern<StreamEvent>.first(\.key == key && \.type == 0)
        let second = first.followedBy(\.key == key && \.type == 1)
        return second.within(.seconds(10))
    }

    /// All in one set.
    static func together(_ events: [StreamEvent]) -> MatchTally {
        let tally = Tally()
        var set = PatternSet<StreamEvent>()
        for key in 0..<count {
            do {
                try set.add(pattern(key)) { tally.add($0.0, $0.1) }
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
    static func apart(_ events: [StreamEvent]) -> MatchTally {
        let tally = Tally()
        let channel = EventChannel<StreamEvent>()
        for key in 0..<count { channel.matches(of: pattern(key)).subscribe { tally.add($0.0, $0.1) } }
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
