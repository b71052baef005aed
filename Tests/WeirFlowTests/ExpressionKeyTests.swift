import Testing
import WeirCore
import WeirExpressions
import WeirFlow
import WeirSchemas
import WeirSelection
import WeirTesting

private struct Entry: Event, Hashable {
    var timestamp: Timestamp
    var key: Int
    var value: Double
}

@Suite struct ExpressionKeyTests {
    private func rows(_ seed: UInt64) -> [Entry] {
        var generator = SeededGenerator(seed: seed)
        return (0..<40).map { index in
            Entry(
                timestamp: Timestamp(nanosecondsSinceEpoch: Int64(index)),
                key: .random(in: 0...9, using: &generator),
                value: Double(Int.random(in: -5...5, using: &generator))
            )
        }
    }

    private func expectSame<One: EventStream, Other: EventStream>(
        _ one: (EventChannel<Entry>) -> One,
        _ other: (EventChannel<Entry>) -> Other,
        sourceLocation: SourceLocation = #_sourceLocation
    ) where One.Element == Other.Element, One.Element: Equatable {
        for seed in 0..<25 as Range<UInt64> {
            let channel = EventChannel<Entry>()
            let (recorder, otherRecorder) = (Recorder(one(channel)), Recorder(other(channel)))
            channel.publish(contentsOf: rows(seed))
            channel.finish()
            #expect(recorder.isFinished, sourceLocation: sourceLocation)
            guard recorder.signals != otherRecorder.signals else { continue }
            Issue.record("seed \(seed): the two differ", sourceLocation: sourceLocation)
            return
        }
    }

    @Test func conditionsThatWereBuiltAtRunTimeAreExpressionsToo() throws {
        let schema = EventSchema<Entry>("Entry", .field("key", \.key), .field("value", \.value))
        let condition = try schema.condition(schema.tree(of: { $0.value > 1 && $0.key % 2 == 0 }))
        expectSame {
            $0.where { condition($0) }
        } _: {
            $0.filter { $0.value > 1 && $0.key % 2 == 0 }
        }
        let key = try schema.projection(schema.tree(of: { $0.key % 3 }), as: Int.self)
        expectSame {
            $0.grouped(by: key.function, limit: 3) { $0.changes(of: \.value) }
        } _: {
            $0.grouped(by: { $0.key % 3 }, limit: 3) { $0.changes(of: \.value) }
        }
    }
}
