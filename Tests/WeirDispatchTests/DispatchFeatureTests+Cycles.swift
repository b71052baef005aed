import Synchronization
import TestThreads
import Testing
import WeirCore
import WeirDispatch

/// Handlers that dispatch events themselves.
extension DispatchFeatureTests {
    @Test func handlersCanPublishWhatTheyHandle() {
        let log = Journal<Double>()
        let bus = bus
        bus.listen(to: Temperature.self) { temperature, _ in
            log.add(temperature.celsius)
            if temperature.celsius < 50_000 { bus.publish(Temperature(celsius: temperature.celsius + 1)) }
        }
        bus.publish(Temperature(celsius: 0))
        #expect(log.all.count == 50_001)
    }

    @Test func eventsCanCallForEachOtherInACycle() throws {
        let log = Journal<Int>()
        let bus = bus
        let ping = makeProcessor()
        let pong = makeProcessor()
        let done = Latch()
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
        let done = Latch()
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
}
