internal import CommonStream
public import Comparing
internal import WeirCore
internal import WeirPatterns

/// Patterns beside matchers written by hand for each of them, over the common stream.
public enum PatternWorkloads {
    public static let suite = Suite(
        "patterns",
        keyed + everyPossibility + manyKeys + rules,
        setUp: {
            _ = Streams.common
            _ = Streams.sevenTypes
        }
    )

    private static let keyed: [Workload] = [
        byHand("W6", Streams.twoMillion, .w6, ByHand.w6),
        pattern("W6", Streams.twoMillion, .w6, goal: 8, Sequences.w6),
        pattern("W6", what: "with timeouts", Streams.twoMillion, .w6, Sequences.w6WithTimeouts),
        pattern("W6", what: "typed language", Streams.twoMillion, .w6, goal: 8, Sequences.w6Typed),
        byHand("W7", Streams.twoMillion, .w7, ByHand.w7),
        pattern("W7", Streams.twoMillion, .w7, goal: 8, Sequences.w7),
        byHand("W7g", Streams.twoMillion, .w7g, ByHand.w7g),
        pattern("W7g", Streams.twoMillion, .w7g, goal: 15, Sequences.w7g),
        byHand("W8", Streams.twoHundredThousand, .w8, ByHand.w8),
        pattern("W8", Streams.twoHundredThousand, .w8, goal: 3, Sequences.w8),
        byHand("W9", Streams.twoMillion, .w9, ByHand.w9),
        pattern("W9", Streams.twoMillion, .w9, goal: 7, Sequences.w9),
    ]

    private static let everyPossibility: [Workload] =
        [
            byHand("A;B;C, 1,000", Streams.seven, .every1000) { ByHand.everyPossibility($0, window: 1000) },
            byHand("A;B;C, 10,000", Streams.seven, .every10000) { ByHand.everyPossibility($0, window: 10000) },
        ]
        + [(1000, 30.0, .every1000), (10_000, 25, .every10000), (100_000, 12, .every100000)].flatMap {
            (window: Int64, goal: Double, reference: MatchTally) in
            [
                pattern(
                    "A;B;C, \(window)",
                    what: "kept",
                    Streams.seven,
                    MatchTally(),
                    goal: goal,
                    beside: "A;B;C, 1,000"
                ) {
                    Sequences.everyPossibility($0, window: window, demand: .first(0))
                },
                pattern(
                    "A;B;C, \(window)",
                    what: "counted",
                    Streams.seven,
                    reference,
                    goal: goal / 2,
                    beside: "A;B;C, 1,000"
                ) {
                    Sequences.everyPossibility($0, window: window, demand: .count)
                },
            ]
        }

    private static let manyKeys: [Workload] = [
        Workload("a million keys", in: .millionsPerSecond, goal: .atLeast(2)) {
            var tally = MatchTally()
            let cost = nanoseconds(per: ManyKeys.count) { tally = Sequences.manyKeys(ManyKeys.events).tally }
            guard tally == MatchTally() else { throw WrongResult(tally, insteadOf: MatchTally()) }
            return cost
        },
        Workload("a million keys, each beside its event", in: .plain("bytes"), goal: .atMost(100)) {
            Sequences.manyKeys(ManyKeys.events).bytesPerKey
        },
        Workload("a million keys, restored from a checkpoint", in: .plain("ms"), goal: .atMost(1000)) {
            try SavedKeys.restoring()
        },
        Workload("100 MB of partial matches, saved in the process", in: .plain("ms")) {
            try SavedKeys.pausePerHundredMegabytes()
        },
    ]

    private static let rules: [Workload] =
        many("1,000 patterns", ByHand.rules, Rules.key, .rules)
        + many("1,000 bands", ByHand.bands, Rules.band, .bands)
        + many("1,000 thresholds", ByHand.thresholds, Rules.threshold, .thresholds)

    /// A thousand patterns by hand, each attached by itself, and in a set.
    private static func many(
        _ name: String,
        _ byHand: @escaping @Sendable ([StreamEvent]) -> MatchTally,
        _ rule: @escaping @Sendable (UInt32) -> Rules.Rule,
        _ all: MatchTally
    ) -> [Workload] {
        [
            Self.byHand(name, Streams.twoMillion, all, byHand),
            Workload("\(name), each alone", in: .millionsPerSecond) {
                // It takes a hundred microseconds for each event.
                let events = Array(Streams.common.prefix(5000))
                return try measure(events, byHand(events)) { Rules.apart(rule, $0) }
            },
            Workload(
                "\(name), in a set",
                in: .millionsPerSecond,
                against: "\(name), each alone",
                goal: .ratio(atMost: 1.0 / 20)
            ) {
                try measure(Streams.common, all) { Rules.together(rule, $0) }
            },
        ]
    }

    private static func byHand(
        _ name: String,
        _ events: @escaping @Sendable () -> [StreamEvent],
        _ reference: MatchTally,
        _ body: @escaping @Sendable ([StreamEvent]) -> MatchTally
    ) -> Workload {
        Workload("\(name), by hand", in: .millionsPerSecond) { try measure(events(), reference, body) }
    }

    private static func pattern(
        _ name: String,
        what: String = "pattern",
        _ events: @escaping @Sendable () -> [StreamEvent],
        _ reference: MatchTally,
        goal: Double? = nil,
        beside: String? = nil,
        _ body: @escaping @Sendable ([StreamEvent]) -> MatchTally
    ) -> Workload {
        Workload(
            "\(name), \(what)",
            in: .millionsPerSecond,
            against: "\(beside ?? name), by hand",
            goal: goal.map { .atLeast($0) }
        ) {
            try measure(events(), reference, body)
        }
    }

    static func measure(
        _ events: [StreamEvent],
        _ reference: MatchTally,
        _ body: ([StreamEvent]) -> MatchTally
    ) throws -> Double {
        var tally = MatchTally()
        let cost = nanoseconds(per: events.count) { tally = body(events) }
        guard tally == reference else { throw WrongResult(tally, insteadOf: reference) }
        return cost
    }
}

extension MatchTally {
    fileprivate static let w6 = MatchTally(count: 355_264, checksum: 17_358_655_876_974)
    fileprivate static let rules = MatchTally(count: 458_033, checksum: 14_626_057_602_032)
    fileprivate static let bands = MatchTally(count: 1_998_920, checksum: 63_935_722_727_165)
    fileprivate static let thresholds = MatchTally(count: 10_130_541, checksum: 325_801_746_635_179)
    fileprivate static let w7 = MatchTally(count: 62_456, checksum: 0)
    fileprivate static let w7g = MatchTally(count: 1_018_828, checksum: 0)
    fileprivate static let w8 = MatchTally(count: 25_979, checksum: 145_211_604_908)
    fileprivate static let w9 = MatchTally(count: 229_239, checksum: 7_329_044_769_082)
    fileprivate static let every1000 = MatchTally(count: 2_904_284_542, checksum: 0)
    fileprivate static let every10000 = MatchTally(count: 290_439_921_921, checksum: 0)
    fileprivate static let every100000 = MatchTally(count: 28_175_427_367_509, checksum: 0)
}

/// The events that the patterns are measured on.
enum Streams {
    static let common = CommonStream.events(2_000_000)
    static let short = Array(common.prefix(200_000))
    static let shortOfSevenTypes = Array(sevenTypes.prefix(500_000))

    /// The common stream with seven types, of which the patterns want three.
    static let sevenTypes: [StreamEvent] = {
        var random = SplitMix64(seed: 42)
        return (0..<2_000_000).map { index in
            let draw = random.next()
            return StreamEvent(
                timestamp: Timestamp(millisecondsSinceEpoch: Int64(index)),
                key: UInt32(truncatingIfNeeded: draw % 1000),
                type: UInt8(truncatingIfNeeded: (draw >> 32) % 7),
                value: Double(draw >> 11) * 0x1p-53
            )
        }
    }()

    static let twoMillion: @Sendable () -> [StreamEvent] = { common }
    static let twoHundredThousand: @Sendable () -> [StreamEvent] = { short }
    static let seven: @Sendable () -> [StreamEvent] = { sevenTypes }
}

/// A million keys that each have one open partial match, as many as there are events.
enum ManyKeys {
    static let count = 1_000_000

    static let events: [StreamEvent] = (0..<count).map { index in
        StreamEvent(
            timestamp: Timestamp(nanosecondsSinceEpoch: Int64(index) * 1000),
            key: UInt32(index),
            type: 0,
            value: 0
        )
    }
}
