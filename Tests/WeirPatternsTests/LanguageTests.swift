import Testing
import WeirCore
import WeirExpressions
import WeirPatterns
import WeirTesting

struct Purchase: Event, Equatable {
    let timestamp: Timestamp
    let card: Int
    let amount: Double
    let place: Double
    let isFaceToFace: Bool

    init(_ seconds: Int64, card: Int = 1, _ amount: Double, at place: Double = 0, faceToFace: Bool = true) {
        timestamp = Timestamp(secondsSinceEpoch: seconds)
        self.card = card
        self.amount = amount
        self.place = place
        isFaceToFace = faceToFace
    }
}

private func distance(_ left: Purchase, _ right: Purchase) -> Double { abs(left.place - right.place) }

@Suite struct LanguageTests {
    private func run<Match: Sendable>(
        _ pattern: some EventPattern<Purchase, Match>,
        _ purchases: [Purchase]
    ) -> [Match] {
        let feed = Feed<Purchase>()
        let recorder = Recorder(feed.matches(of: pattern))
        for purchase in purchases { feed.send(purchase, at: purchase.timestamp) }
        feed.finish()
        return recorder.elements
    }

    @Test func theExampleFindsCardsThatTravelTooFast() {
        let fraud = Pattern<Purchase>
            .first { $0.isFaceToFace }
            .followedBy { $0.isFaceToFace }
            .filter { first, second in distance(first, second) > 500_000 }
            .within(.seconds(600))
            .grouped(by: \.card)
        let feed = Feed<Purchase>()
        let found = Locked<[(Purchase, Purchase)]>([])
        feed.matches(of: fraud).subscribe { (first, second) in found.withLock { $0.append((first, second)) } }
        let purchases = [
            Purchase(0, card: 1, 10, at: 0), Purchase(1, card: 2, 10, at: 900_000),
            Purchase(60, card: 1, 10, at: 600_000), Purchase(599, card: 2, 10, at: 0, faceToFace: false),
            Purchase(601, card: 2, 10, at: 0),
        ]
        for purchase in purchases { feed.send(purchase, at: purchase.timestamp) }
        feed.finish()
        let matches = found.withLock { $0 }
        #expect(matches.count == 1)
        #expect(matches.first.map { $0.0 } == purchases[0])
        #expect(matches.first.map { $0.1 } == purchases[2])
    }

    @Test func capturesHaveTheTypesOfTheirStages() throws {
        let pattern = Pattern<Purchase>
            .first(named: "small") { $0.amount < 10 }
            .followedBy(named: "refund") { $0.amount < 0 }.optional()
            .followedBy(named: "large") { $0.amount > 100 }.times(2).consecutive()
        let matches = run(pattern, [Purchase(0, 5), Purchase(1, 200), Purchase(2, 300)])
        #expect(matches.count == 1)
        let (small, refund, large): (Purchase, Purchase?, [Purchase]) = try #require(matches.first)
        #expect(small.amount == 5)
        #expect(refund == nil)
        #expect(large.map(\.amount) == [200, 300])
    }

    @Test func expressionsLookAtCaptures() {
        let pattern = Pattern<Purchase>
            .first.where { $0.isFaceToFace == true }
            .followedBy.on { first, second in second.amount > 2 * first.amount && second.isFaceToFace }
        let matches = run(pattern, [Purchase(0, 10), Purchase(1, 15), Purchase(2, 21), Purchase(3, 31)])
        #expect(matches.map { [$0.0.amount, $0.1.amount] } == [[10, 21], [15, 31]])
    }

    @Test func equalExpressionsAreOneCondition() throws {
        let pattern = Pattern<Purchase>
            .first.where { $0.amount > 10 }
            .followedBy.where { $0.amount > 10 }
            .followedBy.on { first, _, third in third.card == first.card }
            .next.on { first, _, _, last in last.card == first.card }
        let plan = try pattern.plan()
        #expect(plan.conditions.map(\.text) == ["amount > 10.0", "card == stage 0.card"])
        #expect(plan.conditions[1].equality == PlanEquality(capture: 0))
    }

    @Test func loopsLookAtThemselves() {
        let bounded = Pattern<Purchase>
            .first { $0.amount < 100 }.times(1...).greedy()
            .on { loop in loop.before.amount.sum < 25 }
            .next { $0.amount > 100 }
        let purchases = [Purchase(0, 10), Purchase(1, 10), Purchase(2, 10), Purchase(3, 200)]
        let matches = run(bounded, purchases)
        #expect(matches.map(\.0.count).sorted() == [1, 2, 3])
        let rising = Pattern<Purchase>
            .first.any.times(3...).consecutive()
            .filter { loop in zip(loop, loop.dropFirst()).allSatisfy { $0.amount < $1.amount } }
        #expect(run(rising, [Purchase(0, 1), Purchase(1, 2), Purchase(2, 3), Purchase(3, 1)]).map(\.count) == [3])
    }

    @Test func groupsAlternativesAndAnyOrder() {
        let pair = Pattern<Purchase>.first(named: "low") { $0.amount < 10 }.next(named: "high") { $0.amount > 10 }
        let twice = Pattern<Purchase>.first.group(pair).times(2).followedBy { $0.amount == 10 }
        let purchases = [Purchase(0, 1), Purchase(1, 11), Purchase(2, 2), Purchase(3, 12), Purchase(4, 10)]
        let matches = run(twice, purchases)
        #expect(matches.map { $0.0["low"].map(\.amount) } == [[1, 2]])
        #expect(matches.map { $0.0["high"].map(\.amount) } == [[11, 12]])

        let large = Pattern<Purchase>.first { $0.amount == 12 }.next { $0.amount == 10 }
        let either = Pattern<Purchase>
            .first { $0.amount == 1 }
            .followedBy.either(Pattern<Purchase>.first { $0.amount == 2 }, large)
        #expect(run(either, purchases).map { $0.1.events.map(\.amount) } == [[2]])
        #expect(
            run(either, [purchases[0], purchases[3], purchases[4]]).map { $0.1.events.map(\.amount) } == [[12, 10]]
        )

        let anyOrder = Pattern<Purchase>
            .first { $0.amount == 1 }
            .followedBy.allOf({ $0.amount == 2 }, { $0.amount == 11 }, { $0.amount == 12 })
        #expect(run(anyOrder, purchases).map { $0.1.events.map(\.amount) } == [[11, 2, 12]])
    }

    @Test func negationsAtTheEndComeTrueWithTheirBound() {
        let unpaid = Pattern<Purchase>.first { $0.amount > 0 }.notFollowedBy { $0.amount < 0 }.within(.seconds(10))
        let feed = Feed<Purchase>()
        let recorder = Recorder(feed.matches(of: unpaid))
        feed.send(Purchase(0, 1), at: Timestamp(secondsSinceEpoch: 0))
        feed.send(Purchase(5, 2), at: Timestamp(secondsSinceEpoch: 5))
        feed.send(Purchase(10, -1), at: Timestamp(secondsSinceEpoch: 10))
        #expect(recorder.elements.map(\.amount) == [1])
        #expect(recorder.times == [Timestamp(secondsSinceEpoch: 10)])
        feed.finish()
        #expect(recorder.elements.count == 1)
    }

    @Test func mistakesAreTold() {
        #expect(throws: PatternError.unboundedNegation(stage: "stage 1")) {
            try Pattern<Purchase>.first { $0.amount > 0 }.notFollowedBy { $0.amount < 0 }.validated()
        }
        #expect(throws: PatternError.optionalBeforeNegation(stage: "b")) {
            try Pattern<Purchase>.first { _ in true }.followedBy(named: "b") { _ in true }.optional()
                .notNext { _ in true }.validated()
        }
        #expect(throws: PatternError.invalidCount(stage: "stage 0", least: 0, most: 0)) {
            try Pattern<Purchase>.first { _ in true }.times(0).validated()
        }
        #expect(throws: PatternError.conditionOfGroup(stage: "two")) {
            let two = Pattern<Purchase>.first { _ in true }.next { _ in true }
            return try Pattern<Purchase>.first { _ in true }
                .next(named: "two").group(two).filter { first, group in group.events.count > 2 }.validated()
        }
        #expect(throws: PatternError.duplicateName("a")) {
            try Pattern<Purchase>.first(named: "a") { _ in true }.next(named: "a") { _ in true }.validated()
        }
        #expect(throws: PatternError.unknownStage("z")) {
            try Pattern<Purchase>.first(named: "a") { _ in true }.afterMatch(.skipToLast(of: "z")).validated()
        }
    }

    @Test func wrongTimesAreToldAsTheyAreWritten() {
        func times(_ check: () throws -> Void) -> String {
            do {
                try check()
                return "none"
            } catch {
                return "\(error)".replacing("the stage 'stage 0' cannot match ", with: "")
            }
        }
        let begun = Pattern<Purchase>.first { _ in true }
        #expect(times { _ = try begun.times(0).validated() } == "0 times")
        #expect(times { _ = try begun.times(-2).validated() } == "-2 times")
        #expect(times { _ = try begun.times(0...0).validated() } == "0 times")
        #expect(times { _ = try begun.times(-3...2).validated() } == "-3 to 2 times")
        #expect(times { _ = try begun.times((-3)...).validated() } == "-3 to any number of times")
    }
}
