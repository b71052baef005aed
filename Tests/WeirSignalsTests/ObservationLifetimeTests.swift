import Testing
import WeirSignals

/// Observations follow the rule of subscriptions: they last until they are cancelled, or their bag or owner goes.
@Suite struct ObservationLifetimeTests {
    private final class Owner {}

    @Test func anObservationOutlivesItsHandle() {
        let root = MutableSignal(0)
        var seen: [Int] = []
        do { _ = root.map { $0 * 2 }.observe { seen.append($0) } }
        root.value = 1
        root.value = 2
        #expect(seen == [2, 4])
    }

    @Test func aBagEndsWhatItHolds() {
        let root = MutableSignal(0)
        var seen: [Int] = []
        var bag: ObservationBag? = ObservationBag()
        if let bag {
            root.observe { seen.append($0) }.store(in: bag)
            root.map { $0 * 10 }.observe { seen.append($0) }.store(in: bag)
        }
        root.value = 1
        bag?.cancel()
        #expect(bag?.count == 0)
        root.value = 2
        if let bag { root.observe { seen.append($0) }.store(in: bag) }
        root.value = 3
        bag = nil
        root.value = 4
        #expect(seen == [1, 10, 3])
    }

    @Test func aBagForgetsWhatWasCancelled() {
        let root = MutableSignal(0)
        let bag = ObservationBag()
        for _ in 0..<1000 {
            let observation = root.observe { _ in }
            observation.store(in: bag)
            observation.cancel()
        }
        #expect(bag.count <= 17)
    }

    @Test func anOwnerThatHasGoneEndsTheObservation() {
        let root = MutableSignal(0)
        var seen: [Int] = []
        var owner: Owner? = Owner()
        let observation = root.observe(owner: owner) { seen.append($0) }
        root.value = 1
        owner = nil
        root.value = 2
        #expect(seen == [1])
        #expect(observation.isCancelled)
    }

    @Test func whatIsCancelledIsReleased() {
        weak var signal: Signal<Int>?
        do {
            let observation: SignalObservation
            do {
                let kept = Owner()
                weak let weakKept = kept
                let root = MutableSignal(0)
                let double = root.map { $0 * 2 }
                signal = double
                observation = double.observe { _ in withExtendedLifetime(kept) {} }
                #expect(weakKept != nil)
            }
            #expect(signal != nil)
            observation.cancel()
            #expect(signal == nil, "also while the handle is kept")
        }
    }

    @Test func anObservationMayEndItselfInItsHandler() {
        let root = MutableSignal(0)
        var seen: [Int] = []
        var observation: SignalObservation?
        observation = root.observe { value in
            observation?.cancel()
            observation = nil
            seen.append(value)
        }
        root.value = 1
        root.value = 2
        #expect(seen == [1])
    }
}
