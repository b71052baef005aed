import Foundation
import Testing
import WeirCore
import WeirExpressions
import WeirSchemas
import WeirTesting

@Suite struct CapturingConditionTests {
    private func sample(_ real: Double) -> Sample {
        var generator = SeededGenerator(seed: 1)
        var sample = Sample.random(using: &generator)
        sample.real = real
        return sample
    }

    @Test func capturedValuesAreComparedWith() throws {
        let last = ExpressionTree.captured(CapturedValue(.field("real"), of: "a"))
        let bound = ExpressionTree.operation(.sum, [.operation(.product, [last, .literal(1.5)]), .literal(1)])
        let condition = try schema.capturingCondition(throughJSON(.operation(.greater, [.field("real"), bound])))
        #expect(condition.description == "real > last(a).real * 1.5 + 1")
        #expect(condition.captured.map(\.kind) == [.value(stage: "a", .last)])
        let value = condition.captured[0].value(of: sample(2))
        #expect(condition.holds(for: sample(4.5), given: [value]))
        #expect(!condition.holds(for: sample(4), given: [value]))
        #expect(!condition.holds(for: sample(4.5), given: [.missing]))
        #expect(!condition.holds(for: sample(4.5), given: []))
    }

    @Test func aRepeatedNeedIsCapturedOnce() throws {
        let first = ExpressionTree.captured(CapturedValue(.field("name"), of: "a", .first))
        let other = ExpressionTree.captured(CapturedValue(.field("name"), of: "a", .last))
        let condition = try schema.capturingCondition(
            .operation(
                .or,
                [
                    .operation(.equal, [first, .field("name")]), .operation(.equal, [other, first]),
                    .operation(.not, [.operation(.isPresent, [first])]),
                ]
            )
        )
        #expect(condition.captured.map(\.description) == ["first(a).name", "last(a).name"])
        #expect(condition.holds(for: sample(0), given: ["x", "x"]))
        #expect(!condition.holds(for: sample(0), given: ["x", "y"]))
        #expect(condition.holds(for: sample(0), given: [nil, "y"]))
    }

    @Test func summariesAreKeptByTheCaller() throws {
        for function in [CapturedSummary.Function.count, .sum, .mean, .minimum, .maximum] {
            let summary = ExpressionTree.summary(CapturedSummary(function, of: .field("real"), over: "b"))
            let condition = try schema.capturingCondition(throughJSON(.operation(.atLeast, [summary, .literal(2)])))
            var state = SummaryState()
            var values: [Double] = []
            for value in [1.5, 0.5, 2.5] {
                let expected: Double? =
                    switch function {
                    case .count: Double(values.count)
                    case .sum: values.reduce(0, +)
                    case .mean: values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
                    case .minimum: values.min()
                    case .maximum: values.max()
                    }
                let holds = condition.holds(for: sample(0), given: [state.result(function)])
                #expect(holds == ((expected ?? -1) >= 2), "\(function) of \(values)")
                state.add(condition.captured[0].value(of: sample(value)))
                values.append(value)
            }
        }
        let text = ExpressionTree.summary(CapturedSummary(.sum, of: .field("name"), over: "b"))
        #expect(throws: SchemaError.self) { try schema.capturingCondition(.operation(.less, [text, .literal(1)])) }
    }
}
