import Foundation
import Testing
import WeirCore
import WeirExpressions
import WeirSchemas
import WeirTesting

@Suite struct DynamicRecordTests {
    private struct Quote: Sendable {
        var time: Int
        var record: DynamicRecord
        var weight: Double
    }

    private func makeSchema() throws -> EventSchema<DynamicRecord> {
        try EventSchema(
            records: "Quote",
            [.field("price", .real), .field("count", .integer), .optionalField("venue", .text), .field("open", .bool)]
        )
    }

    @Test func conditionsLookAtRecords() throws {
        let schema = try makeSchema()
        let record = try schema.record(["price": 3, "count": 7, "open": true])
        let condition = try schema.condition(
            .operation(
                .and,
                [
                    .operation(.greater, [.field("price"), .literal(2.5)]),
                    .operation(.equal, [.operation(.remainder, [.field("count"), .literal(2)]), .literal(1)]),
                    .operation(.equal, [.field("venue"), .literal(nil)]), .field("open"),
                ]
            )
        )
        #expect(condition.value(of: record))
        #expect(try !condition.value(of: schema.record([3, 7, "X", true])))
        #expect(try !condition.value(of: schema.record([3, 7, nil, false])))
        let price = try schema.field("price", as: Double.self)
        #expect((price(Row()) > 2.5).expression.value(of: record))
        #expect(record[0] == 3)
    }

    @Test func recordsAreChecked() throws {
        let schema = try makeSchema()
        func message(_ values: [String: FieldValue]) -> String {
            do {
                _ = try schema.record(values)
                return "nothing was thrown"
            } catch {
                return "\(error)"
            }
        }
        #expect(message(["prise": 1]) == "'Quote' has no field 'prise'; did you mean 'price'?")
        #expect(
            message(["price": "a", "count": 1, "open": true]) == #"'price' is "a" where a value of type real is needed"#
        )
        #expect(
            message(["price": 1, "count": 1.5, "open": true])
                == "'count' is 1.5 where a value of type integer is needed"
        )
        #expect(message(["price": 1]) == "'count' is nil where a value of type integer is needed")
        #expect(throws: SchemaError.self) { try schema.record([1]) }
        #expect(throws: SchemaError.self) { try EventSchema(records: "S", [.field("a", .real), .field("a", .text)]) }
    }

    @Test func schemasMoveIntoWhatHoldsTheirElements() throws {
        let inner = try makeSchema()
        let schema = EventSchema<Quote>(inner, in: \.record)
        let condition = try schema.condition(.operation(.atLeast, [.field("price"), .literal(1)]))
        #expect(try condition.value(of: Quote(time: 1, record: inner.record([1, 1, nil, true]), weight: 2)))
        #expect(try !condition.value(of: Quote(time: 1, record: inner.record([0.5, 1, nil, true]), weight: 2)))
        struct Box: Sendable {
            var id: Int
            var sample: Sample
        }
        let boxes = EventSchema<Box>(WeirExpressionsTests.schema, in: \.sample)
        let real = Field(\Box.sample.real)
        let tree = try boxes.tree(of: { real($0) > 0.5 })
        #expect(tree.description == "real > 0.5")
        var generator = SeededGenerator(seed: 1)
        let sample = Sample.random(using: &generator)
        #expect(try boxes.condition(tree).value(of: Box(id: 1, sample: sample)) == (sample.real > 0.5))
    }
}
