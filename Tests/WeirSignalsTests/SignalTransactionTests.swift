import Testing
import WeirCore
import WeirSignals
import WeirTesting

/// Reads between the writes of a transaction, and the order of what depends on them.
@Suite struct SignalTransactionTests {
    @Test func aReadInATransactionComputesOnlyWhatItNeeds() {
        let root = MutableSignal(0)
        let below = Counter()
        let beside = Counter()
        let doubled = Signal {
            below.count += 1
            return root() * 2
        }
        let shown = Signal { doubled() + 1 }
        let others = (0..<10).map { place in
            Signal {
                beside.count += 1
                return doubled() + place
            }
        }
        var seen: [Int] = []
        let observations = others.map { $0.observe { seen.append($0) } }
        (below.count, beside.count) = (0, 0)
        transaction {
            for value in 1...100 {
                root.value = value
                #expect(shown() == value * 2 + 1)
                #expect(shown() == value * 2 + 1)
            }
            #expect(beside.count == 0, "nobody has read them")
            #expect(seen.isEmpty)
        }
        #expect(below.count == 100, "once per read of something stale")
        #expect(beside.count == 10)
        #expect(seen == (200..<210).map { $0 })
        observations.forEach { $0.cancel() }
    }

    @Test func aSignalMadeInATransactionComputesOnlyWhatItReads() {
        let root = MutableSignal(1)
        let runs = Counter()
        let doubled = root.map { $0 * 2 }
        let beside = Signal {
            runs.count += 1
            return root()
        }
        runs.count = 0
        transaction {
            root.value = 2
            let made = Signal { doubled() + 1 }
            #expect(made() == 5)
            root.value = 3
            #expect(Signal { Signal { doubled() }() + made() }() == 13)
            #expect(runs.count == 0)
        }
        #expect(beside() == 3)
        #expect(runs.count == 1)
    }

    @Test func siblingsAreComputedInTheOrderInWhichTheyWereMade() {
        let (first, second) = (MutableSignal(0), MutableSignal(0))
        let usesFirst = MutableSignal(true)
        var order: [Int] = []
        func sibling(_ number: Int, _ read: @escaping () -> Int) -> Signal<Int> {
            Signal {
                order.append(number)
                return read()
            }
        }
        let siblings = [
            sibling(0) { first() },
            sibling(1) { second() },
            // Its dependencies change, which moves the edges of the others.
            sibling(2) { usesFirst() ? first() : second() },
            sibling(3) { second() },
            sibling(4) { first() },
        ]
        order = []
        first.value = 1
        #expect(order == [0, 2, 4])
        order = []
        transaction {
            second.value = 1
            first.value = 2
        }
        #expect(order == [0, 1, 2, 3, 4])
        usesFirst.value = false
        usesFirst.value = true
        usesFirst.value = false
        order = []
        second.value = 2
        #expect(order == [1, 2, 3])
        #expect(siblings.map { $0() } == [2, 2, 2, 2, 2])
    }

    /// Signals with changing dependencies, so that their levels rise and fall between the writes of a transaction.
    @Test func readsBetweenRandomWritesAgreeWithANaiveRecomputation() {
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let rootCount = 4
            let roots = (0..<rootCount).map { MutableSignal($0) }
            var inputs = Array(0..<rootCount)
            var signals: [Signal<Int>] = roots
            let runs = (0..<40).map { _ in Counter() }
            let choices = (0..<40).map { index in
                (0..<4).map { _ in Int.random(in: 0..<max(index, 1), using: &generator) }
            }
            func value(_ node: Int, _ read: (Int) -> Int) -> Int {
                let choice = choices[node]
                let chosen: Int = read(choice[0]) % 3 + 1
                return (read(choice[chosen]) * 31 + read(choice[1])) % 7
            }
            for index in rootCount..<40 {
                let below = signals
                signals.append(
                    Signal {
                        runs[index].count += 1
                        return value(index) { below[$0]() }
                    }
                )
            }
            func expected(_ inputs: [Int]) -> [Int] {
                var values = inputs
                for index in rootCount..<40 { values.append(value(index) { values[$0] }) }
                return values
            }
            for step in 0..<20 {
                transaction {
                    for _ in 0..<6 {
                        let root = Int.random(in: 0..<rootCount, using: &generator)
                        inputs[root] = .random(in: 0..<7, using: &generator)
                        roots[root].value = inputs[root]
                        for counter in runs { counter.count = 0 }
                        let values = expected(inputs)
                        for _ in 0..<Int.random(in: 0...3, using: &generator) {
                            let node = Int.random(in: 0..<40, using: &generator)
                            #expect(signals[node]() == values[node], "seed \(seed), step \(step), node \(node)")
                        }
                        #expect(runs.allSatisfy { $0.count <= 1 }, "seed \(seed), step \(step)")
                    }
                    for counter in runs { counter.count = 0 }
                }
                #expect(signals.map { $0() } == expected(inputs), "seed \(seed), step \(step)")
                #expect(runs.allSatisfy { $0.count <= 1 }, "seed \(seed), step \(step)")
            }
        }
    }
}
