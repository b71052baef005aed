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

    private struct Place: Hashable, Sendable {
        var x: Double
        var point: Deep

        struct Deep: Hashable, Sendable {
            var level: Int
            var text: String

            var isHigh: Bool { level > 0 }
        }

        static func random(using generator: inout some RandomNumberGenerator) -> Place {
            let texts = ["a", "b", "a text that is too long to be stored in place"]
            return Place(
                x: .random(in: -1...1, using: &generator),
                point: Deep(
                    level: .random(in: -2...2, using: &generator),
                    text: texts[Int.random(in: 0..<3, using: &generator)]
                )
            )
        }
    }

    private struct Sighting: Sendable {
        var number: Int
        var place: Place
    }

    @Test func propertiesOfPropertiesAreFields() {
        let deep = onRow(of: Sighting.self) { $0.place.point.level }
        #expect(deep == Field(\.place.point.level))
        #expect(deep.hashValue == Field<Sighting, Int>(\.place.point.level).hashValue)
        #expect(deep.isStored)
        #expect(deep.description == "place.point.level")
        let computed = onRow(of: Sighting.self) { $0.place.point.isHigh }
        #expect(!computed.isStored)
        let condition = onRow(of: Sighting.self) {
            $0.place.x > 0 && $0.place.point.text == "a" || $0.place.point.isHigh
        }
        // A computed property has no name of its own.
        #expect(condition.description.hasPrefix("place.x > 0.0 && place.point.text == \"a\" || place.point.<"))
        for seed in 0..<500 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let sighting = Sighting(number: 1, place: .random(using: &generator))
            #expect(deep.value(of: sighting) == sighting.place.point.level, "seed \(seed)")
            let expected = sighting.place.x > 0 && sighting.place.point.text == "a" || sighting.place.point.isHigh
            #expect(condition.value(of: sighting) == expected, "seed \(seed)")
        }
    }

    @Test func propertiesOfPropertiesOfTheElementBefore() {
        func onPair<Condition: TypedExpression<Sighting, Bool>>(
            _ condition: (PreviousRow<Sighting>, Row<Sighting>) -> Term<Condition>
        ) -> Condition {
            condition(PreviousRow(), Row()).expression
        }
        let rise = onPair { previous, current in previous.place.point.level < current.place.point.level }
        #expect(rise.description == "previous(place.point.level) < place.point.level")
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let (first, second) = (Place.random(using: &generator), Place.random(using: &generator))
            let isRise = rise.value(of: Sighting(number: 2, place: second), after: Sighting(number: 1, place: first))
            #expect(isRise == (first.point.level < second.point.level), "seed \(seed)")
        }
    }

    @Test func propertiesOfNamedFieldsHaveItsName() {
        let place = Field(\Sighting.place, named: "where")
        #expect(onRow(of: Sighting.self) { place($0).point.level > 1 }.description == "where.point.level > 1")
    }

    @Test func schemasKnowPropertiesOfProperties() throws {
        let schema = EventSchema<Sighting>("sighting", .field("level", \.place.point.level), .field("x", \.place.x))
        let condition = onRow(of: Sighting.self) { $0.place.point.level > 0 && $0.place.x < 0.5 }
        let tree = try condition.tree(in: schema)
        #expect("\(tree)".contains("level > 0"))
        let rebuilt = try schema.condition(tree)
        for seed in 0..<100 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let sighting = Sighting(number: 1, place: .random(using: &generator))
            #expect(rebuilt.value(of: sighting) == condition.value(of: sighting), "seed \(seed)")
        }
    }

    @Test func membersOfExpressionsDoNotHideProperties() {
        let element = Named(value: 7, description: "seven", tree: 0.5)
        #expect(onRow(of: Named.self) { $0.value > 6 }.value(of: element))
        #expect(onRow(of: Named.self) { $0.description == "seven" }.value(of: element))
        #expect(onRow(of: Named.self) { $0.tree < 1 }.value(of: element))
        #expect(!onRow(of: Named.self) { $0 < Named(value: 7, description: "", tree: 0) }.value(of: element))
    }
}
