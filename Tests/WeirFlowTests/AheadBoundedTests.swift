import Testing
import WeirCore
import WeirFlow
import WeirTesting

@Suite("ordered(within:maxAhead:)")
struct AheadBoundedTests {
    private struct Reading: Event {
        let timestamp: Timestamp
        let isGood: Bool
    }

    /// One element in a hundred has a time anywhere in the future, also the first; the others are up to 10 ms late.
    @Test(arguments: 0..<5)
    func theGoodOnesAreDelivered(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let channel = EventChannel<Reading>()
        let ordered = channel.ordered(within: .milliseconds(10), maxAhead: .ofRecent(.seconds(60)))
        var (good, bad) = (0, 0)
        let last = Locked(Timestamp.distantPast)
        let delivered = Locked(0)
        let wrong = Locked(0)
        ordered.subscribe { reading in
            delivered.withLock { $0 += 1 }
            let isInOrder = last.withLock { last in
                defer { last = reading.timestamp }
                return last <= reading.timestamp
            }
            if !isInOrder || !reading.isGood { wrong.withLock { $0 += 1 } }
        }
        for index in 0..<50_000 {
            let isGood = index > 0 && Int.random(in: 0..<100, using: &random) > 0
            let nanoseconds =
                isGood
                ? Int64(index) * 1_000_000 - Int64.random(in: 0..<9_000_000, using: &random)
                : Int64.random(in: 1_000_000_000_000_000...(.max), using: &random)
            if isGood { good += 1 } else { bad += 1 }
            channel.publish(Reading(timestamp: Timestamp(nanosecondsSinceEpoch: nanoseconds), isGood: isGood))
        }
        channel.finish()
        #expect(delivered.withLock { $0 } == good, "seed \(seed)")
        #expect(wrong.withLock { $0 } == 0, "seed \(seed)")
        #expect(ordered.late.count == 0, "seed \(seed)")
        #expect(Int(ordered.ahead.count) == bad, "seed \(seed)")
    }

    @Test func whatIsHeldBackComesBeforeAWatermarkAndTheEnd() {
        let subject = EventChannel<Reading>()
        let seen = Locked<[String]>([])
        subject.bounded(maxAhead: .ofRecent(.seconds(1))).attach(
            Recorder(seen: { text in seen.withLock { $0.append(text) } })
        )
        subject.publish(Reading(timestamp: .epoch, isGood: true))
        #expect(seen.withLock { $0 }.isEmpty)
        subject.advance(to: .epoch)
        subject.publish(Reading(timestamp: Timestamp(millisecondsSinceEpoch: 1), isGood: true))
        subject.finish()
        #expect(seen.withLock { $0 } == ["0", "watermark 0", "1000000", "end"])
    }

    @Test func aClockHoldsNothingBack() {
        let clock = VirtualClock(at: Timestamp(secondsSinceEpoch: 100))
        let channel = EventChannel<Reading>()
        let bounded = channel.bounded(maxAhead: .ofClock(.seconds(1), EventClock(clock)))
        let seen = Locked(0)
        bounded.subscribe { _ in seen.withLock { $0 += 1 } }
        for seconds in [99, 101, 102, 100] as [Int64] {
            channel.publish(Reading(timestamp: Timestamp(secondsSinceEpoch: seconds), isGood: true))
        }
        #expect(seen.withLock { $0 } == 3)
        #expect(bounded.ahead.count == 1)
    }

    private struct Recorder: Sink {
        let seen: @Sendable (String) -> Void

        mutating func receive(_ element: borrowing Reading, at time: Timestamp) {
            seen("\(time.nanosecondsSinceEpoch)")
        }
        mutating func advance(to watermark: Timestamp) { seen("watermark \(watermark.nanosecondsSinceEpoch)") }
        mutating func finish(_ completion: Completion) { seen("end") }
    }
}
