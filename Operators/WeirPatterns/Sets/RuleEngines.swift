public import WeirCore

/// The rules of a set on one stream, with their partial matches.
@frozen
@usableFromInline
struct RuleEngines<Element: Sendable>: ~Copyable, Sendable {
    @usableFromInline let set: PatternSet<Element>
    // Which of the set's versions this is.
    @usableFromInline var version = -1
    @usableFromInline var index = RuleIndex<Element>()
    // By the numbers of the rules.
    @usableFromInline var engines: [RuleEngine<Element>?] = []
    @usableFromInline var concerned = ConcernedRules()
    // Those that an event without a condition that holds may begin, and those that such an event, or time, may change.
    @usableFromInline var beginning: [Int] = []
    @usableFromInline var changing: [Int] = []
    @usableFromInline var time = Timestamp.distantPast
    @usableFromInline var isFinished = false
    // Which rule the next watermark lets give memory back.
    @usableFromInline var nextToAdvance = 0

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
        index.forEachUse(for: element) { use in concerned.note(use.rule, use.bit) }
        for rule in beginning { concerned.note(rule, 0) }
        for rule in changing where concerned.marks[UInt32(truncatingIfNeeded: rule)].isAlert { concerned.note(rule, 0) }
        concerned.settle()
        for rule in concerned.touched {
            guard let engine = engines[Int(rule)] else { continue }
            let hasPartialMatches = engine.receive(element, concerned.takeTruths(of: rule), time)
            concerned.marks[rule].isAlert = hasPartialMatches || engine.effects.alwaysBegins
        }
        concerned.touched.removeAll(keepingCapacity: true)
    }

    @inlinable
    mutating func advance(to time: Timestamp) {
        if set.hasChanged(since: version) { update() }
        // Also at the time of the last element: it may have set matches free.
        guard time >= self.time else { return }
        self.time = time
        for rule in changing { advance(rule, to: time) }
        // The others keep what has expired until an event concerns them, or it is their turn.
        guard !engines.isEmpty else { return }
        nextToAdvance = (nextToAdvance + 1) % engines.count
        advance(nextToAdvance, to: time)
    }

    @inlinable
    mutating func advance(_ rule: Int, to time: Timestamp) {
        let position = UInt32(truncatingIfNeeded: rule)
        guard concerned.marks[position].isAlert, let engine = engines[rule] else { return }
        concerned.marks[position].isAlert = engine.advance(time) || engine.effects.alwaysBegins
    }

    @usableFromInline
    mutating func finish(_ completion: Completion) {
        if set.hasChanged(since: version) { update() }
        isFinished = true
        // That the stream failed is no failure of a rule.
        let completion = completion.isFinished ? completion : .interrupted
        for rule in inOrder(Array(engines.indices)) { engines[rule]?.finish(completion) }
        forgetRules()
    }

    mutating func forgetRules() {
        engines = []
        changing = []
        beginning = []
        index = RuleIndex()
    }

    /// Takes over what has changed in the set: drops engines, and makes new ones.
    ///
    /// - Complexity: O(*n* log *n*) for *n* rules, beside what the new engines take.
    @usableFromInline
    @inline(never)
    mutating func update() {
        guard !isFinished else { return }
        let (rules, index, version) = set.snapshot()
        self.version = version
        self.index = index
        concerned.reserve(rules.count, keeping: engines.count)
        engines.append(contentsOf: repeatElement(nil, count: rules.count - engines.count))
        for number in rules.indices where rules[number]?.rule !== engines[number]?.rule {
            engines[number] = rules[number].map { $0.makeEngine($0.rule, PatternSides(of: $0.rule, in: set.sides)) }
            var mark = ConcernedRules.Mark()
            if let effects = engines[number]?.effects {
                mark.beginning = effects.beginning
                mark.isAlert = effects.alwaysBegins
                mark.rank = rules[number]?.rank ?? 0
            }
            concerned.marks[UInt32(number)] = mark
        }
        changing = inOrder(engines.indices.filter { engines[$0]?.effects.alwaysChanges == true })
        beginning = engines.indices.filter { engines[$0]?.effects.alwaysBegins == true }
    }

    func inOrder(_ rules: [Int]) -> [Int] {
        rules.sorted { concerned.marks[UInt32($0)].rank < concerned.marks[UInt32($1)].rank }
    }
}
