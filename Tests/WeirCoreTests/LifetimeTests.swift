import Testing
import WeirCore
import WeirTesting

/// What is attached stays attached until it is cancelled, or its bag or its owner goes.
@Suite struct LifetimeTests {
    private struct Reading: Event {
        let timestamp = Timestamp.epoch
        let value: Int
    }

    private final class Owner: Sendable {}

    @Test func aSubscriptionOutlivesItsHandle() {
        let channel = EventChannel<Reading>()
        let seen = Locked<[Int]>([])
        do { _ = channel.subscribe { reading in seen.withLock { $0.append(reading.value) } } }
        channel.publish(Reading(value: 1))
        #expect(seen.withLock { $0 } == [1])
    }

    @Test func aBagEndsWhatItHolds() {
        let channel = EventChannel<Reading>()
        let seen = Locked<[Int]>([])
        var bag: SubscriptionBag? = SubscriptionBag()
        for factor in [1, 10] {
            if let bag {
                channel.subscribe { reading in seen.withLock { $0.append(reading.value * factor) } }.store(in: bag)
            }
        }
        channel.publish(Reading(value: 1))
        bag?.cancel()
        #expect(bag?.count == 0)
        channel.publish(Reading(value: 2))
        if let bag { channel.subscribe { reading in seen.withLock { $0.append(reading.value) } }.store(in: bag) }
        channel.publish(Reading(value: 3))
        bag = nil
        channel.publish(Reading(value: 4))
        #expect(seen.withLock { $0 } == [1, 10, 3])
    }

    @Test func whatHasAnOwnerEndsWithIt() {
        let channel = EventChannel<Reading>()
        let late = SideOutput<Int>()
        let seen = Locked<[Int]>([])
        var owner: Owner? = Owner()
        if let owner {
            channel.subscribeWithTime(owner: owner) { reading, _ in seen.withLock { $0.append(reading.value) } }
            late.subscribe(owner: owner) { number in seen.withLock { $0.append(number) } }
        }
        channel.publish(Reading(value: 1))
        late.send(2, at: .epoch)
        owner = nil
        channel.publish(Reading(value: 3))
        late.send(4, at: .epoch)
        #expect(seen.withLock { $0 } == [1, 2])
        #expect(late.count == 2)
    }

    @Test func anOwnedHandleEndsBefore() {
        let late = SideOutput<Int>()
        let seen = Locked<[Int]>([])
        let owner = Owner()
        let subscription = late.subscribe(owner: owner) { number in seen.withLock { $0.append(number) } }
        late.send(1, at: .epoch)
        subscription.cancel()
        late.send(2, at: .epoch)
        withExtendedLifetime(owner) {}
        #expect(seen.withLock { $0 } == [1])
    }

    @Test func aBagForgetsWhatWasCancelled() {
        let bag = SubscriptionBag()
        for _ in 0..<1000 {
            let subscription = Subscription()
            subscription.store(in: bag)
            subscription.cancel()
        }
        #expect(bag.count <= 17)
    }

    @Test func whatIsCancelledWithABagMayUseTheBag() {
        let bag = SubscriptionBag()
        let ended = Locked(0)
        Subscription { [weak bag] in
            bag?.insert(Subscription { ended.withLock { $0 += 1 } })
            ended.withLock { $0 += 1 }
        }.store(in: bag)
        bag.cancel()
        #expect(ended.withLock { $0 } == 1)
        bag.cancel()
        #expect(ended.withLock { $0 } == 2)
    }

    @Test func anOwnerThatHasGoneDetaches() {
        let channel = EventChannel<Reading>()
        let seen = Locked<[Int]>([])
        let token = Locked<Owner?>(Owner())
        var owner: Owner? = Owner()
        if let owner {
            let kept = token.withLock { $0 }
            channel.subscribe(owner: owner) { reading in
                withExtendedLifetime(kept) { seen.withLock { $0.append(reading.value) } }
            }
        }
        channel.publish(Reading(value: 1))
        owner = nil
        _ = owner
        weak let released = token.withLock { $0.take() }
        #expect(released != nil)
        channel.publish(Reading(value: 2))
        #expect(seen.withLock { $0 } == [1])
        #expect(released == nil, "the handler goes with the owner")
    }
}
