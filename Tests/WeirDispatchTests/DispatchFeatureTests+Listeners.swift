import Synchronization
import Testing
import WeirCore
import WeirDispatch
import WeirTesting

/// What listeners get, where they run, and when they end.
extension DispatchFeatureTests {
    // MARK: Filters

    /// Defect 1: the library's `.latestOnly` listener crashed on its first event.
    @Test func aListenerCanCareForTheLatestOnly() throws {
        let log = Journal<Double>()
        let processor = makeProcessor()
        processor.on(Temperature.self, filter: .latestOnly) { temperature, _ in log.add(temperature.celsius) }
        for celsius in [1.0, 2, 3] { Temperature(celsius: celsius).queue(on: bus) }
        try drain(processor)
        #expect(log.all == [3])
    }

    @Test func aListenerCanIgnoreWhatIsTooOld() throws {
        let log = Journal<Double>()
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
        let log = Journal<Double>()
        bus.listen(to: Temperature.self, filter: .where { $0.celsius > 30 }) { temperature, _ in
            log.add(temperature.celsius)
        }
        for celsius in [29.0, 31, 30] { bus.publish(Temperature(celsius: celsius)) }
        #expect(log.all == [31])
    }

    @Test func aFilterSeesHowAnEventWasDispatched() {
        let log = Journal<Double>()
        let start = clock.now()
        bus.listen(
            to: Temperature.self,
            filter: .where { temperature, context in
                context.priority >= .high && context.dispatchTime > start && temperature.celsius > 1
            }
        ) { temperature, _ in log.add(temperature.celsius) }
        Temperature(celsius: 2).queue(priority: .highest, on: bus)
        clock.advance(by: .seconds(1))
        for celsius in [1.0, 3] { Temperature(celsius: celsius).queue(priority: .high, on: bus) }
        Temperature(celsius: 4).queue(on: bus)
        Temperature(celsius: 5).stack(priority: .highest, on: bus)
        #expect(log.all == [3, 5])
    }

    // MARK: Where a handler runs

    @Test func onThePublishersThreadItRunsBeforePublishReturns() {
        let log = Journal<Double>()
        bus.listen(to: Temperature.self) { temperature, _ in log.add(temperature.celsius) }
        bus.publish(Temperature(celsius: 1))
        #expect(log.all == [1])
    }

    @Test func onAProcessorItRunsOnItsThread() throws {
        let log = Journal<Bool?>()
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

    @Test func anEndedListenerCancelsItsTasks() async {
        let started = AsyncStream<Int>.makeStream()
        let ended = AsyncStream<Bool>.makeStream()
        let subscription = bus.listen(to: Reading.self, on: .task(limit: 2)) { reading, _ in
            started.continuation.yield(reading.number)
            // Ends when it is cancelled only.
            let never = AsyncStream<Int> { _ in }
            for await _ in never {}
            ended.continuation.yield(Task.isCancelled)
        }
        for number in 0..<5 { bus.queue(Reading(key: 0, number: number)) }
        var begun: [Int] = []
        for await number in started.stream.prefix(2) { begun.append(number) }
        #expect(begun.sorted() == [0, 1])
        subscription.cancel()
        var cancelled: [Bool] = []
        for await isCancelled in ended.stream.prefix(2) { cancelled.append(isCancelled) }
        #expect(cancelled == [true, true])
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
        let log = Journal<Double>()
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
        let log = Journal<Double>()
        var owner: Owner? = Owner()
        bus.listen(to: Temperature.self, owner: owner) { temperature, _ in log.add(temperature.celsius) }
        bus.publish(Temperature(celsius: 1))
        owner = nil
        bus.publish(Temperature(celsius: 2))
        #expect(log.all == [1])
    }

    @Test func anOwnerThatGoesAwayEndsWhatProcessorsAndPoolsDo() throws {
        final class Owner: Sendable {}
        let log = Journal<Double>()
        let processor = makeProcessor()
        let pool = ProcessorPool(name: "owned", size: 1...1, bus: bus)
        var owner: Owner? = Owner()
        processor.on(Temperature.self, owner: owner) { temperature, _ in log.add(temperature.celsius) }
        pool.on(Temperature.self, owner: owner) { temperature, _ in log.add(-temperature.celsius) }
        Temperature(celsius: 1).queue(on: bus)
        try processor.start()
        try pool.start()
        #expect(DispatchTests.wait { log.all.count == 2 })
        owner = nil
        Temperature(celsius: 2).queue(on: bus)
        processor.stop(.draining)
        pool.stop(.draining)
        processor.waitUntilStopped()
        pool.waitUntilStopped()
        #expect(log.all.sorted() == [-1, 1])
    }

    @Test func anOwnerThatGoesAwayEndsItsSchedules() throws {
        final class Owner: Sendable {}
        let clock = VirtualClock()
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        let log = Journal<Int>()
        var owner: Owner? = Owner()
        try scheduler.schedule(after: .seconds(1), every: .seconds(1), owner: owner) { _ in log.add(1) }
        try scheduler.schedule(after: .seconds(9), owner: owner) { _ in log.add(9) }
        clock.advance(by: .seconds(3))
        #expect(log.all == [1, 1, 1])
        owner = nil
        clock.advance(by: .seconds(7))
        #expect(log.all == [1, 1, 1])
        #expect(scheduler.pendingCount == 0)
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
        let log = Journal<Double>()
        let processor = makeProcessor()
        channel.listen { temperature, _ in log.add(temperature.celsius) }
        processor.on(Temperature.self) { temperature, _ in log.add(temperature.celsius * 10) }
        let recorder = Recorder(channel)
        channel.publish(Temperature(celsius: 3))
        try drain(processor)
        #expect(log.all == [2, 3, 20, 30])
        #expect(recorder.elements.map(\.celsius) == [2, 3])
    }
}
