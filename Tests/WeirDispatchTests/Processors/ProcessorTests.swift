import Synchronization
import TestThreads
import Testing
import WeirCore
import WeirTesting

@testable import WeirDispatch

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite(.timeLimit(.minutes(2))) struct ProcessorTests {
    struct Numbered: Event {
        var timestamp = Timestamp.epoch
        let number: Int

        init(_ number: Int) { self.number = number }
    }

    struct Other: Event {
        var timestamp = Timestamp.epoch
    }

    let bus = EventBus()

    func makeProcessor(capacity: Int = 1024, _ policy: OverflowPolicy = .block) -> EventProcessor {
        EventProcessor(name: "test", capacity: capacity, overflowPolicy: policy, bus: bus)
    }

    /// Handles everything that is pending, and ends the processor's thread.
    func drain(_ processor: EventProcessor) throws {
        try processor.start()
        processor.stop(.draining)
        processor.waitUntilStopped()
    }

    // MARK: Order

    @Test func theOrderIsThatOfASortedList() throws {
        for seed in 0..<20 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let journal = Journal<Int>()
            let processor = makeProcessor()
            processor.on(Numbered.self) { event, _ in journal.add(event.number) }
            var sent: [(order: DispatchOrder, priority: Priority, number: Int)] = []
            for number in 0..<200 {
                let order = DispatchOrder.allCases.randomElement(using: &generator) ?? .queue
                let priority = Priority.allCases.randomElement(using: &generator) ?? .normal
                sent.append((order, priority, number))
                if order == .queue {
                    bus.queue(Numbered(number), priority: priority)
                } else {
                    bus.stack(Numbered(number), priority: priority)
                }
            }
            try drain(processor)
            let expected = sent.sorted { one, other in
                if one.order != other.order { return one.order == .stack }
                if one.priority != other.priority { return one.priority > other.priority }
                return one.order == .stack ? one.number > other.number : one.number < other.number
            }
            #expect(journal.all == expected.map(\.number), "seed \(seed)")
        }
    }

    @Test func anUrgentEventBehindFiveHundredComesNext() throws {
        let journal = Journal<Int>()
        let (isHandling, mayGoOn) = (Latch(), Latch())
        let processor = makeProcessor()
        processor.on(Numbered.self) { event, _ in
            journal.add(event.number)
            guard event.number == 0 else { return }
            isHandling.open()
            mayGoOn.wait()
        }
        for number in 0...500 { bus.queue(Numbered(number), priority: .lowest) }
        try processor.start()
        isHandling.wait()
        bus.queue(Numbered(1000), priority: .highest)
        bus.stack(Numbered(1001), priority: .lowest)
        mayGoOn.open()
        processor.stop(.draining)
        processor.waitUntilStopped()
        #expect(journal.all == [0, 1001, 1000] + Array(1...500))
    }

    @Test func anEventThatWaitedInItsChannelKeepsItsDispatchTime() {
        let clock = VirtualClock()
        let bus = EventBus(clock: EventClock(clock))
        let ages = Journal<Duration>()
        bus.listen(to: Numbered.self) { [weak bus] event, context in
            ages.add(context.age)
            guard event.number == 0 else { return }
            bus?.publish(Numbered(1))
            clock.advance(by: .seconds(1))
        }
        bus.publish(Numbered(0))
        #expect(ages.all == [.zero, .seconds(1)])
    }

    // MARK: Actors and tasks

    actor Resident {
        let processor: EventProcessor
        private var visits = 0

        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe processor.asUnownedSerialExecutor() }

        init(on processor: EventProcessor) { self.processor = processor }

        func visit() -> Int {
            processor.preconditionIsolated()
            visits += 1
            return visits
        }
    }

    @Test func anActorLivesOnAProcessorBetweenItsEvents() async throws {
        let processor = makeProcessor()
        let resident = Resident(on: processor)
        let handled = Tally()
        processor.on(Numbered.self) { _, _ in handled.add() }
        try processor.start()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { [bus] in
                    for number in 0..<100 {
                        bus.queue(Numbered(task * 100 + number))
                        _ = await resident.visit()
                    }
                }
            }
        }
        #expect(await resident.visit() == 801)
        processor.stop()
        try await processor.stopped()
        #expect(handled.count == 800)
        // Its actors outlive the thread: another thread does their jobs, and afterwards is no processor's thread.
        #expect(await resident.visit() == 802)
        #expect(processor.isIsolatingCurrentContext() == false)
    }

    @Test func aTaskCanPreferAProcessor() async throws {
        let processor = makeProcessor()
        try processor.start()
        let places = await Task(executorPreference: processor) {
            let before = processor.isIsolatingCurrentContext() ?? false
            await Task.yield()
            return [before, processor.isIsolatingCurrentContext() ?? false]
        }.value
        #expect(places == [true, true])
        processor.stop()
        try await processor.stopped()
        #expect(processor.metrics.jobs >= 2)
    }

    // MARK: The end

    @Test func drainingHandlesWhatWasSentBeforeAndNothingElse() throws {
        for round in 0..<500 {
            let handled = Tally()
            let processor = makeProcessor()
            processor.on(Numbered.self) { _, _ in handled.add() }
            try processor.start()
            // Sometimes the thread is just about to park.
            for number in 0..<(round % 3) { bus.queue(Numbered(number)) }
            _ = DispatchTests.wait { handled.count == round % 3 }
            bus.queue(Numbered(-1))
            processor.stop(.draining)
            bus.queue(Numbered(-2))
            processor.waitUntilStopped()
            #expect(handled.count == round % 3 + 1)
            #expect(processor.metrics.discarded == 0)
        }
    }

    @Test func stoppingNowDropsAndCounts() throws {
        let (isHandling, mayGoOn) = (Latch(), Latch())
        let processor = makeProcessor()
        processor.on(Numbered.self) { _, _ in
            isHandling.open()
            mayGoOn.wait()
        }
        for number in 0..<100 { bus.queue(Numbered(number)) }
        try processor.start()
        isHandling.wait()
        processor.stop(.now)
        mayGoOn.open()
        processor.waitUntilStopped()
        #expect(processor.metrics.handled == 1)
        #expect(processor.metrics.discarded == 99)
    }

    @Test(arguments: [EventProcessor.StopMode.draining, .now])
    func aHandlerCanStopItsProcessor(mode: EventProcessor.StopMode) async throws {
        let processor = makeProcessor()
        processor.on(Numbered.self) { [weak processor] _, _ in processor?.stop(mode) }
        for number in 0..<10 { bus.queue(Numbered(number)) }
        try processor.start()
        try await processor.stopped()
        #expect(processor.metrics.handled == (mode == .now ? 1 : 10))
        #expect(processor.metrics.discarded == (mode == .now ? 9 : 0))
    }

    @Test func everybodyWhoWaitsForTheEndIsTold() async throws {
        let processor = makeProcessor()
        try processor.start()
        let told = Tally()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    try await processor.stopped()
                    told.add()
                }
            }
            processor.stop()
            try await group.waitForAll()
        }
        processor.waitUntilStopped()
        try await processor.stopped()
        #expect(told.count == 10)
    }

    @Test func aProcessorThatNeverRanCanBeStoppedAndDoesItsJobs() {
        let processor = makeProcessor()
        let isCurrent = Journal<Bool>()
        processor.perform { [weak processor] in isCurrent.add(processor?.core.isCurrent ?? false) }
        processor.stop()
        processor.perform { [weak processor] in isCurrent.add(processor?.core.isCurrent ?? false) }
        #expect(isCurrent.all == [true, true])
        // Not a programmer's mistake: this thread is the processor no more.
        processor.waitUntilStopped()
    }

    @Test func threadsThatComeAfterAProcessorsAreNotTakenForIt() throws {
        let processor = makeProcessor()
        try processor.start()
        processor.stop()
        processor.waitUntilStopped()
        // The system gives new threads the memory of old ones.
        for _ in 0..<50 { TestThreads.run([{ processor.waitUntilStopped() }]) }
    }

    @Test func aDroppedProcessorEndsItsThread() throws {
        let census = Token.Census()
        weak var core: ProcessorCore?
        do {
            let token = Token(0, in: census)
            let processor = makeProcessor()
            core = processor.core
            processor.on(Numbered.self) { _, _ in withExtendedLifetime(token) {} }
            try processor.start()
            bus.queue(Numbered(0))
        }
        #expect(DispatchTests.wait { census.count == 0 && core == nil })
    }

    @Test func aProcessorCanBeDroppedByItsOwnHandler() throws {
        let census = Token.Census()
        let holder = Locked<EventProcessor?>(nil)
        let isHeldAlone = Latch()
        weak var core: ProcessorCore?
        do {
            let token = Token(0, in: census)
            let processor = makeProcessor()
            core = processor.core
            processor.on(Numbered.self) { _, _ in
                isHeldAlone.wait()
                withExtendedLifetime(token) {}
                let last = holder.withLock { holder in
                    defer { holder = nil }
                    return holder
                }
                _ = consume last
            }
            holder.withLock { $0 = processor }
            // Before the start: a publisher who is still about would keep what the handler lets go of.
            bus.queue(Numbered(0))
            try processor.start()
        }
        isHeldAlone.open()
        #expect(DispatchTests.wait { census.count == 0 && core == nil })
    }

    @Test func aProcessorWhosePolicyIsToFailStopsAfterWhatIsPending() throws {
        let processor = makeProcessor(capacity: 4, .fail)
        let handled = Tally()
        processor.on(Numbered.self) { _, _ in handled.add() }
        for number in 0..<10 { bus.queue(Numbered(number)) }
        #expect(processor.core.mailbox.failure == .overflow(priority: .normal, order: .queue, capacity: 4))
        try processor.start()
        processor.waitUntilStopped()
        #expect(handled.count == 4)
        #expect(processor.metrics.mailbox.total.dropped == 6)
    }

    @Test func aPoolWhosePolicyIsToFailDoesNotHoldUpItsPublishers() throws {
        let pool = ProcessorPool(name: "test", size: 1...1, capacity: 4, overflowPolicy: .fail, bus: bus)
        pool.on(Numbered.self) { _, _ in }
        for number in 0..<10 { bus.queue(Numbered(number)) }
        #expect(bus.channel(of: Numbered.self).metrics.published == 10)
        pool.stop(.now)
    }

    // MARK: Foreign code at the end of things

    @Test func whatAListenerHoldsMayCancelOthersWhenItGoes() {
        let channel = bus.channel(of: Numbered.self)
        let ends = Tally()
        for usesReceivers in [true, false] {
            let processor = makeProcessor()
            let context = usesReceivers ? ListenerContext.processor(processor) : .publisher
            let second = channel.listen(on: context) { _, _ in }
            let end = AtTheEnd {
                second.cancel()
                ends.add()
            }
            let first = channel.listen(on: context) { [end] _, _ in withExtendedLifetime(end) {} }
            _ = consume end
            channel.publish(Numbered(0))
            first.cancel()
        }
        #expect(ends.count == 2)
    }

    @Test func aTableThatIsNeverTakenMayHoldTheLastOfAListener() {
        let channel = bus.channel(of: Numbered.self)
        let ends = Tally()
        let other = channel.listen { _, _ in }
        channel.listen { [weak channel] event, _ in
            guard event.number == 0, let channel else { return }
            let end = AtTheEnd {
                other.cancel()
                ends.add()
            }
            let short = channel.listen { [end] _, _ in withExtendedLifetime(end) {} }
            _ = consume end
            short.cancel()
        }
        channel.publish(Numbered(0))
        #expect(ends.count == 1)
    }

    @Test func whatAScheduleHoldsMayCancelItWhenItGoes() throws {
        let ends = Tally()
        let handle = Locked<Subscription?>(nil)
        do {
            let scheduler = Scheduler(clock: EventClock(VirtualClock()))
            let end = AtTheEnd {
                handle.withLock { $0 }?.cancel()
                ends.add()
            }
            _ = try scheduler.schedule(after: .seconds(1)) { [end] _ in withExtendedLifetime(end) {} }
            _ = consume end
            let other = try scheduler.schedule(after: .seconds(2)) { _ in }
            handle.withLock { $0 = other }
            withExtendedLifetime(scheduler) {}
        }
        #expect(ends.count == 1)
    }

    @Test func anEventThatIsConflatedMayPublishWhenItGoes() {
        struct Chained: Event {
            var timestamp: Timestamp { .epoch }
            let end: AtTheEnd?
        }
        let channel = bus.channel(of: Chained.self)
        let processor = makeProcessor()
        processor.on(Chained.self, filter: .latestOnly) { _, _ in }
        // The first stands for all; the second goes when the third replaces it, and publishes the fourth.
        channel.publish(Chained(end: nil))
        channel.publish(Chained(end: AtTheEnd { channel.publish(Chained(end: nil)) }))
        channel.publish(Chained(end: nil))
        #expect(channel.metrics.published == 4)
    }

    // MARK: Metrics, idling, limits

    @Test func aHandlerThatBlocksShowsInTheMetrics() throws {
        let (isHandling, mayGoOn) = (Latch(), Latch())
        let processor = makeProcessor()
        processor.on(Numbered.self) { _, _ in
            isHandling.open()
            mayGoOn.wait()
        }
        try processor.start()
        #expect(processor.metrics.busyFor == nil)
        bus.queue(Numbered(0))
        isHandling.wait()
        #expect(DispatchTests.wait { processor.metrics.busyFor ?? .zero >= .milliseconds(20) })
        mayGoOn.open()
        #expect(DispatchTests.wait { processor.metrics.busyFor == nil })
        processor.stop()
        processor.waitUntilStopped()
    }

    #if os(Linux)
        /// What the calling thread has used: processor time in microseconds, and how often it went to sleep.
        private static func usage() -> (microseconds: Int, sleeps: Int) {
            var usage = rusage()
            // RUSAGE_THREAD; other tests run at the same time.
            _ = unsafe getrusage(1, &usage)
            let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
            return (seconds * 1_000_000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec, usage.ru_nvcsw)
        }

        @Test func anIdleProcessorUsesNoProcessorTime() async throws {
            let processor = makeProcessor()
            let usages = Journal<(microseconds: Int, sleeps: Int)>()
            try processor.start()
            processor.perform { usages.add(Self.usage()) }
            #expect(await DispatchTests.suspend { usages.all.count == 1 && processor.metrics.mailbox.sleeps > 0 })
            let sleeps = processor.metrics.mailbox.sleeps
            try await Task.sleep(for: .seconds(2))
            #expect(processor.metrics.mailbox.sleeps == sleeps)
            processor.perform { usages.add(Self.usage()) }
            #expect(await DispatchTests.suspend { usages.all.count == 2 })
            processor.stop()
            try await processor.stopped()
            let (before, after) = (usages.all[0], usages.all[1])
            // A loop that spins would take two seconds.
            #expect(after.microseconds - before.microseconds < 100_000)
            // Going to sleep once, and waking up once; the machine's other work may add a few.
            #expect(after.sleeps - before.sleeps <= 6)
        }
    #endif

    @Test func whatAHandlerSendsToItsOwnFullProcessorIsDroppedAndCounted() throws {
        let processor = makeProcessor(capacity: 4)
        let handled = Tally()
        processor.on(Numbered.self) { [bus] event, _ in
            handled.add()
            if event.number == 0 { for number in 1...10 { bus.queue(Numbered(number)) } }
        }
        bus.queue(Numbered(0))
        try drain(processor)
        // Closed or open when it stopped: six, or all ten of the ten had no room.
        #expect(handled.count + Int(processor.metrics.mailbox.total.dropped) == 11)

        let open = makeProcessor(capacity: 4)
        open.on(Other.self) { [bus] _, _ in for _ in 0..<10 { bus.queue(Numbered(1)) } }
        open.on(Numbered.self) { _, _ in }
        try open.start()
        bus.queue(Other())
        #expect(DispatchTests.wait { open.metrics.handled == 5 })
        #expect(open.metrics.mailbox[.normal, .queue].droppedOwn == 6)
        open.stop()
        open.waitUntilStopped()
    }

    /// Of two processors that flood each other one always waits for room in the other: both can be stopped all the same.
    @Test func twoThatFloodEachOtherCanBeStopped() throws {
        let (one, other) = (makeProcessor(capacity: 2), makeProcessor(capacity: 2))
        one.on(Numbered.self) { [bus] _, _ in for _ in 0..<8 { bus.queue(Other()) } }
        other.on(Other.self) { [bus] _, _ in for _ in 0..<8 { bus.queue(Numbered(0)) } }
        for _ in 0..<2 {
            bus.queue(Numbered(0))
            bus.queue(Other())
        }
        try one.start()
        try other.start()
        // One waited for room, and the other did not close the circle.
        #expect(DispatchTests.wait { [one, other].contains { $0.metrics.mailbox.total.droppedOwn > 0 } })
        one.stop(.now)
        one.waitUntilStopped()
        other.stop(.draining)
        other.waitUntilStopped()
        for processor in [one, other] {
            let metrics = processor.metrics
            #expect(metrics.handled + metrics.discarded == metrics.mailbox.total.accepted)
        }
    }
}
