import TestStreams
import Testing
import WeirCore
import WeirCreation
import WeirDispatch
import WeirFlow
import WeirSelection
import WeirSequences
import WeirTesting

@Suite struct StateTests {
    @Test func rates() {
        let debounce = RestoreTrials.difference(counting: { [$0.late.count] }) { $0.debounce(for: .milliseconds(2)) }
        #expect(debounce == nil)
        for edges in [ThrottleEdges.leading, .trailing, .both] {
            let throttle = RestoreTrials.difference(counting: { [$0.late.count] }) {
                $0.throttle(for: .milliseconds(3), edges: edges)
            }
            #expect(throttle == nil)
        }
        let limited = RestoreTrials.difference(counting: { [$0.refused.count] }) {
            $0.limit(2, per: .milliseconds(4), burst: 2)
        }
        #expect(limited == nil)
        #expect(
            RestoreTrials.difference { $0.conflate(every: .milliseconds(4), { $0.label }, { $0 += $1.label }) } == nil
        )
        #expect(RestoreTrials.difference { $0.buffer(3) } == nil)
        #expect(RestoreTrials.difference { $0.sample(every: .milliseconds(4)) } == nil)
        #expect(RestoreTrials.difference { $0.delay(by: .milliseconds(3)) } == nil)
        #expect(RestoreTrials.difference { $0.timeout(after: .milliseconds(4)) } == nil)
    }

    @Test func stretches() {
        #expect(RestoreTrials.difference(counting: { [$0.late.count] }) { $0.audit(for: .milliseconds(3)) } == nil)
        let buffer = RestoreTrials.difference(counting: { [$0.late.count] }) { $0.buffer(3, within: .milliseconds(4)) }
        #expect(buffer == nil)
        #expect(RestoreTrials.difference { $0.timeout(forFirst: .milliseconds(9), after: .milliseconds(4)) } == nil)
        let neverOver = RestoreTrials.difference(channels: 2) { $0[0].timeout(after: .seconds(9), switchingTo: $0[1]) }
        #expect(neverOver == nil)
    }

    @Test func delays() {
        #expect(RestoreTrials.difference { $0.delay(until: Timestamp(millisecondsSinceEpoch: 9)) } == nil)
        let scheduler = Scheduler(clock: EventClock(VirtualClock()))
        for policy in [LimitPolicy.dropNewest, .dropOldest, .fail] {
            let difference = RestoreTrials.difference {
                $0.delay(arrivalBy: .milliseconds(4), on: scheduler, overflowPolicy: policy, limit: 3)
            }
            #expect(difference == nil)
        }
    }

    @Test func severalStreams() {
        #expect(RestoreTrials.difference(channels: 2) { $0[0].sample(by: $0[1]) } == nil)
        let buffer = RestoreTrials.difference(channels: 2, counting: { [$0.refused.count] }) {
            $0[0].buffer(by: $0[1], limit: 3)
        }
        #expect(buffer == nil)
        #expect(RestoreTrials.difference(channels: 2) { $0[0].dropUntil($0[1]) } == nil)
        let equal = RestoreTrials.difference(channels: 2) {
            $0[0].map(\.label).elementsEqual($0[1].map(\.label), limit: 3)
        }
        #expect(equal == nil)
        #expect(RestoreTrials.difference(channels: 2) { $0[0].race(with: $0[1]) } == nil)
        #expect(RestoreTrials.difference(channels: 3) { $0.race() } == nil)
    }

    @Test func order() {
        for delay in [1, 3, 200] as [Int64] {
            let difference = RestoreTrials.difference(counting: { [$0.late.count] }) {
                $0.ordered(within: .milliseconds(delay), limit: 6)
            }
            #expect(difference == nil)
        }
    }

    @Test func distinct() {
        #expect(RestoreTrials.difference { $0.distinct(by: \.label, last: 3) } == nil)
        let forgetting = RestoreTrials.difference(counting: { [$0.late.count] }) {
            $0.distinct(by: \.label, within: .milliseconds(4), limit: 3)
        }
        #expect(forgetting == nil)
    }

    @Test func bounds() {
        let difference = RestoreTrials.difference(counting: { [$0.ahead.count] }) {
            $0.bounded(maxAhead: .ofRecent(.milliseconds(2)))
        }
        #expect(difference == nil)
    }

    @Test func errors() {
        #expect(RestoreTrials.difference { $0.replaceError(with: Labelled(timestamp: .epoch, value: 1)) } == nil)
    }

    @Test func merging() {
        let merge = RestoreTrials.difference(channels: 2, counting: { [$0.late.count, $0.stalls.count] }) {
            $0[0].merge($0[1], limit: 4)
        }
        #expect(merge == nil)
        #expect(RestoreTrials.difference(channels: 3) { $0.merged(limit: 4) } == nil)
        #expect(RestoreTrials.difference(channels: 2) { $0[0].union($0[1]) } == nil)
    }

    @Test func latest() {
        #expect(RestoreTrials.difference(channels: 2) { $0[0].combineLatest($0[1]) } == nil)
        #expect(RestoreTrials.difference(channels: 2) { $0[0].withLatest(from: $0[1]) } == nil)
        #expect(RestoreTrials.difference(channels: 2) { $0[0].take(until: $0[1]) } == nil)
        #expect(RestoreTrials.difference(channels: 3) { $0[0].combineLatest($0[1], $0[2]) } == nil)
    }

    @Test func zipping() {
        for policy in [LimitPolicy.fail, .dropNewest, .dropOldest] {
            let zip = RestoreTrials.difference(channels: 2, counting: { [$0.refused.count] }) {
                $0[0].zip($0[1], overflowPolicy: policy, limit: 2)
            }
            #expect(zip == nil)
        }
        #expect(RestoreTrials.difference(channels: 3) { $0[0].zip($0[1], $0[2]) } == nil)
    }

    @Test func joining() {
        let joined = RestoreTrials.difference(
            channels: 2,
            counting: { [$0.late.count, $0.refused.count, $0.stalls.count] },
            { $0[0].join($0[1], within: .milliseconds(4), limit: 3, by: \.label, and: \.label) }
        )
        #expect(joined == nil)
        for kind in [JoinKind.inner, .outer] {
            let inWindows = RestoreTrials.difference(channels: 2) {
                $0[0].join($0[1], kind, every: .milliseconds(5), limit: 8, by: \.label, and: \.label)
            }
            #expect(inWindows == nil)
        }
        let excepted = RestoreTrials.difference(channels: 2) {
            $0[0].except($0[1], every: .milliseconds(5), by: \.value, and: \.value)
        }
        #expect(excepted == nil)
        let enriched = RestoreTrials.difference(channels: 2, counting: { [$0.refused.count] }) {
            $0[0].enrich(with: $0[1], limit: 3, by: \.label, and: \.label)
        }
        #expect(enriched == nil)
        let table = ["é": 1]
        #expect(RestoreTrials.difference { $0.enrich(with: table, by: \.label) } == nil)
    }

    @Test func sharing() {
        let shared = RestoreTrials.difference { channel in
            let shared = channel.scan(into: 0) { $0 += $1.value }.share()
            return shared.take(3).merge(shared.pairwise().map { $0.0 &* 10 + $0.1 })
        }
        #expect(shared == nil)
        let replayed = RestoreTrials.difference { channel in
            let shared = channel.map(\.label).share(replaying: 2)
            return shared.take(3).union(shared.pairwise().map { $0.0 + $0.1 })
        }
        #expect(replayed == nil)
        let parts = RestoreTrials.difference { channel in
            let (small, large) = channel.partition { $0.value < 2 }
            return small.scan(into: 0) { $0 += $1.value }.union(large.scan(into: 0) { $0 -= $1.value })
        }
        #expect(parts == nil)
    }

    @Test func foldsPerGroup() {
        let sums = RestoreTrials.difference { channel in
            channel.grouped(by: \.label) { group in
                group.reduce(into: 0) { $0 += $1.value }.map { "\(group.key): \($0)" }
            }
        }
        #expect(sums == nil)
        let sorted = RestoreTrials.difference { channel in
            channel.grouped(by: \.value) { group in
                group.sorted(limit: 5) { $0.timestamp < $1.timestamp }.map { elements in elements.map(\.label) }
            }
        }
        #expect(sorted == nil)
    }

    @Test func groups() {
        let sums = RestoreTrials.difference(counting: { [$0.refused.count, $0.stalls.count] }) { channel in
            channel.grouped(by: \.label, limit: 3) { group in group.scan(into: "") { $0 += $1.label }.take(4) }
        }
        #expect(sums == nil)
        for eviction in [GroupEviction.finish, .discard] {
            let evicted = RestoreTrials.difference { channel in
                channel.grouped(by: \.value, evictingAfter: .milliseconds(3), eviction) { group in
                    group.debounce(for: .milliseconds(2)).buffer(2)
                }
            }
            #expect(evicted == nil)
        }
        // A pipeline for each key, and the key of the group at work.
        let keyed = RestoreTrials.difference(counting: { [$0.late.count] }) { channel in
            channel.grouped(by: \.value) { group in
                let key = group.key
                let held = group.debounce(for: .milliseconds(2))
                held.late.forward(to: group.late)
                return held.enumerated().map { "\(key): \($0)" }
            }
        }
        #expect(keyed == nil)
        let lazily = RestoreTrials.difference { channel in
            channel.grouped(by: \.value) { group in group.enumerated().map { "\(group.key): \($0)" } }
        }
        #expect(lazily == nil)
    }

    /// What operators with tables have saved in another process is read, and made again, byte for byte.
    ///
    /// So nothing in it depends on the seed of hashes. Made by `WEIR_GOLDEN=1 swift test --filter StateTests`.
    @Test func goldenFiles() throws {
        try checkGolden("grouped-1.state") { channels in
            channels[0].grouped(by: \.label) { group in group.debounce(for: .milliseconds(2)).enumerated() }
        }
        try checkGolden("distinct-1.state") { $0[0].distinct(by: \.label, within: .milliseconds(9)) }
        try checkGolden("join-1.state") { $0[0].join($0[1], within: .milliseconds(9), by: \.label, and: \.label) }
        try checkGolden("windowed-join-1.state") {
            $0[0].join($0[1], .outer, every: .milliseconds(9), by: \.label, and: \.label)
        }
        try checkGolden("enrich-1.state") { $0[0].enrich(with: $0[1], by: \.label, and: \.label) }
        try checkGolden("ordered-1.state") { $0[0].ordered(within: .milliseconds(9)).scan(into: "") { $0 += $1.label } }
    }

    private func checkGolden<Output: EventStream>(
        _ name: String,
        _ build: ([EventChannel<Labelled>]) -> Output
    ) throws {
        let trial = RestoreTrial<Labelled>(seed: 7, channels: 2, upTo: 200) { _, time, generator in
            Labelled(timestamp: time, value: Int.random(in: 0...20, using: &generator))
        }
        let checkpoint = try trial.checkpoint(of: build)
        let golden = try GoldenFile(name).bytes(orMade: checkpoint.bytes)
        #expect(golden == checkpoint.bytes, "\(name)")
        #expect(try Checkpoint(bytes: golden).fingerprint == checkpoint.fingerprint, "\(name)")
    }

    @Test func changedGroupsAreDroppedWhole() throws {
        let old = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
        old.grouped(by: \.value) { $0.scan(into: 0) { $0 += $1.value } }.subscribe { _ in }
        for id in 0..<20 { old.publish(Labelled(timestamp: .epoch, value: id % 5)) }
        let checkpoint = try old.checkpoint()
        let changed = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
        let recorder = Recorder(changed.grouped(by: \.value) { $0.scan(into: "") { $0 += $1.label } })
        let report = try changed.restore(checkpoint, droppingMismatches: true)
        #expect(report.changed.map(\.name) == ["1/grouped"] && report.changed[0].items == 10)
        changed.publish(Labelled(timestamp: .epoch, value: 1))
        #expect(recorder.elements == ["é"])
        let again = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
        again.grouped(by: \.value) { $0.scan(into: "") { $0 += $1.label } }.subscribe { _ in }
        #expect(throws: StateError.self) { try again.restore(checkpoint) }
    }
}
