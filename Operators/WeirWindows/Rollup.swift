public import WeirAggregates
public import WeirCore

/// A unit of time that a ``Rollup`` sums up by, in UTC.
public enum RollupUnit: Int, Sendable, Hashable, CaseIterable {
    case second, minute, hour, day, month, year

    /// The unit that a time is in.
    ///
    /// - Parameter time: Any time.
    /// - Returns: From its start to the start of the next one; the first and the last one end with time.
    public func period(containing time: Timestamp) -> Range<Timestamp> {
        let nanoseconds = time.nanosecondsSinceEpoch
        switch self {
        case .second: return Self.period(nanoseconds, 1_000_000_000)
        case .minute: return Self.period(nanoseconds, 60_000_000_000)
        case .hour: return Self.period(nanoseconds, 3_600_000_000_000)
        case .day: return Self.period(nanoseconds, Self.dayLength)
        case .month, .year:
            let date = GregorianCalendar.date(
                daysSinceEpoch: Nanoseconds.floor(nanoseconds, to: Self.dayLength) / Self.dayLength
            )
            let month = self == .month ? date.month : 1
            let (nextYear, nextMonth) = self == .year || month == 12 ? (date.year + 1, 1) : (date.year, month + 1)
            return Self.start(date.year, month)..<Self.start(nextYear, nextMonth)
        }
    }

    private static let dayLength: Int64 = 86_400_000_000_000

    private static func period(_ nanoseconds: Int64, _ length: Int64) -> Range<Timestamp> {
        let start = Nanoseconds.floor(nanoseconds, to: length)
        // The first period of all is shorter than the others.
        let end = start == .min ? Nanoseconds.floor(.min + length, to: length) : Nanoseconds.sum(start, length)
        return Timestamp(start)..<Timestamp(end)
    }

    private static func start(_ year: Int64, _ month: Int64) -> Timestamp {
        let days = GregorianCalendar.daysSinceEpoch(year, month, 1)
        let (nanoseconds, isBeyond) = days.multipliedReportingOverflow(by: dayLength)
        return isBeyond ? (days > 0 ? .distantFuture : .distantPast) : Timestamp(nanoseconds)
    }
}

/// The aggregates of a stream over seconds, minutes, hours, days, months and years at once, to be asked for at any time.
///
///     let sales = Rollup(Sum(of: { (purchase: Purchase) in purchase.amount }), keeping: [.minute: 120, .hour: 48, .day: 400])
///     purchases.rollingUp(into: sales).subscribe { _ in }
///     sales.periods(.hour).last
///
/// An element is added once, to the period of the finest unit; a period that is over is merged into that of the next unit.
/// Late elements are added to each period that is still kept. For an aggregate of each key, keep a rollup of a
/// `StreamTable`, or one of each group.
///
/// Thread safety: all members, from any thread; each takes a lock.
public final class Rollup<Base: MergeableAggregate>: Sendable {
    /// A period, and its aggregate.
    private struct Period: Sendable {
        var start: Timestamp
        var end: Timestamp
        var aggregate: Base
    }

    /// The periods of a unit, from old to new; the last one is not over.
    private struct Level: Sendable {
        let unit: RollupUnit
        let limit: Int
        var periods: ArraySlice<Period> = []
    }

    private let initial: Base
    private let levels: Locked<[Level]>

    /// The elements that came too late for every period that is kept.
    public let late = SideOutput<Base.Input>()

    /// Creates a rollup.
    ///
    /// - Parameters:
    ///   - aggregate: The aggregate of no elements; not one that keeps elements, such as `Collected`.
    ///   - counts: How many periods of each unit are kept, the one that is not over included; positive, for one unit at
    ///     least. A unit without a number is not kept.
    public init(_ aggregate: Base, keeping counts: [RollupUnit: Int]) {
        precondition(!Base.keepsElements, "a rollup has no room for the elements that \(Base.self) keeps")
        precondition(!counts.isEmpty, "a rollup keeps the periods of one unit at least")
        initial = aggregate
        levels = Locked(
            RollupUnit.allCases.compactMap { unit in
                guard let count = counts[unit] else { return nil }
                precondition(count > 0, "a rollup keeps at least the present \(unit), not \(count)")
                return Level(unit: unit, limit: count)
            }
        )
    }

    /// Adds an element.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - time: Its event time.
    /// - Complexity: O(1) for an element of the finest period or a later one; O(periods) for a late one.
    public func add(_ element: borrowing Base.Input, at time: Timestamp) {
        let element = copy element
        // At the end of time no period ends after an element.
        let time = min(time, Timestamp.distantFuture.shifted(byNanoseconds: -1))
        let isKept = levels.withLock { levels in
            Self.open(&levels, initial, at: time)
            var isKept = false
            for index in levels.indices {
                if Self.add(element, time, to: &levels[index], initial) { isKept = true }
                // The longer units get what is in an open period when it is over.
                if levels[index].periods.last.map({ time >= $0.start }) ?? false { break }
            }
            return isKept
        }
        if !isKept { late.send(element, at: time) }
    }

    /// Ends the periods that are over at a time, merges each into that of the next unit, and opens those that follow.
    ///
    /// The open period of each unit is within that of the next unit.
    private static func open(_ levels: inout [Level], _ initial: Base, at time: Timestamp) {
        for index in levels.indices {
            if let last = levels[index].periods.last {
                guard time >= last.end else { return }
                if index + 1 < levels.count { merge(last, into: &levels[index + 1]) }
            }
            let range = levels[index].unit.period(containing: time)
            let period = Period(start: range.lowerBound, end: range.upperBound, aggregate: initial)
            levels[index].periods.append(period)
            if levels[index].periods.count > levels[index].limit { levels[index].periods.removeFirst() }
        }
    }

    /// Merges a period into the open one of a longer unit, which it is in.
    private static func merge(_ period: Period, into level: inout Level) {
        level.periods[level.periods.endIndex - 1].aggregate.merge(period.aggregate)
    }

    /// Adds an element to the period that it is in.
    ///
    /// - Returns: Whether that is kept.
    private static func add(_ element: Base.Input, _ time: Timestamp, to level: inout Level, _ initial: Base) -> Bool {
        if let last = level.periods.indices.last, time >= level.periods[last].start, time < level.periods[last].end {
            level.periods[last].aggregate.add(element, at: time)
            return true
        }
        let place = level.periods.firstIndex { time < $0.end } ?? level.periods.endIndex
        if place == level.periods.endIndex || time < level.periods[place].start {
            guard place > level.periods.startIndex || level.periods.count < level.limit else { return false }
            let range = level.unit.period(containing: time)
            let period = Period(start: range.lowerBound, end: range.upperBound, aggregate: initial)
            level.periods.insert(period, at: place)
            level.periods[place].aggregate.add(element, at: time)
            if level.periods.count > level.limit { level.periods.removeFirst() }
            return true
        }
        level.periods[place].aggregate.add(element, at: time)
        return true
    }

    /// The aggregates of the periods of a unit.
    ///
    /// - Parameters:
    ///   - unit: The unit.
    ///   - range: Periods that overlap with it.
    /// - Returns: The periods that had elements and are kept, from old to new; the last one as it is so far. Empty for a unit
    ///   that is not kept.
    /// - Complexity: O(periods of the unit, and units).
    public func periods(
        _ unit: RollupUnit,
        in range: Range<Timestamp> = .distantPast..<(.distantFuture)
    ) -> [WindowResult<Base.Output>] {
        levels.withLock { levels in
            guard let index = levels.firstIndex(where: { $0.unit == unit }), !levels[0].periods.isEmpty else {
                return []
            }
            var level = levels[index]
            // What shorter units have not handed on yet.
            for finer in levels[..<index].reversed() {
                if let open = finer.periods.last { Self.merge(open, into: &level) }
            }
            return level.periods.filter { $0.start < range.upperBound && range.lowerBound < $0.end }.map { period in
                var aggregate = period.aggregate
                return WindowResult(start: period.start, end: period.end, value: aggregate.result())
            }
        }
    }

    func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchangeOnce(self) { state throws(StateError) in
            try state.exchange(late)
            var kept = levels.withLock { $0.map { Array($0.periods) } }
            let limits = levels.withLock { $0.map { "\($0.unit) \($0.limit)" } }
            state.require(describing: "\(limits)")
            for index in kept.indices {
                let template = Period(start: .distantPast, end: .distantPast, aggregate: initial)
                try state.exchange(&kept[index], like: template) { period, state throws(StateError) in
                    try state.exchange(&period.start)
                    try state.exchange(&period.end)
                    try period.aggregate.exchangeState(&state)
                }
            }
            guard state.isRestoring else { return }
            let restored = kept
            levels.withLock { levels in
                for index in levels.indices { levels[index].periods = restored[index][...] }
            }
        }
    }
}

extension EventStream {
    /// Adds each element to a rollup, and passes it on.
    ///
    /// Watermarks and the completion pass. A checkpoint of the stream contains the rollup.
    ///
    /// - Parameter rollup: The rollup; several streams may add to it.
    /// - Returns: The elements.
    /// - Complexity: O(1) per element that is not late, with the lock of the rollup.
    public func rollingUp<Base: MergeableAggregate>(
        into rollup: Rollup<Base>
    ) -> RollingUp<Self, Base> where Base.Input == Element {
        RollingUp(self, rollup)
    }
}

/// A stream that adds to a rollup; made by `rollingUp(into:)`.
public struct RollingUp<Upstream: EventStream, Base: MergeableAggregate>: EventStream
where Upstream.Element == Base.Input {
    public typealias Element = Upstream.Element

    private let upstream: Upstream
    private let rollup: Rollup<Base>

    init(_ upstream: Upstream, _ rollup: Rollup<Base>) {
        self.upstream = upstream
        self.rollup = rollup
    }

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(RollingUpSink(rollup, sink))
    }
}

/// Adds elements to a rollup.
private struct RollingUpSink<Base: MergeableAggregate, Downstream: Sink>: Sink where Downstream.Input == Base.Input {
    let rollup: Rollup<Base>
    var downstream: Downstream

    init(_ rollup: Rollup<Base>, _ downstream: consuming Downstream) {
        self.rollup = rollup
        self.downstream = downstream
    }

    mutating func receive(_ element: borrowing Base.Input, at time: Timestamp) {
        rollup.add(element, at: time)
        downstream.receive(element, at: time)
    }

    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("rollup")
        try rollup.exchangeState(&state)
        try downstream.exchangeState(&state)
    }
}
