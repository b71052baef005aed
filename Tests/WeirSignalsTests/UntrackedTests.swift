import Testing
import WeirCore
import WeirSignals
import WeirTesting

@Suite struct UntrackedTests {
    private struct Broken: Error {}

    @Test func whatIsReadIsNoDependency() {
        let (label, total) = (MutableSignal("sum"), MutableSignal(1))
        let runs = Counter()
        let line = Signal {
            runs.count += 1
            return "\(untracked { label() }) \(total())"
        }
        label.value = "all"
        #expect(line() == "sum 1" && runs.count == 1)
        total.value = 2
        #expect(line() == "all 2" && runs.count == 2)
    }

    /// Also where it is computed after its reader otherwise.
    @Test func whatIsReadIsUpToDate() {
        let root = MutableSignal(1)
        var above: Signal<Int> = root
        for _ in 0..<5 {
            let below = above
            above = Signal { below() + 1 }
        }
        let last = above
        let reader = Signal { root() * 100 + untracked { last() } }
        #expect(reader() == 106)
        var told: [Int] = []
        let observation = reader.observe { told.append($0) }
        root.value = 2
        #expect(told == [207] || told == [106, 207])
        transaction {
            root.value = 3
            #expect(reader() == 308)
        }
        #expect(reader() == 308 && last() == 8)
        observation.cancel()
    }

    /// What is computed because it is read has dependencies of its own, and the reader too, behind the call.
    @Test func itHoldsForOneExpression() {
        let (first, second) = (MutableSignal(1), MutableSignal(1))
        let runs = Counter()
        let inner = Signal { first() }
        let reader = Signal {
            runs.count += 1
            let known = untracked { untracked { inner() } + inner() }
            return known + second()
        }
        first.value = 5
        #expect(inner() == 5 && reader() == 3 && runs.count == 1)
        second.value = 2
        #expect(reader() == 12 && runs.count == 2)
        // A read outside, of the same signal, counts.
        let both = Signal { untracked { first() } + first() }
        first.value = 6
        #expect(both() == 12)
    }

    @Test func whatIsThrownPasses() {
        let (first, second) = (MutableSignal(1), MutableSignal(1))
        let reader = Signal {
            do {
                return try untracked { () throws(Broken) -> Int in throw Broken() }
            } catch {
                return first() + untracked { second() }
            }
        }
        #expect(untracked { reader() } == 2)
        second.value = 2
        #expect(reader() == 2)
        first.value = 2
        #expect(reader() == 4)
    }

    @Test func readingItselfIsACycle() {
        let (root, late) = (MutableSignal(0), Late())
        let signal = Signal { root() == 0 ? 0 : untracked { late.signal?() ?? 0 } + 1 }
        late.signal = Signal { signal() }
        #expect(throws: SignalError.self) {
            try checkedTransaction { root.value = 1 }
        }
        #expect(signal() == 0)
        late.signal = nil
    }

    /// Of random graphs, an expression is computed again only where something has changed that it reads otherwise.
    @Test func randomGraphsComputeNoMoreThanTheyMust() {
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let roots = (0..<4).map { _ in MutableSignal(Int.random(in: 0..<4, using: &generator)) }
            var signals: [Signal<Int>] = roots
            var edges: [(tracked: [Int], untracked: [Int])] = roots.map { _ in ([], []) }
            let runs = (0..<20).map { _ in Counter() }
            for index in 4..<20 {
                func some() -> [Int] {
                    (0..<Int.random(in: 0...2, using: &generator)).map { _ in .random(in: 0..<index, using: &generator)
                    }
                }
                let (below, tracked, hidden) = (
                    signals, some() + [Int.random(in: 0..<index, using: &generator)], some()
                )
                edges.append((tracked, hidden))
                signals.append(
                    Signal {
                        runs[index].count += 1
                        let sum = untracked { hidden.reduce(0) { $0 + below[$1]() } }
                        return (sum + tracked.reduce(index) { $0 * 3 + below[$1]() }) % 5
                    }
                )
            }
            var values = signals.map { $0() }
            for _ in 0..<30 {
                for counter in runs { counter.count = 0 }
                let root = Int.random(in: 0..<4, using: &generator)
                roots[root].value = Int.random(in: 0..<4, using: &generator)
                var expected = values
                expected[root] = roots[root]()
                for index in 4..<20 {
                    let (tracked, hidden) = edges[index]
                    let mustRun = tracked.contains { expected[$0] != values[$0] }
                    #expect((runs[index].count == 1) == mustRun, "seed \(seed), signal \(index)")
                    guard mustRun else { continue }
                    let sum = hidden.reduce(0) { $0 + expected[$1] }
                    expected[index] = (sum + tracked.reduce(index) { $0 * 3 + expected[$1] }) % 5
                }
                values = expected
                #expect(signals.map { $0() } == expected, "seed \(seed)")
            }
        }
    }
}
