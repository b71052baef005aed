import Foundation
import TestStreams
import Testing
import WeirCore
import WeirExpressions
import WeirPatternDefinitions
import WeirPatterns
import WeirSchemas
import WeirSelection
import WeirTesting

/// Negations with a duration, stages of time, and what must not have come before, beside a search of the whole stream.
@Suite struct StageTimeTests {
    /// An event: what it is, and its group.
    private struct Step: Sendable, Equatable, CustomStringConvertible {
        let letter: Character
        let group: Int
        let second: Int

        var time: Timestamp { Timestamp(secondsSinceEpoch: Int64(second)) }
        var description: String { "\(letter)\(group)@\(second)" }
    }

    private static func moment(_ second: Int) -> Timestamp { Timestamp(secondsSinceEpoch: Int64(second)) }

    private static func stream(_ seed: UInt64, letters: String = "ABC", groups: Int = 2) -> [Step] {
        var random = SeededGenerator(seed: seed)
        var second = 0
        return (0..<Int.random(in: 0...24, using: &random)).map { _ in
            second += Int.random(in: 0...4, using: &random)
            return Step(
                letter: letters.randomElement(using: &random) ?? "A",
                group: Int.random(in: 0..<groups, using: &random),
                second: second
            )
        }
    }

    /// What a pattern finds, each as text with the time, in any order.
    private static func found<Searched: EventPattern>(
        _ pattern: Searched,
        in steps: [Step],
        _ settings: PatternSettings = PatternSettings(),
        text: @escaping @Sendable (Searched.Match) -> String
    ) -> [String] where Searched.Element == Step {
        let feed = Feed<Step>()
        let matches = feed.matches(of: pattern, settings)
        let recorder = Recorder(matches.map(text))
        for step in steps {
            feed.advance(to: step.time)
            feed.send(step, at: step.time)
        }
        feed.finish()
        return zip(recorder.elements, recorder.times).map { "\($0) at \($1.nanosecondsSinceEpoch / 1_000_000_000)" }
            .sorted()
    }

    private static let settings = [PatternSettings(), PatternSettings(order: .byWatermark)]

    // MARK: In the middle

    @Test(arguments: seeds(300))
    func aNegationInTheMiddleHoldsForItsDuration(seed: UInt64) {
        let steps = Self.stream(seed)
        func reference(isAny: Bool) -> [String] {
            var found: [String] = []
            for (index, first) in steps.enumerated() where first.letter == "A" {
                for next in steps[(index + 1)...] where next.group == first.group {
                    let isOver = next.second - first.second >= 5
                    if next.letter == "B", !isOver { break }
                    guard next.letter == "C", isOver else { continue }
                    found.append("\(first) \(next) at \(next.second)")
                    if !isAny { break }
                }
            }
            return found.sorted()
        }
        let begun = Pattern<Step>.first { $0.letter == "A" }.notFollowedBy(within: .seconds(5)) { $0.letter == "B" }
        for settings in Self.settings {
            let next = Self.found(begun.followedBy { $0.letter == "C" }.grouped(by: \Step.group), in: steps, settings) {
                pair in
                "\(pair.0) \(pair.1)"
            }
            #expect(next == reference(isAny: false), "\(steps)")
            let any = Self.found(begun.followedByAny { $0.letter == "C" }.grouped(by: \Step.group), in: steps, settings)
            { pair in
                "\(pair.0) \(pair.1)"
            }
            #expect(any == reference(isAny: true), "\(steps)")
        }
    }

    @Test(arguments: seeds(300))
    func loopsAndGroupsWaitForTheEndOfTheDuration(seed: UInt64) {
        let steps = Self.stream(seed, groups: 1)
        var expected: [String] = []
        for (index, first) in steps.enumerated() where first.letter == "A" {
            var taken: [Step] = []
            for next in steps[(index + 1)...] {
                let isOver = next.second - first.second >= 3
                // Behind a stage that must match, the negation is over.
                if next.letter == "B", taken.isEmpty, !isOver { break }
                guard next.letter == "C", isOver else { continue }
                taken.append(next)
                guard taken.count == 2 else { continue }
                expected.append("\(first) \(taken) at \(next.second)")
                break
            }
        }
        let begun = Pattern<Step>.first { $0.letter == "A" }.notFollowedBy(within: .seconds(3)) { $0.letter == "B" }
        let loop = Self.found(begun.followedBy { $0.letter == "C" }.times(2), in: steps) { pair in "\(pair.0) \(pair.1)"
        }
        #expect(loop == expected.sorted(), "\(steps)")
        let group = Pattern<Step>.first { $0.letter == "C" }.followedBy { $0.letter == "C" }
        let grouped = Self.found(begun.followedBy.group(group), in: steps) { pair in "\(pair.0) \(pair.1.events)" }
        #expect(grouped == expected.sorted(), "\(steps)")
    }

    @Test func whatCannotWaitIsRefused() {
        let begun = Pattern<Step>.first { $0.letter == "A" }.after(.seconds(5))
        #expect(throws: PatternError.durationWithoutStage(stage: "stage 1")) {
            try begun.next { $0.letter == "C" }.validated()
        }
        #expect(throws: PatternError.durationWithoutStage(stage: "stage 1")) {
            try begun.followedBy { $0.letter == "C" }.optional().validated()
        }
        #expect(throws: PatternError.self) {
            try Pattern<Step>.first { $0.letter == "A" }.after(.zero).validated()
        }
        #expect(throws: PatternError.durationWithoutStage(stage: "stage 2")) {
            try Pattern<Step>.first { $0.letter == "A" }.followedBy.group(begun).followedBy { $0.letter == "C" }
                .validated()
        }
    }

    // MARK: Timers

    @Test(arguments: seeds(200))
    func aTimerCompletesAMatch(seed: UInt64) {
        let steps = Self.stream(seed)
        let expected = steps.filter { $0.letter == "A" }.map { "\($0) at \($0.second + 7)" }
        let found = Self.found(Pattern<Step>.first { $0.letter == "A" }.after(.seconds(7)), in: steps) { "\($0)" }
        #expect(found == expected.sorted(), "\(steps)")
    }

    @Test(arguments: seeds(200))
    func aScheduleCompletesAMatch(seed: UInt64) {
        let steps = Self.stream(seed)
        @Sendable func next(_ second: Int) -> Int { (second / 10 + 1) * 10 }
        let begun = Pattern<Step>.first { $0.letter == "A" }.at {
            Self.moment(next(Int($0.nanosecondsSinceEpoch / 1_000_000_000)))
        }
        let expected = steps.filter { $0.letter == "A" }.map { "\($0) at \(next($0.second))" }
        #expect(Self.found(begun, in: steps) { "\($0)" } == expected.sorted(), "\(steps)")
        let pairs = steps.enumerated().compactMap { index, first in
            steps[(index + 1)...].first {
                first.letter == "A" && $0.letter == "C" && $0.group == first.group && $0.second >= next(first.second)
            }
            .map { "\(first) \($0) at \($0.second)" }
        }
        let followed = begun.followedBy { $0.letter == "C" }.grouped(by: \Step.group)
        #expect(Self.found(followed, in: steps) { pair in "\(pair.0) \(pair.1)" } == pairs.sorted(), "\(steps)")
    }

    @Test func aScheduleMayEnd() {
        let pattern = Pattern<Step>.first { $0.letter == "A" }.at { time in
            time < Self.moment(10) ? Self.moment(20) : nil
        }
        let steps = [5, 15].map { Step(letter: "A", group: 0, second: $0) }
        #expect(Self.found(pattern, in: steps) { "\($0)" } == ["A0@5 at 20"])
        let earlier = Pattern<Step>.first { $0.letter == "A" }.at { $0 }
        #expect(Self.found(earlier, in: steps) { "\($0)" }.isEmpty)
    }

    /// Then its time is not over, and it is no match.
    @Test func theWindowEndsBeforeTheTimeOfAStage() throws {
        let first = Pattern<Step>.first { $0.letter == "A" }
        let second = first.followedBy { $0.letter == "C" }
        func check<Searched: EventPattern>(_ pattern: Searched, _ expected: [Int], timeouts: [Int]) throws
        where Searched.Element == Step {
            for watermarks in [[50, 2_000], [2_000]] {
                let feed = Feed<Step>()
                let stream = feed.matches(of: pattern)
                let recorder = Recorder(stream)
                let timedOut = Locked<[Timestamp]>([])
                let subscription = stream.timeouts.subscribeWithTime { _, time in timedOut.withLock { $0.append(time) }
                }
                defer { subscription.cancel() }
                for (letter, second) in [("A", 0), ("C", 8)] as [(Character, Int)] {
                    let step = Step(letter: letter, group: 0, second: second)
                    feed.advance(to: step.time)
                    feed.send(step, at: step.time)
                }
                for watermark in watermarks { feed.advance(to: Self.moment(watermark)) }
                #expect(recorder.times == expected.map(Self.moment))
                #expect(timedOut.withLock { $0 } == timeouts.map(Self.moment))
            }
        }
        try check(first.at { _ in Self.moment(100) }.within(.seconds(10)), [], timeouts: [10])
        try check(first.at { _ in nil }.within(.seconds(10)), [], timeouts: [10])
        try check(first.at { _ in Self.moment(10) }.within(.seconds(10)), [10], timeouts: [])
        try check(second.after(.seconds(5)).within(.seconds(10)), [], timeouts: [10])
        try check(second.after(.seconds(2)).within(.seconds(10)), [10], timeouts: [])
        try check(
            second.notFollowedBy(within: .seconds(5)) { $0.letter == "B" }.within(.seconds(10)),
            [],
            timeouts: [10]
        )
        // The bound between neighbours is one of events.
        let neighbours = Duration.seconds(9)
        try check(first.after(.seconds(20)).within(betweenNeighbours: neighbours), [20], timeouts: [])
        try check(first.at { _ in Self.moment(1_000) }.within(betweenNeighbours: neighbours), [1_000], timeouts: [])
        try check(
            second.notFollowedBy(within: .seconds(20)) { $0.letter == "B" }.within(betweenNeighbours: neighbours),
            [28],
            timeouts: []
        )
        try check(second.notFollowedBy { $0.letter == "B" }.within(betweenNeighbours: neighbours), [17], timeouts: [])
        // Without a time of its own it is complete with what is over first.
        let both = second.notFollowedBy { $0.letter == "B" }.within(betweenNeighbours: neighbours).within(.seconds(10))
        try check(both, [10], timeouts: [])
    }

    // MARK: Behind loops

    /// The time begins with the last event of the loop, and needs no other event.
    @Test(arguments: seeds(100))
    func aTimeBehindALoopNeedsNoOtherEvent(seed: UInt64) {
        let steps = Self.stream(seed, groups: 1)
        let taken = steps.indices.filter { steps[$0].letter == "A" }
        // Where the match ends, and what it has.
        func expected(_ counts: ClosedRange<Int>, _ isWanted: (_ first: Int, _ last: Int, _ next: Int?) -> Bool)
            -> [String]
        {
            taken.indices.flatMap { first in
                taken.indices[first...].compactMap { last in
                    let next = last + 1 < taken.count ? taken[last + 1] : nil
                    guard counts.contains(last - first + 1), isWanted(taken[first], taken[last], next) else {
                        return nil
                    }
                    return "\(taken[first...last].map { steps[$0] }) at \(steps[taken[last]].second + 7)"
                }
            }.sorted()
        }
        func has(_ letter: Character, from first: Int, before second: Int) -> Bool {
            steps[(first + 1)...].contains { $0.letter == letter && $0.second < second }
        }
        let loop = Pattern<Step>.first { $0.letter == "A" }
        let all = expected(2...99) { _, _, _ in true }
        #expect(Self.found(loop.times(2...).after(.seconds(7)), in: steps) { "\($0)" } == all, "\(steps)")
        let bounded = expected(2...3) { _, _, _ in true }
        #expect(Self.found(loop.times(2...3).after(.seconds(7)), in: steps) { "\($0)" } == bounded, "\(steps)")
        let scheduled = loop.times(2...).at { $0 + .seconds(7) }
        #expect(Self.found(scheduled, in: steps) { "\($0)" } == all, "\(steps)")
        let greedy = expected(2...99) { _, last, next in next.map { steps[$0].second >= steps[last].second + 7 } ?? true
        }
        #expect(Self.found(loop.times(2...).greedy().after(.seconds(7)), in: steps) { "\($0)" } == greedy, "\(steps)")
        let clean = expected(2...99) { first, last, _ in !has("B", from: first, before: steps[last].second + 7) }
        let negated = loop.times(2...).notFollowedBy(within: .seconds(7)) { $0.letter == "B" }
        #expect(Self.found(negated, in: steps) { "\($0)" } == clean, "\(steps)")
    }

    @Test func whatIsRefusedStillForbids() {
        let pattern = Pattern<Step>.first { $0.letter == "A" }.followedBy { $0.letter == "C" }.within(.seconds(6))
            .notPreceded(within: .seconds(60)) { $0.letter == "B" }
        let limits = PatternSettings(limits: PatternLimits(events: 1))
        let steps = zip("ABAC", [0, 5, 10, 11]).map { Step(letter: $0, group: 0, second: $1) }
        #expect(Self.found(pattern, in: steps, limits) { "\($0.0) \($0.1)" }.isEmpty)
    }

    @Test func aScheduleWithoutAnEndNeverCompletes() {
        let pattern = Pattern<Step>.first { $0.letter == "A" }.at { _ in nil }
        let feed = Feed<Step>()
        let recorder = Recorder(feed.matches(of: pattern))
        feed.send(Step(letter: "A", group: 0, second: 1), at: Timestamp(secondsSinceEpoch: 1))
        feed.advance(to: Timestamp(secondsSinceEpoch: 1 << 30))
        feed.finish()
        #expect(recorder.elements.isEmpty && recorder.isFinished)
    }

    // MARK: Before

    @Test(arguments: seeds(300))
    func whatMustNotHaveComeBefore(seed: UInt64) {
        let steps = Self.stream(seed)
        func isQuiet(_ index: Int) -> Bool {
            !steps[..<index].contains {
                $0.letter == "B" && $0.group == steps[index].group && steps[index].second - $0.second < 6
            }
        }
        let starts = steps.indices.filter { steps[$0].letter == "A" && isQuiet($0) }
        let expected = starts.compactMap { start in
            steps[(start + 1)...].first { $0.letter == "C" && $0.group == steps[start].group }
                .map { "\(steps[start]) \($0) at \($0.second)" }
        }
        let pattern = Pattern<Step>
            .first { $0.letter == "A" }
            .followedBy { $0.letter == "C" }
            .notPreceded(within: .seconds(6)) { $0.letter == "B" }
        for settings in Self.settings {
            let found = Self.found(pattern.grouped(by: \Step.group), in: steps, settings) { pair in
                "\(pair.0) \(pair.1)"
            }
            #expect(found == expected.sorted(), "\(steps)")
        }
        let single = Pattern<Step>.first { $0.letter == "A" }.notPreceded(within: .seconds(6)) { $0.letter == "B" }
        let alone = Self.found(single.grouped(by: \Step.group), in: steps) { "\($0)" }
        #expect(alone == starts.map { "\(steps[$0]) at \(steps[$0].second)" }.sorted(), "\(steps)")
    }

    @Test func aGroupIsForgottenWhenItsTimeIsOver() {
        let pattern = Pattern<Step>.first { $0.letter == "A" }.notPreceded(within: .seconds(6)) { $0.letter == "B" }
        let feed = Feed<Step>()
        let settings = PatternSettings(limits: PatternLimits(groups: 2))
        let matches = feed.matches(of: pattern.grouped(by: \Step.group), settings)
        let recorder = Recorder(matches)
        for group in 0..<100 {
            let step = Step(letter: group.isMultiple(of: 2) ? "B" : "A", group: group / 2, second: group * 4)
            feed.send(step, at: step.time)
        }
        // Each A comes 4 seconds behind the B of its group, which is over before the group after the next begins.
        #expect(recorder.elements.isEmpty && matches.refused.count == 0)
    }

    // MARK: Definitions

    @Test func definitionsSayTheSame() throws {
        func definition(_ more: String) throws -> PatternDefinition {
            let text = """
                {"stages": [
                    {"name": "a", "contiguity": "begin", "where": {"==": [{"field": "value"}, 1]}},
                    {"name": "no b", "contiguity": "notFollowedBy", "gap": "3 s",
                     "where": {"==": [{"field": "value"}, 2]}},
                    {"name": "c", "contiguity": "followedByAny", "where": {"==": [{"field": "value"}, 3]}}
                 ]\(more)}
                """
            return try JSONDecoder().decode(PatternDefinition.self, from: Data(text.utf8))
        }
        let schema = EventSchema<Labelled>("Labelled", .field("value", \.value))
        let typed = Pattern<Labelled>.first { $0.value == 1 }
            .notFollowedBy(within: .seconds(3)) { $0.value == 2 }
            .followedByAny { $0.value == 3 }
        let quiet = ", \"notPreceded\": {\"where\": {\"==\": [{\"field\": \"value\"}, 4]}, \"within\": \"2 s\"}"
        let pairs: [(String, StagedPattern<Captures2<OneEvent<Labelled>, OneEvent<Labelled>>>)] = [
            ("", typed), (", \"once\": true", typed.once()),
            (quiet, typed.notPreceded(within: .seconds(2)) { $0.value == 4 }),
        ]
        for (more, typed) in pairs {
            let given = try definition(more)
            #expect(try JSONDecoder().decode(PatternDefinition.self, from: JSONEncoder().encode(given)) == given)
            var random = SeededGenerator(seed: 7)
            let feeds = [Feed<Labelled>(), Feed<Labelled>()]
            let dynamic = try DynamicPattern(given, over: schema)
            let found = Recorder(feeds[0].matches(of: dynamic).map { ($0["a"] + $0["c"]).map(\.timestamp) })
            let expected = Recorder(feeds[1].matches(of: typed).map { [$0.timestamp, $1.timestamp] })
            for second in 0..<300 {
                let event = Labelled(timestamp: Self.moment(second), value: Int.random(in: 1...4, using: &random))
                for feed in feeds { feed.send(event, at: event.timestamp) }
            }
            #expect(found.elements == expected.elements && !expected.elements.isEmpty, "\(more)")
        }
        #expect(throws: PatternError.self) {
            try DynamicPattern(definition(quiet + ", \"once\": true"), over: schema)
        }
    }

    // MARK: Once, and again

    /// Esper's `a -> every c` and `a -> every (b -> c)`, without an `every` before them.
    @Test(arguments: seeds(200))
    func aPartMatchesAgain(seed: UInt64) {
        let steps = Self.stream(seed)
        var each: [String] = []
        var pairs: [String] = []
        for group in 0..<2 {
            let own = steps.filter { $0.group == group }
            guard let start = own.firstIndex(where: { $0.letter == "A" }) else { continue }
            var open: Step?
            for step in own[(start + 1)...] {
                if step.letter == "C" { each.append("\(own[start]) \(step) at \(step.second)") }
                if step.letter == "B", open == nil { open = step }
                guard step.letter == "C", let first = open else { continue }
                pairs.append("\(own[start]) [\(first), \(step)] at \(step.second)")
                open = nil
            }
        }
        let begun = Pattern<Step>.first { $0.letter == "A" }
        let found = Self.found(begun.followedByAny { $0.letter == "C" }.once().grouped(by: \Step.group), in: steps) {
            pair in "\(pair.0) \(pair.1)"
        }
        #expect(found == each.sorted(), "\(steps)")
        let inner = Pattern<Step>.first { $0.letter == "B" }.followedBy { $0.letter == "C" }
        let again = begun.followedBy.group(inner).times(1...).once().grouped(by: \Step.group)
        let rounds = Self.found(again, in: steps) { start, rounds in
            "\(start) \(Array(rounds.events.suffix(2)))"
        }
        #expect(rounds == pairs.sorted(), "\(steps)")
    }

    @Test func onceCountsWhatBeginsAMatch() {
        // The condition looks at the loop itself, and the first stage is a group.
        let loop = Pattern<Labelled>.first { _ in true }.times(2).consecutive()
            .on { loop in loop.value[0] > 3 }
            .once()
        let group = Pattern<Labelled>.first.group(Pattern<Labelled>.first { $0.value > 3 }.next { _ in true }).once()
        let feeds = [Feed<Labelled>(), Feed<Labelled>()]
        let loops = Recorder(feeds[0].matches(of: loop).map { $0.map(\.value) })
        let groups = Recorder(feeds[1].matches(of: group).map { $0.events.map(\.value) })
        for (index, value) in [1, 2, 5, 1, 6, 2].enumerated() {
            let event = Labelled(timestamp: Self.moment(index), value: value)
            for feed in feeds { feed.send(event, at: event.timestamp) }
        }
        #expect(loops.elements == [[5, 1]])
        #expect(groups.elements == [[5, 1]])
    }

    @Test(arguments: seeds(200))
    func alternativesCanBeLeftOut(seed: UInt64) {
        let steps = Self.stream(seed, groups: 1)
        let begun = Pattern<Step>.first { $0.letter == "A" }
        let pattern = begun.next.either(
            Pattern<Step>.first { $0.letter == "B" },
            Pattern<Step>.first { $0.letter == "A" }.next { $0.letter == "A" }
        )
        .optional().next { $0.letter == "C" }
        let expected = steps.indices.filter { steps[$0].letter == "A" }.compactMap { start -> String? in
            let rest = steps[(start + 1)...]
            let letters = String(rest.prefix(3).map(\.letter))
            let length = letters.hasPrefix("C") ? 0 : letters.hasPrefix("BC") ? 1 : letters.hasPrefix("AAC") ? 2 : nil
            guard let length, let last = rest.dropFirst(length).first else { return nil }
            return "\(steps[start]) \(Array(rest.prefix(length))) \(last) at \(last.second)"
        }
        let found = Self.found(pattern, in: steps) { first, middle, last in "\(first) \(middle.events) \(last)" }
        #expect(found == expected.sorted(), "\(steps)")
    }

    // MARK: Positions, ties, misses

    @Test(arguments: seeds(200))
    func positionsInALoop(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let values = (0..<12).map { _ in Int.random(in: 0..<5, using: &random) }
        let begun = Pattern<Labelled>.first.where { $0.value < 3 }.times(3).consecutive()
        let feed = Feed<Labelled>()
        let second = Recorder(
            feed.matches(
                of: begun.next.on { loop, event in event.value > loop.value[1] && loop.value[fromEnd: 0] != 2 }
            )
            .map { loop, event in loop.map(\.value) + [event.value] }
        )
        for (index, value) in values.enumerated() {
            feed.send(
                Labelled(timestamp: Self.moment(index), value: value),
                at: Self.moment(index)
            )
        }
        let expected = values.indices.dropLast(3).map { Array(values[$0...$0 + 3]) }.filter {
            $0[..<3].allSatisfy { $0 < 3 } && $0[3] > $0[1] && $0[2] != 2
        }
        #expect(second.elements == expected, "\(values)")
    }

    @Test func positionsOfTheLoopItself() {
        let pattern = Pattern<Labelled>.first { _ in true }.followedBy { $0.value > 0 }.times(3)
            .on { _, loop in loop.value[fromEnd: 0] >= 1 && loop.value[0] == 1 }
        let feed = Feed<Labelled>()
        let found = Recorder(feed.matches(of: pattern).map { $1.map(\.value) })
        for (index, value) in [9, 2, 1, 5, 2].enumerated() {
            feed.send(Labelled(timestamp: Self.moment(index), value: value), at: Self.moment(index))
        }
        // The loop's own first event is 1, so it begins with no other.
        #expect(Set(found.elements) == [[1, 5, 2]])
    }

    @Test(arguments: seeds(100))
    func tiesAreOrdered(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let feed = Feed<Int>()
        let pattern = Pattern<Int>.first { _ in true }.next { _ in true }
        let recorder = Recorder(feed.matches(of: pattern, orderingTiesBy: { $0 % 10 < $1 % 10 }).map { [$0, $1] })
        var sent: [(time: Int, value: Int)] = []
        for index in 0..<20 { sent.append((Int.random(in: 0..<4, using: &random), index)) }
        for (time, value) in sent { feed.send(value, at: Self.moment(time)) }
        feed.finish()
        let sorted = sent.sorted { ($0.time, $0.value % 10, $0.value) < ($1.time, $1.value % 10, $1.value) }.map(
            \.value
        )
        #expect(recorder.elements == zip(sorted, sorted.dropFirst()).map { [$0, $1] })
    }

    @Test func aMissFails() {
        func completion(_ policy: AfterMatchPolicy) -> [StreamSignal<Int>] {
            let feed = Feed<Int>()
            let pattern = Pattern<Int>.first { $0 == 1 }
                .followedBy(named: "maybe") { $0 == 2 }.optional()
                .followedBy { $0 == 3 }
                .afterMatch(policy)
            let recorder = Recorder(feed.matches(of: pattern).map { $2 })
            for (index, value) in [1, 3, 1, 2, 3].enumerated() {
                feed.send(value, at: Self.moment(index))
            }
            feed.finish()
            return recorder.signals
        }
        for policy in [AfterMatchPolicy.skipToFirst(of: "maybe"), .skipToLast(of: "maybe")] {
            #expect(completion(policy).count > 2)
        }
        for policy in [
            AfterMatchPolicy.skipToFirst(of: "maybe", failsOnMiss: true), .skipToLast(of: "maybe", failsOnMiss: true),
        ] {
            let failure = PatternFailure.nothingToSkipTo(stage: "maybe")
            #expect("\(completion(policy))".contains("\(failure)"), "\(completion(policy))")
        }
    }
}
