/// Values over event time, thinned out honestly: each stretch keeps its least and its greatest value, with their times.
///
/// A stretch is so many values in the order of arrival. When there are twice as many stretches as are kept, neighbours
/// join, and stretches are twice as long from then on: what remains is spread evenly over the input.
///
/// Thread safety: any thread.
public final class ReportLine: Sendable {
    /// A value at a time.
    public struct Point: Sendable, Hashable {
        public let time: Timestamp
        public let value: Double
    }

    private struct Stretch {
        var least, greatest: Point
        var count: Int

        mutating func add(_ point: Point) {
            if point.value < least.value { least = point }
            if point.value > greatest.value { greatest = point }
            count += 1
        }

        mutating func join(_ other: Stretch) {
            if other.least.value < least.value { least = other.least }
            if other.greatest.value > greatest.value { greatest = other.greatest }
            count += other.count
        }
    }

    private struct State {
        var stretches: [Stretch] = []
        /// How many values a stretch has.
        var length = 1
        var count: UInt64 = 0
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
            if let last = state.stretches.last, last.count < state.length {
                state.stretches[state.stretches.count - 1].add(point)
                return
            }
            if state.stretches.count == 2 * Report.Limit.stretches { Self.halve(&state) }
            state.stretches.append(Stretch(least: point, greatest: point, count: 1))
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

    var youngest: Timestamp? {
        state.withLock { $0.stretches.map { max($0.least.time, $0.greatest.time) }.max() }
    }

    /// What remains, by time.
    ///
    /// - Parameter limit: How many points there may be; at least two.
    /// - Returns: The least and the greatest value of each stretch.
    public func points(limit: Int = .max) -> [Point] {
        var copy = state.withLock { $0 }
        while copy.stretches.count * 2 > max(2, limit), copy.stretches.count > 1 { Self.halve(&copy) }
        return copy.stretches
            .flatMap { $0.least == $0.greatest ? [$0.least] : [$0.least, $0.greatest] }
            .sorted { $0.time < $1.time }
    }
}
