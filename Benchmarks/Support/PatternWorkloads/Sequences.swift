internal import CommonStream
internal import WeirCore
internal import WeirPatterns

/// The patterns that are measured, over the common stream's types A, B, C and D.
enum Sequences {
    static let (a, b, c, d): (UInt8, UInt8, UInt8, UInt8) = (0, 1, 2, 3)

    typealias Condition = @Sendable (borrowing StreamEvent) -> Bool

    /// A stage for each condition.
    static func plan(
        _ stages: [(Contiguity, PlanQuantifier)],
        within seconds: Int64
    ) -> PatternPlan {
        PatternPlan(
            stages: stages.enumerated().map { index, stage in
                PlanStage(
                    name: "\(index)",
                    contiguity: stage.0,
                    content: .event(capture: index, conditions: [index]),
                    quantifier: stage.1
                )
            },
            captures: stages.indices.map { "\($0)" },
            conditions: stages.indices.map { PlanCondition(captures: [], text: "condition \($0)") },
            within: seconds
        )
    }

    static func table(
        _ a: @escaping Condition,
        _ b: @escaping Condition,
        _ c: @escaping Condition
    ) -> ConditionTable<StreamEvent> {
        var table = ConditionTable<StreamEvent>()
        table.append(a)
        table.append(b)
        table.append(c)
        return table
    }

    static let isA: Condition = { $0.type == 0 }
    static let isB: Condition = { $0.type == 1 }
    static let isC: Condition = { $0.type == 2 }
    static let isD: Condition = { $0.type == 3 }
    static let key: @Sendable (borrowing StreamEvent) -> UInt32 = { $0.key }
    static let isHigh: Condition = { $0.value > 0.99 }

    static let one = PlanQuantifier()
    static let loop = PlanQuantifier(least: 1, most: nil)

    /// W6: A, then the next B, then the next C, of a key within 10 s.
    static func w6(_ events: [StreamEvent]) -> MatchTally {
        match(
            events,
            plan([(.first, one), (.followedBy, one), (.followedBy, one)], within: 10_000_000_000),
            table(isA, isB, isC),
            byKey: true,
            demand: .all
        )
    }

    /// W6 with partial matches that time out reported.
    static func w6WithTimeouts(_ events: [StreamEvent]) -> MatchTally {
        match(
            events,
            plan([(.first, one), (.followedBy, one), (.followedBy, one)], within: 10_000_000_000),
            table(isA, isB, isC),
            byKey: true,
            demand: .all,
            reportsTimeouts: true
        )
    }

    /// W6 in the typed language.
    static func w6Typed(_ events: [StreamEvent]) -> MatchTally {
        let pattern = Pattern<StreamEvent>
            .first { $0.type == 0 }
            .followedBy { $0.type == 1 }
            .followedBy { $0.type == 2 }
            .within(.seconds(10))
            .grouped(by: { $0.key })
        let channel = EventChannel<StreamEvent>()
        let result = MatchResult()
        channel.matches(of: pattern, PatternSettings(strategy: .compact, reportsTimeouts: false))
            .attach(TypedSink(result))
        channel.publish(inBatches: ContiguousArray(events).span)
        channel.finish()
        return result.tally
    }

    /// W7: A, then any B, then any C, of a key within 2 s; counted.
    static func w7(_ events: [StreamEvent]) -> MatchTally {
        match(
            events,
            plan([(.first, one), (.followedByAny, one), (.followedByAny, one)], within: 2_000_000_000),
            table(isA, isB, isC),
            byKey: true,
            demand: .count
        )
    }

    /// W7g: three values above 0.99, in every combination, within 1 s; counted.
    static func w7g(_ events: [StreamEvent]) -> MatchTally {
        match(
            events,
            plan([(.first, one), (.followedByAny, one), (.followedByAny, one)], within: 1_000_000_000),
            table(isHigh, isHigh, isHigh),
            byKey: false,
            demand: .count
        )
    }

    /// W8: A, one or more B, then the next C, of a key within 5 s.
    static func w8(_ events: [StreamEvent]) -> MatchTally {
        match(
            events,
            plan([(.first, one), (.followedBy, loop), (.followedBy, one)], within: 5_000_000_000),
            table(isA, isB, isC),
            byKey: true,
            demand: .all
        )
    }

    /// W9: A, then the next C with no D before it, of a key within 5 s.
    static func w9(_ events: [StreamEvent]) -> MatchTally {
        match(
            events,
            plan([(.first, one), (.notFollowedBy, one), (.followedBy, one)], within: 5_000_000_000),
            table(isA, isD, isC),
            byKey: true,
            demand: .all
        )
    }

    /// A, any B, any C, within some milliseconds, which are as many events.
    static func everyPossibility(
        _ events: [StreamEvent],
        window: Int64,
        demand: MatchDemand
    ) -> MatchTally {
        match(
            events,
            plan([(.first, one), (.followedByAny, one), (.followedByAny, one)], within: window * 1_000_000),
            table(isA, isB, isC),
            byKey: false,
            demand: demand
        )
    }

    /// A, then the next B, then the next C, of a key within an hour.
    static func manyKeys(_ events: [StreamEvent]) -> (tally: MatchTally, bytesPerKey: Double) {
        let channel = EventChannel<StreamEvent>()
        let result = MatchResult()
        let plan = plan([(.first, one), (.followedBy, one), (.followedBy, one)], within: 3_600_000_000_000)
        let sink = sink(plan, table(isA, isB, isC), byKey: true, TallyOutput(.all, result), reportsTimeouts: false)
        channel.attach(sink)
        channel.publish(inBatches: ContiguousArray(events).span)
        let metrics = sink.metrics
        guard sink.groupCount == events.count else { fatalError("\(sink.groupCount) keys have a partial match") }
        channel.finish()
        return (result.tally, Double(metrics.bytesWithoutEvents) / Double(events.count))
    }

    private static func match(
        _ events: [StreamEvent],
        _ plan: PatternPlan,
        _ conditions: ConditionTable<StreamEvent>,
        byKey: Bool,
        demand: MatchDemand,
        reportsTimeouts: Bool = false
    ) -> MatchTally {
        let channel = EventChannel<StreamEvent>()
        let result = MatchResult()
        channel.attach(
            sink(plan, conditions, byKey: byKey, TallyOutput(demand, result), reportsTimeouts: reportsTimeouts)
        )
        channel.publish(inBatches: ContiguousArray(events).span)
        channel.finish()
        return result.tally
    }

    private static func sink(
        _ plan: PatternPlan,
        _ conditions: ConditionTable<StreamEvent>,
        byKey: Bool,
        _ output: TallyOutput,
        reportsTimeouts: Bool
    ) -> CompactSink<StreamEvent, UInt32, TallyOutput> {
        let settings = PatternSettings(strategy: .compact, reportsTimeouts: reportsTimeouts)
        guard
            let sink = CompactSink(
                plan,
                conditions,
                groupedBy: byKey ? key : nil,
                settings,
                PatternSides(),
                into: output
            )
        else { fatalError("the compact strategy does not take the pattern") }
        return sink
    }
}

/// Adds up matches.
struct TallyOutput: PatternOutput {
    let demand: MatchDemand
    private let result: MatchResult
    private var tally = MatchTally()

    init(_ demand: MatchDemand, _ result: MatchResult) {
        self.demand = demand
        self.result = result
    }

    mutating func receive(_ match: borrowing FoundMatch<StreamEvent>, at time: Timestamp) -> Bool {
        let entries = match.entries
        var checksum: UInt64 = 0
        for index in entries.indices {
            let factor: UInt64 = index == 0 ? 31 : index == entries.count - 1 ? 1 : 17
            let milliseconds = entries[index].time.nanosecondsSinceEpoch / 1_000_000
            checksum &+= factor &* UInt64(bitPattern: milliseconds)
        }
        tally.count += 1
        tally.checksum &+= checksum
        return true
    }

    mutating func receive(count: Int, at time: Timestamp) { tally.count &+= count }

    mutating func receiveTimeout(_ match: borrowing FoundMatch<StreamEvent>, at time: Timestamp) {}

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) { result.tally = tally }
}

/// Adds up matches of three events.
struct TypedSink: Sink {
    private let result: MatchResult
    private var tally = MatchTally()

    init(_ result: MatchResult) {
        self.result = result
    }

    mutating func receive(_ match: borrowing (StreamEvent, StreamEvent, StreamEvent), at time: Timestamp) {
        func milliseconds(_ event: StreamEvent) -> UInt64 {
            UInt64(bitPattern: event.timestamp.nanosecondsSinceEpoch / 1_000_000)
        }
        tally.count += 1
        tally.checksum &+= 31 &* milliseconds(match.0) &+ 17 &* milliseconds(match.1) &+ milliseconds(match.2)
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) { result.tally = tally }
}
