import Synchronization
import WeirCore
import WeirPatternDefinitions
import WeirPatterns

/// What a run of a case found, in the form of the corpus.
struct CorpusRun {
    struct Found: Hashable {
        let match: [String: [Int]]
        let at: String?
        var timestamp: Int64?
    }

    var matches: [Found: Int] = [:]
    var timeouts: [Found: Int] = [:]
    var late: [Int] = []
    var phase: String?
    var strategy = StrategyChoice.runs
    var message = ""

    /// Runs a case; how is chosen from the pattern if there is no strategy.
    init(_ test: CorpusCase, _ strategy: StrategyChoice? = nil) {
        do {
            let pattern = try DynamicPattern(test.definition, over: CorpusEvent.schema)
            self.init(test, pattern, PatternSettings(strategy: strategy))
        } catch {
            self.init()
            phase = "build"
            message = "\(error)"
        }
    }

    init() {}

    init(_ test: CorpusCase, _ pattern: DynamicPattern<CorpusEvent>, _ settings: PatternSettings = PatternSettings()) {
        let found = Mutex(CorpusRun())
        let moment = Mutex<String?>(nil)
        let feed = Feed<CorpusEvent>()
        var settings = settings
        settings.order = test.watermarks == nil ? .inOrder : .byWatermark
        let matches = feed.matches(of: pattern, settings)
        found.withLock { $0.strategy = matches.strategy }
        matches.late.subscribe { event in found.withLock { $0.late.append(event.index) } }
        matches.timeouts.subscribeWithTime { partial, time in
            let match = Self.indexes(pattern.plan.captures) { partial[$0] }
            let timeout = Found(
                match: match,
                at: moment.withLock { $0 },
                timestamp: time.nanosecondsSinceEpoch / 1_000_000
            )
            found.withLock { $0.timeouts[timeout, default: 0] += 1 }
        }
        matches.subscribeWithTime { match, _ in
            let match = Self.indexes(pattern.plan.captures) { match[$0] }
            found.withLock { $0.matches[Found(match: match, at: moment.withLock { $0 }), default: 0] += 1 }
        } onCompletion: { completion in
            guard case .failed(let error) = completion else { return }
            found.withLock {
                $0.phase = "run"
                $0.message = "\(error)"
            }
        }
        for (index, event) in test.events.enumerated() {
            var event = event
            event.index = index
            if let watermarks = test.watermarks {
                for watermark in watermarks where watermark.before == index { Self.advance(feed, watermark) }
            } else {
                // Flink's watermark says that what is as old will not follow either, so time moves on up to the event.
                moment.withLock { $0 = "t\(index)" }
                feed.advance(to: event.timestamp)
                moment.withLock { $0 = "e\(index)" }
            }
            feed.send(event, at: event.timestamp)
        }
        for watermark in test.watermarks ?? [] where watermark.before == test.events.count {
            Self.advance(feed, watermark)
        }
        if test.watermarks == nil { moment.withLock { $0 = "end" } }
        feed.finish()
        self = found.withLock { $0 }
    }

    private static func advance(_ feed: Feed<CorpusEvent>, _ watermark: CorpusCase.Watermark) {
        let time = Timestamp(millisecondsSinceEpoch: watermark.wm)
        feed.advance(to: Timestamp(nanosecondsSinceEpoch: time.nanosecondsSinceEpoch + 1))
    }

    private static func indexes(_ names: [String], _ events: (String) -> [CorpusEvent]) -> [String: [Int]] {
        var match: [String: [Int]] = [:]
        for name in names {
            let indexes = events(name).map(\.index)
            if !indexes.isEmpty { match[name] = indexes }
        }
        return match
    }

    /// What the case says should be found.
    init(expectedOf test: CorpusCase) {
        for (index, match) in test.matches.enumerated() {
            matches[Found(match: match, at: test.matchAt?[index]), default: 0] += 1
        }
        for timeout in test.timeouts {
            timeouts[Found(match: timeout.match, at: timeout.at, timestamp: timeout.timestamp), default: 0] += 1
        }
        late = test.late ?? []
        phase = test.error?.phase
    }

    func agrees(with other: CorpusRun) -> Bool {
        phase == other.phase && matches == other.matches && timeouts == other.timeouts && late == other.late
    }
}
