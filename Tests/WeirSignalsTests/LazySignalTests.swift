import Testing
import WeirCore
import WeirSignals
import WeirTesting

@Suite struct LazySignalTests {
    @Test func itIsComputedWhenItIsRead() {
        let root = MutableSignal(1)
        let runs = Counter()
        let double = LazySignal {
            runs.count += 1
            return root() * 2
        }
        for value in 2...10 { root.value = value }
        #expect(runs.count == 0)
        #expect(double() == 20 && double() == 20)
        #expect(runs.count == 1)
        for value in 11...20 { root.value = value }
        #expect(runs.count == 1)
        #expect(double() == 40)
        #expect(runs.count == 2)
        // An equal value is no change of what it reads.
        root.value = 20
        #expect(double() == 40 && runs.count == 2)
    }

    @Test func dependenciesAreThoseOfTheLastComputation() {
        let (isFirst, first, second) = (MutableSignal(true), MutableSignal(1), MutableSignal(2))
        let runs = Counter()
        let chosen = LazySignal {
            runs.count += 1
            return isFirst() ? first() : second()
        }
        #expect(chosen() == 1)
        second.value = 20
        #expect(chosen() == 1 && runs.count == 1)
        isFirst.value = false
        #expect(chosen() == 20 && runs.count == 2)
        first.value = 10
        #expect(chosen() == 20 && runs.count == 2)
    }

    @Test func whatReadsItIsComputedAgain() {
        let root = MutableSignal(1)
        let (lazyRuns, runs) = (Counter(), Counter())
        let parity = LazySignal {
            lazyRuns.count += 1
            return root() % 2
        }
        let text = Signal {
            runs.count += 1
            return parity() == 0 ? "even" : "odd"
        }
        var told: [String] = []
        let observation = text.observe { told.append($0) }
        root.value = 2
        #expect(told == ["even"] && lazyRuns.count == 2)
        // The reader is computed, and comes out the same; its observer is not told.
        root.value = 4
        #expect(told == ["even"] && runs.count == 3 && lazyRuns.count == 3)
        observation.cancel()
    }

    /// In a transaction it is up to date between the writes.
    @Test func aReadInATransactionIsUpToDate() {
        let root = MutableSignal(1)
        let next = Signal { root() + 1 }
        let lazy = LazySignal { next() * 10 }
        #expect(lazy() == 20)
        transaction {
            root.value = 2
            #expect(lazy() == 30)
            root.value = 3
            #expect(lazy() == 40)
        }
        #expect(lazy() == 40)
        var seen: [Int] = []
        let observation = root.observe { _ in seen.append(lazy()) }
        root.value = 4
        #expect(seen == [50])
        observation.cancel()
    }

    /// It takes part in a change below what it reads: a signal of a low level suddenly reads it.
    @Test func aReaderBelowItSeesTheNewValue() {
        let (root, reads) = (MutableSignal(1), MutableSignal(false))
        var above: Signal<Int> = root
        for _ in 0..<5 {
            let below = above
            above = Signal { below() + 1 }
        }
        let last = above
        let lazy = LazySignal { last() * 100 }
        #expect(lazy() == 600)
        let reader = Signal { reads() ? root() + lazy() : root() }
        transaction {
            root.value = 2
            reads.value = true
        }
        #expect(reader() == 702)
        root.value = 3
        #expect(reader() == 803)
    }

    @Test func itRetainsNothingThatHasChanged() {
        weak var weakInner: Signal<Int>?
        let isUsed = MutableSignal(true)
        let lazy: LazySignal<Int>
        do {
            let inner = MutableSignal(7)
            weakInner = inner
            let box = Kept()
            box.signals = [inner]
            lazy = LazySignal {
                guard isUsed() else {
                    box.signals = []
                    return 0
                }
                return box.signals[0]()
            }
        }
        #expect(lazy() == 7)
        isUsed.value = false
        #expect(lazy() == 0)
        #expect(weakInner == nil)
    }

    @Test func itsNameIsTheGivenOne() {
        #expect(LazySignal(named: "ranking") { 1 }.name == "ranking")
    }

    /// Signals and lazy signals over others, changed and read in any order, beside a recomputation of everything.
    @Test(arguments: 0..<40 as Range<UInt64>) func randomGraphsAgreeWithARecomputation(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let roots = (0..<4).map { MutableSignal($0) }
        var readers: [() -> Int] = roots.map { root in { root() } }
        var sums: [(Int, [Int])?] = Array(repeating: nil, count: 4)
        let counters = (0..<30).map { _ in Counter() }
        var kept: [Signal<Int>] = []
        for counter in counters {
            let sources = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                Int.random(in: 0..<readers.count, using: &generator)
            }
            // What the first source says decides which others are read.
            let expressions = sources.map { readers[$0] }
            let modulus = Int.random(in: 2...5, using: &generator)
            let expression = {
                counter.count += 1
                let first = expressions[0]()
                return first % modulus == 0 ? first + 1 : expressions.reduce(0) { $0 &+ $1() } % 1000
            }
            sums.append((modulus, sources))
            if Bool.random(using: &generator) {
                let lazy = LazySignal(expression)
                readers.append { lazy() }
            } else {
                let signal = Signal(expression)
                kept.append(signal)
                readers.append { signal() }
            }
        }
        func naive(_ place: Int) -> Int {
            guard let (modulus, sources) = sums[place] else { return roots[place]() }
            let first = naive(sources[0])
            return first % modulus == 0 ? first + 1 : sources.reduce(0) { $0 &+ naive($1) } % 1000
        }
        for step in 0..<60 {
            for counter in counters { counter.count = 0 }
            transaction {
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    roots[Int.random(in: 0..<4, using: &generator)].value = Int.random(in: 0..<20, using: &generator)
                    if Int.random(in: 0..<4, using: &generator) == 0 {
                        let place = Int.random(in: 4..<readers.count, using: &generator)
                        #expect(
                            readers[place]() == naive(place),
                            "seed \(seed), step \(step): \(place) in a transaction"
                        )
                        for counter in counters { counter.count = 0 }
                    }
                }
            }
            #expect(!counters.contains { $0.count > 1 }, "seed \(seed), step \(step): computed more than once")
            for place in readers.indices where Bool.random(using: &generator) {
                #expect(readers[place]() == naive(place), "seed \(seed), step \(step): \(place)")
            }
            #expect(!counters.contains { $0.count > 1 }, "seed \(seed), step \(step): read more than once")
        }
        withExtendedLifetime(kept) {}
    }
}
