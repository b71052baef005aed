import Synchronization
import Testing
import WeirCore
import WeirFlow
import WeirTesting

/// Keys that do not equal themselves, like NaN, are met only once: nothing may be remembered of them for ever.
@Suite struct UnequalKeyTests {
    /// Counts the keys that are alive.
    private final class Alive: Sendable {
        let count = Atomic<Int>(0)
    }

    private final class Token: Sendable {
        private let alive: Alive

        init(_ alive: Alive) {
            self.alive = alive
            alive.count.add(1, ordering: .relaxed)
        }

        deinit {
            alive.count.subtract(1, ordering: .relaxed)
        }
    }

    /// A number that is hashed like a `Double`, whose copies are counted.
    private struct Key: Hashable, Sendable {
        let number: Double
        let token: Token

        static func == (left: Key, right: Key) -> Bool { left.number == right.number }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    private func event(_ index: Int) -> Keyed {
        Keyed(timestamp: milliseconds(Int64(index)), key: index % 3, value: index)
    }

    /// Every third key is NaN.
    private func makeKey(_ alive: Alive) -> @Sendable (Keyed) -> Key {
        { event in Key(number: event.key == 0 ? .nan : Double(event.key), token: Token(alive)) }
    }

    @Test func distinctLetsThemThroughAndRemembersNone() {
        let (alive, channel) = (Alive(), EventChannel<Keyed>())
        let recorders = [
            Recorder(channel.distinct(by: makeKey(alive), last: 4)),
            Recorder(channel.distinct(by: makeKey(alive), within: .seconds(100), limit: 4)),
        ]
        for index in 0..<3_000 { channel.publish(event(index)) }
        for recorder in recorders {
            #expect(recorder.elements.map(\.value) == [0, 1, 2] + stride(from: 3, to: 3_000, by: 3))
        }
        #expect(alive.count.load(ordering: .relaxed) < 100)
    }

    @Test func groupsRefuseThem() {
        let (alive, channel) = (Alive(), EventChannel<Keyed>())
        let grouped = channel.grouped(by: makeKey(alive), evictingAfter: .milliseconds(1), limit: 10) { $0 }
        let recorder = Recorder(grouped)
        for index in 0..<3_000 {
            channel.publish(event(index))
            channel.advance(to: milliseconds(Int64(index)))
        }
        #expect(recorder.elements.map(\.value) == (0..<3_000).filter { $0 % 3 > 0 })
        #expect(grouped.refused.count == 1_000)
        #expect(alive.count.load(ordering: .relaxed) < 100)
    }

    @Test func joinsForgetThem() {
        let (alive, channel) = (Alive(), EventChannel<Keyed>())
        let recorder = Recorder(
            channel.join(channel, within: .milliseconds(1), by: makeKey(alive), and: makeKey(alive))
        )
        for index in 0..<3_000 {
            channel.publish(event(index))
            channel.advance(to: milliseconds(Int64(index)))
        }
        #expect(recorder.elements.map(\.0.value) == (0..<3_000).filter { $0 % 3 > 0 })
        #expect(alive.count.load(ordering: .relaxed) < 200)
    }

    @Test func tablesHaveNoRoomForThem() {
        let (orders, rows) = (EventChannel<Keyed>(), EventChannel<Keyed>())
        let enriched = orders.enrich(with: rows, limit: 2, by: makeKey(Alive()), and: makeKey(Alive()))
        let recorder = Recorder(enriched)
        for index in [0, 3, 6, 1, 2] { rows.publish(event(index)) }
        for index in [0, 1, 2] { orders.publish(event(index)) }
        #expect(recorder.elements.map { $0.1?.value } == [nil, 1, 2])
        #expect(enriched.refused.count == 3)
    }
}
