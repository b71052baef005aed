import Testing
import WeirCore
import WeirExpressions
import WeirFlow
import WeirSelection
import WeirTesting

private struct Row: Event, Hashable {
    var timestamp: Timestamp
    var key: Int
    var value: Double
}

@Suite struct ExpressionKeyTests {
    private func rows(_ seed: UInt64) -> [Row] {
        var generator = SeededGenerator(seed: seed)
        return (0..<40).map { index in
            Row(
                timestamp: Timestamp(nanosecondsSinceEpoch: Int64(index)),
                key: .random(in: 0...9, using: &generator),
                value: Double(Int.random(in: -5...5, using: &generator))
            )
        }
    }

    private func expectSame<One: EventStream, Other: EventStream>(
        _ one: (EventChannel<Row>) -> One,
        _ other: (EventChannel<Row>) -> Other,
        sourceLocation: SourceLocation = #_sourceLocation
    ) where One.Element == Other.Element, One.Element: Equatable {
        for seed in 0..<25 as Range<UInt64> {
            let channel = EventChannel<Row>()
            let (recorder, otherRecorder) = (Recorder(one(channel)), Recorder(other(channel)))
            channel.publish(contentsOf: rows(seed))
            channel.finish()
            #expect(recorder.isFinished, sourceLocation: sourceLocation)
            guard recorder.signals != otherRecorder.signals else { continue }
            Issue.record("seed \(seed): the two differ", sourceLocation: sourceLocation)
            return
        }
    }

    @Test func keysAreKeyPathsOrExpressions() {
        expectSame {
            $0.grouped(by: \.key % 3, limit: 3) { $0.changes(of: \.value) }
        } _: {
            $0.grouped(by: { $0.key % 3 }, limit: 3) { $0.changes { $0.value } }
        }
        expectSame {
            $0.grouped(by: \.key, limit: 10) { $0.changes(of: \.value * 0 + \.value) }
        } _: {
            $0.grouped(by: { $0.key }, limit: 10) { $0.changes(of: \.value) }
        }
        expectSame {
            $0.distinct(by: \.key / 2, within: .nanoseconds(7))
        } _: {
            $0.distinct(by: { $0.key / 2 }, within: .nanoseconds(7))
        }
        expectSame {
            $0.distinct(by: \.key / 2, last: 2)
        } _: {
            $0.distinct(by: { $0.key / 2 }, last: 2)
        }
        expectSame {
            $0.partition(\.value > 0).matching
        } _: {
            $0.partition { $0.value > 0 }.matching
        }
        let key = field(\Row.key) % 4
        expectSame { channel in
            channel.join(channel.filter(\.value > 0), within: .nanoseconds(3), by: key, and: key).map {
                $0.value - $1.value
            }
        } _: { channel in
            channel.join(channel.filter(\.value > 0), within: .nanoseconds(3), by: { $0.key % 4 }, and: { $0.key % 4 })
                .map { $0.value - $1.value }
        }
    }

    @Test func selectionsTakeExpressions() {
        expectSame {
            $0.take(while: \.value < 5)
        } _: {
            $0.take { $0.value < 5 }
        }
        expectSame {
            $0.drop(while: \.value < 3)
        } _: {
            $0.drop { $0.value < 3 }
        }
        expectSame {
            $0.changes(by: abs(previous(\.value) - \.value) > 3)
        } _: {
            $0.changes { abs($1.value - $0.value) > 3 }
        }
        expectSame {
            $0.changes(by: previous(\.value) != \.value)
        } _: {
            $0.changes(of: \.value)
        }
    }

    @Test func conditionsThatWereBuiltAtRunTimeAreExpressionsToo() throws {
        let schema = EventSchema<Row>("Row", .field("key", \.key), .field("value", \.value))
        let condition = try schema.condition(schema.tree(of: \.value > 1 && \.key % 2 == 0))
        expectSame {
            $0.filter(condition)
        } _: {
            $0.filter { $0.value > 1 && $0.key % 2 == 0 }
        }
        let key = try schema.projection(schema.tree(of: field(\Row.key) % 3), as: Int.self)
        expectSame {
            $0.grouped(by: key, limit: 3) { $0.changes(of: \.value) }
        } _: {
            $0.grouped(by: { $0.key % 3 }, limit: 3) { $0.changes(of: \.value) }
        }
    }
}
