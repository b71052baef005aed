public import WeirCore

/// Values over event time, thinned out honestly: each stretch keeps its least and its greatest value, with their times.
///
/// A stretch is a fixed number of values in the order of arrival. At twice as many stretches as are kept, neighbours
/// join, and stretches are twice as long from then on: what remains is spread evenly over the input.
///
/// A gap is an interval between two values that is longer than ``gapFactor`` times the median spacing of the line's values;
/// of the gaps within a stretch the longest one remains. Lines of fewer than ``gapMinimum`` values, and those whose values
/// hold until the next, have no gaps.
///
/// Thread safety: any thread.
public final class ReportLine: Sendable {
    /// A value at a time.
    public struct Point: Sendable, Hashable {
        public let time: Timestamp
        public let value: Double
    }

    /// How many times the median spacing an interval must exceed to be a gap.
    public static let gapFactor: Int64 = 10

    /// The least number of values that tell what their spacing is.
    public static let gapMinimum = 8

    private struct Stretch {
        var least, greatest: Point
        var count: Int
        /// From the value before the first one to the last one, in nanoseconds.
        var duration: Int64
        /// The longest interval between two values in that time.
        var gap: (start: Timestamp, length: Int64)

        init(_ point: Point, after interval: Int64) {
            least = point
            greatest = point
            count = 1
            duration = interval
            gap = (point.time - .nanoseconds(interval), interval)
        }

        mutating func add(_ point: Point, after interval: Int64) {
            if point.value < least.value { least = point }
            if point.value > greatest.value { greatest = point }
            join(gap: (point.time - .nanoseconds(interval), interval), duration: interval, count: 1)
        }

        private mutating func join(gap: (start: Timestamp, length: Int64), duration: Int64, count: Int) {
            if gap.length > self.gap.length { self.gap = gap }
            let (sum, isTooLong) = self.duration.addingReportingOverflow(duration)
            self.duration = isTooLong ? .max : sum
            self.count += count
        }

        mutating func join(_ other: Stretch) {
            if other.least.value < least.value { least = other.least }
            if other.greatest.value > greatest.value { greatest = other.greatest }
            join(gap: other.gap, duration: other.duration, count: other.count)
        }
    }

    private struct State {
        var stretches: [Stretch] = []
        /// How many values a stretch has.
        var length = 1
        var count: UInt64 = 0
        var youngest: Timestamp?
    }

    /// What the line shows.
    public let name: String

    /// Whether a value holds until the next, rather than changing evenly towards it.
    public let isStepped: Bool

    private let state = Locked(State())

    /// Creates a line that belongs to no chart yet.
    ///
    /// - Parameters:
    ///   - name: What the line shows.
    ///   - isStepped: Whether a value holds until the next, rather than changing evenly towards it.
    public init(name: String, isStepped: Bool = false) {
        self.name = name
        self.isStepped = isStepped
    }

    /// Adds a value.
    ///
    /// - Parameters:
    ///   - value: NaN and the infinities are left out.
    ///   - time: Its event time.
    /// - Complexity: O(1) amortised, without allocation in the long run.
    public func add(_ value: Double, at time: Timestamp) {
        guard value.isFinite else { return }
        state.withLock { state in
            state.count += 1
            let point = Point(time: time, value: value)
            // Values that go back in time have no interval before them.
            let interval = max(0, state.youngest.map { (time - $0).wholeNanoseconds } ?? 0)
            state.youngest = max(time, state.youngest ?? time)
            if let last = state.stretches.last, last.count < state.length {
                state.stretches[state.stretches.count - 1].add(point, after: interval)
                return
            }
            if state.stretches.count == 2 * Report.Limit.stretches { Self.halve(&state) }
            state.stretches.append(Stretch(point, after: interval))
        }
    }

    private static func halve(_ state: inout State) {
        let count = state.stretches.count
        for index in 0..<count / 2 {
            state.stretches[index] = state.stretches[2 * index]
            state.stretches[index].join(state.stretches[2 * index + 1])
        }
        if count % 2 == 1 { state.stretches[count / 2] = state.stretches[count - 1] }
        state.stretches.removeLast(count / 2)
        state.length *= 2
    }

    /// How many values were added.
    public var count: UInt64 { state.withLock { $0.count } }

    var youngest: Timestamp? { state.withLock { $0.youngest } }

    /// What remains, by time.
    ///
    /// - Parameter limit: How many points there may be; at least two.
    /// - Returns: The least and the greatest value of each stretch.
    public func points(limit: Int = .max) -> [Point] {
        Self.points(of: state.withLock { $0 }, limit)
    }

    private static func points(of state: State, _ limit: Int) -> [Point] {
        var copy = state
        while copy.stretches.count * 2 > max(2, limit), copy.stretches.count > 1 { halve(&copy) }
        return copy.stretches
            .flatMap { $0.least == $0.greatest ? [$0.least] : [$0.least, $0.greatest] }
            .sorted { $0.time < $1.time }
    }

    /// What remains, by time, cut at the gaps.
    ///
    /// - Parameter limit: How many points there may be in all; at least two.
    /// - Returns: The points between two gaps each.
    public func pieces(limit: Int = .max) -> [[Point]] {
        let state = state.withLock { $0 }
        let points = Self.points(of: state, limit)
        guard !isStepped, state.count >= Self.gapMinimum, let shortest = Self.shortestGap(in: state) else {
            return [points]
        }
        var pieces: [[Point]] = [[]]
        var gaps = state.stretches.map(\.gap).filter { $0.length > shortest }.sorted { $0.start > $1.start }
        for point in points {
            while let gap = gaps.last, let last = pieces[pieces.count - 1].last, last.time <= gap.start,
                point.time > gap.start
            {
                gaps.removeLast()
                // Only what is drawn across the whole of it.
                if (point.time - gap.start).wholeNanoseconds >= gap.length { pieces.append([]) }
            }
            pieces[pieces.count - 1].append(point)
        }
        return pieces
    }

    /// The interval that a gap is longer than, in nanoseconds; `nil` where all values have the same time.
    private static func shortestGap(in state: State) -> Int64? {
        let spacings = state.stretches.filter { $0.duration > 0 }.map { $0.duration / Int64($0.count) }.sorted()
        guard !spacings.isEmpty else { return nil }
        let (product, isTooLong) = max(1, spacings[(spacings.count - 1) / 2]).multipliedReportingOverflow(by: gapFactor)
        return isTooLong ? .max : product
    }
}
