import Foundation
import Testing
import WeirCore
import WeirExpressions
import WeirSchemas
import WeirTesting

@Suite struct SchemaTests {
    private func samples(_ count: UInt64 = 300) -> [(seed: UInt64, sample: Sample)] {
        (0..<count).map { seed in
            var generator = SeededGenerator(seed: seed)
            return (seed, Sample.random(using: &generator))
        }
    }

    /// Writes a typed condition as JSON, builds it again, and compares both on random samples.
    private func expectSame<Condition: ElementExpression>(
        _ condition: (Row<Sample>) -> Term<Condition>,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) throws where Condition.Root == Sample, Condition.Value == Bool {
        let tree = try schema.tree(of: condition)
        let condition = condition(Row()).expression
        let decoded = try throughJSON(tree)
        #expect(decoded == tree, sourceLocation: sourceLocation)
        #expect(decoded.hashValue == tree.hashValue, sourceLocation: sourceLocation)
        #expect(decoded.description == tree.description, sourceLocation: sourceLocation)
        let built = try schema.condition(decoded)
        for (seed, sample) in samples() where built.value(of: sample) != condition.value(of: sample) {
            Issue.record("seed \(seed): \(built) differs on \(sample)", sourceLocation: sourceLocation)
            return
        }
    }

    @Test func conditionsSurviveJSON() throws {
        try expectSame({ $0.real > 0.5 })
        try expectSame({ $0.real <= $0.twice })
        try expectSame({ $0.single >= 0.1 })
        try expectSame({ $0.integer != 1 })
        try expectSame({ $0.byte < 100 })
        try expectSame({ $0.word == UInt64.max })
        try expectSame({ $0.name == "a" || $0.name > "b" })
        try expectSame({ $0.isMarked == true && !($0.isMarked == false) })
        try expectSame({ !$0.isMarked })
        try expectSame({ $0.kind == Kind.quote })
        try expectSame({ $0.note == nil })
        try expectSame({ $0.note != "note" })
        try expectSame({ $0.limit == 1 })
        try expectSame({ $0.limit != nil })
        try expectSame({ isPresent($0.limit) })
        try expectSame({ between($0.real, -0.5...0.5) })
        try expectSame({ between($0.real * 2, -0.5...0.5) })
        try expectSame({ isIn($0.name, ["a", "é"]) })
        try expectSame({ isIn($0.integer % 2, [1, -1]) })
        try expectSame({ isIn($0.limit, [nil, 1]) })
        try expectSame({ hasPrefix($0.name, "a") })
        try expectSame({ contains($0.name, "b") || contains($0.name, "") })
        try expectSame({ $0.twice > 1 })
    }

    @Test func calculationsSurviveJSON() throws {
        try expectSame({ $0.real * 2 - 1 > $0.twice })
        try expectSame({ 2 - $0.real < 1 })
        try expectSame({ abs($0.real - $0.twice) > 0.5 })
        try expectSame({ -$0.integer > 1 })
        try expectSame({ $0.integer / 2 == -1 })
        try expectSame({ ($0.integer + 5) % 3 == 1 })
        try expectSame({ min($0.real, $0.twice) < -1 })
        try expectSame({ max($0.integer, 1) == 1 })
        try expectSame({ $0.single * 0.1 > 0.05 })
        try expectSame({ real($0.integer) * 0.5 > $0.real })
        try expectSame({ abs($0.integer) - 2 >= 0 })
        try expectSame({ $0.real / 0 > 1 })
    }

    @Test func descriptionsReadLikeTheSource() throws {
        func text<Condition: ElementExpression>(_ condition: (Row<Sample>) -> Term<Condition>) throws -> String
        where Condition.Root == Sample {
            try schema.tree(of: condition).description
        }
        #expect(try text({ $0.real > 0.5 && $0.name == "a\"b" }) == #"real > 0.5 && name == "a\"b""#)
        #expect(
            try text({ ($0.real > 1 || $0.integer < 0) && $0.limit == nil })
                == "(real > 1 || integer < 0) && limit == nil"
        )
        #expect(try text({ !($0.real > 1) }) == "!(real > 1)")
        #expect(try text({ $0.real - ($0.real - 1) }) == "real - (real - 1)")
        #expect(try text({ between($0.real, 0...1) }) == "between(real, 0...1)")
        #expect(try text({ isIn($0.name, ["b", "a"]) }) == #"isIn(name, ["a", "b"])"#)
        #expect(try text({ abs($0.integer) - 1 }) == "abs(integer) - 1")
        #expect(try schema.condition(schema.tree(of: { $0.twice > 1 })).description == "twice > 1")
        let rise = PreviousRow<Sample>().real < Row<Sample>().real
        #expect(try rise.expression.tree(in: schema).description == "previous(real) < real")
    }

    @Test func theJSONIsWhatIsDocumented() throws {
        let json = #"{"&&": [{">": [{"field": "real"}, 30]}, {"==": [{"field": "name"}, "north"]}]}"#
        let tree = try JSONDecoder().decode(ExpressionTree.self, from: Data(json.utf8))
        #expect(try tree == schema.tree(of: { $0.real > 30 && $0.name == "north" }))
        let captured = #"{"captured": {"stage": "a", "pick": "last", "value": {"field": "real"}}}"#
        #expect(
            try JSONDecoder().decode(ExpressionTree.self, from: Data(captured.utf8))
                == .captured(CapturedValue(.field("real"), of: "a"))
        )
    }

    @Test func numbersSurviveJSON() throws {
        let numbers: [FieldValue] = [
            .real(.nan), .real(.infinity), .real(-.infinity), .real(0.1), .real(1e300), 0, .integer(.min),
            .integer(.max), .unsigned(.max), .real(.leastNonzeroMagnitude), nil, true, "", "nan",
        ]
        for number in numbers { #expect(try throughJSON(.literal(number)) == .literal(number)) }
        guard case .literal(.real(let zero)) = try throughJSON(.literal(.real(-0.0))) else {
            Issue.record("the negative zero became an integer")
            return
        }
        #expect(zero.sign == .minus)
    }

    @Test func equalConditionsAreEqual() throws {
        let one = try schema.condition(schema.tree(of: { $0.real > 1 }))
        let same = try schema.condition(.operation(.greater, [.field("real"), .literal(1)]))
        let other = try schema.condition(schema.tree(of: { $0.real > 2 }))
        #expect(one == same && one.hashValue == same.hashValue)
        #expect(one != other)
        #expect(try schema.tree(of: { one($0) }) == one.tree)
    }

    @Test func projectionsComputeWhatTheExpressionDoes() throws {
        let real = try schema.projection(schema.tree(of: { $0.real * 2 + 1 }), as: Double.self)
        let byte = try schema.projection(.field("byte"), as: UInt8.self)
        let kind = try schema.projection(.field("kind"), as: Kind.self)
        let limit = try schema.projection(.field("limit"), as: Int?.self)
        let quotient = try schema.projection(
            .operation(.quotient, [.literal(6), .field("integer")]),
            as: Int?.self
        )
        for (_, sample) in samples() {
            #expect(real.value(of: sample) == sample.real * 2 + 1)
            #expect(byte.value(of: sample) == sample.byte)
            #expect(kind.value(of: sample) == sample.kind)
            #expect(limit.value(of: sample) == sample.limit)
            #expect(quotient.value(of: sample) == (sample.integer == 0 ? nil : 6 / sample.integer))
        }
        let field = try schema.field("real", as: Double.self)
        #expect(try schema.tree(of: { field($0) > 0.5 }) == schema.tree(of: { $0.real > 0.5 }))
    }

    @Test func whatHasNoResultDoesNotHold() throws {
        var sample = samples(1)[0].sample
        sample.integer = 0
        let divided = try schema.condition(
            .operation(
                .not,
                [.operation(.equal, [.operation(.remainder, [.literal(7), .field("integer")]), .literal(1)])]
            )
        )
        #expect(!divided.value(of: sample))
        sample.integer = .max
        let overflown = try schema.condition(
            .operation(.less, [.operation(.sum, [.field("integer"), .literal(1)]), .literal(0)])
        )
        #expect(!overflown.value(of: sample))
        sample.integer = .min
        let absolute = try schema.condition(
            .operation(.atLeast, [.operation(.absoluteValue, [.field("integer")]), .field("integer")])
        )
        #expect(!absolute.value(of: sample))
        let constant = try schema.condition(
            .operation(.equal, [.operation(.quotient, [.literal(1), .literal(0)]), .field("integer")])
        )
        #expect(!constant.value(of: sample))
    }

    @Test func missingValuesEqualNilAndNothingElse() throws {
        var sample = samples(1)[0].sample
        sample.limit = nil
        func holds(_ tree: ExpressionTree) throws -> Bool { try schema.condition(tree).value(of: sample) }
        let limit = ExpressionTree.field("limit")
        for symbol in [ExpressionOperator.less, .atMost, .greater, .atLeast] {
            #expect(try !holds(.operation(symbol, [limit, .literal(0)])))
        }
        #expect(try !holds(.operation(.equal, [limit, .literal(0)])))
        #expect(try holds(.operation(.unequal, [limit, .literal(0)])))
        #expect(try holds(.operation(.equal, [limit, .literal(nil)])))
        #expect(try holds(.operation(.equal, [limit, .field("limit")])))
        #expect(try !holds(.operation(.equal, [.operation(.sum, [limit, .literal(1)]), .literal(1)])))
        #expect(try !holds(.operation(.between, [limit, .literal(-9), .literal(9)])))
    }

    @Test func neighboursAreComparedWithThePrevious() throws {
        let typed = (abs(PreviousRow<Sample>().real - Row<Sample>().real) > 1).expression
        let tree = try typed.tree(in: schema)
        let built = try schema.pairCondition(throughJSON(tree))
        for (one, other) in zip(samples(), samples().dropFirst()) {
            #expect(
                built.value(of: one.sample, after: other.sample) == typed.value(of: one.sample, after: other.sample),
                "seed \(one.seed)"
            )
        }
        #expect(throws: SchemaError.self) { try schema.condition(tree) }
    }

    /// Random trees against an interpreter of a few lines.
    @Test func randomTreesAgreeWithAnInterpreter() throws {
        for seed in 0..<2000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let tree = Self.condition(depth: 3, &generator)
            let built = try schema.condition(throughJSON(tree))
            for _ in 0..<5 {
                let sample = Sample.random(using: &generator)
                guard built.value(of: sample) != Self.holds(tree, sample) else { continue }
                Issue.record("seed \(seed): \(tree) on \(sample)")
                return
            }
        }
    }

    private static func condition(depth: Int, _ generator: inout SeededGenerator) -> ExpressionTree {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 4), using: &generator) {
        case 0: return .operation(.equal, [.field("isMarked"), .literal(.bool(.random(using: &generator)))])
        case 1:
            let ends = [number(depth: 0, &generator), number(depth: 0, &generator)]
            return .operation(.between, [number(depth: depth, &generator)] + ends)
        case 2, 3:
            let symbols: [ExpressionOperator] = [.equal, .unequal, .less, .atMost, .greater, .atLeast]
            let operands = [number(depth: depth, &generator), number(depth: depth, &generator)]
            return .operation(symbols.randomElement(using: &generator) ?? .equal, operands)
        case 4: return .operation(.not, [condition(depth: depth - 1, &generator)])
        default:
            let operands = (0..<Int.random(in: 2...3, using: &generator)).map { _ in
                condition(depth: depth - 1, &generator)
            }
            return .operation(Bool.random(using: &generator) ? .and : .or, operands)
        }
    }

    private static func number(depth: Int, _ generator: inout SeededGenerator) -> ExpressionTree {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 3), using: &generator) {
        case 0: return .field("real")
        case 1: return .literal(.integer(.random(in: -2...2, using: &generator)))
        case 2: return .field("twice")
        case 3: return .operation(.real, [.field("integer")])
        case 4: return .operation(.absoluteValue, [number(depth: depth - 1, &generator)])
        default:
            let symbols: [ExpressionOperator] = [.sum, .difference, .product, .minimum, .maximum]
            let operands = [number(depth: depth - 1, &generator), number(depth: depth - 1, &generator)]
            return .operation(symbols.randomElement(using: &generator) ?? .sum, operands)
        }
    }

    private static func holds(_ tree: ExpressionTree, _ sample: Sample) -> Bool {
        guard case .operation(let symbol, let operands) = tree else { return false }
        switch symbol {
        case .and: return operands.allSatisfy { holds($0, sample) }
        case .or: return operands.contains { holds($0, sample) }
        case .not: return !holds(operands[0], sample)
        case .equal where operands[0] == .field("isMarked"): return .literal(.bool(sample.isMarked)) == operands[1]
        default:
            let values = operands.map { value($0, sample) }
            switch symbol {
            case .equal: return values[0] == values[1]
            case .unequal: return values[0] != values[1]
            case .less: return values[0] < values[1]
            case .atMost: return values[0] <= values[1]
            case .greater: return values[0] > values[1]
            case .atLeast: return values[0] >= values[1]
            default: return values[0] >= values[1] && values[0] <= values[2]
            }
        }
    }

    private static func value(_ tree: ExpressionTree, _ sample: Sample) -> Double {
        switch tree {
        case .field("real"): return sample.real
        case .field("twice"): return sample.twice
        case .field: return Double(sample.integer)
        case .literal(.integer(let number)): return Double(number)
        case .operation(let symbol, let operands):
            let values = operands.map { value($0, sample) }
            switch symbol {
            case .sum: return values[0] + values[1]
            case .difference: return values[0] - values[1]
            case .product: return values[0] * values[1]
            case .minimum: return min(values[0], values[1])
            case .maximum: return max(values[0], values[1])
            case .absoluteValue: return abs(values[0])
            default: return values[0]
            }
        default: return 0
        }
    }
}
