internal import WeirCore

/// The line on a terminal that says how far a long run is.
struct Progress {
    private let console: Console
    private let clock: any TimeSource
    private let start: Timestamp
    private let expectedByteCount: Int64?
    private let isOn: Bool
    private var last: Timestamp

    /// Creates a line that is not shown yet.
    init(
        _ console: Console,
        isOn: Bool,
        expectedByteCount: Int64?,
        clock: some TimeSource = MonotonicClock()
    ) {
        self.clock = clock
        self.console = console
        self.isOn = isOn
        self.expectedByteCount = expectedByteCount
        start = clock.now()
        last = start
    }

    /// How long the run has taken so far, in nanoseconds.
    var elapsedNanoseconds: Int64 {
        clock.now().nanosecondsSinceEpoch - start.nanosecondsSinceEpoch
    }

    /// Shows how far the run is, unless that was shown a moment ago.
    mutating func update(events: UInt64, byteCount: Int64) {
        guard isOn else { return }
        let now = clock.now()
        guard now.nanosecondsSinceEpoch - last.nanosecondsSinceEpoch >= Self.periodInNanoseconds else { return }
        last = now
        let share = expectedByteCount.map { "\(min(100, byteCount * 100 / $0)) %, " } ?? ""
        let rate = Quantity.rate(events, in: elapsedNanoseconds)
        console.showProgress("\(share)\(Quantity.grouped(events)) events, \(rate) events/s")
    }

    /// Takes the line away, so that something else can be written.
    func erase() {
        console.eraseProgress()
    }

    private static let periodInNanoseconds: Int64 = 200_000_000
}
