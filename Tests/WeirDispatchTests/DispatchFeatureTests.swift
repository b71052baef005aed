import Observation
import Synchronization
import TestThreads
import Testing
import WeirCore
import WeirDispatch
import WeirTesting

/// What an event-driven program can do, one test for each feature; and, by number, the defects of the library that
/// programs of this kind were written with so far, each shown to be none of Weir's.
@Suite struct DispatchFeatureTests {
    struct Temperature: Event, Equatable {
        var timestamp = Timestamp.epoch
        let celsius: Double
    }

    struct Reading: Event {
        var timestamp = Timestamp.epoch
        let key: Int
        let number: Int
    }

    /// What handlers have seen, and a way to wait until it is enough.
    final class Log<Entry: Sendable>: Sendable {
        private let entries = Locked<[Entry]>([])

        func add(_ entry: Entry) {
            entries.withLock { $0.append(entry) }
        }

        var all: [Entry] { entries.withLock { $0 } }
    }

    let clock = VirtualClock()
    let bus: EventBus

    init() {
        bus = EventBus(clock: EventClock(clock))
        clock.drives(bus.scheduler)
    }

    /// A processor on this test's bus, which handles nothing until it is started.
    func makeProcessor() -> EventProcessor {
        EventProcessor(name: "test", bus: bus)
    }

    /// Handles everything that is pending, and ends the processor's thread.
    func drain(_ processor: EventProcessor) throws {
        try processor.start()
        processor.stop(.draining)
        processor.waitUntilStopped()
    }

    // MARK: Queue, stack, priorities

    @Test func aQueueGivesTheOldestFirst() throws {
        let log = Log<Double>()
        let processor = makeProcessor()
        processor.on(Temperature.self) { temperature, _ in log.add(temperature.celsius) }
        for celsius in [1.0, 2, 3] { Temperature(celsius: celsius).queue(on: bus) }
        try drain(processor)
        #expect(log.all == [1, 2, 3])
    }

    @Test func aStackGivesTheNewestFirst() throws {
        let log = Log<Double>()
        let processor = makeProcessor()
        processor.on(Temperature.self) { temperature, _ in log.add(temperature.celsius) }
        for celsius in [1.0, 2, 3] { Temperature(celsius: celsius).stack(on: bus) }
        try drain(processor)
        #expect(log.all == [3, 2, 1])
    }

    @Test func stacksComeBeforeQueuesAndTheUrgentBeforeTheRest() throws {
        let log = Log<String>()
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
        let log = Log<Priority>()
        let processor = makeProcessor()
        let done = Parking()
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
        let log = Log<Double>()
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
        let log = Log<Timestamp>()
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
        let log = Log<String>()
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
        let log = Log<Double>()
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
        let log = Log<Double>()
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

    // MARK: ListenerFilter

    /// Defect 1: the library's `.latestOnly` listener crashed on its first event.
    @Test func aListenerCanCareForTheLatestOnly() throws {
        let log = Log<Double>()
        let processor = makeProcessor()
        processor.on(Temperature.self, filter: .latestOnly) { temperature, _ in log.add(temperature.celsius) }
        for celsius in [1.0, 2, 3] { Temperature(celsius: celsius).queue(on: bus) }
        try drain(processor)
        #expect(log.all == [3])
    }

    @Test func aListenerCanIgnoreWhatIsTooOld() throws {
        let log = Log<Double>()
        let processor = makeProcessor()
        processor.on(Temperature.self, filter: .youngerThan(.seconds(5))) { temperature, context in
            log.add(temperature.celsius)
            #expect(context.age == .seconds(4))
        }
        Temperature(celsius: 1).queue(on: bus)
        clock.advance(by: .seconds(1))
        Temperature(celsius: 2).queue(on: bus)
        clock.advance(by: .seconds(4))
        try drain(processor)
        #expect(log.all == [2])
    }

    @Test func aListenerCanFilter() {
        let log = Log<Double>()
        bus.listen(to: Temperature.self, filter: .where { $0.celsius > 30 }) { temperature, _ in
            log.add(temperature.celsius)
        }
        for celsius in [29.0, 31, 30] { bus.publish(Temperature(celsius: celsius)) }
        #expect(log.all == [31])
    }

    // MARK: Where a handler runs

    @Test func onThePublishersThreadItRunsBeforePublishReturns() {
        let log = Log<Double>()
        bus.listen(to: Temperature.self) { temperature, _ in log.add(temperature.celsius) }
        bus.publish(Temperature(celsius: 1))
        #expect(log.all == [1])
    }

    @Test func onAProcessorItRunsOnItsThread() throws {
        let log = Log<Bool?>()
        let processor = makeProcessor()
        processor.on(Temperature.self) { [weak processor] _, _ in log.add(processor?.isIsolatingCurrentContext()) }
        Temperature(celsius: 1).queue(on: bus)
        try drain(processor)
        #expect(log.all == [true])
        #expect(processor.isIsolatingCurrentContext() == false)
    }

    /// Defect 5: the library started a task for each event, which lost their order.
    @Test func onTheMainActorTheOrderIsKept() async {
        let arrived = AsyncStream<Int>.makeStream()
        bus.listen(to: Reading.self, on: .mainActor(capacity: 4096)) { reading, _ in
            MainActor.assertIsolated()
            arrived.continuation.yield(reading.number)
        }
        for number in 0..<2000 { bus.queue(Reading(key: 0, number: number)) }
        var received: [Int] = []
        for await number in arrived.stream.prefix(2000) { received.append(number) }
        #expect(received == Array(0..<2000))
    }

    @Test func inTasksABoundedNumberRunsAtATime() async {
        let running = Atomic<Int>(0)
        let most = Atomic<Int>(0)
        let arrived = AsyncStream<Int>.makeStream()
        bus.listen(to: Reading.self, on: .task(limit: 3)) { reading, _ in
            most.max(running.wrappingAdd(1, ordering: .relaxed).newValue, ordering: .relaxed)
            await Task.yield()
            running.wrappingSubtract(1, ordering: .relaxed)
            arrived.continuation.yield(reading.number)
        }
        for number in 0..<500 { bus.queue(Reading(key: 0, number: number)) }
        var received: Set<Int> = []
        for await number in arrived.stream.prefix(500) { received.insert(number) }
        #expect(received == Set(0..<500))
        #expect(most.load(ordering: .relaxed) <= 3)
    }

    @Test func onAnExecutorTheOrderIsKept() async throws {
        let processor = makeProcessor()
        try processor.start()
        let arrived = AsyncStream<Int>.makeStream()
        bus.listen(to: Reading.self, on: .executor(processor)) { [weak processor] reading, _ in
            #expect(processor?.isIsolatingCurrentContext() == true)
            arrived.continuation.yield(reading.number)
        }
        for number in 0..<500 { bus.queue(Reading(key: 0, number: number)) }
        var received: [Int] = []
        for await number in arrived.stream.prefix(500) { received.append(number) }
        #expect(received == Array(0..<500))
        processor.stop()
        try await processor.stopped()
    }

    /// An actor that lives on a processor.
    actor Ledger {
        let processor: EventProcessor
        private(set) var entries = 0

        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe processor.asUnownedSerialExecutor() }

        init(on processor: EventProcessor) {
            self.processor = processor
        }

        func add() -> Bool {
            entries += 1
            return processor.isIsolatingCurrentContext() == true
        }
    }

    @Test func anActorCanLiveOnAProcessor() async throws {
        let processor = makeProcessor()
        try processor.start()
        let ledger = Ledger(on: processor)
        for _ in 0..<10 { #expect(await ledger.add()) }
        #expect(await ledger.entries == 10)
        processor.stop()
        try await processor.stopped()
    }

    // MARK: The end of a listener

    @Test func cancellingEndsAListenerAlsoForWhatIsPending() throws {
        let log = Log<Double>()
        let processor = makeProcessor()
        let handle = Locked<Subscription?>(nil)
        let subscription = processor.on(Temperature.self) { temperature, _ in
            log.add(temperature.celsius)
            handle.withLock { $0 }?.cancel()
        }
        handle.withLock { $0 = subscription }
        for celsius in [1.0, 2, 3] { Temperature(celsius: celsius).queue(on: bus) }
        try drain(processor)
        #expect(log.all == [1])
    }

    @Test func anOwnerThatGoesAwayEndsItsListeners() {
        final class Owner: Sendable {}
        let log = Log<Double>()
        var owner: Owner? = Owner()
        bus.listen(to: Temperature.self, owner: owner) { temperature, _ in log.add(temperature.celsius) }
        bus.publish(Temperature(celsius: 1))
        owner = nil
        bus.publish(Temperature(celsius: 2))
        #expect(log.all == [1])
    }

    /// Defect 8: a thread of the library's that was dropped never ended.
    @Test func aDroppedProcessorLetsGoOfEverything() async throws {
        let gone = Latch()
        let done = AsyncStream<Void>.makeStream()
        do {
            let token = AtTheEnd { gone.open() }
            let processor = makeProcessor()
            processor.on(Temperature.self) { _, _ in
                withExtendedLifetime(token) {}
                done.continuation.yield()
            }
            try processor.start()
            bus.queue(Temperature(celsius: 1))
            for await _ in done.stream.prefix(1) {}
            processor.stop(.now)
            try await processor.stopped()
        }
        // Those who wait are told by the thread itself, which lets go a moment later.
        #expect(await DispatchTests.suspend { gone.isOpen })
    }

    // MARK: Replay of the latest

    @Test func aChannelCanStartLateListenersWithItsLatestEvent() throws {
        let channel = bus.channel(of: Temperature.self, replaysLatest: true)
        channel.publish(Temperature(celsius: 1))
        channel.publish(Temperature(celsius: 2))
        let log = Log<Double>()
        let processor = makeProcessor()
        channel.listen { temperature, _ in log.add(temperature.celsius) }
        processor.on(Temperature.self) { temperature, _ in log.add(temperature.celsius * 10) }
        let recorder = Recorder(channel)
        channel.publish(Temperature(celsius: 3))
        try drain(processor)
        #expect(log.all == [2, 3, 20, 30])
        #expect(recorder.elements.map(\.celsius) == [2, 3])
    }

    // MARK: Pools

    /// Defect 2: the library's round robin went out of bounds with the event after the last processor's.
    @Test func aPoolGivesEventsInTurn() throws {
        let names = Log<Int>()
        let pool = ProcessorPool(name: "turn", size: 3...3, bus: bus)
        pool.on(Reading.self, balancer: .roundRobin) { reading, _ in names.add(reading.number) }
        for number in 0..<300 { bus.queue(Reading(key: 0, number: number)) }
        #expect(pool.metrics.processors.map(\.mailbox.total.pending) == [100, 100, 100])
        try pool.start()
        pool.stop(.draining)
        pool.waitUntilStopped()
        #expect(names.all.sorted() == Array(0..<300))
    }

    /// Defect 3: the library's lowest-load balancer chose the busiest.
    @Test func aPoolGivesEventsToTheLeastBusy() throws {
        let pool = ProcessorPool(name: "load", size: 3...3, bus: bus)
        pool.on(Reading.self, balancer: .custom { reading, _ in reading.key }) { _, _ in }
        pool.on(Temperature.self, balancer: .lowestLoad) { _, _ in }
        for (key, count) in [5, 1, 3].enumerated() {
            for _ in 0..<count { bus.queue(Reading(key: key, number: 0)) }
        }
        for _ in 0..<6 { bus.queue(Temperature(celsius: 0)) }
        #expect(pool.metrics.processors.map(\.mailbox.total.pending) == [5, 5, 5])
        pool.stop(.now)
    }

    /// Defect 12: the library's pool lost the time at which an event was dispatched.
    @Test func aPoolKeepsTheTimesOfDispatch() throws {
        let times = Log<Timestamp>()
        let pool = ProcessorPool(name: "times", size: 2...2, bus: bus)
        pool.on(Reading.self, balancer: .roundRobin) { _, context in times.add(context.dispatchTime) }
        let dispatched = (0..<4).map { number in
            clock.advance(by: .seconds(1))
            bus.queue(Reading(key: 0, number: number))
            return clock.now()
        }
        clock.advance(by: .seconds(10))
        try pool.start()
        pool.stop(.draining)
        pool.waitUntilStopped()
        #expect(times.all.sorted() == dispatched)
    }

    @Test func aPoolKeepsTheOrderOfEachKeyWhileItGrowsAndShrinks() throws {
        let lasts = Locked<[Int: Int]>([:])
        let disorder = Atomic<Int>(0)
        let handled = Atomic<Int>(0)
        let scaling = PoolScaling(pendingToGrow: 4, ageToGrow: .seconds(1), quietPeriod: .seconds(8))
        let pool = ProcessorPool(name: "keys", size: 1...4, scaling: scaling, bus: bus)
        pool.on(Reading.self, balancer: .byKey { $0.key }) { reading, _ in
            let last = lasts.withLock { lasts in
                defer { lasts[reading.key] = reading.number }
                return lasts[reading.key] ?? -1
            }
            if last + 1 != reading.number { disorder.wrappingAdd(1, ordering: .relaxed) }
            handled.wrappingAdd(1, ordering: .relaxed)
        }
        try pool.start()
        for number in 0..<3000 {
            for key in 0..<10 { bus.queue(Reading(key: key, number: number)) }
            if number % 1000 == 999 {
                while pool.metrics.processors.contains(where: { $0.mailbox.total.pending > 0 || $0.busyFor != nil }) {}
                clock.advance(by: .seconds(60))
            }
        }
        let metrics = pool.metrics
        #expect(metrics.grown > 0)
        #expect(metrics.shrunk > 0)
        pool.stop(.draining)
        pool.waitUntilStopped()
        #expect(handled.load(ordering: .relaxed) == 30_000)
        #expect(disorder.load(ordering: .relaxed) == 0)
    }

    // MARK: Observers

    @Test func observersAreToldThroughTheirProtocolAndNotKeptAlive() {
        let observers = ObserverList<any TemperatureObserver>()
        let first = Display()
        var second: Display? = Display()
        observers.add(first)
        observers.add(first)
        if let second { observers.add(second) }
        #expect(observers.count == 2)
        observers.notify { $0.temperatureDidChange(to: 20) }
        second = nil
        observers.notify { $0.temperatureDidChange(to: 21) }
        #expect(observers.count == 1)
        observers.remove(first)
        observers.notify { $0.temperatureDidChange(to: 22) }
        #expect(first.log.all == [20, 21])
    }

    @Test @MainActor func userInterfacesCanFollowTheLatestValue() async {
        let latest = bus.latest(Temperature.self)
        let changed = AsyncStream<Void>.makeStream()
        withObservationTracking {
            _ = latest.event
        } onChange: {
            changed.continuation.yield()
        }
        for celsius in [1.0, 2, 3] { bus.queue(Temperature(celsius: celsius), priority: .high) }
        for await _ in changed.stream.prefix(1) {}
        // The change is announced before it is made.
        await Task.yield()
        #expect(latest.event == Temperature(celsius: 3))
        #expect(latest.context?.priority == .high)
    }

    @Test func asynchronousLoopsCanFollowAStream() async {
        let channel = EventChannel<Temperature>()
        let dropped = SideOutput<Temperature>()
        let values = channel.values(.newest(2), dropped: dropped)
        for celsius in [1.0, 2, 3] { channel.publish(Temperature(celsius: celsius)) }
        channel.finish()
        var received: [Double] = []
        for await temperature in values { received.append(temperature.celsius) }
        #expect(received == [2, 3])
        #expect(dropped.count == 1)
    }

    // MARK: Events that make events

    @Test func handlersCanPublishWhatTheyHandle() {
        let log = Log<Double>()
        let bus = bus
        bus.listen(to: Temperature.self) { temperature, _ in
            log.add(temperature.celsius)
            if temperature.celsius < 50_000 { bus.publish(Temperature(celsius: temperature.celsius + 1)) }
        }
        bus.publish(Temperature(celsius: 0))
        #expect(log.all.count == 50_001)
    }

    @Test func eventsCanCallForEachOtherInACycle() throws {
        let log = Log<Int>()
        let bus = bus
        let ping = makeProcessor()
        let pong = makeProcessor()
        let done = Parking()
        ping.on(Temperature.self) { temperature, _ in
            log.add(0)
            bus.queue(Reading(key: 0, number: Int(temperature.celsius) + 1))
        }
        pong.on(Reading.self) { reading, _ in
            log.add(1)
            if reading.number < 1000 { bus.queue(Temperature(celsius: Double(reading.number))) } else { done.open() }
        }
        try ping.start()
        try pong.start()
        bus.queue(Temperature(celsius: 0))
        done.wait()
        for processor in [ping, pong] {
            processor.stop()
            processor.waitUntilStopped()
        }
        #expect(log.all == (0..<2000).map { $0 % 2 })
    }

    /// Two processors that flood each other: one waits for room, the other one would close the circle and does not.
    @Test func processorsThatFloodEachOtherDoNotDeadlock() throws {
        let bus = bus
        let ping = EventProcessor(name: "ping", capacity: 2, bus: bus)
        let pong = EventProcessor(name: "pong", capacity: 2, bus: bus)
        let handled = Atomic<Int>(0)
        let done = Parking()
        let count = { @Sendable in
            if handled.wrappingAdd(1, ordering: .relaxed).newValue == 2000 { done.open() }
        }
        ping.on(Temperature.self) { _, _ in
            count()
            for number in 0..<3 { bus.queue(Reading(key: 0, number: number)) }
        }
        pong.on(Reading.self) { _, _ in
            count()
            for _ in 0..<3 { bus.queue(Temperature(celsius: 0)) }
        }
        try ping.start()
        try pong.start()
        bus.queue(Temperature(celsius: 0))
        done.wait()
        for processor in [ping, pong] { processor.stop(.now) }
        for processor in [ping, pong] { processor.waitUntilStopped() }
        let totals = [ping, pong].map(\.metrics.mailbox.total)
        #expect(totals.map(\.droppedOwn).reduce(0, +) > 0)
    }

    @Test func channelsThatFloodEachOtherDoNotDeadlock() {
        let first = EventChannel<Temperature>(capacity: 2)
        let second = EventChannel<Reading>(capacity: 2)
        first.subscribe { temperature in
            guard temperature.celsius < 3 else { return }
            for number in 0..<4 { second.publish(Reading(key: Int(temperature.celsius) + 1, number: number)) }
        }
        second.subscribe { reading in
            guard reading.key < 3 else { return }
            for _ in 0..<4 { first.publish(Temperature(celsius: Double(reading.key + 1))) }
        }
        TestThreads.run([
            { for _ in 0..<500 { first.publish(Temperature(celsius: 0)) } },
            { for number in 0..<500 { second.publish(Reading(key: 0, number: number)) } },
        ])
        #expect(first.metrics.waiting == 0 && second.metrics.waiting == 0)
    }

    // MARK: Watching everything

    @Test func aBusShowsEveryEventOfEveryType() {
        let log = Log<String>()
        bus.publish(Temperature(celsius: 0))
        let subscription = bus.events.subscribe { dispatched in
            log.add("\(type(of: dispatched.event)) \(dispatched.context.order) \(dispatched.context.priority)")
        }
        bus.publish(Temperature(celsius: 1))
        bus.queue(Reading(key: 1, number: 1), priority: .high)
        bus.stack(Temperature(celsius: 2), priority: .lowest)
        subscription.cancel()
        bus.publish(Temperature(celsius: 3))
        #expect(log.all == ["Temperature queue normal", "Reading queue high", "Temperature stack lowest"])
    }

    @Test func channelsAndProcessorsCountWhatTheyDo() throws {
        let processor = EventProcessor(name: "count", capacity: 2, overflowPolicy: .dropNewest, bus: bus)
        processor.on(Temperature.self) { _, _ in }
        for celsius in 0..<5 { bus.queue(Temperature(celsius: Double(celsius))) }
        #expect(processor.metrics.mailbox.total.pending == 2)
        #expect(processor.metrics.mailbox[.normal, .queue].droppedNewest == 3)
        try drain(processor)
        #expect(processor.metrics.handled == 2)
        #expect(processor.metrics.handlerTimes.total == 1)
        #expect(bus.metrics.first { $0.eventType == Temperature.self }?.metrics.published == 5)
    }
}

protocol TemperatureObserver: AnyObject, Sendable {
    func temperatureDidChange(to celsius: Double)
}

final class Display: TemperatureObserver {
    let log = DispatchFeatureTests.Log<Double>()

    func temperatureDidChange(to celsius: Double) {
        log.add(celsius)
    }
}

/// Blocks threads until it is opened.
final class Parking: Sendable {
    private let parker = Parker()

    func open() { parker.unpark() }
    func wait() { parker.park() }
}
