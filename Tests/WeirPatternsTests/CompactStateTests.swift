import Testing
import WeirCore

@testable import WeirPatterns

/// The compact strategy is interrupted in streams so long that its rings grow, go round, and are squeezed.
@Suite struct CompactStateTests {
    typealias Sink = CompactSink<CompactSinkTests.Event, Int, CompactSinkTests.Sum>

    private static func checkpoint(_ sink: inout Sink) throws(StateError) -> Checkpoint {
        // A closure can not capture an `inout` sink; copies share one state.
        var copy = sink
        return try Checkpoint { state throws(StateError) in try copy.exchangeState(&state) }
    }

    /// What differs first from the run without interruption.
    private static func difference(
        seed: UInt64,
        count: Int,
        _ make: () throws -> Sink
    ) throws -> String? {
        var generator = SeededGenerator(seed: seed)
        var time: Int64 = 0
        let events = (0..<count).map { _ in
            time += Int64.random(in: 0...3, using: &generator)
            return CompactSinkTests.Event(
                letter: Int.random(in: 0...3, using: &generator),
                key: Int.random(in: 0..<50, using: &generator),
                time: time
            )
        }
        func play(_ sink: inout Sink, _ events: some Sequence<CompactSinkTests.Event>) {
            for event in events { sink.receive(event, at: Timestamp(nanosecondsSinceEpoch: event.time)) }
        }
        var whole = try make()
        play(&whole, events)
        var first = try make()
        var played = 0
        for cut in (0..<12).map({ _ in Int.random(in: 0...count, using: &generator) }).sorted() {
            play(&first, events[played..<cut])
            played = cut
            let saved = try checkpoint(&first)
            var second = try make()
            try Checkpoint(bytes: saved.bytes).restore { state throws(StateError) in try second.exchangeState(&state) }
            guard try checkpoint(&second).bytes == saved.bytes else {
                return "seed \(seed), cut \(cut): saved otherwise"
            }
            play(&second, events[cut...])
            let (sums, metrics) = ((CompactSinkTests.sum(whole), CompactSinkTests.sum(second)), second.metrics)
            guard sums.0.count == sums.1.count, sums.0.times == sums.1.times else {
                return "seed \(seed), cut \(cut): \(sums.1) instead of \(sums.0)"
            }
            guard metrics.nodeCount == whole.metrics.nodeCount, metrics.droppedStarts == whole.metrics.droppedStarts,
                metrics.refusedEvents == whole.metrics.refusedEvents, metrics.hasFailed == whole.metrics.hasFailed
            else { return "seed \(seed), cut \(cut): \(metrics) instead of \(whole.metrics)" }
            guard try checkpoint(&second).bytes == checkpoint(&whole).bytes else {
                return "seed \(seed), cut \(cut): the last checkpoint is another"
            }
        }
        return nil
    }

    @Test(arguments: [LimitPolicy.dropOldest, .dropNewest, .fail])
    func longStreams(policy: LimitPolicy) throws {
        // With many partial matches in each group; with so many that the lower limit is met.
        for (contiguity, within, isGrouped) in [
            (Contiguity.followedBy, nil as Int64?, false), (.followedBy, 400, false), (.followedBy, nil, true),
            (.followedByAny, 400, true), (.followedByAny, 2000, true),
        ] {
            for limit in [1 << 20, 1100] {
                let plan = CompactSinkTests.plan(contiguity, within: within)
                let limits = PatternLimits(partialMatches: limit, policy: policy)
                let difference = try Self.difference(seed: UInt64(limit), count: 5000) {
                    try CompactSinkTests.sink(plan, byKey: isGrouped, limits: limits)
                }
                #expect(difference == nil, "\(contiguity), \(within ?? 0), \(isGrouped), \(limit)")
            }
        }
    }

    /// Only the number of matches is wanted: the counter takes the place of the graph.
    @Test(arguments: [LimitPolicy.dropOldest, .dropNewest])
    func counts(policy: LimitPolicy) throws {
        for within in [40 as Int64?, nil, 4000] {
            let plan = CompactSinkTests.plan(.followedByAny, within: within)
            for limit in [1 << 20, 1100] {
                let limits = PatternLimits(partialMatches: limit, policy: policy)
                let difference = try Self.difference(seed: UInt64(limit), count: 6000) {
                    try CompactSinkTests.sink(plan, limits: limits, demand: .count)
                }
                #expect(difference == nil, "\(within ?? 0), \(limit)")
            }
        }
    }
}
