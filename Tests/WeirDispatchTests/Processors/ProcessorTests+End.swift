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

/// How processors end, and what happens then.
extension ProcessorTests {
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

    // MARK: Foreign code

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
}
