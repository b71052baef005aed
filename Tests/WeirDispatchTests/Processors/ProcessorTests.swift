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

@Suite(.timeLimit(.minutes(10))) struct ProcessorTests {
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
            // How often it had slept when it handled the job: it may have done so before it came.
            let slept = Journal<UInt32>()
            try processor.start()
            processor.perform {
                slept.add(processor.metrics.mailbox.sleeps)
                usages.add(Self.usage())
            }
            #expect(
                await DispatchTests.suspend {
                    usages.all.count == 1 && processor.metrics.mailbox.sleeps > slept.all.first ?? .max
                }
            )
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
