/// How a time is shared by suites that run one after the other: what one leaves over is for those after it.
struct Schedule {
    private var waiting: [(name: String, weight: Double)]
    private let count: Int
    private let end: ContinuousClock.Instant?

    /// Shares a time.
    ///
    /// - Parameters:
    ///   - suites: In the order in which they run, with how much of the time each gets, compared with the others.
    ///   - time: For all together; `nil` for as long as they take.
    init(_ suites: [(name: String, weight: Double)], in time: Duration?) {
        waiting = suites
        count = suites.count
        end = time.map { .now + $0 }
    }

    /// How much of the time that is left is for a suite; `nil` without a limit.
    func share(of suite: String) -> Duration? {
        let total = waiting.reduce(0) { $0 + $1.weight }
        guard let end, total > 0, let own = waiting.first(where: { $0.name == suite })?.weight else { return nil }
        return max(.zero, ContinuousClock.now.duration(to: end) * (own / total))
    }

    /// Records that a suite has run.
    mutating func end(_ suite: String) {
        waiting.removeAll { $0.name == suite }
    }

    /// Where the run is, for people: how many suites have run and which come after this one.
    func position(of suite: String) -> String {
        let later = waiting.map(\.name).filter { $0 != suite }
        let place = "(\(count - waiting.count + 1) of \(count)"
        return later.isEmpty ? "\(place), the last)" : "\(place), then \(later.joined(separator: ", ")))"
    }
}
