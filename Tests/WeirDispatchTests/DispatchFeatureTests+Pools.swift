import Synchronization
import Testing
import WeirCore
import WeirDispatch
import WeirTesting

/// Pools of processors.
extension DispatchFeatureTests {
    /// Defect 2: the library's round robin went out of bounds with the event after the last processor's.
    @Test func aPoolGivesEventsInTurn() throws {
        let names = Journal<Int>()
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
        let times = Journal<Timestamp>()
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

    /// Started twice, a pool was watched twice, and one of the two watches lasted as long as the bus.
    @Test func aPoolIsWatchedOnce() throws {
        let before = bus.scheduler.pendingCount
        let pool = ProcessorPool(name: "watched", size: 1...2, bus: bus)
        try pool.start()
        try pool.start()
        #expect(bus.scheduler.pendingCount == before + 1)
        pool.stop(.now)
        #expect(bus.scheduler.pendingCount == before)
        try pool.start()
        #expect(bus.scheduler.pendingCount == before)
        pool.waitUntilStopped()
    }
}
