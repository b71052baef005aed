import Testing
import WeirCore
import WeirSignals
import WeirTesting

/// Graphs that are too large to be looked at.
@Suite struct SignalGraphTests {
    /// The rule of a node: the first signal that it reads selects which of two sets of others it reads next.
    private struct Rule {
        let selector: Int
        let even: [Int]
        let odd: [Int]
        let modulus: Int

        func value(_ read: (Int) -> Int) -> Int {
            let chosen = read(selector) % 2 == 0 ? even : odd
            return chosen.reduce(1) { ($0 * 31 + read($1)) % modulus }
        }
    }

    /// Nodes may read those before them in `order`, which is not the order in which they are made.
    private func rules(_ count: Int, roots: Int, _ generator: inout SeededGenerator) -> [Rule?] {
        (0..<count).map { index in
            guard index >= roots else { return nil }
            func some() -> [Int] {
                (0..<Int.random(in: 1...4, using: &generator)).map { _ in .random(in: 0..<index, using: &generator) }
            }
            return Rule(
                selector: .random(in: 0..<index, using: &generator),
                even: some(),
                odd: some(),
                // Small ones make many changes come to nothing.
                modulus: [2, 3, 5, 1009].randomElement(using: &generator) ?? 2
            )
        }
    }

    private func naive(_ rules: [Rule?], _ roots: [Int]) -> [Int] {
        var values = roots
        for rule in rules.dropFirst(roots.count) {
            if let rule { values.append(rule.value { values[$0] }) }
        }
        return values
    }

    @Test func randomGraphsAgreeWithANaiveRecomputation() {
        for seed in 0..<5 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let rootCount = 10
            let rules = rules(1000, roots: rootCount, &generator)
            var inputs = (0..<rootCount).map { _ in Int.random(in: 0..<8, using: &generator) }
            let roots = inputs.map { MutableSignal($0) }
            var signals: [Signal<Int>] = roots
            let runs = (0..<1000).map { _ in Counter() }
            for (index, rule) in rules.enumerated() {
                guard let rule else { continue }
                let below = signals
                signals.append(
                    Signal {
                        runs[index].count += 1
                        return rule.value { below[$0]() }
                    }
                )
            }
            // Each observer looks at the whole graph.
            let told = Counter()
            var expected = naive(rules, inputs)
            let observations = stride(from: 0, to: 1000, by: 97).map { index in
                signals[index].observe { value in
                    told.count += 1
                    if value != expected[index] { Issue.record("seed \(seed): node \(index) told \(value)") }
                    if let wrong = stride(from: 0, to: 1000, by: 7).first(where: { signals[$0]() != expected[$0] }) {
                        Issue.record("seed \(seed): while node \(index) is told, node \(wrong) is \(signals[wrong]())")
                    }
                }
            }
            for step in 0..<20 {
                for counter in runs { counter.count = 0 }
                var new = inputs
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    new[Int.random(in: 0..<rootCount, using: &generator)] = .random(in: 0..<8, using: &generator)
                }
                let old = expected
                expected = naive(rules, new)
                told.count = 0
                transaction {
                    for (root, value) in zip(roots, new) where root() != value { root.value = value }
                }
                inputs = new
                let values = signals.map { $0() }
                guard values == expected, runs.allSatisfy({ $0.count <= 1 }) else {
                    Issue.record(
                        "seed \(seed), step \(step): \(values.indices.filter { values[$0] != expected[$0] }) differ, \(runs.indices.filter { runs[$0].count > 1 }) computed more than once"
                    )
                    return
                }
                let changes = stride(from: 0, to: 1000, by: 97).count { old[$0] != expected[$0] }
                #expect(told.count == changes, "seed \(seed), step \(step)")
            }
            observations.forEach { $0.cancel() }
        }
    }

    /// Nodes that may read any other: what closes a cycle is refused, and everything else is as computed anew.
    @Test func whatClosesACycleIsRefusedAndNothingElse() {
        for seed in 0..<80 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let count = 7
            let roots = (0..<3).map { _ in MutableSignal(0) }
            let choices = (0..<count).map { _ in
                (0..<3).map { _ in (0..<2).map { _ in Int.random(in: 0..<count, using: &generator) } }
            }
            let selectors = (0..<count).map { _ in Int.random(in: 0..<3, using: &generator) }
            let all = Kept()
            // The dependencies of a node, which its root selects: none, or two others.
            func value(_ node: Int, _ root: (Int) -> Int, _ read: (Int) -> Int) -> Int {
                let choice = root(selectors[node]) % 4
                guard choice < 3 else { return node }
                return choices[node][choice].reduce(root((node + 1) % 3)) { ($0 * 31 + read($1)) % 1009 }
            }
            transaction { for root in roots { root.value = 3 } }
            for node in 0..<count {
                all.signals.append(Signal { value(node, { roots[$0]() }, { all.signals[$0]() }) })
            }
            defer { all.signals = [] }
            var inputs = [3, 3, 3]
            for step in 0..<60 {
                let new = roots.map { _ in Int.random(in: 0..<8, using: &generator) }
                let isPossible = naive(count, { value($0, { new[$0] }, $1) }) != nil
                var hasFailed = false
                do throws(SignalError) {
                    try checkedTransaction { for (root, input) in zip(roots, new) { root.value = input } }
                    inputs = new
                } catch {
                    hasFailed = true
                }
                let expected = naive(count, { value($0, { inputs[$0] }, $1) })
                let values = all.signals.map { $0() }
                if hasFailed == isPossible || values != expected {
                    Issue.record(
                        "seed \(seed), step \(step): \(values) instead of \(expected ?? []), error: \(hasFailed)"
                    )
                    return
                }
            }
        }
    }

    /// A reader of level 1 reads a node that has just stopped depending on one that now depends on the reader.
    @Test func aGuessThatLeadsBackIsNoCycle() {
        let isTurned = MutableSignal(false)
        let all = Kept()
        func read(_ place: Int) -> Int { all.signals[place]() }
        all.signals.append(Signal { isTurned() ? read(1) + 1 : 0 })
        all.signals.append(Signal { isTurned() ? 10 : 1 })
        all.signals.append(Signal { isTurned() ? read(0) + 1 : 5 })
        // Now the second reads the third, as long as it is not turned.
        all.signals[1] = Signal { isTurned() ? 10 : read(2) }
        #expect(all.signals.map { $0() } == [0, 5, 5])
        isTurned.value = true
        #expect(all.signals.map { $0() } == [11, 10, 12])
        isTurned.value = false
        #expect(all.signals.map { $0() } == [0, 5, 5])
        all.signals = []
    }

    /// The values of nodes by recursion; nil where one depends on itself.
    private func naive(_ count: Int, _ value: @escaping (Int, (Int) -> Int) -> Int) -> [Int]? {
        var isCyclic = false
        var path: [Int] = []
        func compute(_ node: Int) -> Int {
            guard !path.contains(node), !isCyclic else {
                isCyclic = true
                return 0
            }
            path.append(node)
            defer { path.removeLast() }
            return value(node, compute)
        }
        let values = (0..<count).map(compute)
        return isCyclic ? nil : values
    }

    @Test func dependenciesOnHigherLevelsAreComputedOnDemand() {
        // A signal of level 1 that suddenly reads the end of a chain which the same change has moved.
        for length in [1, 2, 10, 500] {
            let root = MutableSignal(0)
            var chain: [Signal<Int>] = [root]
            for _ in 0..<length {
                guard let below = chain.last else { return }
                chain.append(Signal { below() + 1 })
            }
            let late = Late()
            let runs = Counter()
            let reader = Signal { () -> Int in
                runs.count += 1
                return root() % 2 == 1 ? (late.signal?() ?? -1) : -2
            }
            let above = reader.map { $0 * 2 }
            late.signal = chain.last
            root.value = 1
            #expect(reader() == length + 1 && above() == 2 * (length + 1))
            root.value = 3
            #expect(reader() == length + 3 && above() == 2 * (length + 3))
            root.value = 4
            #expect(reader() == -2 && above() == -4)
            #expect(runs.count == 4)
        }
    }

    @Test func levelsDoNotGrowWhenDependenciesTurnRound() {
        // Two signals that read each other by turns.
        let direction = MutableSignal(false)
        let left = Late()
        let right = Late()
        let a = Signal { direction() ? (right.signal?() ?? 0) + 1 : 0 }
        let b = Signal { direction() ? 0 : (left.signal?() ?? 0) + 1 }
        left.signal = a
        right.signal = b
        for _ in 0..<1000 {
            direction.value.toggle()
            #expect(direction() ? (a() == 1 && b() == 0) : (a() == 0 && b() == 1))
        }
        left.signal = nil
        right.signal = nil
    }

    @Test func signalsThatGoAwayDuringACycleAreNotComputed() {
        let root = MutableSignal(0)
        let kept = Late()
        let dropper = Signal { () -> Int in
            if root() == 1 { kept.signal = nil }
            return root()
        }
        let middle = root.map { $0 + 1 }.map { $0 + 1 }
        kept.signal = Signal { middle() * 2 }
        #expect(kept.signal?() == 4)
        root.value = 1
        #expect(kept.signal == nil)
        #expect(dropper() == 1)
    }
}
