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
