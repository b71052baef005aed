import Foundation
import Synchronization
import TestThreads
import Testing
import WeirCore
import WeirDispatch

/// Many threads at once: nothing is lost but what is counted, and order is kept where it is promised.
@Suite struct DispatchStressTests {
    struct Numbered: Event {
        var timestamp: Timestamp { .epoch }
        let producer: Int
        let number: Int
    }

    /// Counts what it sees and finds breaches of the order within a producer; driven by one thread at a time.
    final class Auditor: Sendable {
        let handled = Atomic<Int>(0)
        let breaches = Atomic<Int>(0)
        private let lasts: Locked<[Int]>

        init(producers: Int) {
            lasts = Locked(Array(repeating: -1, count: producers))
        }

        func see(_ event: Numbered) {
            let isInOrder = lasts.withLock { lasts in
                defer { lasts[event.producer] = event.number }
                return lasts[event.producer] < event.number
            }
            if !isInOrder { breaches.wrappingAdd(1, ordering: .relaxed) }
            handled.wrappingAdd(1, ordering: .relaxed)
        }
    }

    static var eventCount: Int {
        ProcessInfo.processInfo.environment["WEIR_LONG_TESTS"] == "1" ? 10_000_000 : 200_000
    }

    @Test(arguments: [OverflowPolicy.block, .dropNewest, .dropOldest])
    func eightProducersLoseNothingButWhatIsCounted(policy: OverflowPolicy) throws {
        let producers = 8
        let each = Self.eventCount / producers
        let bus = EventBus()
        let processor = EventProcessor(name: "stress", capacity: 64, overflowPolicy: policy, bus: bus)
        let auditor = Auditor(producers: producers)
        processor.on(Numbered.self) { event, _ in auditor.see(event) }
        try processor.start()
        TestThreads.run(
            (0..<producers).map { producer in
                { for number in 0..<each { bus.queue(Numbered(producer: producer, number: number)) } }
            }
        )
        processor.stop(.draining)
        processor.waitUntilStopped()
        let lane = processor.metrics.mailbox[.normal, .queue]
        #expect(auditor.breaches.load(ordering: .relaxed) == 0)
        #expect(auditor.handled.load(ordering: .relaxed) + Int(lane.dropped) == producers * each)
        #expect(lane.pending == 0)
        if policy == .block { #expect(lane.dropped == 0) }
    }

    @Test func listenersComeAndGoWhileOthersDispatch() throws {
        let bus = EventBus()
        let processor = EventProcessor(name: "stays", bus: bus)
        let auditor = Auditor(producers: 4)
        processor.on(Numbered.self) { event, _ in auditor.see(event) }
        try processor.start()
        let each = Self.eventCount / 20
        let producers = (0..<4).map { producer in
            { @Sendable in for number in 0..<each { bus.queue(Numbered(producer: producer, number: number)) } }
        }
        let visitors = (0..<4).map { _ in
            { @Sendable in
                for _ in 0..<200 {
                    let visitor = EventProcessor(name: "visits", bus: bus)
                    let first = visitor.on(Numbered.self) { _, _ in }
                    bus.listen(to: Numbered.self, filter: .where { $0.number < 0 }) { _, _ in }.cancel()
                    try? visitor.start()
                    first.cancel()
                    visitor.on(Numbered.self) { _, _ in }
                    visitor.stop(.now)
                    visitor.waitUntilStopped()
                }
            }
        }
        TestThreads.run(producers + visitors)
        processor.stop(.draining)
        processor.waitUntilStopped()
        #expect(auditor.breaches.load(ordering: .relaxed) == 0)
        #expect(auditor.handled.load(ordering: .relaxed) == 4 * each)
    }

    @Test func aPoolThatGrowsUnderFireKeepsTheOrderOfEachKey() throws {
        let bus = EventBus()
        let producers = 4
        let each = Self.eventCount / 10
        let scaling = PoolScaling(pendingToGrow: 8, ageToGrow: .milliseconds(1), quietPeriod: .milliseconds(4))
        let pool = ProcessorPool(name: "fire", size: 1...4, capacity: 64, scaling: scaling, bus: bus)
        let auditor = Auditor(producers: producers)
        pool.on(Numbered.self, balancer: .byKey { $0.producer }) { event, _ in auditor.see(event) }
        try pool.start()
        TestThreads.run(
            (0..<producers).map { producer in
                { for number in 0..<each { bus.queue(Numbered(producer: producer, number: number)) } }
            }
        )
        pool.stop(.draining)
        pool.waitUntilStopped()
        #expect(auditor.breaches.load(ordering: .relaxed) == 0)
        #expect(auditor.handled.load(ordering: .relaxed) == producers * each)
    }

    @Test func eventsThatOwnSomethingAreLetGoOnEveryPath() throws {
        final class Token: Sendable {
            static let alive = Atomic<Int>(0)

            init() { Self.alive.wrappingAdd(1, ordering: .relaxed) }
            deinit { Self.alive.wrappingSubtract(1, ordering: .relaxed) }
        }
        struct Small: Event {
            var timestamp: Timestamp { .epoch }
            let token = Token()
        }
        struct Large: Event {
            var timestamp: Timestamp { .epoch }
            let token = Token()
            let rest = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
        }
        for policy in [OverflowPolicy.dropNewest, .dropOldest, .latest] {
            for mode in [EventProcessor.StopMode.draining, .now] {
                let bus = EventBus()
                let processor = EventProcessor(name: "owns", capacity: 4, overflowPolicy: policy, bus: bus)
                processor.on(Small.self) { _, _ in }
                processor.on(Large.self, filter: .latestOnly) { _, _ in }
                for _ in 0..<20 {
                    bus.queue(Small(), priority: .high)
                    bus.stack(Large())
                }
                if mode == .draining { try processor.start() }
                processor.stop(mode)
                processor.waitUntilStopped()
                // After its end a processor takes nothing more.
                bus.queue(Small())
            }
        }
        do {
            // Never started, never stopped.
            let bus = EventBus()
            let processor = EventProcessor(name: "idle", bus: bus)
            processor.on(Small.self) { _, _ in }
            bus.queue(Small())
        }
        #expect(Token.alive.load(ordering: .relaxed) == 0)
    }
}
