public import WeirCore

/// The state of the patterns of a set.
@frozen
@usableFromInline
struct RuleEngines<Element: Sendable>: ~Copyable, Sendable {
    /// A pattern with its partial matches.
    @usableFromInline
    final class Engine: Sendable {
        @usableFromInline let strategy: SharedCell<CompactStrategy<Element>>
        @usableFromInline let body: @Sendable (borrowing FoundMatch<Element>, Timestamp) -> Void

        @inlinable
        init(_ rule: PatternSet<Element>.Rule) {
            strategy = SharedCell(CompactStrategy(rule.compact, rule.limits, reportsTimeouts: false, isGrouped: false))
            body = rule.body
        }

        /// Takes an event.
        ///
        /// - Returns: Whether there are partial matches.
        @inlinable
        func receive(
            _ element: borrowing Element,
            _ truths: UInt64,
            _ time: Timestamp,
            _ sides: PatternSides<Element>
        ) -> Bool {
            var output = RuleOutput(body)
            return strategy.withValue(element) { strategy, element in
                _ = strategy.advance(to: time, into: &output)
                let program = strategy.meaning(of: truths)
                if program.isIdle { return strategy.engine.hasPartialMatch(slot: 0) }
                let hasPartialMatches = strategy.receive(element, program, at: time, slot: 0, into: &output)
                if !strategy.losses.isEmpty { sides.note(&strategy.losses, of: element, at: time) }
                return hasPartialMatches
            }
        }

        @inlinable
        func advance(to time: Timestamp) {
            var output = RuleOutput(body)
            strategy.withValue { _ = $0.advance(to: time, into: &output) }
        }
    }

    @usableFromInline let index: RuleIndex<Element>
    @usableFromInline let sides: PatternSides<Element>
    @usableFromInline let engines: [Engine]
    // Those that events and times mean something to though no condition holds.
    @usableFromInline let restless: [Int]
    @usableFromInline var hasPartialMatches: [Bool]
    @usableFromInline var truths: [UInt64]
    @usableFromInline var isTouched: [Bool]
    @usableFromInline var touched: [Int] = []
    @usableFromInline var time = Timestamp.distantPast

    @inlinable
    init(_ set: PatternSet<Element>) {
        var index = set.index
        index.makeTables()
        self.index = index
        sides = set.sides
        engines = set.rules.map(Engine.init)
        restless = set.rules.indices.filter { rule in
            var programs = CompactPrograms(set.rules[rule].compact)
            return set.rules[rule].compact.hasPending || !programs.program(for: 0).isIdle
        }
        hasPartialMatches = Array(repeating: false, count: set.rules.count)
        truths = Array(repeating: 0, count: set.rules.count)
        isTouched = Array(repeating: false, count: set.rules.count)
    }

    @inlinable
    mutating func receive(_ element: borrowing Element, _ time: Timestamp) {
        guard time >= self.time else {
            sides.late.send(copy element, at: time)
            return
        }
        self.time = time
        index.forEachUse(for: element) { use in
            truths[use.rule] |= use.bit
            touch(use.rule)
        }
        for rule in restless where hasPartialMatches[rule] { touch(rule) }
        // Matches come in the order in which the patterns were added.
        touched.sort()
        for rule in touched {
            hasPartialMatches[rule] = engines[rule].receive(element, truths[rule], time, sides)
            truths[rule] = 0
            isTouched[rule] = false
        }
        touched.removeAll(keepingCapacity: true)
    }

    @inlinable
    mutating func touch(_ rule: Int) {
        guard !isTouched[rule] else { return }
        isTouched[rule] = true
        touched.append(rule)
    }

    @inlinable
    mutating func advance(to time: Timestamp) {
        guard time > self.time else { return }
        self.time = time
        for rule in restless { engines[rule].advance(to: time) }
    }
}

/// Passes the matches of a pattern to its closure.
@frozen
@usableFromInline
struct RuleOutput<Element: Sendable>: MatchReceiver {
    @usableFromInline let body: @Sendable (borrowing FoundMatch<Element>, Timestamp) -> Void

    @inlinable
    init(_ body: @escaping @Sendable (borrowing FoundMatch<Element>, Timestamp) -> Void) {
        self.body = body
    }

    @inlinable
    var demand: MatchDemand { .all }

    @inlinable
    mutating func receive(_ match: borrowing FoundMatch<Element>, at time: Timestamp) -> Bool {
        body(match, time)
        return true
    }

    @inlinable
    mutating func receive(count: Int, at time: Timestamp) {}

    @inlinable
    mutating func receiveTimeout(_ match: borrowing FoundMatch<Element>, at time: Timestamp) {}
}
