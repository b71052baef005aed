import Synchronization
import TestThreads
import Testing
import WeirCore
import WeirDispatch
import WeirSelection
import WeirTesting

/// Checkpoints of buses: at a moment at which nothing is on its way between processors.
@Suite struct BusStateTests {
    private struct Order: Event {
        let timestamp: Timestamp
        let cents: Int
    }

    private struct Booked: Sendable {
        let cents: Int
    }

    private struct Audited: Sendable {
        let cents: Int
    }

    private final class Totals: Sendable {
        let sums = Locked([0, 0, 0])

        func set(_ index: Int, _ sum: Int) { sums.withLock { $0[index] = sum } }
    }

    /// Orders are booked on one processor, whose bookings are audited by a pool: each sum is that of all orders.
    private final class Shop: Sendable {
        let bus = EventBus(clock: EventClock(VirtualClock()))
        let booking: EventProcessor
        let auditing: ProcessorPool
        let totals = Totals()

        init() throws {
            booking = EventProcessor(name: "booking", bus: bus)
            auditing = ProcessorPool(name: "auditing", size: 2...2, bus: bus)
            let bus = bus
            booking.on(Order.self) { [weak bus] order, context in
                // What comes back overtakes, and is overtaken.
                bus?.queue(Booked(cents: order.cents), priority: order.cents % 2 == 0 ? .lowest : .highest)
            }
            auditing.on(Booked.self) { [weak bus] booked, _ in bus?.publish(Audited(cents: booked.cents)) }
            let totals = totals
            bus.channel(of: Order.self).scan(into: 0) { $0 += $1.cents }.subscribe { totals.set(0, $0) }
            bus.channel(of: Booked.self).scan(into: 0) { $0 += $1.cents }.subscribe { totals.set(1, $0) }
            bus.channel(of: Audited.self).scan(into: 0) { $0 += $1.cents }.subscribe { totals.set(2, $0) }
            try booking.start()
            try auditing.start()
        }

        func order(_ cents: Int) {
            let priority = Priority.allCases[cents % Priority.allCases.count]
            let order = Order(timestamp: .epoch, cents: cents)
            if cents % 3 == 0 { bus.stack(order, priority: priority) } else { bus.queue(order, priority: priority) }
        }

        func stop() {
            booking.stop()
            booking.waitUntilStopped()
            auditing.stop()
            auditing.waitUntilStopped()
        }

        var sums: [Int] { totals.sums.withLock { $0 } }
    }

    /// Whatever is pending when the checkpoint is asked for, nothing of it is lost or counted twice.
    @Test func nothingThatIsPendingIsLost() throws {
        for cut in stride(from: 0, to: 240, by: 12) {
            let first = try Shop()
            for cents in 1..<cut + 1 { first.order(cents) }
            let checkpoint = try Checkpoint(bytes: try first.bus.checkpoint(within: .seconds(300)).bytes)
            first.stop()
            let second = try Shop()
            #expect(try second.bus.restore(checkpoint).isComplete)
            #expect(try second.bus.checkpoint(within: .seconds(300)).bytes == checkpoint.bytes, "cut \(cut)")
            for cents in cut + 1..<242 { second.order(cents) }
            second.stop()
            #expect(second.sums == [29161, 29161, 29161], "cut \(cut)")
        }
    }

    /// While others publish, a checkpoint is of one moment or none.
    @Test func publishersThatGoOnDoNotTearIt() throws {
        let first = try Shop()
        let isOver = Atomic(false)
        let taken = Locked<[Checkpoint]>([])
        let errors = Locked<[StateError]>([])
        TestThreads.run([
            {
                var cents = 0
                while !isOver.load(ordering: .relaxed) {
                    cents += 1
                    first.order(cents)
                    // In bursts, so that there are moments of rest.
                    if cents % 16 == 0 { for _ in 0..<200 { TestThreads.yield() } }
                }
            },
            {
                for _ in 0..<20 {
                    do throws(StateError) {
                        let checkpoint = try first.bus.checkpoint(within: .milliseconds(40))
                        taken.withLock { $0.append(checkpoint) }
                    } catch {
                        errors.withLock { $0.append(error) }
                    }
                }
                isOver.store(true, ordering: .relaxed)
            },
        ])
        first.stop()
        #expect(errors.withLock { $0 }.allSatisfy { $0 == .unsettled("the bus") })
        for checkpoint in taken.withLock({ $0 }) {
            let second = try Shop()
            try second.bus.restore(checkpoint)
            second.order(3)
            second.stop()
            #expect(Set(second.sums).count == 1, "\(second.sums)")
        }
    }

    /// A publisher that is between what is saved and a mailbox would be in the state with half of its event.
    @Test func aPublisherBetweenSinksAndMailboxesIsWaitedFor() throws {
        let bus = EventBus(clock: EventClock(VirtualClock()))
        let sums = Locked((sent: 0, handled: 0))
        bus.channel(of: Order.self).scan(into: 0) { $0 += $1.cents }.subscribe { sum in sums.withLock { $0.sent = sum }
        }
        bus.channel(of: Audited.self).scan(into: 0) { $0 += $1.cents }.subscribe { sum in
            sums.withLock { $0.handled = sum }
        }
        let (isBetween, goesOn) = (Parker(), Parker())
        let listener = bus.listen(to: Order.self) { _, _ in
            isBetween.unpark()
            goesOn.park()
        }
        let processor = EventProcessor(name: "after the listener", bus: bus)
        processor.on(Order.self) { [weak bus] order, _ in bus?.publish(Audited(cents: order.cents)) }
        try processor.start()
        let errors = Locked([StateError]())
        TestThreads.run([
            { bus.publish(Order(timestamp: .epoch, cents: 7)) },
            {
                isBetween.park()
                do throws(StateError) { _ = try bus.checkpoint(within: .milliseconds(20)) } catch {
                    errors.withLock { $0.append(error) }
                }
                goesOn.unpark()
            },
        ])
        #expect(errors.withLock { $0 } == [.unsettled("the bus")])
        _ = try bus.checkpoint(within: .seconds(300))
        #expect(sums.withLock { [$0.sent, $0.handled] } == [7, 7])
        listener.cancel()
        processor.stop()
        processor.waitUntilStopped()
    }

    @Test func aProcessorCannotWaitForItself() throws {
        let shop = try Shop()
        let error = Locked(StateError?.none)
        let done = Parker()
        shop.booking.perform {
            do throws(StateError) { _ = try shop.bus.checkpoint() } catch let thrown { error.withLock { $0 = thrown } }
            done.unpark()
        }
        done.park()
        #expect(error.withLock { $0 } == .busy("the processor 'booking'"))
        shop.stop()
    }

    @Test func aProcessorThatDoesNotRunKeepsItFromRest() throws {
        let bus = EventBus()
        let idle = EventProcessor(name: "idle", bus: bus)
        idle.on(Order.self) { _, _ in }
        #expect(throws: Never.self) { try bus.checkpoint(within: .zero) }
        bus.publish(Order(timestamp: .epoch, cents: 1))
        #expect(throws: StateError.unsettled("the bus")) { try bus.checkpoint(within: .milliseconds(1)) }
    }

    /// A type of which nobody wants to know leaves no trace.
    @Test func unknownTypesAreLeftOut() throws {
        let bus = EventBus(clock: EventClock(VirtualClock()))
        bus.publish(Order(timestamp: .epoch, cents: 1))
        let checkpoint = try bus.checkpoint(within: .seconds(300))
        #expect(try EventBus(clock: EventClock(VirtualClock())).restore(checkpoint).isComplete)
    }
}

/// What is on its way to another context is part of the state.
@Suite struct ReceivedStateTests {
    private struct Run {
        let clock = VirtualClock()
        let scheduler: Scheduler
        let channel: EventChannel<Int>
        let received: ReceivedOn<EventChannel<Int>>
        let recorder: Recorder<Int>

        init(_ policy: OverflowPolicy) {
            scheduler = Scheduler(clock: EventClock(clock))
            channel = EventChannel(clock: EventClock(clock))
            received = channel.receive(on: .scheduler(scheduler), capacity: 8, overflowPolicy: policy)
            recorder = Recorder(received.scan(into: 0) { $0 += $1 })
        }

        func play(_ step: Int) {
            switch step % 9 {
            case 4: scheduler.runDue()
            case 6: channel.advance(to: Timestamp(millisecondsSinceEpoch: Int64(step)))
            case 8 where step > 50: channel.finish()
            default: channel.publish(step)
            }
        }

        var texts: [String] { recorder.signals.map { "\($0)" } }
    }

    @Test(arguments: [OverflowPolicy.dropOldest, .dropNewest, .latest, .fail])
    func everyPosition(policy: OverflowPolicy) throws {
        for stride in [1, 4] {
            let steps = (0..<60).map { $0 * stride }
            let whole = Run(policy)
            for step in steps { whole.play(step) }
            whole.scheduler.runDue()
            // A channel that has ended no longer knows what its elements are on their way to.
            let end = steps.firstIndex { $0 % 9 == 8 && $0 > 50 } ?? steps.count
            for cut in 0...end {
                let first = Run(policy)
                for step in steps[..<cut] { first.play(step) }
                let checkpoint = try Checkpoint(bytes: try first.channel.checkpoint().bytes)
                #expect(try first.channel.checkpoint().bytes == checkpoint.bytes)
                let second = Run(policy)
                try second.channel.restore(checkpoint)
                #expect(try second.channel.checkpoint().bytes == checkpoint.bytes, "cut \(cut)")
                for step in steps[cut...] { second.play(step) }
                second.scheduler.runDue()
                #expect(first.texts + second.texts == whole.texts, "cut \(cut)")
                #expect(second.received.dropped.count == whole.received.dropped.count, "cut \(cut)")
            }
        }
    }
}
