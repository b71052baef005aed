import Synchronization
import TestStreams
import Testing
import WeirCore
import WeirDispatch
import WeirFlow
import WeirSelection
import WeirSequences
import WeirTesting

struct Keyed: Event, Equatable {
    let timestamp: Timestamp
    let key: Int
    let value: Int
}

/// Counts in a box that copies of its sink would share, so it is wrong that it conforms.
private struct Boxed<Upstream: EventStream>: GroupableStream {
    typealias Element = Int

    let upstream: Upstream

    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Int {
        let count = SharedCell(0)
        return upstream.map { _ in
            count.withValue { count in
                count += 1
                return count
            }
        }
        .attach(sink)
    }
}

@Suite struct GroupedTests {
    @Test func agreesWithOnePipelinePerKey() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let events = (0..<12).map { index in
                Keyed(
                    timestamp: Timestamp(millisecondsSinceEpoch: Int64(index)),
                    key: .random(in: 0...4, using: &generator),
                    value: .random(in: 0...9, using: &generator)
                )
            }
            let channel = EventChannel<Keyed>()
            let grouped = Recorder(
                channel.grouped(by: { $0.key }, limit: 10) { group in
                    group.filter { $0.value > 2 }.pairwise().map { $0.0.value * 100 + $0.1.value }
                }
            )
            let single = (0...4).map { key in
                Recorder(
                    channel.filter { $0.key == key }
                        .filter { $0.value > 2 }.pairwise().map { $0.0.value * 100 + $0.1.value }
                )
            }
            channel.publish(contentsOf: events)
            let expected = single.flatMap { zip($0.times, $0.elements) }.sorted { $0.0 < $1.0 }
            guard grouped.elements == expected.map(\.1), grouped.times == expected.map(\.0) else {
                Issue.record("seed \(seed): \(grouped.elements) instead of \(expected)")
                return
            }
        }
    }

    /// Enough keys for prefetching; some keys are new while others are prefetched.
    @Test func findsTheRightOfManyGroups() {
        var generator = SeededGenerator(seed: 11)
        let channel = EventChannel<Keyed>()
        let recorder = Recorder(channel.grouped(by: { $0.key }, limit: 30_000) { $0.scan(into: 0) { $0 += $1.value } })
        var sums: [Int: Int] = [:]
        var expected: [Int] = []
        for _ in 0..<400 {
            let batch = (0..<Int.random(in: 1...300, using: &generator)).map { _ in
                Keyed(
                    timestamp: .epoch,
                    key: .random(in: 0..<30_000, using: &generator),
                    value: .random(in: 1...9, using: &generator)
                )
            }
            for event in batch {
                sums[event.key, default: 0] += event.value
                expected.append(sums[event.key] ?? 0)
            }
            channel.publish(contentsOf: batch)
        }
        #expect(sums.count > 16_384)
        #expect(recorder.elements == expected)
    }

    @Test func handsBackTheElementsOfGroupsBeyondTheLimit() {
        let channel = EventChannel<Keyed>()
        let refused = Locked<[Int]>([])
        let grouped = channel.grouped(by: { $0.key }, limit: 2) { group in group.scan(into: 0) { $0 += $1.value } }
        grouped.refused.subscribe { element in refused.withLock { $0.append(element.key) } }
        let recorder = Recorder(grouped)
        for key in [1, 2, 3, 1, 4] { channel.publish(Keyed(timestamp: .epoch, key: key, value: 1)) }
        #expect(recorder.elements == [1, 1, 2])
        #expect(refused.withLock { $0 } == [3, 4])
    }

    @Test func aGroupThatBeginsLateKnowsTheWatermark() {
        let channel = EventChannel<Keyed>()
        let late = Locked<[Int]>([])
        let recorder = Recorder(
            channel.grouped(by: { $0.key }, limit: 10) { group in
                let ordered = group.ordered(within: .zero)
                ordered.late.subscribe { element in late.withLock { $0.append(element.value) } }
                return ordered
            }
        )
        channel.advance(to: milliseconds(10))
        channel.publish(Keyed(timestamp: milliseconds(1), key: 1, value: 1))
        channel.publish(Keyed(timestamp: milliseconds(10), key: 2, value: 2))
        #expect(recorder.elements.map(\.value) == [2])
        #expect(late.withLock { $0 } == [1])
    }

    @Test func anOperatorThatClaimsToBeGroupableTrapsWhenCopiesWouldShareItsState() async {
        await #expect(processExitsWith: .failure) {
            let channel = EventChannel<Keyed>()
            channel.grouped(by: { $0.key }, limit: 10) { Boxed(upstream: $0) }.subscribe { _ in }
            channel.publish(Keyed(timestamp: .epoch, key: 1, value: 1))
        }
    }

    @Test func aFunctionMayBuildAPartOfAPipeline() {
        @Sendable func sums(of events: some GroupableStream<Keyed>) -> some GroupableStream<Int> {
            events.scan(into: 0) { $0 += $1.value }
        }
        let channel = EventChannel<Keyed>()
        let grouped = Recorder(channel.grouped(by: { $0.key }, limit: 10) { sums(of: $0) })
        let single = Recorder(sums(of: channel))
        for key in [1, 2, 1] { channel.publish(Keyed(timestamp: .epoch, key: key, value: 1)) }
        #expect(grouped.elements == [1, 1, 2])
        #expect(single.elements == [1, 2, 3])
    }

    @Test func whatJoinsStreamsMayStandBeforeTheGroupsAndBehindThem() {
        let channel = EventChannel<Keyed>()
        let recorder = Recorder(
            channel.union(channel).grouped(by: { $0.key }, limit: 10) { $0.scan(into: 0) { $0 += $1.value } }.share()
        )
        channel.publish(Keyed(timestamp: .epoch, key: 1, value: 1))
        channel.publish(Keyed(timestamp: .epoch, key: 2, value: 5))
        #expect(recorder.elements == [1, 2, 5, 10])
    }

    /// Read while the pipeline is built, or by its closures: at elements, at watermarks and at the end.
    @Test func everyGroupKnowsItsKey() {
        for seed in seeds(2_000) {
            var generator = SeededGenerator(seed: seed)
            let channel = EventChannel<Keyed>()
            let built = Locked(0)
            let constant = Recorder(
                channel.grouped(by: { $0.key }, evictingAfter: .milliseconds(4), limit: 4) { group in
                    built.withLock { $0 += 1 }
                    let key = group.key
                    return group.buffer(3).map { elements in (key, elements) }
                }
            )
            let read = Recorder(
                channel.grouped(by: { $0.key }, evictingAfter: .milliseconds(4), limit: 4) { group in
                    group.ordered(within: .milliseconds(1)).buffer(2).map { elements in (group.key, elements) }
                }
            )
            let plain = Recorder(
                channel.grouped(by: { $0.key }, evictingAfter: .milliseconds(4), limit: 4) { group in
                    group.ordered(within: .milliseconds(1)).buffer(2)
                }
            )
            var keys: Set<Int> = []
            for time in 0..<40 as Range<Int64> {
                let key = Int.random(in: 0...5, using: &generator)
                let event = Keyed(timestamp: milliseconds(time), key: key, value: Int(time))
                if keys.count < 4 || keys.contains(key) { keys.insert(key) }
                channel.publish(event)
                if Int.random(in: 0..<4, using: &generator) == 0 { channel.advance(to: milliseconds(time)) }
            }
            channel.finish()
            #expect(constant.elements.allSatisfy { key, elements in elements.allSatisfy { $0.key == key } })
            #expect(read.elements.allSatisfy { key, elements in elements.allSatisfy { $0.key == key } }, "seed \(seed)")
            #expect(read.elements.map(\.1) == plain.elements && read.times == plain.times, "seed \(seed)")
            #expect(!constant.elements.isEmpty && built.withLock { $0 } >= keys.count)
        }
    }

    @Test func aPipelineThatDoesNotAskForTheKeyIsBuiltOnce() {
        let channel = EventChannel<Keyed>()
        let built = Locked([0, 0, 0])
        @Sendable func build(_ place: Int) { built.withLock { $0[place] += 1 } }
        let without = Recorder(
            channel.grouped(by: { $0.key }) { group in
                build(0)
                return group.map(\.value)
            }
        )
        let reading = Recorder(
            channel.grouped(by: { $0.key }) { group in
                build(1)
                return group.map { element in group.key * 100 + element.value }
            }
        )
        let constant = Recorder(
            channel.grouped(by: { $0.key }) { group in
                build(2)
                let key = group.key
                return group.map { element in key * 100 + element.value }
            }
        )
        #expect(built.withLock { $0 } == [0, 0, 0])
        for key in [3, 1, 3, 2] { channel.publish(Keyed(timestamp: .epoch, key: key, value: key)) }
        #expect(built.withLock { $0 } == [1, 1, 3])
        #expect(without.elements == [3, 1, 3, 2])
        #expect(reading.elements == [303, 101, 303, 202] && constant.elements == reading.elements)
    }

    /// Operators of all groups put what is late in one place, and the handlers know whose it is.
    @Test func lateElementsOfAllGroupsMeet() {
        let channel = EventChannel<Keyed>()
        let seen = Locked<[[Int]]>([])
        let grouped = channel.grouped(by: { $0.key }) { group in
            let ordered = group.ordered(within: .zero)
            ordered.late.forward(to: group.late)
            ordered.late.subscribe { element in seen.withLock { $0.append([group.key, element.value]) } }
            let distinct = ordered.distinct(by: \.value, last: 1)
            return distinct
        }
        let late = Locked<[Int]>([])
        grouped.late.subscribe { element in late.withLock { $0.append(element.value) } }
        let recorder = Recorder(grouped)
        for key in 1...3 { channel.publish(Keyed(timestamp: milliseconds(9), key: key, value: 0)) }
        channel.advance(to: milliseconds(10))
        for key in 1...4 { channel.publish(Keyed(timestamp: milliseconds(1), key: key, value: key * 10)) }
        #expect(recorder.elements.map(\.key) == [1, 2, 3])
        #expect(late.withLock { $0 } == [10, 20, 30, 40] && grouped.late.count == 4 && grouped.dropped.count == 0)
        #expect(seen.withLock { $0 } == [[1, 10], [2, 20], [3, 30], [4, 40]])
    }

    /// A pipeline whose closures hold the group goes with the subscription.
    @Test func groupsAreForgottenWithTheChannel() {
        final class Witness: Sendable {}
        weak var witness: Witness?
        do {
            let held = Witness()
            witness = held
            let channel = EventChannel<Keyed>()
            channel.grouped(by: { $0.key }) { group in
                group.map { element in
                    withExtendedLifetime(held) {}
                    return group.key + element.value
                }
            }.subscribe { _ in }
            channel.publish(Keyed(timestamp: .epoch, key: 1, value: 1))
        }
        #expect(witness == nil)
    }

    @Test func sendsWatermarksAndTheCompletionOnOnce() {
        let channel = EventChannel<Keyed>()
        let recorder = Recorder(channel.grouped(by: { $0.key }, limit: 10) { $0.map(\.value) })
        for key in 1...3 { channel.publish(Keyed(timestamp: .epoch, key: key, value: key)) }
        channel.advance(to: Timestamp(secondsSinceEpoch: 1))
        channel.finish()
        #expect(recorder.signals.suffix(2) == [.watermark(Timestamp(secondsSinceEpoch: 1)), .completion(.finished)])
        #expect(recorder.signals.count == 5)
    }

    /// A group, evicted or not, is the elements of its key from when it began, in arrays of two.
    @Test(arguments: [1, 3] as [Int64], [GroupEviction.finish, .discard])
    func evictsIdleGroups(idle: Int64, eviction: GroupEviction) {
        compare {
            $0[0].grouped(by: { $0.key }, evictingAfter: .milliseconds(idle), eviction, limit: 2) { $0.buffer(2) }
        } aside: {
            $0.refused
        } with: { arrivals in
            var outcome = Outcome<[Keyed]>()
            var groups: [(key: Int, all: [Keyed])] = []
            var watermark = Timestamp.distantPast
            func emit(_ elements: [Keyed]) {
                guard let youngest = elements.map(\.timestamp).max() else { return }
                outcome.emit(elements, max(youngest, watermark))
            }
            for arrival in arrivals {
                switch arrival.signal {
                case .element(let element, _):
                    if let index = groups.firstIndex(where: { $0.key == element.key }) {
                        groups[index].all.append(element)
                        if groups[index].all.count % 2 == 0 {
                            emit(groups[index].all.suffix(2))
                        }
                    } else if groups.count < 2 {
                        groups.append((element.key, [element]))
                    } else {
                        outcome.aside.append(element)
                    }
                case .watermark(let mark):
                    watermark = mark
                    let idleGroups = groups.filter { group in
                        (group.all.map(\.timestamp).max() ?? mark) + .milliseconds(idle) <= mark
                    }
                    if eviction == .finish {
                        for group in idleGroups { emit(group.all.suffix(group.all.count % 2)) }
                    }
                    groups.removeAll { group in idleGroups.contains { $0.key == group.key } }
                    outcome.signals.append(.watermark(mark))
                case .completion(let completion):
                    if case .finished = completion {
                        for group in groups { emit(group.all.suffix(group.all.count % 2)) }
                    }
                    outcome.signals.append(.completion(completion))
                }
            }
            return outcome
        }
    }
}
