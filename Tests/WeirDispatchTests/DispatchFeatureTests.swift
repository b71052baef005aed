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

    // MARK: Watching everything

    @Test func aBusShowsEveryEventOfEveryType() {
        let log = Journal<String>()
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
