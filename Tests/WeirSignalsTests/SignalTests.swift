import Testing
import WeirSignals
import WeirTesting

@Suite struct SignalTests {
    @Test func aDerivedSignalFollowsWhatItReads() {
        let price = MutableSignal(20.0)
        let amount = MutableSignal(3)
        let total = Signal { price() * Double(amount()) }
        #expect(total() == 60)
        amount.value = 4
        #expect(total() == 80)
        price.update { $0 += 1 }
        #expect(total() == 84)
    }

    @Test func aDiamondIsComputedOnceAndNeverSeesAMixture() {
        let root = MutableSignal(0)
        let left = root.map { $0 + 1 }
        let right = root.map { $0 * 10 }
        let runs = Counter()
        let join = Signal { () -> [Int] in
            runs.count += 1
            return [left(), right()]
        }
        var seen: [[Int]] = []
        let observation = join.observe { seen.append($0) }
        for value in 1...100 { root.value = value }
        #expect(seen == (1...100).map { [$0 + 1, $0 * 10] })
        #expect(runs.count == 101)
        observation.cancel()
    }

    @Test func aNestedDiamondIsComputedOnce() {
        let root = MutableSignal(1)
        let runs = Counter()
        var layer: [Signal<Int>] = [root]
        for _ in 0..<10 {
            let below = layer
            layer = (0..<8).map { index in
                Signal {
                    runs.count += 1
                    return below.reduce(index) { $0 &+ $1() }
                }
            }
        }
        withExtendedLifetime(layer) {
            runs.count = 0
            root.value = 2
            #expect(runs.count == 80)
        }
    }

    @Test func aWideDiamondComputesEachNodeOnce() {
        let root = MutableSignal(0)
        let runs = Counter()
        let middle = (0..<1000).map { index in
            Signal {
                runs.count += 1
                return root() + index
            }
        }
        let join = Signal {
            runs.count += 1
            return middle.reduce(0) { $0 + $1() }
        }
        runs.count = 0
        root.value = 1
        #expect(runs.count == 1001)
        #expect(join() == 1000 + 999 * 500)
    }

    @Test func whatDoesNotChangeStopsThere() {
        let number = MutableSignal(1)
        let parity = number.map { $0 % 2 }
        let runs = Counter()
        let text = Signal { () -> String in
            runs.count += 1
            return parity() == 0 ? "even" : "odd"
        }
        number.value = 3
        number.value = 5
        number.value = 5
        #expect(runs.count == 1)
        number.value = 6
        #expect(runs.count == 2)
        #expect(text() == "even")
    }

    @Test func onlyWhatWasReadLastIsADependency() {
        let usesFirst = MutableSignal(true)
        let first = MutableSignal(1)
        let second = MutableSignal(2)
        let runs = Counter()
        let chosen = Signal { () -> Int in
            runs.count += 1
            return usesFirst() ? first() : second()
        }
        second.value = 20
        #expect(runs.count == 1)
        usesFirst.value = false
        #expect(chosen() == 20)
        first.value = 10
        #expect(runs.count == 2)
        second.value = 21
        #expect(chosen() == 21)
    }

    @Test func aTransactionIsOneChange() {
        let a = MutableSignal(1)
        let b = MutableSignal(2)
        let runs = Counter()
        let sum = Signal { () -> Int in
            runs.count += 1
            return a() + b()
        }
        var seen: [Int] = []
        let observation = sum.observe { seen.append($0) }
        transaction {
            a.value = 10
            transaction { b.value = 20 }
            a.value += 1
        }
        #expect(seen == [31])
        #expect(runs.count == 2)
        transaction {
            a.value = 0
            #expect(sum() == 20)
            a.value = 11
            #expect(sum() == 31)
        }
        #expect(seen == [31], "there and back is no change")
        transaction {
            a.value = 5
            a.value = 11
        }
        #expect(runs.count == 4)
        observation.cancel()
    }

    @Test func anErrorInATransactionKeepsWhatWasWritten() {
        struct Trouble: Error {}
        let a = MutableSignal(1)
        let double = a.map { $0 * 2 }
        #expect(throws: Trouble.self) {
            try transaction { () throws(Trouble) in
                a.value = 4
                throw Trouble()
            }
        }
        #expect(double() == 8)
    }

    @Test func anObserverThatSetsWhatItObservesIsHeardInTheNextCycle() {
        let number = MutableSignal(0)
        let double = number.map { $0 * 2 }
        var seen: [[Int]] = []
        let first = number.observe { value in
            if value < 5 { number.update { $0 += 1 } }
            #expect(number() == value, "a write waits for the observers of its cycle")
        }
        let second = number.observe { seen.append([$0, double()]) }
        number.value = 1
        #expect(seen == (1...5).map { [$0, $0 * 2] })
        #expect(number() == 5)
        first.cancel()
        second.cancel()
    }

    @Test func twoUpdatesByObserversAreBothMade() {
        let trigger = MutableSignal(0)
        let count = MutableSignal(0)
        let observations = (0..<2).map { _ in trigger.observe { _ in count.update { $0 += 1 } } }
        trigger.value = 1
        #expect(count() == 2)
        observations.forEach { $0.cancel() }
    }

    @Test func anExpressionThatSetsASignalTraps() async {
        await #expect(processExitsWith: .failure) {
            let number = MutableSignal(0)
            _ = Signal<Int> {
                number.value = 1
                return 0
            }
        }
    }

    @Test func observersThatNeverRestTrap() async {
        await #expect(processExitsWith: .failure) {
            let number = MutableSignal(0)
            let observation = number.observe { _ in number.update { $0 += 1 } }
            number.value = 1
            observation.cancel()
        }
    }

    @Test func combinedSignalsChangeOnce() {
        let a = MutableSignal(1)
        let b = MutableSignal("x")
        let c = MutableSignal(2.5)
        let all = combine(a, b, c)
        let text = combine(a, b) { "\($0)\($1)" }
        var seen = 0
        let observation = all.observe { _ in seen += 1 }
        transaction {
            a.value = 2
            b.value = "y"
        }
        #expect(all().0 == 2 && all().1 == "y" && all().2 == 2.5)
        #expect(text() == "2y")
        #expect(seen == 1)
        observation.cancel()
    }

    @Test func anInnerSignalMayChange() {
        let first = MutableSignal(1)
        let second = MutableSignal(2)
        let choice = MutableSignal(0)
        let inner = choice.flatMap { $0 == 0 ? first : second.map { $0 * 10 } }
        #expect(inner() == 1)
        transaction {
            choice.value = 1
            second.value = 3
        }
        #expect(inner() == 30)
        second.value = 4
        #expect(inner() == 40)
    }

    @Test func bindingsFollowAndKeepNothingAlive() {
        final class Dial {
            var angle = 0
            let bag = ObservationBag()
        }
        let speed = MutableSignal(1)
        let copy = MutableSignal(0)
        let binding = speed.bind(to: copy)
        var dial: Dial? = Dial()
        weak let gone = dial
        if let dial { speed.map { $0 * 3 }.bind(to: dial, \.angle).store(in: dial.bag) }
        speed.value = 2
        #expect(copy() == 2)
        #expect(dial?.angle == 6)
        dial = nil
        #expect(gone == nil)
        speed.value = 3
        #expect(copy() == 3)
        binding.cancel()
        speed.value = 4
        #expect(copy() == 3)
    }

    @Test func aReleasedSignalIsNotComputed() {
        let root = MutableSignal(0)
        let runs = Counter()
        var derived: Signal<Int>? = Signal {
            runs.count += 1
            return root()
        }
        root.value = 1
        #expect(runs.count == 2)
        #expect(derived?() == 1)
        derived = nil
        root.value = 2
        #expect(runs.count == 2)
    }

    @Test func observersMayBeAddedAndRemovedDuringNotification() {
        let root = MutableSignal(0)
        var seen: [String] = []
        var held: [SignalObservation] = []
        let first = root.observe { value in
            seen.append("first \(value)")
            if value == 1 { held.append(root.observe { seen.append("new \($0)") }) }
            if value == 2 { held.forEach { $0.cancel() } }
        }
        root.value = 1
        root.value = 2
        root.value = 3
        #expect(seen == ["first 1", "first 2", "first 3"])
        first.cancel()
    }
}
