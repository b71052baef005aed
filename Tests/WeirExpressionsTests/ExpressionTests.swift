import Testing
import WeirCore
import WeirExpressions
import WeirTesting

struct Point: Sendable {
    var x: Double
    var y: Double
    var number: Int
    var name: String
    var note: String?
    var isMarked: Bool

    var sum: Double { x + y }
    var observed = 0 {
        didSet { number += 1 }
    }

    static func random(using generator: inout some RandomNumberGenerator) -> Point {
        Point(
            x: .random(in: -2...2, using: &generator),
            y: .random(in: -2...2, using: &generator),
            number: .random(in: -3...3, using: &generator),
            name: ["", "a", "ab", "ba", "é"].randomElement(using: &generator) ?? "",
            note: Bool.random(using: &generator) ? nil : "note",
            isMarked: .random(using: &generator),
            observed: .random(in: 0...3, using: &generator)
        )
    }
}

struct Wide: Sendable {
    var byte: UInt8
    var small: UInt16
    var flag: Bool
    var words: (Int, Int, Double, Int, Double, Int)
    var text: String
    var list: [Int]
    var last: UInt8

    static func random(using generator: inout some RandomNumberGenerator) -> Wide {
        func number() -> Int { .random(in: .min ... .max, using: &generator) }
        return Wide(
            byte: .random(in: 1...255, using: &generator),
            small: .random(in: 1...65535, using: &generator),
            flag: true,
            words: (number(), number(), .random(in: 0..<1, using: &generator), number(), .pi, number()),
            text: "a text that is too long to be stored in place, \(number())",
            list: [number(), number()],
            last: 77
        )
    }
}

/// Gives an expression the root that an operator would give it.
func onPoints<Expression: ElementExpression>(_ expression: (Row<Point>) -> Term<Expression>) -> Expression
where Expression.Root == Point {
    expression(Row()).expression
}

/// Gives an expression on two neighbours the root that an operator would give it.
private func onNeighbours<Expression: TypedExpression>(
    _ expression: (PreviousRow<Point>, Row<Point>) -> Term<Expression>
) -> Expression where Expression.Root == Point {
    expression(PreviousRow(), Row()).expression
}

@Suite struct ExpressionTests {
    /// Compares an expression with a closure on random points.
    private func expectSame<Expression: ElementExpression>(
        _ expression: (Row<Point>) -> Term<Expression>,
        _ closure: (Point) -> Expression.Value,
        sourceLocation: SourceLocation = #_sourceLocation
    ) where Expression.Root == Point, Expression.Value: Equatable {
        let expression = onPoints(expression)
        for seed in 0..<500 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let point = Point.random(using: &generator)
            let value = expression.value(of: point)
            guard value != closure(point) else { continue }
            Issue.record("seed \(seed): \(expression) is \(value) for \(point)", sourceLocation: sourceLocation)
            return
        }
    }

    @Test func comparisonsAgreeWithSwift() {
        expectSame({ $0.x > 0.5 }) { $0.x > 0.5 }
        expectSame({ $0.x < $0.y }) { $0.x < $0.y }
        expectSame({ $0.number >= 1 }) { $0.number >= 1 }
        expectSame({ $0.number <= 1 }) { $0.number <= 1 }
        expectSame({ $0.name == "a" }) { $0.name == "a" }
        expectSame({ $0.name != "a" }) { $0.name != "a" }
        expectSame({ $0.note == nil }) { $0.note == nil }
        expectSame({ $0.note == "note" }) { $0.note == "note" }
        expectSame({ $0.x + $0.y > $0.y }) { $0.x + $0.y > $0.y }
        expectSame({ $0.x < $0.x + $0.y }) { $0.x < $0.x + $0.y }
        expectSame({ $0.x * 2 == $0.y + 1 }) { $0.x * 2 == $0.y + 1 }
    }

    @Test func arithmeticAgreesWithSwift() {
        expectSame({ $0.x + 1 }) { $0.x + 1 }
        expectSame({ 1 - $0.x }) { 1 - $0.x }
        expectSame({ 2 * $0.x + 1 }) { 2 * $0.x + 1 }
        expectSame({ $0.x / $0.y }) { $0.x / $0.y }
        expectSame({ $0.number / 2 }) { $0.number / 2 }
        expectSame({ $0.number % 2 }) { $0.number % 2 }
        expectSame({ 7 % ($0.number + 10) }) { 7 % ($0.number + 10) }
        expectSame({ -$0.x }) { -$0.x }
        expectSame({ abs($0.x - $0.y) }) { abs($0.x - $0.y) }
        expectSame({ abs($0.number) }) { abs($0.number) }
        expectSame({ min($0.x, $0.y) }) { min($0.x, $0.y) }
        expectSame({ max($0.x, 0) }) { max($0.x, 0) }
        expectSame({ max($0.x * 2, $0.y) }) { max($0.x * 2, $0.y) }
    }

    @Test func logicAgreesWithSwift() {
        expectSame({ $0.x > 0.2 && $0.x < 1.8 }) { $0.x > 0.2 && $0.x < 1.8 }
        expectSame({ $0.x > 0.2 || $0.number == 1 && $0.name == "a" }) {
            $0.x > 0.2 || $0.number == 1 && $0.name == "a"
        }
        expectSame({ !($0.x > 0.2) }) { !($0.x > 0.2) }
        expectSame({ !$0.isMarked }) { !$0.isMarked }
        expectSame({ $0.isMarked == true && $0.x > 0 }) { $0.isMarked && $0.x > 0 }
        expectSame({ $0.isMarked && $0.x > 0 || $0.isMarked }) { $0.isMarked && $0.x > 0 || $0.isMarked }
        expectSame({ $0.isMarked }) { $0.isMarked }
    }

    @Test func criteriaAgreeWithSwift() {
        expectSame({ between($0.x, 0...1) }) { (0...1).contains($0.x) }
        expectSame({ between($0.x + $0.y, 0...1) }) { (0...1).contains($0.x + $0.y) }
        expectSame({ isIn($0.name, ["a", "ab"]) }) { ["a", "ab"].contains($0.name) }
        expectSame({ isIn($0.number % 2, [1]) }) { $0.number % 2 == 1 }
        expectSame({ isPresent($0.note) }) { $0.note != nil }
        expectSame({ hasPrefix($0.name, "a") }) { $0.name.hasPrefix("a") }
        expectSame({ contains($0.name, "b") }) { $0.name.contains("b") }
        expectSame({ contains($0.name, "") }) { _ in true }
    }

    @Test func computedAndObservedPropertiesWorkThroughTheKeyPath() {
        #expect(Field(\Point.x).isStored)
        #expect(Field(\Point.name).isStored)
        #expect(!Field(\Point.sum).isStored)
        #expect(!Field(\Point.observed).isStored)
        expectSame({ $0.sum > 0.5 }) { $0.sum > 0.5 }
        expectSame({ $0.sum + $0.x }) { $0.sum + $0.x }
        expectSame({ $0.observed == 2 }) { $0.observed == 2 }
        let count = Field(\Point.name.count)
        expectSame({ count($0) >= 2 }) { $0.name.count >= 2 }
        let length = Field(\Point.note?.count)
        expectSame({ length($0) == 4 }) { $0.note?.count == 4 }
    }

    /// Near and far, aligned and not, numbers and references.
    @Test func storedPropertiesAreFoundWhereverTheyAre() {
        var generator = SeededGenerator(seed: 1)
        let wide = Wide.random(using: &generator)
        func expectStored<Value: Equatable>(_ keyPath: SendableKeyPath<Wide, Value>) {
            #expect(Field(keyPath).isStored)
            #expect(Field(keyPath).value(of: wide) == wide[keyPath: keyPath])
        }
        expectStored(\.byte)
        expectStored(\.small)
        expectStored(\.flag)
        expectStored(\.words.0)
        expectStored(\.words.1)
        expectStored(\.words.2)
        expectStored(\.words.3)
        expectStored(\.words.4)
        expectStored(\.words.5)
        expectStored(\.text)
        expectStored(\.list)
        expectStored(\.last)
    }

    @Test func theSecondConditionIsLookedAtOnlyIfNeeded() {
        #expect(!onPoints({ $0.number != 0 && 1 / $0.number > 0 }).value(of: point(number: 0)))
        #expect(onPoints({ $0.number == 0 || 1 / $0.number > 0 }).value(of: point(number: 0)))
    }

    @Test func neighboursAreComparedWithThePrevious() {
        let rise = onNeighbours { previous, current in abs(previous.x - current.x) > 1 }
        #expect(rise.value(of: point(x: 3), after: point(x: 1)))
        #expect(!rise.value(of: point(x: 2), after: point(x: 1)))
        let order = onNeighbours { previous, current in previous.x + previous.y < current.x && current.number == 1 }
        #expect(order.value(of: point(x: 1, number: 1), after: point(x: 0)))
        #expect(!order.value(of: point(x: 1, number: 2), after: point(x: 0)))
        #expect(rise.description == "abs(previous(x) - x) > 1.0")
    }

    /// Compares the description of an expression.
    private func expectText<Expression: ElementExpression>(
        _ expression: (Row<Point>) -> Term<Expression>,
        _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) where Expression.Root == Point {
        #expect(onPoints(expression).description == text, sourceLocation: sourceLocation)
    }

    @Test func descriptionsReadLikeTheSource() {
        expectText({ $0.x > 0.5 }, "x > 0.5")
        expectText({ $0.x > 0.5 && $0.name == "a\"b" }, #"x > 0.5 && name == "a\"b""#)
        let either = onPoints { $0.x > 0.5 || $0.x < 0.1 }
        expectText({ either($0) && $0.number == 1 }, "(x > 0.5 || x < 0.1) && number == 1")
        expectText({ !either($0) }, "!(x > 0.5 || x < 0.1)")
        expectText({ $0.x - ($0.y - 1) }, "x - (y - 1.0)")
        expectText({ $0.x - $0.y - 1 }, "x - y - 1.0")
        expectText({ ($0.x + 1) * 2 }, "(x + 1.0) * 2.0")
        expectText({ $0.x * 2 + 1 }, "x * 2.0 + 1.0")
        expectText({ abs($0.x - 1) }, "abs(x - 1.0)")
        expectText({ -($0.x + 1) }, "-(x + 1.0)")
        expectText({ max($0.x, 1) }, "max(x, 1.0)")
        expectText({ between($0.x, 0...1) }, "between(x, 0.0...1.0)")
        expectText({ isIn($0.name, ["b", "a"]) }, #"isIn(name, ["a", "b"])"#)
        expectText({ isPresent($0.note) }, "isPresent(note)")
        expectText({ hasPrefix($0.name, "a") }, #"hasPrefix(name, "a")"#)
        let sum = Field(\Point.sum, named: "sum")
        #expect(sum.description == "sum")
        expectText({ sum($0) > 1 }, "sum > 1.0")
    }

    @Test func equalExpressionsAreEqualAndHashAlike() {
        let makers = [
            { onPoints { $0.x > 0.5 && $0.y < 1 } }, { onPoints { $0.x > 0.5 && $0.y < 2 } },
            { onPoints { $0.y > 0.5 && $0.y < 1 } },
        ]
        for (left, makeLeft) in makers.enumerated() {
            for (right, makeRight) in makers.enumerated() {
                #expect((makeLeft() == makeRight()) == (left == right))
            }
        }
        #expect(Set(makers.map { $0() } + makers.map { $0() }).count == makers.count)
        #expect(Field(\Point.sum, named: "a") == Field(\Point.sum))
    }

    @Test func textsAreCopiedOutOfTheElement() {
        let long = String(repeating: "long enough to be on the heap ", count: 3)
        var kept: [String] = []
        do {
            let element = point(name: long + "!")
            for _ in 0..<100 { kept.append(Field(\Point.name).value(of: element)) }
        }
        #expect(kept.allSatisfy { $0 == long + "!" })
    }

    private func point(x: Double = 0, number: Int = 0, name: String = "") -> Point {
        Point(x: x, y: 0, number: number, name: name, note: nil, isMarked: false)
    }
}
