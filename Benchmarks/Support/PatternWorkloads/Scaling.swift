internal import CommonStream
public import Comparing
internal import WeirPatterns

extension PatternWorkloads {
    /// The cost of an event against how many partial matches are open: A, any B, any C, in ever longer windows.
    public static let scaling = [100, 1000, 10_000, 100_000].flatMap { (window: Int64) in
        let name = "A;B;C within \(window), counted"
        let limit = "A;B;C within \(window), by hand"
        let work = [
            point(limit, "by hand, counts", window) { ByHand.everyPossibilityInCounts($0, window: window) },
            point(name, "Weir", window, against: limit) {
                Sequences.everyPossibility($0, window: window, demand: .count)
            },
        ]
        // A longer list takes seconds.
        guard window <= 10_000 else { return work }
        return work + [
            point("A;B;C within \(window), a list", "a list of the A", window, against: name, isPeer: true) {
                ByHand.everyPossibility($0, window: window)
            }
        ]
    }

    private static func point(
        _ name: String,
        _ series: String,
        _ window: Int64,
        against limit: String? = nil,
        isPeer: Bool = false,
        _ body: @escaping @Sendable ([StreamEvent]) -> MatchTally
    ) -> Workload {
        // A seventh of the window are A, and each pairs with the B that came after it.
        let starts = Double(window) / 7
        return Workload(
            name,
            in: .nanosecondsPerElement,
            against: limit,
            isPeer: isPeer,
            point: ChartPoint("partial matches", series, (starts + starts * starts / 2).rounded())
        ) {
            let events = Streams.shortOfSevenTypes
            return try measure(events, ByHand.everyPossibilityInCounts(events, window: window), body)
        }
    }
}
