import Foundation
import Synchronization
import Testing
import WeirCore
import WeirExpressions
import WeirTesting

@testable import WeirPatterns

/// The look-up of ranges against the evaluation of each condition alone.
@Suite struct RangeTableTests {
    struct Reading: Sendable {
        var number: Double
        var integer: Int
        var small: Float
        var text: String
        var part: Part
        var kind: Int
        var time: Int64 = 0
    }

    /// A number of which `<=` is the opposite of `>`, as the standard library provides it, also for NaN.
    struct Part: Comparable, Hashable, Sendable {
        var value: Double

        static func < (left: Self, right: Self) -> Bool { left.value < right.value }
    }

    static let numbers: [Double] = [
        -.infinity, -1, -.leastNonzeroMagnitude, -0.0, 0.0, .leastNonzeroMagnitude, 0.5, 1, 1.5, 2, .infinity, .nan,
    ]

    static func one<Value>(of values: [Value], _ random: inout SeededGenerator) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }

    static func number(_ random: inout SeededGenerator) -> Double {
        Bool.random(using: &random) ? one(of: numbers, &random) : Double.random(in: -2...2, using: &random)
    }

    static func reading(_ random: inout SeededGenerator) -> Reading {
        Reading(
            number: number(&random),
            integer: one(of: [.min, .max, Int.random(in: -3...3, using: &random)], &random),
            small: Float(number(&random)),
            text: one(of: ["", "a", "aa", "b", "ä"], &random),
            part: Part(value: number(&random)),
            kind: Int.random(in: 0..<3, using: &random)
        )
    }

    /// Compares a field with a constant.
    static func test<Value: Comparable & Hashable & Sendable>(
        _ path: SendableKeyPath<Reading, Value>,
        _ value: Value,
        _ other: Value,
        _ random: inout SeededGenerator
    ) -> StageTerm<Reading> {
        let (kind, integer) = (Row<Reading>().kind, Row<Reading>().integer)
        let field = Term(Field(path))
        let constant = Term(Literal<Reading, Value>(value))
        switch Int.random(in: 0..<13, using: &random) {
        case 0: return term(field < value)
        case 1: return term(field <= value)
        case 2: return term(field > value)
        case 3: return term(field >= value)
        case 4: return term(constant < field)
        case 5: return term(constant >= field)
        case 6: return term(field >= value && field < other)
        case 7: return term(field > value && field <= other)
        case 8: return term(constant <= field && field > value && field < other)
        case 9 where value <= other && value == value && other == other:
            return term(between(field, value...other))
        case 10: return term(field > value && kind == 1)
        case 11: return term(field <= value && kind != 1)
        default: return term(field < value && integer > 0 && integer <= 2)
        }
    }

    private static func term<Condition: ElementExpression>(_ condition: Term<Condition>) -> StageTerm<Reading>
    where Condition.Root == Reading, Condition.Value == Bool {
        .expression(condition.expression)
    }

    static func condition(_ random: inout SeededGenerator) -> StageTerm<Reading> {
        let (left, right) = (reading(&random), reading(&random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return test(\.number, left.number, right.number, &random)
        case 1: return test(\.integer, left.integer, right.integer, &random)
        case 2: return test(\.small, left.small, right.small, &random)
        case 3: return test(\.text, left.text, right.text, &random)
        default: return test(\.part, left.part, right.part, &random)
        }
    }

    /// How many sets of rules are compared: 300, or 5,000 with `WEIR_LONG_TESTS=1` in the environment.
    static var setCount: UInt64 { ProcessInfo.processInfo.environment["WEIR_LONG_TESTS"] == nil ? 300 : 5000 }

    @Test func holdsWhatHoldsAlone() {
        for seed in 0..<Self.setCount {
            var random = SeededGenerator(seed: seed)
            var builder = RuleIndexBuilder<Reading>()
            var rules: [(table: ConditionTable<Reading>, places: Set<Int>)?] = []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let rule = Int.random(in: 0...rules.count, using: &random)
                if rule == rules.count { rules.append(nil) }
                if let places = rules[rule]?.places {
                    _ = builder.remove(places, of: rule)
                    rules[rule] = nil
                } else {
                    let table = Self.table(Int.random(in: 1...40, using: &random), &random)
                    rules[rule] = (table, builder.add(table, Array(table.unary.indices), rule: rule))
                }
                builder.makeTables()
                let reading = Self.reading(&random)
                var expected = [UInt64](repeating: 0, count: rules.count)
                var found = expected
                for rule in rules.indices {
                    guard let table = rules[rule]?.table else { continue }
                    for id in table.unary.indices where table.unary[id](reading) { expected[rule] |= 1 << UInt64(id) }
                }
                builder.index.forEachUse(for: reading) { use in
                    #expect(found[use.rule] & use.bit == 0, "seed \(seed): twice")
                    found[use.rule] |= use.bit
                }
                #expect(found == expected, "seed \(seed): \(reading)")
            }
            for rule in rules.indices {
                if let places = rules[rule]?.places { _ = builder.remove(places, of: rule) }
            }
            builder.makeTables()
            #expect(builder.index.columns.isEmpty)
            #expect(builder.index.candidates.allSatisfy { $0.unindexed.isEmpty && $0.tables.isEmpty })
            #expect(builder.index.conditions.allSatisfy { $0.uses.isEmpty })
        }
    }

    static func table(_ count: Int, _ random: inout SeededGenerator) -> ConditionTable<Reading> {
        var table = ConditionTable<Reading>()
        for id in 0..<count {
            let condition = Self.condition(&random)
            guard case .unary(let holds) = condition.meaning else { fatalError("not on the event alone") }
            table.append(holds)
            table.hints[id] = condition.hint
        }
        return table
    }

    @Test func findsPlacesAmongThresholds() {
        let thresholds = Thresholds([1, .nan, 0, -0.0, 1, .infinity, -.infinity])
        #expect(thresholds.values == [-.infinity, 0, 1, .infinity])
        #expect(thresholds.place(of: -.infinity) == 1)
        #expect(thresholds.place(of: -5) == 2)
        #expect(thresholds.place(of: -0.0) == 3)
        #expect(thresholds.place(of: 0.5) == 4)
        #expect(thresholds.place(of: .infinity) == 7)
        #expect(thresholds.place(of: .nan) == nil)
        #expect(thresholds.places(for: [Bound(.above, 0), Bound(.below, 1)]) == 4..<5)
        #expect(thresholds.places(for: [Bound(.atLeast, 0), Bound(.atMost, 0)]) == 3..<4)
        #expect(thresholds.places(for: [Bound(.above, 1), Bound(.below, 1)]).isEmpty)
        #expect(thresholds.places(for: [Bound(.above, .infinity)]) == 8..<9)
        #expect(Thresholds<Int>([]).place(of: 3) == 0)
    }

    @Test func rangesCostOneTableForEachField() throws {
        let set = PatternSet<Reading>()
        for rule in 0..<100 {
            let (low, kind) = (Double(rule), rule % 2)
            let first = Pattern<Reading>.first.where { $0.number >= low && $0.number < low + 1 }
            try set.add(first.next.where { $0.kind == kind && $0.integer > rule }) { _ in }
        }
        let index = set.snapshot().index
        #expect(index.candidates[0].unindexed.isEmpty)
        #expect(index.candidates[0].tables.count == 1)
        #expect(index.candidates.count == 3)
        #expect(index.candidates.allSatisfy { $0.tables.count == 1 })
        let allDecided = index.candidates[0].tables[0].entries.allSatisfy(\.isDecided)
        #expect(allDecided)
    }

    @Test func findsWhatEachPatternFindsAlone() throws {
        var found = 0
        for seed in 0..<UInt64(20) {
            var random = SeededGenerator(seed: seed)
            let (together, alone) = (Log(), Log())
            let set = PatternSet<Reading>()
            let source = Multicast<Reading>()
            for rule in 0..<30 {
                let (low, high) = (Self.number(&random), Self.number(&random))
                let kind = Int.random(in: 0..<3, using: &random)
                let isOpen = Bool.random(using: &random)
                let band = Pattern<Reading>.first.where { $0.number >= low && $0.number < high }
                let first = isOpen ? Pattern<Reading>.first.where { $0.number > low } : band
                let bound = Duration.nanoseconds(Int.random(in: 2..<9, using: &random))
                let pattern: any EventPattern<Reading, (Reading, Reading)>
                switch Int.random(in: 0..<4, using: &random) {
                case 0: pattern = first.next.where { $0.number <= high }.within(bound)
                case 1: pattern = first.followedByAny.where { $0.kind == kind && $0.number < high }.within(bound)
                case 2:
                    pattern = first.notFollowedBy.where { $0.integer > 2 }.followedBy.where { $0.integer <= kind }
                        .within(bound)
                default:
                    pattern = first.followedBy.where { $0.integer > kind }.notFollowedBy.where { $0.number > high }
                        .within(bound)
                }
                func attach(_ pattern: some EventPattern<Reading, (Reading, Reading)>) throws {
                    try set.add(pattern) { together.add(rule, $0.0, $0.1) }
                    let matches = source.matches(of: pattern, PatternSettings(strategy: .runs))
                    matches.subscribe { alone.add(rule, $0.0, $0.1) }
                }
                try attach(pattern)
            }
            source.attach(set)
            var time: Int64 = 0
            for _ in 0..<60 {
                time += Int64.random(in: 0..<3, using: &random)
                var reading = Self.reading(&random)
                reading.time = time
                source.advance(to: Timestamp(nanosecondsSinceEpoch: time))
                source.send(reading, at: Timestamp(nanosecondsSinceEpoch: time))
            }
            source.finish()
            #expect(together.lines.sorted() == alone.lines.sorted(), "seed \(seed)")
            found += alone.lines.count
        }
        #expect(found > 1000)
    }

    final class Log: Sendable {
        private let texts = Mutex<[String]>([])

        var lines: [String] { texts.withLock { $0 } }

        func add(_ rule: Int, _ first: Reading, _ second: Reading) {
            texts.withLock { $0.append("\(rule): \(first), \(second)") }
        }
    }
}
