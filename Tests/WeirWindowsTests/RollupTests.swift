import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirSelection
import WeirTesting
import WeirWindows

/// Aggregates over several units at once, beside a sum over all elements.
@Suite struct RollupTests {
    private struct Sale: Sendable {
        let time: Timestamp
        let amount: Int
    }

    private static let counts: [RollupUnit: Int] = [
        .second: 1000, .minute: 1000, .hour: 1000, .day: 1000, .month: 100, .year: 10,
    ]

    private static func sales(_ seed: UInt64, isLate: Bool) -> [Sale] {
        var random = SeededGenerator(seed: seed)
        let scales: [Int64] = [1, 30, 1_000, 40_000, 900_000, 20_000_000]
        var now = Int64.random(in: -100_000_000...1_900_000_000, using: &random)
        return (0..<Int.random(in: 0..<60, using: &random)).map { index in
            now += Int64.random(in: 0...(scales.randomElement(using: &random) ?? 1), using: &random)
            let delay = isLate && Bool.random(using: &random) ? Int64.random(in: 0...100_000, using: &random) : 0
            return Sale(time: Timestamp(secondsSinceEpoch: now - delay), amount: 1 << (index % 30))
        }
    }

    private static func reference(_ sales: [Sale], _ unit: RollupUnit) -> [WindowResult<Int>] {
        Dictionary(grouping: sales) { unit.period(containing: $0.time) }
            .map { WindowResult(start: $0.lowerBound, end: $0.upperBound, value: $1.reduce(0) { $0 + $1.amount }) }
            .sorted { $0.start < $1.start }
    }

    @Test(arguments: seeds(300), [false, true])
    func eachPeriodHasTheSumOfItsElements(seed: UInt64, isLate: Bool) {
        let sales = Self.sales(seed, isLate: isLate)
        let rollup = Rollup(Sum(of: { (sale: Sale) in sale.amount }), keeping: Self.counts)
        for (index, sale) in sales.enumerated() {
            rollup.add(sale, at: sale.time)
            guard index % 7 == 0 || index == sales.count - 1 else { continue }
            for unit in RollupUnit.allCases {
                #expect(rollup.periods(unit) == Self.reference(Array(sales[...index]), unit), "\(unit)")
            }
        }
        #expect(rollup.late.count == 0)
    }

    @Test(arguments: seeds(100))
    func unitsCanBeLeftOutAndOldPeriodsGo(seed: UInt64) {
        let sales = Self.sales(seed, isLate: false)
        let rollup = Rollup(Sum(of: { (sale: Sale) in sale.amount }), keeping: [.minute: 3, .day: 2])
        for sale in sales { rollup.add(sale, at: sale.time) }
        #expect(rollup.periods(.minute) == Self.reference(sales, .minute).suffix(3))
        #expect(rollup.periods(.day) == Self.reference(sales, .day).suffix(2))
        #expect(rollup.periods(.second).isEmpty && rollup.periods(.year).isEmpty)
        guard let last = sales.last else { return }
        let day = RollupUnit.day.period(containing: last.time)
        #expect(rollup.periods(.day, in: day).count == 1)
        rollup.add(Sale(time: .distantPast, amount: 1), at: .distantPast)
        let isFull = Self.reference(sales, .minute).count >= 3 && Self.reference(sales, .day).count >= 2
        #expect(rollup.late.count == (isFull ? 1 : 0))
    }

    @Test(arguments: seeds(200))
    func periodsFollowEachOther(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for unit in RollupUnit.allCases {
            let time = Timestamp(nanosecondsSinceEpoch: Int64.random(in: .min...(.max), using: &random))
            let period = unit.period(containing: time)
            #expect(period.contains(time) || time == .distantFuture, "\(unit) \(time)")
            guard period.lowerBound > .distantPast, period.upperBound < .distantFuture else { continue }
            #expect(unit.period(containing: period.lowerBound) == period)
            #expect(unit.period(containing: period.upperBound.shifted(byNanoseconds: -1)) == period)
            #expect(unit.period(containing: period.upperBound).lowerBound == period.upperBound)
        }
        #expect(
            RollupUnit.month.period(containing: .epoch)
                == Timestamp.epoch..<Timestamp(secondsSinceEpoch: 31 * 86_400)
        )
    }

    @Test func itsStateIsSaved() {
        let difference = RestoreTrials.difference { channel in
            let rollup = Rollup(Sum(of: { (event: Labelled) in event.value }), keeping: [.second: 2, .minute: 2])
            return channel.rollingUp(into: rollup).map { _ in
                rollup.periods(.second).map(\.value) + rollup.periods(.minute).map(\.value)
            }
        }
        #expect(difference == nil)
    }
}
