import Synchronization
import Testing
import WeirCore
import WeirTesting

struct Tick: Event, Equatable {
    let timestamp: Timestamp
    let value: Int

    init(_ value: Int) {
        self.value = value
        timestamp = Timestamp(millisecondsSinceEpoch: Int64(value))
    }
}

@Suite struct EventChannelTests {
    @Test func handsEventsToEverySinkInTheOrderOfTheirAttachment() {
        let channel = EventChannel<Tick>()
        let order = Locked<[String]>([])
        channel.subscribe { tick in order.withLock { $0.append("a\(tick.value)") } }
        channel.subscribe { tick in order.withLock { $0.append("b\(tick.value)") } }
        channel.publish(Tick(1))
        channel.publish(contentsOf: [Tick(2), Tick(3)])
        #expect(order.withLock { $0 } == ["a1", "b1", "a2", "a3", "b2", "b3"])
    }

    @Test func keepsEventTime() {
        let channel = EventChannel<Tick>()
        let recorder = Recorder(channel)
        channel.publish(Tick(7))
        #expect(recorder.times == [Timestamp(millisecondsSinceEpoch: 7)])
    }

    @Test func aSinkGetsWhatIsPublishedWhileItIsAttached() {
        let channel = EventChannel<Tick>()
        channel.publish(Tick(1))
        let recorder = Recorder<Tick>()
        let subscription = channel.attach(recorder.sink)
        channel.publish(Tick(2))
        subscription.cancel()
        subscription.cancel()
        channel.publish(Tick(3))
        #expect(recorder.elements == [Tick(2)])
    }

    @Test func everySinkHasAStateOfItsOwn() {
        let channel = EventChannel<Tick>()
        channel.publish(Tick(0))
        let first = Recorder(channel)
        channel.publish(Tick(1))
        let second = Recorder(channel)
        channel.publish(Tick(2))
        #expect(first.elements == [Tick(1), Tick(2)])
        #expect(second.elements == [Tick(2)])
    }

    @Test func aSinkThatCancelsItselfInTheMiddleOfABatchGetsNothingMore() {
        let channel = EventChannel<Tick>()
        let seen = Locked<[Int]>([])
        let subscription = Locked<Subscription?>(nil)
        subscription.withLock {
            $0 = channel.subscribe { tick in
                seen.withLock { $0.append(tick.value) }
                if tick.value == 2 { subscription.withLock { $0?.cancel() } }
            }
        }
        channel.publish(contentsOf: [Tick(1), Tick(2), Tick(3)])
        channel.publish(Tick(4))
        #expect(seen.withLock { $0 } == [1, 2])
    }

    @Test func aSinkAttachedFromASinkGetsTheNextEvent() {
        let channel = EventChannel<Tick>()
        let recorder = Recorder<Tick>()
        channel.subscribe { tick in
            if tick.value == 1 { channel.attach(recorder.sink) }
        }
        channel.publish(Tick(1))
        channel.publish(Tick(2))
        #expect(recorder.elements == [Tick(2)])
    }

    @Test func publishingFromASinkComesAfterTheBatchAndDoesNotRecurse() {
        let channel = EventChannel<Tick>(capacity: 4)
        let depth = Locked((now: 0, most: 0))
        let seen = Locked<[Int]>([])
        channel.subscribe { tick in
            depth.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            seen.withLock { $0.append(tick.value) }
            if tick.value < 100_000 { channel.publish(Tick(tick.value + 10)) }
            depth.withLock { $0.now -= 1 }
        }
        channel.publish(contentsOf: [Tick(1), Tick(2)])
        #expect(depth.withLock { $0.most } == 1)
        #expect(seen.withLock { Array($0.prefix(6)) } == [1, 2, 11, 12, 21, 22])
        #expect(channel.metrics.dropped == 0)
    }

    @Test func anEventThatASinkPublishesIntoItsOwnFullChannelIsDroppedAndCounted() {
        let channel = EventChannel<Tick>(capacity: 2, overflowPolicy: .block)
        let recorder = Recorder(channel)
        channel.subscribe { tick in
            guard tick.value == 0 else { return }
            #expect(channel.publish(Tick(1)))
            #expect(channel.publish(Tick(2)))
            #expect(!channel.publish(Tick(3)))
        }
        channel.publish(Tick(0))
        #expect(recorder.elements == [Tick(0), Tick(1), Tick(2)])
        #expect(channel.metrics.dropped == 1)
    }

    @Test(arguments: [
        (OverflowPolicy.dropNewest, [0, 1, 2], 2 as UInt64), (.dropOldest, [0, 3, 4], 2), (.latest, [0, 4], 3),
    ])
    func dropsByPolicyAndCounts(policy: OverflowPolicy, expected: [Int], dropped: UInt64) {
        let channel = EventChannel<Tick>(capacity: 2, overflowPolicy: policy)
        let recorder = Recorder(channel)
        channel.subscribe { tick in
            if tick.value == 0 { for value in 1...4 { channel.publish(Tick(value)) } }
        }
        channel.publish(Tick(0))
        #expect(recorder.elements.map(\.value) == expected)
        #expect(channel.metrics.dropped == dropped)
    }

    @Test func failsByPolicyAfterWhatWaits() {
        let channel = EventChannel<Tick>(capacity: 2, overflowPolicy: .fail)
        let recorder = Recorder(channel)
        channel.subscribe { tick in
            if tick.value == 0 { for value in 1...3 { channel.publish(Tick(value)) } }
        }
        channel.publish(Tick(0))
        let times = (0...2).map { Timestamp(millisecondsSinceEpoch: $0) }
        let error = ChannelError.overflow(capacity: 2)
        #expect(
            recorder.signals == [
                .element(Tick(0), times[0]), .element(Tick(1), times[1]), .element(Tick(2), times[2]),
                .completion(.failed(error)),
            ]
        )
        #expect(!channel.publish(Tick(9)))
        #expect(channel.metrics.dropped == 2)
    }

    @Test func watermarksPassInOrderAndNeverGoBack() {
        let channel = EventChannel<Tick>()
        let recorder = Recorder(channel)
        channel.publish(Tick(1))
        channel.advance(to: Timestamp(millisecondsSinceEpoch: 5))
        channel.advance(to: Timestamp(millisecondsSinceEpoch: 3))
        channel.publish(Tick(6))
        channel.finish()
        #expect(
            recorder.signals == [
                .element(Tick(1), Timestamp(millisecondsSinceEpoch: 1)),
                .watermark(Timestamp(millisecondsSinceEpoch: 5)),
                .element(Tick(6), Timestamp(millisecondsSinceEpoch: 6)),
                .completion(.finished),
            ]
        )
        #expect(channel.metrics.ignoredWatermarks == 1)
    }

    @Test(arguments: [false, true])
    func aNewSinkIsToldTheWatermarkOnce(replaysLatest: Bool) {
        let channel = EventChannel<Tick>(replaysLatest: replaysLatest)
        let early = Recorder(channel)
        channel.publish(Tick(4))
        channel.advance(to: Tick(5).timestamp)
        let late = Recorder(channel)
        let element = StreamSignal.element(Tick(4), Tick(4).timestamp)
        let watermark = StreamSignal<Tick>.watermark(Tick(5).timestamp)
        #expect(late.signals == (replaysLatest ? [element, watermark] : [watermark]))
        _ = Recorder(channel)
        channel.advance(to: Tick(5).timestamp)
        #expect(early.signals == [element, watermark])
        #expect(late.signals == (replaysLatest ? [element, watermark] : [watermark]))
    }

    @Test func afterTheEndEventsAreDroppedAndNewSinksAreTold() {
        let channel = EventChannel<Tick>()
        let early = Recorder(channel)
        channel.finish()
        channel.finish(.failed(ChannelError.overflow(capacity: 1)))
        #expect(!channel.publish(Tick(1)))
        #expect(!channel.publish(contentsOf: [Tick(2), Tick(3)]))
        let late = Recorder(channel)
        #expect(early.signals == [.completion(.finished)])
        #expect(late.signals == [.completion(.finished)])
        #expect(channel.metrics.dropped == 3)
    }

    @Test func finishingFromASinkEndsTheStreamAfterWhatWaits() {
        let channel = EventChannel<Tick>()
        let recorder = Recorder(channel)
        channel.subscribe { tick in
            guard tick.value == 1 else { return }
            channel.finish()
            channel.publish(Tick(2))
        }
        channel.publish(Tick(1))
        #expect(recorder.elements == [Tick(1), Tick(2)])
        #expect(recorder.isFinished)
    }

    @Test func whatIsDetachedIsLetGoAtOnce() {
        final class Token: Sendable {}
        let channel = EventChannel<Tick>()
        weak var token: Token?
        let subscription: Subscription
        do {
            let strong = Token()
            token = strong
            subscription = channel.subscribe { _ in withExtendedLifetime(strong) {} }
        }
        channel.publish(Tick(1))
        #expect(token != nil)
        subscription.cancel()
        #expect(token == nil)
    }

    @Test func aChannelThatGoesAwayLetsGoOfItsSinks() {
        final class Token: Sendable {}
        weak var token: Token?
        var subscription: Subscription?
        do {
            let strong = Token()
            token = strong
            let channel = EventChannel<Tick>()
            subscription = channel.subscribe { _ in withExtendedLifetime(strong) {} }
            channel.publish(Tick(1))
        }
        #expect(token == nil)
        subscription?.cancel()
    }
}
