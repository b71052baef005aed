import WeirPatterns

/// What a pattern of loops, groups and alternatives matches, told from the words alone.
///
/// A pattern is written out as all sequences of single events that its quantifiers, groups and alternatives stand for. Each
/// of them is tried on all tuples of events, by the definition of its contiguities.
///
/// Not for greedy loops, `until`, and groups with a choice of rounds: what those mean is the corpora's to say.
struct WordModel {
    /// One event of a sequence.
    struct Letter: Hashable {
        var capture: Int
        var condition: Int
        var join: Contiguity
        // With `followedBy`, none of these may hold in between.
        var heads: [Int]
        // None of these may hold in between, nor of the event unless it is the last.
        var forbidden: [Int] = []
        // The same for the event directly after the one before it.
        var forbiddenNext: [Int] = []
    }

    enum Token: Hashable {
        case letter(Letter)
        case forbidden(Int)
        // Forbids the next event alone.
        case forbiddenNext(Int)
        // A stage that is left out, with how many groups are around it: one way to leave a group out is to leave out all
        // that is in it.
        case omitted(depth: Int)
        // The next round of a loop: the same events can be divided into rounds in several ways.
        case again(depth: Int)

        var isLetter: Bool { if case .letter = self { true } else { false } }
    }

    /// The pattern stands for more sequences than may be tried.
    struct TooManyWords: Error {}

    let plan: PatternPlan
    let mostEvents: Int
    let mostWords: Int

    /// All sequences of events that the pattern stands for.
    private(set) var words: [[Letter]] = []

    /// Writes the pattern out.
    ///
    /// - Parameters:
    ///   - plan: The pattern.
    ///   - mostEvents: How many events a sequence may have.
    ///   - mostWords: How many sequences there may be, also of a part of the pattern.
    /// - Throws: ``TooManyWords`` if there are more.
    init(plan: PatternPlan, mostEvents: Int, mostWords: Int) throws(TooManyWords) {
        self.plan = plan
        self.mostEvents = mostEvents
        self.mostWords = mostWords
        let all = try sequences(plan.stages, .first, 0, after: nil)
        let next = Self.negationsNext(all)
        // A match is complete once, however many ways there are to leave out what could still follow.
        var seen: Set<[Token]> = []
        for tokens in all where tokens.count(where: \.isLetter) <= mostEvents {
            let complete = Array(tokens[..<(tokens.lastIndex(where: \.isLetter).map { $0 + 1 } ?? 0)])
            if seen.insert(complete).inserted { words.append(Self.letters(complete, next)) }
        }
    }

    /// The negations that each beginning of a sequence can reach without an event: they are over if what is left out is.
    ///
    /// A partial match is lost with a forbidden event on all ways that it could go, so these hold of the very next event
    /// for all sequences that begin alike.
    private static func negationsNext(_ sequences: [[Token]]) -> [ArraySlice<Token>: [Int]] {
        var found: [ArraySlice<Token>: [Int]] = [:]
        for tokens in sequences {
            var beginning = tokens[..<0]
            for (index, token) in tokens.enumerated() {
                switch token {
                case .letter: beginning = tokens[...index]
                case .forbidden(let condition) where !beginning.isEmpty,
                    .forbiddenNext(let condition) where !beginning.isEmpty:
                    if found[beginning]?.contains(condition) != true { found[beginning, default: []].append(condition) }
                default: break
                }
            }
        }
        return found
    }

    private static func letters(_ tokens: [Token], _ next: [ArraySlice<Token>: [Int]]) -> [Letter] {
        var (letters, forbidden, forbiddenNext): ([Letter], [Int], [Int]) = ([], [], [])
        var beginning = tokens[..<0]
        for (index, token) in tokens.enumerated() {
            switch token {
            case .omitted, .again: break
            case .forbidden(let condition): forbidden.append(condition)
            case .forbiddenNext(let condition): forbiddenNext.append(condition)
            case .letter(var letter):
                (letter.forbidden, letter.forbiddenNext) = (forbidden, forbiddenNext + (next[beginning] ?? []))
                letters.append(letter)
                (forbidden, forbiddenNext, beginning) = ([], [], tokens[...index])
            }
        }
        return letters
    }

    private func sequences(
        _ stages: [PlanStage],
        _ join: Contiguity,
        _ depth: Int,
        after: PlanStage?
    ) throws(TooManyWords) -> [[Token]] {
        var sequences: [[Token]] = [[]]
        for (index, stage) in stages.enumerated() {
            let following = index + 1 < stages.count ? stages[index + 1] : after
            sequences = try product(
                sequences,
                tokens(stage, index == 0 ? join : stage.contiguity, depth, following)
            )
        }
        return sequences
    }

    /// Each of the first followed by each of the second; those that have too many events end with the first too many.
    private func product(_ first: [[Token]], _ second: [[Token]]) throws(TooManyWords) -> [[Token]] {
        guard first.count * second.count <= mostWords else { throw TooManyWords() }
        var found: [[Token]] = []
        var cut: Set<[Token]> = []
        for start in first {
            for end in second {
                let tokens = start + end
                let letters = tokens.indices.filter { tokens[$0].isLetter }
                guard letters.count > mostEvents else {
                    found.append(tokens)
                    continue
                }
                let short = Array(tokens[...letters[mostEvents]])
                if cut.insert(short).inserted { found.append(short) }
            }
        }
        return found
    }

    private func tokens(
        _ stage: PlanStage,
        _ join: Contiguity,
        _ depth: Int,
        _ following: PlanStage?
    ) throws(TooManyWords) -> [[Token]] {
        if stage.isNegation, let condition = stage.condition { return [[.forbidden(condition)]] }
        let quantifier = stage.quantifier
        var found: [[Token]] = quantifier.isOptional ? [[.omitted(depth: depth)]] : []
        var rounds: [[Token]] = [[]]
        for count in 1...max(1, min(quantifier.most ?? mostEvents, mostEvents)) {
            let join = count == 1 ? join : quantifier.inner.join
            let next = try round(stage, join, depth + 1, following)
            let start = count == 1 ? [] : [.again(depth: depth)] + watch(stage, round: count, following)
            rounds = try product(rounds, next.map { start + $0 })
            if count >= quantifier.least { found += rounds }
            guard found.count <= mostWords else { throw TooManyWords() }
        }
        return found
    }

    /// What must not hold while a loop waits for its next event, because a negation follows the loop.
    ///
    /// Where the loop may be over, and has an end, only the very next event is looked at, as in Flink; it is, too, where a
    /// round of a group can begin with one of several stages.
    private func watch(_ stage: PlanStage, round: Int, _ following: PlanStage?) -> [Token] {
        guard let following, following.contiguity == .notFollowedBy,
            let condition = following.condition
        else { return [] }
        if stage.quantifier.most != nil, round > stage.quantifier.least { return [] }
        var head = stage
        while case .group(let stages) = head.content {
            head = stages[0]
            if canBeLeftOut(head) { return [.forbiddenNext(condition)] }
        }
        return [.forbidden(condition)]
    }

    private func round(
        _ stage: PlanStage,
        _ join: Contiguity,
        _ depth: Int,
        _ following: PlanStage?
    ) throws(TooManyWords) -> [[Token]] {
        switch stage.content {
        case .event(let capture, let heads):
            return [[.letter(Letter(capture: capture, condition: heads[0], join: join, heads: heads))]]
        case .group(let stages): return try sequences(stages, join, depth, after: following)
        case .either(let alternatives):
            let heads = alternatives.flatMap(heads)
            let omitted = alternatives.firstIndex { $0.allSatisfy(canBeLeftOut) }
            var found: [[Token]] = []
            for (index, stages) in alternatives.enumerated() {
                for var tokens in try sequences(stages, .next, depth, after: following) {
                    if let first = tokens.firstIndex(where: \.isLetter), case .letter(var letter) = tokens[first] {
                        (letter.join, letter.heads) = (join, heads)
                        tokens[first] = .letter(letter)
                    } else if index != omitted {
                        // What leaves out two alternatives leaves out the stage once: as the first of them says.
                        continue
                    }
                    found.append(tokens)
                }
            }
            return found
        case .allOf(let stages):
            return permutations(stages).map { order in
                order.indices.map { index in
                    guard case .event(let capture, _) = order[index].content, let condition = order[index].condition
                    else { fatalError("a stage of `allOf` is a single event with a condition") }
                    let missing = order[index...].compactMap(\.condition)
                    let join = index == 0 ? join : stage.quantifier.inner.join
                    return .letter(Letter(capture: capture, condition: condition, join: join, heads: missing))
                }
            }
        }
    }

    private func permutations(_ stages: [PlanStage]) -> [[PlanStage]] {
        guard stages.count > 1 else { return [stages] }
        return stages.indices.flatMap { index in
            var rest = stages
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }

    /// The conditions with which stages can begin.
    private func heads(_ stages: [PlanStage]) -> [Int] {
        var found: [Int] = []
        for stage in stages where !stage.isNegation {
            switch stage.content {
            case .event(_, let conditions): found += conditions
            case .group(let stages): found += heads(stages)
            case .either(let alternatives): found += alternatives.flatMap(heads)
            case .allOf(let stages): found += stages.flatMap { heads([$0]) }
            }
            if !canBeLeftOut(stage) { break }
        }
        return found
    }

    private func canBeLeftOut(_ stage: PlanStage) -> Bool {
        if stage.quantifier.isOptional { return true }
        switch stage.content {
        case .event, .allOf: return false
        case .group(let stages): return stages.allSatisfy(canBeLeftOut)
        case .either(let alternatives): return alternatives.contains { $0.allSatisfy(canBeLeftOut) }
        }
    }

    /// Every match, as captures and positions, sorted.
    ///
    /// - Parameters:
    ///   - times: The times of the events.
    ///   - holds: Whether a condition holds for an event.
    /// - Returns: The matches, one as often as there are ways to it.
    func matches(_ times: [Int64], _ holds: (Int, Int) -> Bool) -> [String] {
        var found: [String] = []
        for word in words where !word.isEmpty {
            extend([], word, times, holds, &found)
        }
        return found.sorted()
    }

    private func extend(
        _ chosen: [Int],
        _ word: [Letter],
        _ times: [Int64],
        _ holds: (Int, Int) -> Bool,
        _ found: inout [String]
    ) {
        guard chosen.count < word.count else {
            found.append(zip(word, chosen).map { "\($0.capture):\($1)" }.joined(separator: " "))
            return
        }
        let letter = word[chosen.count]
        let first = (chosen.last ?? -1) + 1
        for position in first..<max(first, times.count) where holds(letter.condition, position) {
            if let start = chosen.first, let within = plan.within, times[position] - times[start] >= within { break }
            if !chosen.isEmpty {
                let between = first..<position
                if letter.join == .next, !between.isEmpty { break }
                if letter.join == .followedBy,
                    between.contains(where: { event in letter.heads.contains { holds($0, event) } })
                {
                    break
                }
                let isLast = chosen.count == word.count - 1
                let watched = isLast ? between : between.lowerBound..<position + 1
                if watched.contains(where: { event in letter.forbidden.contains { holds($0, event) } }) { continue }
                if watched.contains(first), letter.forbiddenNext.contains(where: { holds($0, first) }) { continue }
            }
            extend(chosen + [position], word, times, holds, &found)
        }
    }
}

extension LoopContiguity {
    fileprivate var join: Contiguity {
        switch self {
        case .relaxed: .followedBy
        case .combinations: .followedByAny
        case .consecutive: .next
        }
    }
}

extension PlanStage {
    /// The condition of a stage that has one.
    fileprivate var condition: ConditionID? {
        if case .event(_, let conditions) = content { conditions.first } else { nil }
    }
}
