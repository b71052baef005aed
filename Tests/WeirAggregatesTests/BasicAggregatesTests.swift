import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirTesting

/// A point with a time.
struct Point: Sendable, Hashable {
    var x: Double
    var y: Double
    var time: Int64
}

/// Random points, with equal values.
func points(_ generator: inout SeededGenerator, upTo limit: Int = 12) -> [Point] {
    (0..<Int.random(in: 1...limit, using: &generator)).map { index in
        Point(
            x: Double(Int.random(in: -5...5, using: &generator)) + 1e3,
            y: .random(in: -1...1, using: &generator),
            time: Int64(index / 2)
        )
    }
}

/// The result after adding all elements.
func folded<A: Aggregate>(_ aggregate: A, _ points: [Point]) -> A.Output where A.Input == Point {
    var aggregate = aggregate
    for point in points { aggregate.add(point, at: Timestamp(nanosecondsSinceEpoch: point.time)) }
    return aggregate.result()
}

/// The result after merging two parts.
func merged<A: MergeableAggregate>(_ aggregate: A, _ points: [Point], cutAt cut: Int) -> A.Output
where A.Input == Point {
    var (first, second) = (aggregate, aggregate)
    for point in points[..<cut] { first.add(point, at: Timestamp(nanosecondsSinceEpoch: point.time)) }
    for point in points[cut...] { second.add(point, at: Timestamp(nanosecondsSinceEpoch: point.time)) }
    first.merge(second)
    return first.result()
}

/// The result after adding all elements and taking out the oldest.
func trimmed<A: InvertibleAggregate>(_ aggregate: A, _ points: [Point], removing count: Int) -> A.Output
where A.Input == Point {
    var aggregate = aggregate
    for point in points { aggregate.add(point, at: Timestamp(nanosecondsSinceEpoch: point.time)) }
    for point in points[..<count] { aggregate.remove(point, at: Timestamp(nanosecondsSinceEpoch: point.time)) }
    return aggregate.result()
}

func isClose(_ left: Double, _ right: Double) -> Bool {
    (left.isNaN && right.isNaN) || left == right || (left - right).magnitude <= 1e-6 * max(1, right.magnitude)
}

@Suite struct BasicAggregatesTests {
    private typealias Reference = @Sendable ([Point]) -> Double

    private static func agrees<A: MergeableAggregate>(
        _ aggregate: A,
        _ number: (A.Output) -> Double,
        _ reference: Reference
    ) where A.Input == Point {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let points = points(&generator)
            let cut = Int.random(in: 0...points.count, using: &generator)
            guard isClose(number(folded(aggregate, points)), reference(points)),
                isClose(number(merged(aggregate, points, cutAt: cut)), reference(points))
            else {
                Issue.record("\(A.self), seed \(seed), cut \(cut): \(points)")
                return
            }
        }
    }

    private static func agrees<A: InvertibleAggregate & MergeableAggregate>(
        inverting aggregate: A,
        _ number: (A.Output) -> Double,
        _ reference: Reference
    ) where A.Input == Point {
        agrees(aggregate, number, reference)
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let points = points(&generator)
            let removed = Int.random(in: 0..<points.count, using: &generator)
            let kept = reference(Array(points[removed...]))
            guard isClose(number(trimmed(aggregate, points, removing: removed)), kept) else {
                Issue.record("\(A.self), seed \(seed), removed \(removed): \(points)")
                return
            }
        }
    }

    private static let mean: @Sendable ([Double]) -> Double = { $0.reduce(0, +) / Double($0.count) }

    private static let product: @Sendable ([Point], (Point) -> Double, (Point) -> Double) -> Double = { points, x, y in
        let (meanX, meanY) = (mean(points.map(x)), mean(points.map(y)))
        return points.reduce(0) { $0 + (x($1) - meanX) * (y($1) - meanY) }
    }

    @Test func agreeWithTheirDefinitions() {
        Self.agrees(inverting: Count(), { Double($0) }, { Double($0.count) })
        Self.agrees(inverting: Sum(of: \.y), { $0 }, { $0.map(\.y).reduce(0, +) })
        Self.agrees(inverting: Sum(of: { Int($0.x) }), { Double($0) }, { $0.map(\.x).reduce(0, +) })
        Self.agrees(inverting: Mean(of: \.x), { $0 }, { Self.mean($0.map(\.x)) })
        Self.agrees(Variance(of: \.y), { $0 }) {
            $0.count < 2 ? .nan : Self.product($0, \.y, \.y) / Double($0.count - 1)
        }
        // Squared, because a root makes a large error of a small one near zero.
        Self.agrees(StandardDeviation(of: \.x, .whole), { $0 * $0 }) {
            Self.product($0, \.x, \.x) / Double($0.count)
        }
        Self.agrees(Covariance(of: \.x, \.y), { $0 }) {
            $0.count < 2 ? .nan : Self.product($0, \.x, \.y) / Double($0.count - 1)
        }
        Self.agrees(inverting: Aggregates2(Count(), Mean(of: \.y)), { $0.1 }, { Self.mean($0.map(\.y)) })
    }

    @Test func correlationAndLineAgreeWithTheirDefinitions() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let points = points(&generator)
            let cut = Int.random(in: 0...points.count, using: &generator)
            let (xx, xy, yy) = (
                Self.product(points, \.x, \.x), Self.product(points, \.x, \.y), Self.product(points, \.y, \.y)
            )
            guard xx > 0, yy > 0, points.count > 1 else { continue }
            let lines = [
                folded(LinearRegression(of: \.x, \.y), points),
                merged(LinearRegression(of: \.x, \.y), points, cutAt: cut),
            ]
            let intercept = Self.mean(points.map(\.y)) - xy / xx * Self.mean(points.map(\.x))
            guard
                lines.allSatisfy({
                    isClose($0.slope, xy / xx) && isClose($0.intercept, intercept)
                        && isClose($0.determination, xy * xy / xx / yy)
                }),
                isClose(folded(Correlation(of: \.x, \.y), points), xy / (xx * yy).squareRoot()),
                isClose(merged(Correlation(of: \.y, \.x), points, cutAt: cut), xy / (xx * yy).squareRoot())
            else {
                Issue.record("seed \(seed): \(points)")
                return
            }
        }
    }

    @Test func selectingAggregatesAgreeWithTheirDefinitions() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            var points = points(&generator)
            let cut = Int.random(in: 0...points.count, using: &generator)
            let (least, greatest) = (points.map(\.x).min(), points.map(\.x).max())
            #expect(merged(Min(of: \.x), points, cutAt: cut) == least, "seed \(seed)")
            #expect(merged(Max(of: \.x), points, cutAt: cut) == greatest, "seed \(seed)")
            let byTime = points
            #expect(merged(First(), points, cutAt: cut) == byTime[0], "seed \(seed)")
            #expect(merged(Last(), points, cutAt: cut) == byTime[byTime.count - 1], "seed \(seed)")
            #expect(merged(Collected(), points, cutAt: cut) == byTime, "seed \(seed)")
            points.shuffle(using: &generator)
            let sorted = folded(Collected(), points)
            #expect(sorted.map(\.time) == points.map(\.time).sorted(), "seed \(seed)")
            #expect(folded(First(of: \.time), points) == sorted[0].time, "seed \(seed)")
        }
    }

    @Test func sumsAreCompensated() {
        for (numbers, sum) in [([1, 1e100, 1, -1e100], 2), (Array(repeating: 0.1, count: 1000), 100.0)] {
            #expect(folded(Sum(of: \.x), numbers.map { Point(x: $0, y: 0, time: 0) }) == sum)
        }
    }

    @Test func aSumThatIsTooLargeForAWhileComesBack() {
        let greatest = Double.greatestFiniteMagnitude
        let points = [greatest, greatest, 3, 4].map { Point(x: $0, y: -$0, time: 0) }
        #expect(folded(Sum(of: \.x), points) == .infinity)
        #expect(folded(Sum(of: \.y), points) == -.infinity)
        #expect(trimmed(Sum(of: \.x), points, removing: 1) == greatest)
        #expect(trimmed(Sum(of: \.x), points, removing: 2) == 7)
        #expect(trimmed(Sum(of: \.y), points, removing: 2) == -7)
        #expect(trimmed(Mean(of: \.x), points, removing: 2) == 3.5)
        let balanced = [greatest, greatest, -greatest].map { Point(x: $0, y: 0, time: 0) }
        for cut in 0...3 { #expect(merged(Sum(of: \.x), balanced, cutAt: cut) == greatest) }
    }

    @Test func anIntegerSumOverflowsOnlyAsAWhole() async {
        await #expect(processExitsWith: .success) {
            var sum = Sum<Int8, Int8>(of: { $0 })
            for number in [100, 100, -128, -1] as [Int8] { sum.add(number, at: .epoch) }
            precondition(sum.result() == 71)
            sum.remove(100, at: .epoch)
            sum.remove(100, at: .epoch)
            sum.add(1, at: .epoch)
            precondition(sum.result() == -128)
        }
        await #expect(processExitsWith: .success) {
            var (one, other) = (Sum<UInt8, UInt8>(of: { $0 }), Sum<UInt8, UInt8>(of: { $0 }))
            for sum in [200, 55] as [UInt8] { one.add(sum, at: .epoch) }
            other.add(10, at: .epoch)
            one.merge(other)
            one.remove(200, at: .epoch)
            precondition(one.result() == 65)
        }
    }

    @Test func whatIsNoNumberRulesAsLongAsItIsIn() {
        let points = [Double.nan, .infinity, -.infinity, 3, 5].map { Point(x: $0, y: $0, time: 0) }
        #expect(folded(Sum(of: \.x), points).isNaN)
        #expect(trimmed(Sum(of: \.x), points, removing: 1).isNaN)
        #expect(trimmed(Sum(of: \.x), points, removing: 2) == -.infinity)
        #expect(trimmed(Mean(of: \.x), points, removing: 3) == 4)
        #expect(folded(Variance(of: \.x), Array(points[2...])).isNaN)
        #expect(merged(Variance(of: \.x), Array(points[2...]), cutAt: 1).isNaN)
        #expect(folded(Covariance(of: \.x, \.y), Array(points[3...])) == 2)
        #expect(folded(Max(of: \.x), points).isNaN)
        #expect(folded(Min(of: \.x), points).isNaN)
        #expect(folded(Max(of: \.x), Array(points[1...])) == .infinity)
    }

    /// As numbers of floating point, times of today are 256 ns apart.
    @Test func ratesAreExactForTimesThatAreCloseTogether() {
        let now: Int64 = 1_700_000_000_000_000_000
        let points = [0, 100, 300].map { Point(x: 0, y: 0, time: now + $0) }
        #expect(folded(Rate<Point>(per: .nanoseconds(300)), points) == 2)
        #expect(merged(Rate<Point>(per: .nanoseconds(300)), points, cutAt: 1) == 2)
        #expect(folded(Rate<Point>(per: .nanoseconds(1)), Array(points.prefix(2))) == 0.01)
        let ends = [Int64.min, .max].map { Point(x: 0, y: 0, time: $0) }
        #expect(isClose(folded(Rate<Point>(per: .nanoseconds(Int64.max)), ends), 0.5))
        #expect(folded(Rate<Point>(), [ends[0], ends[0]]) == .infinity)
    }

    @Test(arguments: [1e-90, 1, 1e90])
    func theLineExplainsItsPointsAtEveryScale(scale: Double) {
        let points = [(1.0, 2.0), (2, 3), (3, 5)].map { Point(x: $0.0 * scale, y: $0.1 * scale, time: 0) }
        let line = folded(LinearRegression(of: \.x, \.y), points)
        #expect(isClose(line.slope, 1.5) && isClose(line.determination, 27 / 28))
    }

    @Test func integerSumsTrapOnOverflow() async {
        await #expect(processExitsWith: .failure) {
            var sum = Sum<Int8, Int8>(of: { $0 })
            sum.add(100, at: .epoch)
            sum.add(28, at: .epoch)
            _ = sum.result()
        }
        await #expect(processExitsWith: .failure) { _ = Max<Int, Int>(of: { $0 }).result() }
    }
}
