import Testing
import WeirCore
import WeirExpressions
import WeirSchemas
import WeirTesting

private func onRow<Root, Expression: ElementExpression<Root, Value>, Value>(
    of root: Root.Type,
    _ expression: (Row<Root>) -> Term<Expression>
) -> Expression {
    expression(Row()).expression
}

@Suite struct RowTests {
    private struct Named: Comparable, Hashable {
        var value: Int
        var description: String
        var tree: Double

        static func < (left: Named, right: Named) -> Bool { left.value < right.value }
    }

    @Test func propertiesAreFields() {
        #expect(onRow(of: Point.self) { $0.x } == Field(\.x))
        let condition = onRow(of: Point.self) { $0.x > 0.5 && $0.number == 3 }
        #expect(condition.description == "x > 0.5 && number == 3")
        for seed in 0..<500 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let point = Point.random(using: &generator)
            #expect(condition.value(of: point) == (point.x > 0.5 && point.number == 3), "seed \(seed)")
        }
    }

    @Test func wholeElementsAreExpressions() throws {
        let condition = onRow(of: Int.self) { $0 * 2 > 6 }
        #expect(condition.description == "self * 2 > 6")
        #expect([3, 4].map { condition.value(of: $0) } == [false, true])
        #expect(Row<Int>() == Row<Int>())
        let schema = EventSchema<Int>("number", .field("self", \.self))
        let tree = try condition.tree(in: schema)
        #expect(try [3, 4].map { try schema.condition(tree).value(of: $0) } == [false, true])
    }

    @Test func membersOfExpressionsDoNotHideProperties() {
        let element = Named(value: 7, description: "seven", tree: 0.5)
        #expect(onRow(of: Named.self) { $0.value > 6 }.value(of: element))
        #expect(onRow(of: Named.self) { $0.description == "seven" }.value(of: element))
        #expect(onRow(of: Named.self) { $0.tree < 1 }.value(of: element))
        #expect(!onRow(of: Named.self) { $0 < Named(value: 7, description: "", tree: 0) }.value(of: element))
    }
}
