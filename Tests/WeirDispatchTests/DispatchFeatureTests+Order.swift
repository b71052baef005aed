import Testing
import WeirCore
import WeirDispatch
import WeirTesting

/// Queues, stacks, priorities and schedules.
extension DispatchFeatureTests {
    // MARK: Queue, stack, priorities

    @Test func aQueueGivesTheOldestFirst() throws {
        let log = Journal<Double>()
        let processor = makeProcessor()
        processor.on(Temperature.self) { temperature, _ in log.add(temperature.celsius) }
        for celsius in [1.0, 2, 3] { Temperature(celsius: celsius).queue(on: bus) }
        try drain(processor)
        #expect(log.all == [1, 2, 3])
    }

    @Test func aStackGivesTheNewestFirst() throws {
        let log = Journal<Double>()
        let processor = makeProcessor()
        processor.on(Temperature.self) { temperature, _ in log.add(temperature.celsius) }
        for celsius in [1.0, 2, 3] { Temperature(celsius: celsius).stack(on: bus) }
        try drain(processor)
        #expect(log.all == [3, 2, 1])
    }

    @Test func stacksComeBeforeQueuesAndTheUrgentBeforeTheRest() throws {
        let log = Journal<String>()
        let processor = makeProcessor()
        processor.on(Temperature.self) { _, context in log.add("\(context.order) \(context.priority)") }
        for priority in Priority.allCases.reversed() {
            Temperature(celsius: 0).queue(priority: priority, on: bus)
            Temperature(celsius: 0).stack(priority: priority, on: bus)
        }
        try drain(processor)
        let priorities = ["highest", "high", "normal", "low", "lowest"]
        #expect(log.all == priorities.map { "stack \($0)" } + priorities.map { "queue \($0)" })
    }

    /// Defect 6: a `.highest` event sent behind 500 `.lowest` ones came at position 464 of 501.
    @Test func anUrgentEventWaitsForNothingButTheHandlerThatRuns() throws {
        let log = Journal<Priority>()
        let processor = makeProcessor()
        let done = Latch()
        processor.on(Temperature.self) { [bus] _, context in
            log.add(context.priority)
            // The first of the lowest calls for help, while 499 others are pending.
            if log.all.count == 1 { Temperature(celsius: 1).queue(priority: .highest, on: bus) }
            if log.all.count == 501 { done.open() }
        }
        for _ in 0..<500 { Temperature(celsius: 0).queue(priority: .lowest, on: bus) }
        try processor.start()
        done.wait()
        try drain(processor)
        #expect(log.all.count == 501)
        #expect(log.all.firstIndex(of: .highest) == 1)
    }

    // MARK: Schedules, on any clock and without a main queue (defect 4)

    @Test func anEventCanBeScheduledForATimeAndAfterADuration() throws {
        let log = Journal<Double>()
        bus.listen(to: Temperature.self) { temperature, _ in log.add(temperature.celsius) }
        try Temperature(celsius: 1).queue(after: .seconds(60), on: bus)
        try Temperature(celsius: 2).queue(at: Timestamp(secondsSinceEpoch: 30), on: bus)
        clock.advance(by: .seconds(29))
        #expect(log.all.isEmpty)
        clock.advance(by: .seconds(1))
        #expect(log.all == [2])
        clock.advance(by: .seconds(3600))
        #expect(log.all == [2, 1])
    }

    @Test func aScheduleCanRepeatAndBeCancelled() throws {
        let log = Journal<Timestamp>()
        bus.listen(to: Temperature.self) { [clock] _, _ in log.add(clock.now()) }
        let schedule = try Temperature(celsius: 1).queue(after: .seconds(10), every: .seconds(5), on: bus)
        clock.advance(by: .seconds(21))
        schedule.cancel()
        clock.advance(by: .seconds(100))
        #expect(log.all == [10, 15, 20].map { Timestamp(secondsSinceEpoch: $0) })
        #expect(bus.scheduler.pendingCount == 0)
    }

    @Test func channelsDispatchAndScheduleToo() throws {
        let channel = EventChannel<Temperature>(clock: EventClock(clock))
        let log = Journal<String>()
        let processor = makeProcessor()
        channel.listen(on: .processor(processor)) { temperature, context in
            log.add("\(temperature.celsius) \(context.order) \(context.priority)")
        }
        try channel.queue(
            Temperature(celsius: 1),
            at: Timestamp(secondsSinceEpoch: 5),
            priority: .high,
            scheduler: bus.scheduler
        )
        try channel.stack(
            Temperature(celsius: 2),
            at: Timestamp(secondsSinceEpoch: 6),
            priority: .low,
            scheduler: bus.scheduler
        )
        channel.queue(Temperature(celsius: 3), priority: .lowest)
        channel.stack(Temperature(celsius: 4))
        clock.advance(by: .seconds(10))
        try drain(processor)
        #expect(log.all == ["4.0 stack normal", "2.0 stack low", "1.0 queue high", "3.0 queue lowest"])
    }

    /// As good as never, such as for a pool that is not to shrink: no arithmetic traps.
    @Test func aDurationCanGoBeyondTheEndOfTime() throws {
        clock.advance(to: Timestamp(secondsSinceEpoch: 1_700_000_000))
        let log = Journal<Double>()
        bus.listen(to: Temperature.self) { temperature, _ in log.add(temperature.celsius) }
        let (never, atOnce) = (Duration.seconds(Int64.max), Duration.seconds(-Int64.max))
        try bus.queue(Temperature(celsius: 1), after: never, every: never)
        try bus.stack(Temperature(celsius: 2), after: never)
        try bus.scheduler.schedule(after: never) { _ in log.add(3) }
        try bus.queue(Temperature(celsius: 4), after: atOnce)
        try bus.scheduler.schedule(after: atOnce) { _ in log.add(5) }
        clock.advance(by: .seconds(1_000_000))
        #expect(log.all == [4, 5])
        #expect(bus.scheduler.nextDeadline == .distantFuture)
        let pool = ProcessorPool(size: 1...2, scaling: PoolScaling(quietPeriod: never), bus: bus)
        try pool.start()
        pool.stop(.now)
    }

    @Test func whatIsDueAtTheSameTimeComesInTheOrderOfScheduling() throws {
        let log = Journal<Double>()
        bus.listen(to: Temperature.self) { temperature, _ in log.add(temperature.celsius) }
        for celsius in 0..<100 { try Temperature(celsius: Double(celsius)).queue(after: .seconds(1), on: bus) }
        clock.advance(by: .seconds(1))
        #expect(log.all == (0..<100).map(Double.init))
    }

    @Test func schedulesRunOnTheSystemClockWithoutAMainQueue() async throws {
        let real = EventBus()
        let arrived = AsyncStream<Double>.makeStream()
        real.listen(to: Temperature.self) { temperature, _ in arrived.continuation.yield(temperature.celsius) }
        try Temperature(celsius: 1).queue(after: .milliseconds(1), on: real)
        try Temperature(celsius: 2).queue(after: .milliseconds(2), on: real)
        var received: [Double] = []
        for await celsius in arrived.stream.prefix(2) { received.append(celsius) }
        #expect(received == [1, 2])
    }
}
