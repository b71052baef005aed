import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirTesting

@Suite struct CountingAggregatesTests {
    private static func quantile(_ fraction: Double, _ numbers: [Double]) -> Double {
        let sorted = numbers.sorted()
        let position = fraction * Double(sorted.count - 1)
        let (low, high) = (sorted[Int(position)], sorted[min(sorted.count - 1, Int(position) + 1)])
        return low + (high - low) * (position - position.rounded(.down))
    }

    @Test func exactQuantilesAgreeWithTheirDefinition() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let points = points(&generator)
            let fraction = [0, 1, 0.5, 0.9, .random(in: 0...1, using: &generator)][Int(seed % 5)]
            let cut = Int.random(in: 0...points.count, using: &generator)
            let removed = Int.random(in: 0..<points.count, using: &generator)
            let aggregate = Quantile<Point>(fraction, of: \.x)
            // Asking in between must not change anything.
            var asked = aggregate
            for point in points {
                asked.add(point, at: .epoch)
                _ = asked.result()
            }
            for point in points[..<removed] {
                asked.remove(point, at: .epoch)
                _ = asked.result()
            }
            let all = Self.quantile(fraction, points.map(\.x))
            let rest = Self.quantile(fraction, points[removed...].map(\.x))
            guard isClose(folded(aggregate, points), all), isClose(merged(aggregate, points, cutAt: cut), all),
                isClose(trimmed(aggregate, points, removing: removed), rest), isClose(asked.result(), rest)
            else {
                Issue.record("seed \(seed), fraction \(fraction), removed \(removed): \(points)")
                return
            }
        }
        #expect(folded(Quantile.median(of: \.x), []).isNaN)
        #expect(folded(Quantile.median(of: \.x), [Point(x: .nan, y: 0, time: 0)]).isNaN)
    }

    @Test func quantilesBetweenTheEndsOfTheNumbersAreNumbers() {
        func median(_ numbers: Double...) -> Double {
            folded(Quantile.median(of: \.x), numbers.map { Point(x: $0, y: 0, time: 0) })
        }
        let greatest = Double.greatestFiniteMagnitude
        #expect(median(-greatest, greatest) == 0)
        #expect(median(-.infinity, 5) == -.infinity)
        #expect(median(5, .infinity) == .infinity)
        #expect(median(-.infinity, .infinity).isNaN)
    }

    @Test func theSketchKeepsItsError() {
        for seed in seeds(3_000) {
            var generator = SeededGenerator(seed: seed)
            let scale = [1.0, 1e-300, 1e6][Int(seed % 3)]
            let points = points(&generator, upTo: 40).map { point in
                // Wide ranges need many bins, and time.
                let power = Int.random(in: seed < 150 ? -15...15 : -2...2, using: &generator)
                return Point(x: Double(sign: .plus, exponent: power, significand: point.y) * scale, y: 0, time: 0)
            }
            let fraction = Double.random(in: 0...1, using: &generator)
            let error = [0.01, 0.001, 0.3][Int(seed % 3)]
            let cut = Int.random(in: 0...points.count, using: &generator)
            let removed = Int.random(in: 0..<points.count, using: &generator)
            let sketch = QuantileSketch<Point>(fraction, of: \.x, relativeError: error, maximumBins: 20_000)
            func isWithinError(_ result: Double, _ points: [Point]) -> Bool {
                let exact = points.map(\.x).sorted()[Int(fraction * Double(points.count - 1))]
                return (result - exact).magnitude <= error * exact.magnitude * 1.000_001 + .leastNormalMagnitude
            }
            guard isWithinError(folded(sketch, points), points),
                isWithinError(merged(sketch, points, cutAt: cut), points),
                isWithinError(trimmed(sketch, points, removing: removed), Array(points[removed...]))
            else {
                Issue.record("seed \(seed), fraction \(fraction), error \(error), removed \(removed)")
                return
            }
        }
    }

    @Test func theSketchStaysWithinItsBinsAndKeepsTheErrorOfLargeNumbers() {
        let points = (-900...900).map { Point(x: Double(sign: .plus, exponent: $0, significand: 1.3), y: 0, time: 0) }
        var generator = SeededGenerator(seed: 1)
        for sketchPoints in [points, points.reversed(), points.shuffled(using: &generator)] {
            let result = folded(QuantileSketch(0.99, of: \.x, maximumBins: 2000), sketchPoints)
            let exact = points[Int(0.99 * 1800)].x
            #expect((result - exact).magnitude <= 0.01 * exact)
        }
        let extremes = [Double.infinity, -.infinity].map { Point(x: $0, y: 0, time: 0) }
        #expect(folded(QuantileSketch(1, of: \.x), extremes) > 1e307)
        #expect(folded(QuantileSketch(0, of: \.x), extremes) < -1e307)
        #expect(folded(QuantileSketch(0, of: \.x), [Point(x: .nan, y: 0, time: 0)]).isNaN)
    }

    @Test func topValuesAndDistinctValuesAgreeWithTheirDefinitions() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let points = points(&generator, upTo: 30)
            let cut = Int.random(in: 0...points.count / 2, using: &generator) * 2
            let removed = Int.random(in: 0...points.count, using: &generator)
            func top(_ points: ArraySlice<Point>) -> [Counted<Double>] {
                Set(points.map(\.x))
                    .map { value in (value, points.filter { $0.x == value }.count, points.lastIndex { $0.x == value }) }
                    .sorted { ($0.1, $0.2 ?? 0) > ($1.1, $1.2 ?? 0) }
                    .prefix(3)
                    .map { Counted(value: $0.0, count: $0.1) }
            }
            let aggregate = TopK<Point, Double>(3, of: \.x)
            let distinct = DistinctCount<Point, Double>(of: \.x)
            guard folded(aggregate, points) == top(points[...]),
                merged(aggregate, points, cutAt: min(cut, points.count)) == top(points[...]),
                trimmed(aggregate, points, removing: removed) == top(points[removed...]),
                merged(distinct, points, cutAt: min(cut, points.count)) == Set(points.map(\.x)).count,
                trimmed(distinct, points, removing: removed) == Set(points[removed...].map(\.x)).count
            else {
                Issue.record("seed \(seed), cut \(cut), removed \(removed): \(points)")
                return
            }
        }
    }

    /// A NaN differs from every other: it can be counted, but not be found again.
    @Test func whatEqualsNothingIsNotRememberedForEver() {
        let numbers: [Double] = [.nan, 1, .nan, 2, 1, .nan]
        let points = numbers.enumerated().map { Point(x: $1, y: 0, time: Int64($0)) }
        let distinct = DistinctCount<Point, Double>(of: \.x)
        #expect(folded(distinct, points) == 5)
        #expect(merged(distinct, points, cutAt: 2) == 5)
        #expect((0...6).map { trimmed(distinct, points, removing: $0) } == [5, 4, 4, 3, 2, 1, 0])
        let top = TopK<Point, Double>(3, of: \.x)
        #expect(folded(top, points) == [Counted(value: 1, count: 2), Counted(value: 2, count: 1)])
        #expect(trimmed(top, points, removing: 3) == [Counted(value: 1, count: 1), Counted(value: 2, count: 1)])
        #expect(trimmed(top, points, removing: 5) == [])
        let frequent = HeavyHitters<Point, Double>(2, of: \.x, counters: 2)
        let many = Array(repeating: points, count: 1_000).flatMap(\.self)
        #expect(folded(frequent, many).map(\.count) == [2_000, 1_000])
        #expect(merged(frequent, many, cutAt: 500).map(\.count) == [2_000, 1_000])
    }

    @Test func heavyHittersKeepTheirBounds() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let points = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
                let value = Int.random(in: 1...40, using: &generator)
                return Point(x: Double(Int.random(in: 0..<value, using: &generator)), y: 0, time: 0)
            }
            let cut = Int.random(in: 0...points.count, using: &generator)
            let aggregate = HeavyHitters<Point, Double>(10, of: \.x, counters: 10)
            for (result, parts) in [(folded(aggregate, points), 1), (merged(aggregate, points, cutAt: cut), 2)] {
                let found = Dictionary(uniqueKeysWithValues: result.map { ($0.value, $0) })
                let bound = parts * points.count / 10
                for value in Set(points.map(\.x)) {
                    let count = points.filter { $0.x == value }.count
                    guard let counted = found[value] else {
                        if count > bound { Issue.record("seed \(seed), parts \(parts): \(value) was missed") }
                        continue
                    }
                    let isBounded = count <= counted.count && counted.count - counted.error <= count
                    if !isBounded || counted.error > bound {
                        Issue.record("seed \(seed), parts \(parts): \(counted) instead of \(count)")
                        return
                    }
                }
            }
        }
    }

    /// With a precision of 12 the standard error is 1.04 / 64; what 100 runs show of it scatters.
    @Test func approximateDistinctCountsKeepTheirStandardError() {
        for count in [1, 10, 1000, 20_000] {
            var squares = 0.0
            for seed in 0..<100 as Range<UInt64> {
                var generator = SeededGenerator(seed: seed)
                var (first, second) = (
                    ApproximateDistinctCount<UInt64, UInt64>(of: { $0 }, precision: 12),
                    ApproximateDistinctCount<UInt64, UInt64>(of: { $0 }, precision: 12)
                )
                for index in 0..<count {
                    let value = generator.next()
                    if index % 2 == 0 { first.add(value, at: .epoch) } else { second.add(value, at: .epoch) }
                    first.add(value, at: .epoch)
                }
                first.merge(second)
                let error = Double(first.result() - count) / Double(count)
                squares += error * error
            }
            let standardError = (squares / 100).squareRoot()
            #expect(standardError <= 1.3 * 1.04 / 64, "at \(count): \(standardError)")
        }
        #expect(ApproximateDistinctCount<Int, Int>(of: { $0 }).result() == 0)
    }

    @Test func stableHashesAreTheSameEverywhere() {
        #expect(0.stableHash == 0xE220_A839_7B1D_CDAF)
        #expect((-0.0).stableHash == 0.0.stableHash)
        #expect("weir".stableHash == "weir".stableHash && "weir".stableHash != "wier".stableHash)
    }

    @Test func ratesAndMovingAveragesAgreeWithTheirDefinitions() {
        let points = [0, 1, 3, 4].map { Point(x: Double($0), y: 0, time: $0 * 1_000_000_000) }
        #expect(folded(Rate(), points) == 0.75)
        #expect(merged(Rate(per: .seconds(2)), points, cutAt: 2) == 1.5)
        #expect(folded(Rate(), Array(points[..<1])) == 0)
        #expect(folded(ExponentialMovingAverage(of: \.x, weight: 0.5), points) == 2.875)
    }

    @Test func runningAggregatesPassWatermarksAndTheCompletion() {
        struct Tick: Event { var timestamp: Timestamp }
        let channel = EventChannel<Tick>()
        let recorder = Recorder(channel.running(Count()))
        channel.publish(Tick(timestamp: .epoch))
        channel.advance(to: .epoch)
        channel.publish(Tick(timestamp: .epoch))
        channel.finish()
        #expect(
            recorder.signals == [
                .element(1, .epoch), .watermark(.epoch), .element(2, .epoch), .completion(.finished),
            ]
        )
    }

    @Test func badArgumentsTrap() async {
        await #expect(processExitsWith: .failure) { _ = Quantile<Double>(1.5, of: { $0 }) }
        await #expect(processExitsWith: .failure) { _ = QuantileSketch<Double>(0.5, of: { $0 }, relativeError: 0) }
        await #expect(processExitsWith: .failure) { _ = TopK<Int, Int>(0, of: { $0 }) }
        await #expect(processExitsWith: .failure) { _ = HeavyHitters<Int, Int>(3, of: { $0 }, counters: 2) }
        await #expect(processExitsWith: .failure) {
            _ = ApproximateDistinctCount<Int, Int>(of: { $0 }, precision: 3)
        }
        await #expect(processExitsWith: .failure) { _ = Rate<Int>(per: .zero) }
        await #expect(processExitsWith: .failure) { _ = ExponentialMovingAverage<Double>(of: { $0 }, weight: 0) }
    }

    /// The hash is public, so values can be chosen that fill all registers.
    @Test func anApproximateCountOfChosenValuesIsANumber() {
        var count = ApproximateDistinctCount<UInt64, ChosenHash>(of: { ChosenHash(stableHash: $0) }, precision: 4)
        for index in 0..<16 as Range<UInt64> { count.add(index << 60, at: .epoch) }
        #expect(count.result() == .max)
    }
}

/// A value that is its own hash.
private struct ChosenHash: StableHashable {
    let stableHash: UInt64
}
