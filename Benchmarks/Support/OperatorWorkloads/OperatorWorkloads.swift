internal import CommonStream
public import Comparing
internal import WeirCore

/// The operator families beside hand-written loops, over the common stream in an array, in batches of 256.
public enum OperatorWorkloads {
    public static let suite = Suite(
        "operators",
        single + windows + keyed + sliding + twoStreams + peers + caseStudies + allocations,
        setUp: {
            _ = (Streams.common, Streams.manyKeys, Streams.disordered)
            _ = (Streams.aMillion, Streams.aFew, Streams.burst, firsts, seconds)
            _ = (manyKeysReference, joinReference, orderedReference, slidingReferences)
        }
    )

    private static let single = [
        loop("W1", .runningSum, CommonStream.Loops.runningSum),
        pipeline("W1", "closures", .runningSum, goal: .ratio(atMost: 2.5), Pipelines.runningSumOfClosures),
        pipeline("W1", "expressions", .runningSum, goal: .ratio(atMost: 1.4), Pipelines.runningSumOfExpressions),
        pipeline("W1", "built at run time", .runningSum, Pipelines.runningSumBuiltAtRunTime),
        pipeline("W1", "a computed property", .runningSum, Pipelines.runningSumOfComputedProperty),
        loop("P2", .jumps, CommonStream.Loops.jumps),
        pipeline("P2", "closures", .jumps, goal: .ratio(atMost: 4), Pipelines.jumpsOfClosures),
        pipeline("P2", "expressions", .jumps, goal: .ratio(atMost: 4), Pipelines.jumpsOfExpressions),
    ]

    private static let windows = [
        loop("W3c", .means, CommonStream.Loops.meansByCount),
        pipeline("W3c", "tumbling(count:)", .means, goal: .ratio(atMost: 4), Pipelines.meansByCount),
        pipeline("W3c", "in M/s", .means, in: .millionsPerSecond, goal: .atLeast(90), Pipelines.meansByCount),
        loop("W3t", .means, Loops.meansByTime),
        pipeline("W3t", "tumbling", .means, in: .millionsPerSecond, goal: .atLeast(50), Pipelines.meansByTime),
        pipeline("W3t", "own watermarks", .means, in: .millionsPerSecond, Pipelines.meansByTimeAscending),
        loop("W5", .maxima, CommonStream.Loops.hoppingMaxima),
        pipeline("W5", "hopping", .maxima, in: .millionsPerSecond, goal: .atLeast(20), Pipelines.hoppingMaxima),
    ]

    private static let manyKeysReference = CommonStream.Loops.sumsByKey(Streams.manyKeys, keyCount: 1_000_000)

    private static let keyed = [
        loop("W4", .sumsByKey) { CommonStream.Loops.sumsByKey($0, keyCount: 1000) },
        Workload("W4, hash table", in: .nanosecondsPerElement, against: "W4, loop") {
            try measure(.sumsByKey, Streams.common.count) { Loops.sumsByKeyHashed(Streams.common, keyCount: 1000) }
        },
        Workload("W4, grouped", in: .millionsPerSecond, against: "W4, hash table", goal: .atLeast(20)) {
            try measure(.sumsByKey, Streams.common.count) { Pipelines.sumsByKey(Streams.common, keyCount: 1000).tally }
        },
        Workload("W4 with 10⁶ keys, loop", in: .millionsPerSecond) {
            try measure(manyKeysReference, Streams.manyKeys.count) {
                CommonStream.Loops.sumsByKey(Streams.manyKeys, keyCount: 1_000_000)
            }
        },
        Workload("W4 with 10⁶ keys, hash table", in: .millionsPerSecond, against: "W4 with 10⁶ keys, loop") {
            try measure(manyKeysReference, Streams.manyKeys.count) {
                Loops.sumsByKeyHashed(Streams.manyKeys, keyCount: 1_000_000)
            }
        },
        Workload(
            "W4 with 10⁶ keys, grouped",
            in: .millionsPerSecond,
            against: "W4 with 10⁶ keys, hash table",
            goal: .atLeast(4)
        ) {
            try measure(manyKeysReference, Streams.manyKeys.count) {
                Pipelines.sumsByKey(Streams.manyKeys, keyCount: 1_000_000).tally
            }
        },
    ]

    private static let slidingEvents = Array(Streams.common.prefix(4_000_000))
    private static let slidingLengths = [100, 1000, 10_000, 100_000]
    private static let slidingReferences = slidingLengths.map { Loops.slidingMaxima(slidingEvents, $0) }

    private static let sliding =
        [
            Workload("sliding maximum of 10⁴, loop", in: .nanosecondsPerElement) {
                try measure(slidingReferences[2], slidingEvents.count) { Loops.slidingMaxima(slidingEvents, 10_000) }
            }
        ]
        + zip(["10²", "10³", "10⁴", "10⁵"], slidingLengths).enumerated().map { index, row in
            Workload(
                "sliding maximum of \(row.0)",
                in: .nanosecondsPerElement,
                against: index == 0 ? "sliding maximum of 10⁴, loop" : "sliding maximum of 10²",
                goal: index == 0 ? nil : .ratio(atMost: 1.3)
            ) {
                try measure(slidingReferences[index], slidingEvents.count) {
                    Pipelines.slidingMaxima(slidingEvents, row.1).tally
                }
            }
        }

    private static let joinReference = Loops.pairs(
        slidingEvents,
        isFirst: { slidingEvents[$0].isFirst },
        within: 1000
    )
    private static let orderedReference = Loops.ordered(Streams.disordered)

    private static let twoStreams = [
        Workload("join by key, loop", in: .millionsPerSecond) {
            try measure(joinReference, slidingEvents.count) {
                Loops.pairs(slidingEvents, isFirst: { slidingEvents[$0].isFirst }, within: 1000)
            }
        },
        Workload(
            "join by key, 1 pair per event",
            in: .millionsPerSecond,
            against: "join by key, loop",
            goal: .atLeast(3)
        ) {
            try measure(joinReference, slidingEvents.count) { Pipelines.pairs(slidingEvents, within: 1000).tally }
        },
        Workload("out of order by 100 ms, loop", in: .millionsPerSecond) {
            try measure(orderedReference, Streams.disordered.count) { Loops.ordered(Streams.disordered) }
        },
        Workload(
            "out of order by 100 ms, ordered",
            in: .millionsPerSecond,
            against: "out of order by 100 ms, loop",
            goal: .atLeast(15)
        ) {
            try measure(orderedReference, Streams.disordered.count) { Pipelines.ordered().tally }
        },
    ]

    private static let firsts = Streams.aFew.filter(\.isFirst)
    private static let seconds = Streams.aFew.filter { !$0.isFirst }
    private static let union = "union of two streams"
    private static let debounce = "debounce of a burst"

    private static let peers = [
        peer("W1, OpenCombine", beside: "W1, closures", Streams.aMillion, CommonStream.Loops.runningSum) {
            PeerPipelines.runningSumOfOpenCombine($0)
        },
        peer("W1, AsyncSequence", beside: "W1, closures", Streams.aFew, CommonStream.Loops.runningSum) {
            PeerPipelines.runningSumOfAsyncSequence($0)
        },
        peer(
            "sliding maximum of 10⁴, Deque",
            beside: "sliding maximum of 10⁴",
            slidingEvents,
            { _ in slidingReferences[2] },
            { PeerContainers.slidingMaximaWithDeque($0, 10_000) }
        ),
        peer(
            "out of order by 100 ms, Heap",
            in: .millionsPerSecond,
            beside: "out of order by 100 ms, ordered",
            Streams.disordered,
            { _ in orderedReference }
        ) { PeerContainers.orderedWithHeap($0) },
        few("\(union), loop", Streams.aMillion, Loops.sum) { Loops.sum($0) },
        few(union, against: "\(union), loop", Streams.aMillion, Loops.sum) { Pipelines.union($0).tally },
        peer("\(union), AsyncAlgorithms' merge", beside: union, Streams.aFew, Loops.sum) { _ in
            PeerPipelines.mergeOfAsyncAlgorithms(firsts, seconds)
        },
        few("\(debounce), loop", Streams.burst, Loops.debounced) { Loops.debounced($0) },
        few(debounce, against: "\(debounce), loop", Streams.burst, Loops.debounced) { Pipelines.debounced($0).tally },
        peer("\(debounce), AsyncAlgorithms", beside: debounce, Streams.burst, Loops.debounced) {
            PeerPipelines.debounceOfAsyncAlgorithms($0)
        },
    ]

    private static let caseStudies = [
        few("shakes, loop", Streams.aMillion, CaseStudies.loopOfShakes, CaseStudies.loopOfShakes),
        few("shakes", against: "shakes, loop", Streams.aMillion, CaseStudies.loopOfShakes) {
            CaseStudies.run($0) { (readings: EventChannel<StreamEvent>) in CaseStudies.shakes(readings) }
        },
        peer("shakes, OpenCombine", beside: "shakes", Streams.aMillion, CaseStudies.loopOfShakes) {
            CaseStudies.run($0) { CaseStudies.shakes($0) }
        },
        few("walks, loop", Streams.aMillion, CaseStudies.loopOfWalks, CaseStudies.loopOfWalks),
        few("walks", against: "walks, loop", Streams.aMillion, CaseStudies.loopOfWalks) {
            CaseStudies.run($0) { (movements: EventChannel<StreamEvent>) in CaseStudies.walks(movements) }
        },
        peer("walks, OpenCombine", beside: "walks", Streams.aMillion, CaseStudies.loopOfWalks) {
            CaseStudies.run($0) { CaseStudies.walks($0) }
        },
    ]

    /// Work on some events, which must come to what the loop comes to.
    private static func few(
        _ name: String,
        in unit: Unit = .nanosecondsPerElement,
        against limit: String? = nil,
        isPeer: Bool = false,
        _ events: [StreamEvent],
        _ loop: @escaping @Sendable ([StreamEvent]) -> Tally,
        _ body: @escaping @Sendable ([StreamEvent]) -> Tally
    ) -> Workload {
        Workload(name, in: unit, against: limit, isPeer: isPeer) {
            try measure(loop(events), events.count) { body(events) }
        }
    }

    private static func peer(
        _ name: String,
        in unit: Unit = .nanosecondsPerElement,
        beside ours: String,
        _ events: [StreamEvent],
        _ loop: @escaping @Sendable ([StreamEvent]) -> Tally,
        _ body: @escaping @Sendable ([StreamEvent]) -> Tally
    ) -> Workload {
        few(name, in: unit, against: ours, isPeer: true, events, loop, body)
    }

    private static let allocations = [
        steady("W1, closures", Pipelines.runningSumOfClosures),
        steady("W1, expressions", Pipelines.runningSumOfExpressions),
        steady("W1, built at run time", Pipelines.runningSumBuiltAtRunTime),
        steady("P2", Pipelines.jumpsOfClosures),
        steady("W3c", Pipelines.meansByCount),
        steady("W3t", Pipelines.meansByTime),
        steady("W4") { Pipelines.sumsByKey(Streams.common, keyCount: 1000) },
        steady("W5", Pipelines.hoppingMaxima),
        steady("sliding maximum of 10⁴") { Pipelines.slidingMaxima(slidingEvents, 10_000) },
        steady("join by key") { Pipelines.pairs(slidingEvents, within: 1000) },
        steady("out of order", Pipelines.ordered),
    ]

    /// The allocations in the second half of a run.
    private static func steady(_ name: String, _ run: @escaping @Sendable () throws -> Pipeline) -> Workload {
        Workload("\(name): second half", in: .plain("allocations"), goal: .atMost(0)) { try run().allocations }
    }

    private static func loop(
        _ name: String,
        _ reference: Tally,
        _ body: @escaping @Sendable ([StreamEvent]) -> Tally
    ) -> Workload {
        Workload("\(name), loop", in: .nanosecondsPerElement) {
            try measure(reference, Streams.common.count) { body(Streams.common) }
        }
    }

    private static func pipeline(
        _ name: String,
        _ form: String,
        _ reference: Tally,
        in unit: Unit = .nanosecondsPerElement,
        goal: Workload.Goal? = nil,
        _ body: @escaping @Sendable () throws -> Pipeline
    ) -> Workload {
        Workload("\(name), \(form)", in: unit, against: "\(name), loop", goal: goal) {
            try measure(reference, Streams.common.count) { try body().tally }
        }
    }

    static func measure(_ reference: Tally, _ count: Int, _ body: () throws -> Tally) throws -> Double {
        var tally = Tally()
        let cost = try nanoseconds(per: count) { tally = try body() }
        guard tally.agrees(with: reference) else { throw WrongResult(tally, insteadOf: reference) }
        return cost
    }
}

extension Tally {
    fileprivate static let runningSum = CommonStream.Reference.runningSum
    fileprivate static let jumps = CommonStream.Reference.jumps
    fileprivate static let means = CommonStream.Reference.means
    fileprivate static let maxima = CommonStream.Reference.maxima
    fileprivate static let sumsByKey = CommonStream.Reference.sumsByKey
}
