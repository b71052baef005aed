import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirTesting

@Suite struct StateTests {
    private func check<A: Aggregate>(_ aggregate: A, sourceLocation: SourceLocation = #_sourceLocation)
    where A.Input == Labelled {
        #expect(RestoreTrials.difference { $0.running(aggregate) } == nil, sourceLocation: sourceLocation)
        // A group for each value, of which all have one description.
        #expect(RestoreTrials.difference { $0.running(Buffered(aggregate)) } == nil, sourceLocation: sourceLocation)
    }

    private static let number: @Sendable (Labelled) -> Double = { Double($0.value) / 3 }

    @Test func sums() {
        check(Count())
        check(Sum(of: { $0.value }))
        check(Sum(of: Self.number))
        check(Mean(of: Self.number))
        check(Rate(per: .milliseconds(1)))
        check(Variance(of: Self.number))
        check(StandardDeviation(of: Self.number))
        check(ExponentialMovingAverage(of: Self.number, weight: 0.5))
    }

    @Test func pairs() {
        check(Covariance(of: Self.number, { Double($0.label.utf8.count) }))
        check(Correlation(of: Self.number, { Double($0.label.utf8.count) }))
        check(LinearRegression(of: Self.number, { Double($0.label.utf8.count) }))
    }

    @Test func selections() {
        check(Min(of: { $0.label }))
        check(Max(of: { $0.value }))
        check(First(of: { $0.label }))
        check(Last(of: { $0.label }))
        check(Collected())
        check(Ranked(by: { $0.value }, top: 3))
    }

    @Test func quantiles() {
        check(Quantile(0.3, of: Self.number))
        check(QuantileSketch(0.7, of: Self.number))
    }

    @Test func values() {
        check(DistinctCount(of: { $0.label }))
        check(ApproximateDistinctCount(of: { $0.label }))
        check(TopK(2, of: { $0.label }))
        check(HeavyHitters(2, of: { $0.label }, counters: 3))
    }

    @Test func several() {
        #expect(RestoreTrials.difference { $0.running(Count(), Sum(of: { $0.value })) } == nil)
        let many = RestoreTrials.difference {
            $0.running(
                Count(),
                Sum(of: \.value),
                Mean(of: Self.number),
                Min(of: \.value),
                Max(of: \.label),
                Collected()
            )
        }
        #expect(many == nil)
    }
}
