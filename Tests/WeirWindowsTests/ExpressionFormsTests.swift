import Testing
import WeirAggregates
import WeirCore
import WeirExpressions
import WeirTesting
import WeirWindows

private struct Row: Event, Hashable {
    var timestamp: Timestamp
    var value: Double
    var other: Double

    var product: Double { value * other }
}

@Suite struct ExpressionFormsTests {
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

    @Test func shortFormsTakeExpressions() {
        let size = Self.size
        expectSame {
            $0.tumbling(size).sum(of: \.value * 2)
        } _: {
            $0.tumbling(size).sum { $0.value * 2 }
        }
        expectSame {
            $0.tumbling(size).mean(of: \.value + \.other)
        } _: {
            $0.tumbling(size).mean { $0.value + $0.other }
        }
        expectSame {
            $0.sliding(size).max(of: abs(\.value))
        } _: {
            $0.sliding(size).max { abs($0.value) }
        }
        expectSame {
            $0.sliding(size).min(of: -(\.value))
        } _: {
            $0.sliding(size).min { -$0.value }
        }
        expectSame {
            $0.tumbling(count: 4).first(of: \.value > 0)
        } _: {
            $0.tumbling(count: 4).first { $0.value > 0 }
        }
        expectSame {
            $0.tumbling(count: 4).last(of: \.value * 2)
        } _: {
            $0.tumbling(count: 4).last { $0.value * 2 }
        }
        expectSame {
            $0.tumbling(size).variance(of: \.value * 2)
        } _: {
            $0.tumbling(size).variance { $0.value * 2 }
        }
        expectSame {
            $0.tumbling(size).standardDeviation(of: \.value * 2)
        } _: {
            $0.tumbling(size).standardDeviation { $0.value * 2 }
        }
    }

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
        expectSame {
            $0.tumbling(size).sum(of: \.product * 1)
        } _: {
            $0.tumbling(size).sum { $0.value * $0.other }
        }
    }

    @Test func aggregatesTakeExpressions() {
        let size = Self.size
        expectSame {
            $0.tumbling(size).aggregate(Quantile.median(of: \.value * 2))
        } _: {
            $0.tumbling(size).aggregate(Quantile.median { $0.value * 2 })
        }
        expectSame {
            $0.tumbling(size).aggregate(DistinctCount(of: abs(\.value)))
        } _: {
            $0.tumbling(size).aggregate(DistinctCount { abs($0.value) })
        }
        let (x, y) = (field(\Row.value) * 2, field(\Row.other) + 1)
        let ofExpressions = Covariance(of: x, y)
        let ofClosures = Covariance<Row>(of: { $0.value * 2 }, { $0.other + 1 })
        expectSame {
            $0.tumbling(size).aggregate(ofExpressions)
        } _: {
            $0.tumbling(size).aggregate(ofClosures)
        }
        expectSame {
            $0.running(ExponentialMovingAverage(of: \.value * 2, weight: 0.5))
        } _: {
            $0.running(ExponentialMovingAverage(of: { $0.value * 2 }, weight: 0.5))
        }
        expectSame {
            $0.tumbling(size).aggregate(ApproximateDistinctCount(of: \.value * 2))
        } _: {
            $0.tumbling(size).aggregate(ApproximateDistinctCount { $0.value * 2 })
        }
        expectSame {
            $0.tumbling(size).aggregate(QuantileSketch(0.9, of: \.value * 2))
        } _: {
            $0.tumbling(size).aggregate(QuantileSketch(0.9) { $0.value * 2 })
        }
    }

    @Test func conditionsOfWindowsTakeExpressions() {
        expectSame {
            $0.landmark(when: \.value > 3).count()
        } _: {
            $0.landmark { $0.value > 3 }.count()
        }
        expectSame {
            $0.windows(opensWhen: \.value > 2, closesWhen: \.value < -2).count()
        } _: {
            $0.windows(opensWhen: { $0.value > 2 }, closesWhen: { $0.value < -2 }).count()
        }
        expectSame {
            $0.windows(opensWhen: \.value > 2, closesWhen: \.value < -2, emit: .onEveryElement).count()
        } _: {
            $0.windows(opensWhen: { $0.value > 2 }, closesWhen: { $0.value < -2 }, emit: .onEveryElement).count()
        }
    }

    @Test func havingLooksAtTheAggregate() {
        let size = Self.size
        for seed in 0..<200 as Range<UInt64> {
            let channel = EventChannel<Row>()
            let all = Recorder(channel.tumbling(size).mean(of: \.value))
            let byClosure = Recorder(channel.tumbling(size).mean(of: \.value).having { $0 > 0.5 })
            let byExpression = Recorder(channel.tumbling(size).mean(of: \.value).having(\.self > 0.5))
            let ofTwo = Recorder(
                channel.tumbling(size).aggregate(Both(Mean(of: \.value), Count())).having(\.0 > 0.5 && \.1 >= 4)
            )
            channel.publish(contentsOf: rows(seed))
            channel.advance(to: Timestamp(nanosecondsSinceEpoch: 1000))
            channel.finish()
            let expected = all.signals.filter { signal in
                if case .element(let result, _) = signal { result.value > 0.5 } else { true }
            }
            #expect(byClosure.signals == expected, "seed \(seed)")
            #expect(byExpression.signals == expected, "seed \(seed)")
            #expect(ofTwo.elements.allSatisfy { $0.value.0 > 0.5 && $0.value.1 >= 4 }, "seed \(seed)")
        }
    }
}
