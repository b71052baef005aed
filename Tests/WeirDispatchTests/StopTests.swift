import Synchronization
import TestThreads
import Testing
import WeirCore
import WeirDispatch

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Eight threads send while what they send to stops: each event is handled, or counted by who gave it up.
@Suite("Stopping while others send")
struct StopTests {
    private struct Numbered: Event {
        var timestamp: Timestamp { .epoch }
        let number: Int
        // Larger than an envelope takes: what is lost would be leaked, too.
        let rest = (0, 0, 0, 0, 0, 0, 0)
    }

    private static let senders = 8
    private static let each = 25

    /// How many runs: `WEIR_STOP_RUNS`, or 1,000.
    private static var runs: Int {
        guard let value = unsafe getenv("WEIR_STOP_RUNS") else { return 1_000 }
        return Int(unsafe String(cString: value)) ?? 1_000
    }

    /// Calls `body` for each seed with what the seed decides, and sends from eight threads until what `body` returns stops.
    private static func sweep(
        _ body: (inout SeededGenerator, EventBus) throws -> (stop: @Sendable () -> Void, check: (String, Int) -> Void)
    ) rethrows {
        for seed in 0..<UInt64(runs) {
            var random = SeededGenerator(seed: seed)
            let bus = EventBus()
            let (stop, check) = try body(&random, bus)
            let delay = Int.random(in: 0..<60, using: &random)
            let seeds = (0..<senders).map { _ in random.next() }
            let refused = Atomic<Int>(0)
            let send = seeds.map { seed in
                { @Sendable in
                    var random = SeededGenerator(seed: seed)
                    for number in 0..<each {
                        let event = Numbered(number: number)
                        let priority = Priority.allCases.randomElement(using: &random) ?? .normal
                        let isSent =
                            Bool.random(using: &random)
                            ? bus.queue(event, priority: priority) : bus.stack(event, priority: priority)
                        if !isSent { refused.wrappingAdd(1, ordering: .relaxed) }
                    }
                }
            }
            let halt: @Sendable () -> Void = {
                for _ in 0..<delay { TestThreads.yield() }
                stop()
            }
            TestThreads.run(send + [halt])
            check("seed \(seed)", senders * each - refused.load(ordering: .relaxed))
        }
    }

    private static func policy(_ random: inout SeededGenerator) -> OverflowPolicy {
        let all: [OverflowPolicy] = [.block, .dropNewest, .dropOldest, .latest, .fail]
        return all.randomElement(using: &random) ?? .block
    }

    @Test func aProcessorCountsWhatItIsSent() throws {
        try Self.sweep { random, bus in
            let processor = EventProcessor(
                name: "stops",
                capacity: 1 << Int.random(in: 0..<6, using: &random),
                overflowPolicy: Self.policy(&random),
                bus: bus
            )
            let handled = Tally()
            processor.on(Numbered.self) { _, _ in handled.add() }
            // One in eight never runs.
            if Int.random(in: 0..<8, using: &random) > 0 { try processor.start() }
            let mode: EventProcessor.StopMode = Bool.random(using: &random) ? .draining : .now
            return (
                { processor.stop(mode) },
                { seed, sent in
                    processor.waitUntilStopped()
                    let metrics = processor.metrics
                    let lane = metrics.mailbox.total
                    #expect(Int(metrics.handled) == handled.count, "\(seed)")
                    #expect(Int(metrics.handled + metrics.discarded + lane.dropped) == sent, "\(seed)")
                    #expect(lane.pending == 0, "\(seed)")
                    #expect(lane.taken == metrics.handled + metrics.discarded, "\(seed)")
                }
            )
        }
    }

    @Test func aPoolCountsWhatItIsSent() throws {
        try Self.sweep { random, bus in
            let largest = Int.random(in: 1..<4, using: &random)
            let pool = ProcessorPool(
                name: "stops",
                size: 1...largest,
                capacity: 1 << Int.random(in: 0..<6, using: &random),
                overflowPolicy: Self.policy(&random),
                scaling: PoolScaling(
                    pendingToGrow: 2,
                    ageToGrow: .microseconds(10),
                    quietPeriod: .microseconds(100)
                ),
                bus: bus
            )
            let handled = Tally()
            let balancers: [Balancer<Numbered>] = [
                .roundRobin, .lowestLoad, .byKey { $0.number % 5 },
                .custom { event, loads in event.number % loads.count },
            ]
            pool.on(Numbered.self, balancer: balancers.randomElement(using: &random) ?? .roundRobin) { _, _ in
                handled.add()
            }
            if Int.random(in: 0..<8, using: &random) > 0 { try pool.start() }
            let mode: EventProcessor.StopMode = Bool.random(using: &random) ? .draining : .now
            return (
                { pool.stop(mode) },
                { seed, sent in
                    pool.waitUntilStopped()
                    let metrics = pool.metrics
                    #expect(Int(metrics.handled) == handled.count, "\(seed)")
                    let counted = metrics.handled + metrics.discarded + metrics.dropped + metrics.refused
                    #expect(Int(counted) == sent, "\(seed)")
                }
            )
        }
    }

    @Test func aPoolCountsWhatThoseHaveDoneThatHaveLeftIt() throws {
        let bus = EventBus()
        let scaling = PoolScaling(pendingToGrow: 1, ageToGrow: .microseconds(1), quietPeriod: .microseconds(100))
        let pool = ProcessorPool(name: "shrinks", size: 1...4, scaling: scaling, bus: bus)
        pool.on(Numbered.self) { _, _ in }
        try pool.start()
        var sent = 0
        #expect(
            DispatchTests.wait {
                if pool.metrics.grown == 0 {
                    for number in 0..<100 { bus.queue(Numbered(number: number)) }
                    sent += 100
                }
                return pool.metrics.shrunk > 0
            }
        )
        pool.stop()
        pool.waitUntilStopped()
        #expect(Int(pool.metrics.handled) == sent)
    }

    @Test func aChannelCountsWhatItIsSent() {
        Self.sweep { random, bus in
            let channel = bus.channel(of: Numbered.self)
            let handled = Tally()
            channel.subscribe { _ in handled.add() }
            return (
                { channel.finish() },
                { seed, _ in
                    let metrics = channel.metrics
                    #expect(Int(metrics.published) == handled.count, "\(seed)")
                    #expect(Int(metrics.published + metrics.dropped) == Self.senders * Self.each, "\(seed)")
                    #expect(metrics.waiting == 0, "\(seed)")
                }
            )
        }
    }

    @Test func afterItsEndAProcessorRefusesAndCounts() throws {
        let bus = EventBus()
        let processor = EventProcessor(name: "over", bus: bus)
        processor.on(Numbered.self) { _, _ in }
        try processor.start()
        processor.stop()
        processor.waitUntilStopped()
        for number in 0..<5 { bus.queue(Numbered(number: number)) }
        #expect(processor.metrics.mailbox.total.droppedWhenClosed == 5)
    }

    @Test func waitingForTheEndEndsWithItsTask() async throws {
        let processor = EventProcessor(name: "goes on", bus: EventBus())
        let pool = ProcessorPool(name: "goes on", size: 1...1, bus: EventBus())
        try processor.start()
        try pool.start()
        let tasks = [Task { try await processor.stopped() }, Task { try await pool.stopped() }]
        for _ in 0..<10 { await Task.yield() }
        for task in tasks {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        processor.stop()
        pool.stop()
        try await processor.stopped()
        try await pool.stopped()
    }
}
