import Testing
import Weir

/// One import, and a name of each family: that no two of them are in each other's way.
@Suite struct UmbrellaTests {
    private struct Reading: Event {
        let timestamp: Timestamp
        let celsius: Double
    }

    @Test func oneImportBringsAllFamilies() throws {
        let readings = EventChannel<Reading>()
        let found = Locked<[String]>([])
        let note: @Sendable (String) -> Void = { text in found.withLock { $0.append(text) } }
        readings.where { $0.celsius > 10 }.subscribe { _ in note("selection") }
        readings.followedBy { $1.celsius > $0.celsius }.subscribe { _ in note("sequences") }
        readings.repeated(atLeast: 2, within: .seconds(10)).subscribe { _ in note("logic") }
        readings.distinct(by: \.celsius, within: .seconds(10)).subscribe { _ in note("flow") }
        readings.tumbling(.seconds(10)).max(of: { $0.celsius }).subscribe { _ in note("windows") }
        readings
            .matches(of: Pattern<Reading>.first { $0.celsius > 10 }.next { $0.celsius > 20 })
            .subscribe { _ in note("patterns") }
        for (second, celsius) in [(1, 15.0), (2, 25.0)] as [(Int64, Double)] {
            readings.publish(Reading(timestamp: Timestamp(secondsSinceEpoch: second), celsius: celsius))
        }
        readings.finish()
        #expect(
            Set(found.withLock { $0 }) == ["selection", "sequences", "logic", "flow", "windows", "patterns"]
        )

        let root = MutableSignal(1)
        let double = Signal { root() * 2 }
        root.value = 4
        #expect(double() == 8)
        #expect(try Source([1, 2, 3]).map { $0 + 1 }.to(.collect(limit: 3)).run().wait() == [2, 3, 4])
    }

    /// Results of any operator can be taken on the main actor, in their order and with the end.
    @Test func theMainActorStandsBehindAnyOperator() async {
        let readings = EventChannel<Reading>()
        let found = Locked<[String: [Double]]>([:])
        let ended = Locked(0)
        func follow(_ name: String, _ results: some EventStream<Double>) {
            results.receive(on: .mainActor).subscribeWithTime { celsius, _ in
                MainActor.preconditionIsolated()
                found.withLock { $0[name, default: []].append(celsius) }
            } onCompletion: { _ in
                ended.withLock { $0 += 1 }
            }
        }
        let highest = readings.watermarks(lag: .zero).tumbling(.seconds(2)).max(of: { $0.celsius })
        follow("window", highest.map { $0.value })
        let rising = Pattern<Reading>.first { $0.celsius > 10 }.next { $0.celsius > 20 }
        follow("pattern", readings.matches(of: rising).map { $0.1.celsius })
        let pairs = readings.watermarks(lag: .zero)
            .join(readings.watermarks(lag: .zero), within: .zero, by: { $0.celsius }, and: { $0.celsius })
        follow("join", pairs.map { $0.celsius + $1.celsius })
        for (second, celsius) in [(1, 15.0), (2, 25.0), (4, 5.0)] as [(Int64, Double)] {
            readings.publish(Reading(timestamp: Timestamp(secondsSinceEpoch: second), celsius: celsius))
        }
        readings.finish()
        while ended.withLock({ $0 }) < 3 { await Task.yield() }
        #expect(found.withLock { $0 } == ["window": [15, 25, 5], "pattern": [25], "join": [30, 50, 10]])
    }
}
