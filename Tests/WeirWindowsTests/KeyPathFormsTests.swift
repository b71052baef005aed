import Testing
import WeirAggregates
import WeirCore
import WeirTesting
import WeirWindows

private struct Row: Event, Hashable {
    var timestamp: Timestamp
    var value: Double
    var other: Double

    var product: Double { value * other }
}

@Suite struct KeyPathFormsTests {
    private func rows(_ seed: UInt64) -> [Row] {
        var generator = SeededGenerator(seed: seed)
        return (0..<30).map { index in
            Row(
                timestamp: Timestamp(nanosecondsSinceEpoch: Int64(index) * 3),
                value: Double(Int.random(in: -5...5, using: &generator)),
                other: .random(in: -1...1, using: &generator)
            )
        }
    }

    /// Compares the outputs of two streams for the same elements.
    private func expectSame<One: EventStream, Other: EventStream>(
        _ one: (EventChannel<Row>) -> One,
        _ other: (EventChannel<Row>) -> Other,
        sourceLocation: SourceLocation = #_sourceLocation
    ) where One.Element == Other.Element, One.Element: Equatable {
        for seed in 0..<50 as Range<UInt64> {
            let channel = EventChannel<Row>()
            let (recorder, otherRecorder) = (Recorder(one(channel)), Recorder(other(channel)))
            channel.publish(contentsOf: rows(seed))
            channel.advance(to: Timestamp(nanosecondsSinceEpoch: 60))
            channel.finish()
            #expect(!recorder.signals.isEmpty, sourceLocation: sourceLocation)
            guard recorder.signals != otherRecorder.signals else { continue }
            Issue.record(
                "seed \(seed): \(recorder.signals) instead of \(otherRecorder.signals)",
                sourceLocation: sourceLocation
            )
            return
        }
    }

    private static let size = Duration.nanoseconds(10)

    @Test func keyPathsAreFunctionsAlsoOfComputedProperties() {
        let size = Self.size
        expectSame {
            $0.tumbling(size).max(of: \.value)
        } _: {
            $0.tumbling(size).max { $0.value }
        }
        expectSame {
            $0.tumbling(size).sum(of: \.product)
        } _: {
            $0.tumbling(size).sum { $0.value * $0.other }
        }
    }

    @Test func havingLooksAtTheAggregate() {
        let size = Self.size
        for seed in 0..<200 as Range<UInt64> {
            let channel = EventChannel<Row>()
            let all = Recorder(channel.tumbling(size).mean(of: \.value))
            let byClosure = Recorder(channel.tumbling(size).mean(of: \.value).having { $0 > 0.5 })
            let ofTwo = Recorder(
                channel.tumbling(size).aggregate(Mean(of: \.value), Count()).having { $0.0 > 0.5 && $0.1 >= 4 }
            )
            channel.publish(contentsOf: rows(seed))
            channel.advance(to: Timestamp(nanosecondsSinceEpoch: 1000))
            channel.finish()
            let expected = all.signals.filter { signal in
                if case .element(let result, _) = signal { result.value > 0.5 } else { true }
            }
            #expect(byClosure.signals == expected, "seed \(seed)")
            #expect(ofTwo.elements.allSatisfy { $0.value.0 > 0.5 && $0.value.1 >= 4 }, "seed \(seed)")
        }
    }
}
