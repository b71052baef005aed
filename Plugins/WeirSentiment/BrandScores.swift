internal import WeirCore
internal import WeirRecords

extension EventStream<Opinion> {
    /// Adds up what posts say about each brand.
    ///
    /// Emits a score for each brand that a post names, and, with an interval, a total for each brand at the last of its
    /// multiples that a post reaches, and at the completion. Remembers a sum per brand, and the scores of the window.
    /// Watermarks pass.
    func scores(of brands: [Brand], _ settings: ScoreSettings) -> BrandScores<Self> {
        BrandScores(upstream: self, brands: brands, settings: settings)
    }
}

/// How scores are added up.
struct ScoreSettings: Sendable {
    /// How long a score counts in the rolling sum; `nil` for none.
    var window: Duration?

    /// How many scores of a brand the window holds at most.
    var windowLimit = 1_000_000

    /// How often totals are written, in event time; `nil` for never.
    var interval: Duration?

    /// How many scores left the window early.
    let evicted: NamedCount
}

/// The scores of the brands; made by `scores`.
struct BrandScores<Upstream: EventStream<Opinion>>: EventStream {
    typealias Element = BrandScore

    let upstream: Upstream
    let brands: [Brand]
    let settings: ScoreSettings

    @discardableResult
    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == BrandScore {
        upstream.attach(BrandScoreSink(brands, settings, sink))
    }
}

/// Adds up what posts say.
struct BrandScoreSink<Downstream: Sink<BrandScore>>: Sink {
    typealias Input = Opinion

    private struct BrandTotals: Sendable {
        var total = 0.0
        var posts = 0
        var window: RollingSum?
    }

    private let brands: [Brand]
    private let settings: ScoreSettings
    private var totals: [BrandTotals]
    private var latest: Timestamp?
    /// The last multiple of the interval at which totals were due.
    private var lastTick: Timestamp?
    private var downstream: Downstream

    init(_ brands: [Brand], _ settings: ScoreSettings, _ downstream: consuming Downstream) {
        self.brands = brands
        self.settings = settings
        self.downstream = downstream
        let window = settings.window.map { RollingSum(duration: $0, limit: settings.windowLimit) }
        totals = Array(repeating: BrandTotals(window: window), count: brands.count)
    }

    mutating func receive(_ opinion: borrowing Opinion, at time: Timestamp) {
        writeTotalsIfDue(at: time)
        latest = max(latest ?? time, time)
        for index in opinion.brands {
            let score = opinion.score
            totals[index].total += score
            totals[index].posts += 1
            if let evicted = totals[index].window?.evicted {
                totals[index].window?.add(score, at: time)
                if totals[index].window?.evicted != evicted { settings.evicted.add() }
            }
            emit(index, at: time, of: opinion.post, score: score, sentiment: opinion.sentiment)
        }
    }

    private mutating func writeTotalsIfDue(at time: Timestamp) {
        guard let interval = settings.interval?.wholeNanoseconds else { return }
        let tick = time.roundedDown(toNanoseconds: interval)
        defer { lastTick = max(lastTick ?? tick, tick) }
        if let lastTick, tick > lastTick { writeTotals(at: tick) }
    }

    private mutating func writeTotals(at time: Timestamp) {
        for index in brands.indices { emit(index, at: time) }
    }

    private mutating func emit(
        _ index: Int,
        at time: Timestamp,
        of post: Post? = nil,
        score: Double? = nil,
        sentiment: Double? = nil
    ) {
        totals[index].window?.advance(to: time)
        let current = totals[index]
        downstream.receive(
            BrandScore(
                timestamp: time,
                brand: brands[index].name,
                post: post,
                sentiment: sentiment,
                score: score,
                total: current.total,
                window: current.window?.sum,
                posts: current.posts
            ),
            at: time
        )
    }

    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        if settings.interval != nil, let latest { writeTotals(at: latest) }
        downstream.finish(completion)
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("scores")
        state.require(describing: brands.map(\.name).joined(separator: "\n"))
        for index in totals.indices {
            try state.exchange(&totals[index].total)
            try state.exchange(&totals[index].posts)
            try totals[index].window?.exchangeState(&state)
        }
        try state.exchange(&latest)
        try state.exchange(&lastTick)
        try downstream.exchangeState(&state)
    }
}
