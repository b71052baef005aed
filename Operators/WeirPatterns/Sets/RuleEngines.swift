public import WeirCore

/// The rules of a set on one stream, with their partial matches.
@frozen
@usableFromInline
struct RuleEngines<Element: Sendable>: ~Copyable, Sendable {
    /// The rules that an event concerns, by number, and the truth values of their conditions.
    @frozen
    @usableFromInline
    struct Concerned: Sendable {
        @usableFromInline var truths: [UInt64] = []
        @usableFromInline var isTouched: [Bool] = []
        @usableFromInline var touched: [Int] = []

        @inlinable
        init() {}

        @inlinable
        mutating func note(_ use: RuleIndex<Element>.Use) {
            truths[use.rule] |= use.bit
            touch(use.rule)
        }

        @inlinable
        mutating func touch(_ rule: Int) {
            guard !isTouched[rule] else { return }
            isTouched[rule] = true
            touched.append(rule)
        }
    }

    @usableFromInline let set: PatternSet<Element>
    // Which of the set's versions this is.
    @usableFromInline var version = -1
    @usableFromInline var index = RuleIndex<Element>()
    @usableFromInline var engines: [RuleEngine<Element>?] = []
    @usableFromInline var ranks: [Int] = []
    // Those that events without a condition that holds may begin, and those that such events or time may change.
    @usableFromInline var beginning: [Int] = []
    @usableFromInline var changing: [Int] = []
    @usableFromInline var hasPartialMatches: [Bool] = []
    @usableFromInline var concerned = Concerned()
    @usableFromInline var time = Timestamp.distantPast
    @usableFromInline var isFinished = false
    // Which rule the next watermark lets give memory back.
    @usableFromInline var nextToSettle = 0

    @usableFromInline
    init(_ set: PatternSet<Element>) {
        self.set = set
        update()
    }

    @inlinable
    mutating func receive(_ element: borrowing Element, _ time: Timestamp) {
        if set.hasChanged(since: version) { update() }
        guard time >= self.time else {
            set.sides.late.send(copy element, at: time)
            return
        }
        self.time = time
        index.forEachUse(for: element) { use in concerned.note(use) }
        for rule in beginning { concerned.touch(rule) }
        for rule in changing where hasPartialMatches[rule] { concerned.touch(rule) }
        // Matches come in the order of the rules.
        if concerned.touched.count > 1 { sortTouched() }
        for rule in concerned.touched {
            if let engine = engines[rule] {
                hasPartialMatches[rule] = engine.receive(element, concerned.truths[rule], time)
            }
            concerned.truths[rule] = 0
            concerned.isTouched[rule] = false
        }
        concerned.touched.removeAll(keepingCapacity: true)
    }

    @inlinable
    mutating func sortTouched() {
        let ranks = ranks
        concerned.touched.sort { ranks[$0] < ranks[$1] }
    }

    @inlinable
    mutating func advance(to time: Timestamp) {
        if set.hasChanged(since: version) { update() }
        // Also at the time of the last element: it may have set matches free.
        guard time >= self.time else { return }
        self.time = time
        for rule in changing where hasPartialMatches[rule] { settle(rule, time) }
        // The others keep what has expired until an event concerns them, or it is their turn.
        guard !engines.isEmpty else { return }
        nextToSettle = (nextToSettle + 1) % engines.count
        settle(nextToSettle, time)
    }

    @inlinable
    mutating func settle(_ rule: Int, _ time: Timestamp) {
        if let engine = engines[rule] { hasPartialMatches[rule] = engine.advance(time) }
    }

    @usableFromInline
    mutating func finish(_ completion: Completion) {
        if set.hasChanged(since: version) { update() }
        // That the stream failed is no failure of a rule.
        let completion = completion.isFinished ? completion : .interrupted
        for rule in engines.indices.sorted(by: { ranks[$0] < ranks[$1] }) { engines[rule]?.finish(completion) }
        isFinished = true
        engines = []
        changing = []
        beginning = []
        index = RuleIndex()
    }

    /// Takes over what has changed in the set: drops engines, and makes new ones.
    ///
    /// - Complexity: O(*n*) for *n* rules, beside what the new engines take.
    @usableFromInline
    @inline(never)
    mutating func update() {
        guard !isFinished else { return }
        let (rules, index, version) = set.snapshot()
        self.version = version
        self.index = index
        let added = rules.count - engines.count
        engines.append(contentsOf: repeatElement(nil, count: added))
        hasPartialMatches.append(contentsOf: repeatElement(false, count: added))
        concerned.truths.append(contentsOf: repeatElement(0, count: added))
        concerned.isTouched.append(contentsOf: repeatElement(false, count: added))
        for number in rules.indices where rules[number]?.rule !== engines[number]?.rule {
            engines[number] = rules[number].map { $0.makeEngine($0.rule, PatternSides(of: $0.rule, in: set.sides)) }
            hasPartialMatches[number] = false
        }
        ranks = rules.map { $0?.rank ?? 0 }
        changing = engines.indices.filter { engines[$0]?.effects.change == true }.sorted { ranks[$0] < ranks[$1] }
        beginning = engines.indices.filter { engines[$0]?.effects.begin == true }
    }
}
