import TestThreads
import Testing
import WeirCore
import WeirDispatch
import WeirTesting

/// Values without a time go everywhere where events go, and are stamped on arrival.
@Suite struct UntimedEventTests {
    private struct LoadPlan: Sendable, Equatable {
        var number = 0
    }

    private struct Reading: Event, Equatable {
        let timestamp: Timestamp
    }

    private protocol Measured: Event {}

    private struct Measurement: Measured {
        let timestamp: Timestamp
    }

    private func time(_ seconds: Int64) -> Timestamp { Timestamp(secondsSinceEpoch: seconds) }

    @Test func aChannelStampsOnArrival() {
        let clock = VirtualClock()
        let channel = EventChannel<LoadPlan>(clock: EventClock(clock))
        let recorders = [Recorder(channel), Recorder(channel)]
        clock.advance(by: .seconds(3))
        channel.publish(LoadPlan(number: 1))
        clock.advance(by: .seconds(4))
        channel.publish(contentsOf: [LoadPlan(number: 2), LoadPlan(number: 3)])
        channel.advance(to: time(7))
        channel.finish()
        let start = clock.now() - .seconds(7)
        for recorder in recorders {
            #expect(recorder.elements.map(\.number) == [1, 2, 3])
            #expect(recorder.times == [3, 7, 7].map { start + .seconds($0) })
            #expect(recorder.isFinished)
        }
    }

    @Test func arrivalDoesNotGoBack() {
        let now = Locked(Timestamp(secondsSinceEpoch: 100))
        struct Jumping: TimeSource {
            let time: @Sendable () -> Timestamp
            func now() -> Timestamp { time() }
        }
        let channel = EventChannel<LoadPlan>(clock: EventClock(Jumping { now.withLock { $0 } }))
        let recorder = Recorder(channel)
        channel.publish(LoadPlan())
        now.withLock { $0 = time(40) }
        channel.publish(LoadPlan())
        now.withLock { $0 = time(120) }
        channel.publish(LoadPlan())
        #expect(recorder.times == [time(100), time(100), time(120)])
    }

    @Test func theLatestIsReplayedWithItsTime() {
        let clock = VirtualClock()
        let channel = EventChannel<LoadPlan>(replaysLatest: true, clock: EventClock(clock))
        channel.publish(LoadPlan(number: 1))
        let published = clock.now()
        clock.advance(by: .seconds(5))
        let recorder = Recorder(channel)
        #expect(recorder.signals == [.element(LoadPlan(number: 1), published)])
    }

    @Test func whatIsPublishedInsideASinkKeepsItsOrder() {
        let channel = EventChannel<LoadPlan>()
        let recorder = Recorder(channel)
        channel.subscribe { plan in if plan.number < 5 { channel.publish(LoadPlan(number: plan.number + 1)) } }
        channel.publish(LoadPlan(number: 1))
        #expect(recorder.elements.map(\.number) == [1, 2, 3, 4, 5])
        #expect(recorder.times == recorder.times.sorted())
    }

    @Test func manyThreadsLoseNothing() {
        let channel = EventChannel<LoadPlan>()
        let recorder = Recorder(channel)
        TestThreads.run(
            (0..<4).map { thread in
                { for number in 0..<1000 { channel.publish(LoadPlan(number: thread * 1000 + number)) } }
            }
        )
        #expect(recorder.elements.map(\.number).sorted() == Array(0..<4000))
        #expect(recorder.times == recorder.times.sorted())
    }

    @Test func eventsKeepTheirOwnTime() {
        let channel = EventChannel<any Measured>()
        let recorder = Recorder(channel)
        channel.publish(Measurement(timestamp: time(9)))
        channel.publish(contentsOf: [Measurement(timestamp: time(4)), Measurement(timestamp: time(5))])
        #expect(recorder.times == [time(9), time(4), time(5)])
        let generic = EventChannel<Reading>()
        let times = Recorder(generic)
        // In code that does not know the type.
        func publish<Element: Sendable>(_ element: Element, on channel: EventChannel<Element>) {
            channel.publish(element)
        }
        publish(Reading(timestamp: time(2)), on: generic)
        #expect(times.times == [time(2)])
    }

    @Test func busesQueueAndListen() {
        let clock = VirtualClock()
        let bus = EventBus(clock: EventClock(clock))
        let seen = Locked<[String]>([])
        bus.listen(to: LoadPlan.self) { plan, context in
            seen.withLock { $0.append("\(plan.number) \(context.priority)") }
        }
        let watched = Recorder(bus.events)
        bus.publish(LoadPlan(number: 1))
        bus.queue(LoadPlan(number: 2), priority: .high)
        bus.stack(LoadPlan(number: 3), priority: .low)
        bus.publish(Reading(timestamp: time(1)))
        #expect(seen.withLock { $0 } == ["1 normal", "2 high", "3 low"])
        #expect(watched.elements.map { "\(type(of: $0.event))" } == ["LoadPlan", "LoadPlan", "LoadPlan", "Reading"])
        #expect(watched.times == [clock.now(), clock.now(), clock.now(), time(1)])
        #expect(bus.metrics.first { $0.eventType == LoadPlan.self }?.metrics.published == 3)
    }

    @Test func anEventOfUnknownTypeGoesToItsOwnChannel() {
        let bus = EventBus()
        let recorder = Recorder(bus.channel(of: Reading.self))
        let event: any Event = Reading(timestamp: time(1))
        bus.publish(event)
        bus.queue(event, priority: .low)
        bus.stack(event)
        #expect(recorder.times == [time(1), time(1), time(1)])
    }

    @Test func aProcessorHandlesThem() throws {
        let bus = EventBus()
        let processor = EventProcessor(name: "planner", bus: bus)
        let done = Parker()
        let seen = Locked<[Int]>([])
        processor.on(LoadPlan.self) { plan, _ in
            let count = seen.withLock { seen in
                seen.append(plan.number)
                return seen.count
            }
            if count == 3 { done.unpark() }
        }
        bus.queue(LoadPlan(number: 1), priority: .low)
        bus.queue(LoadPlan(number: 2), priority: .high)
        bus.stack(LoadPlan(number: 3))
        try processor.start()
        while seen.withLock({ $0.count }) < 3 { done.park() }
        #expect(seen.withLock { $0 } == [3, 2, 1])
        processor.stop(.now)
    }

    @Test func aPoolHandlesThem() throws {
        let bus = EventBus()
        let pool = ProcessorPool(name: "planners", size: 2...2, bus: bus)
        let done = Parker()
        let seen = Locked<[Int]>([])
        pool.on(LoadPlan.self) { plan, _ in
            let count = seen.withLock { seen in
                seen.append(plan.number)
                return seen.count
            }
            if count == 3 { done.unpark() }
        }
        try pool.start()
        for number in 1...3 { bus.queue(LoadPlan(number: number)) }
        while seen.withLock({ $0.count }) < 3 { done.park() }
        #expect(seen.withLock { $0.sorted() } == [1, 2, 3])
        pool.stop(.now)
    }
}
