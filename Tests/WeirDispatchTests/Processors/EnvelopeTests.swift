import Synchronization
import TestThreads
import Testing
import WeirCore
import WeirTesting

@testable import WeirDispatch

/// Every event is destroyed exactly once, wherever its way ends.
@Suite(.timeLimit(.minutes(10))) struct EnvelopeTests {
    struct Small: Event, TokenCarrier {
        var timestamp: Timestamp { .epoch }
        let token: Token
        init(_ token: Token) { self.token = token }
    }

    struct Fitting: Event, TokenCarrier {
        var timestamp: Timestamp { .epoch }
        let numbers: (Int, Int, Int, Int, Int) = (1, 2, 3, 4, 5)
        let token: Token
        init(_ token: Token) { self.token = token }
    }

    struct Large: Event, TokenCarrier {
        var timestamp: Timestamp { .epoch }
        let numbers: (Int, Int, Int, Int, Int, Int, Int, Int) = (1, 2, 3, 4, 5, 6, 7, 8)
        let token: Token
        init(_ token: Token) { self.token = token }
    }

    struct Weak: Event, TokenCarrier {
        var timestamp: Timestamp { .epoch }
        let token: Token
        weak let same: Token?
        init(_ token: Token) {
            self.token = token
            same = token
        }
    }

    struct Aligned: Event {
        var timestamp: Timestamp { .epoch }
        let numbers: SIMD4<Float>
    }

    final class Reference: Event {
        let timestamp = Timestamp.epoch
    }

    struct Empty: Event {
        var timestamp: Timestamp { .epoch }
    }

    /// Where an event's way can end.
    enum End: CaseIterable {
        case handled, drainedOnStop, discardedOnStop, neverStarted, processorGone, closed
        case cancelled, ownerGone, tooOld, conflated, droppedNewest, droppedOldest, latest, failed
    }

    let bus = EventBus()
    let census = Token.Census()

    @Test func eventsTravelInsideWhereTheyFitAndMayBeMovedAsBytes() {
        #expect(Payload<Small>.isInline)
        #expect(Payload<Fitting>.isInline)
        #expect(Payload<Reference>.isInline)
        #expect(Payload<Empty>.isInline)
        #expect(!Payload<Large>.isInline)
        #expect(!Payload<Aligned>.isInline)
    }

    @Test func eventsWithWeakReferencesTravelInBoxes() {
        #expect(!Payload<Weak>.isInline)
        #expect(MemoryLayout<Weak>.size <= MemoryLayout<Envelope.Payload>.size)
    }

    @Test(arguments: End.allCases) func everyEventIsDestroyedOnce(end: End) {
        follow(Small.self, to: end)
        follow(Fitting.self, to: end)
        follow(Large.self, to: end)
        follow(Weak.self, to: end)
        #expect(census.count == 0)
    }

    /// Sends twenty events to an end, and looks whether all have gone once everybody has let go.
    func follow<E: TokenCarrier>(_ type: E.Type, to end: End) {
        let policies: [End: OverflowPolicy] = [
            .droppedNewest: .dropNewest, .droppedOldest: .dropOldest, .latest: .latest, .failed: .fail,
        ]
        let policy = policies[end]
        let handled = Tally()
        let counts: MailboxMetrics.Lane
        // On a clock of its own, events are as old as they are to be.
        let clock = VirtualClock()
        let bus = end == .tooOld ? EventBus(clock: EventClock(clock)) : self.bus
        do {
            var owner: Token? = Token(-1, in: census)
            let processor = EventProcessor(
                name: "test",
                capacity: policy == nil ? 64 : 4,
                overflowPolicy: policy ?? .block,
                bus: bus
            )
            let filter: ListenerFilter<E> =
                end == .tooOld ? .youngerThan(.nanoseconds(1)) : end == .conflated ? .latestOnly : .all
            let subscription = bus.listen(to: type, on: .processor(processor), filter: filter, owner: owner) {
                event,
                _ in
                #expect(event.isWhole)
                handled.add()
            }
            if end == .handled { #expect(throws: Never.self) { try processor.start() } }
            if end == .closed { processor.core.mailbox.close() }
            for number in 0..<20 {
                bus.queue(E(Token(number, in: census)), priority: number % 2 == 0 ? .high : .low)
            }
            clock.advance(by: .seconds(1))
            if end == .cancelled { subscription.cancel() }
            if end == .ownerGone { owner = nil }
            let starts = ![.discardedOnStop, .neverStarted, .processorGone, .closed].contains(end)
            if end == .handled { #expect(DispatchTests.wait { handled.count == 20 }) }
            if starts { #expect(throws: Never.self) { try processor.start() } }
            if end != .processorGone {
                processor.stop(end == .discardedOnStop ? .now : .draining)
                processor.waitUntilStopped()
            }
            counts = processor.metrics.mailbox.total
            withExtendedLifetime(owner) {}
        }
        let expected: [End: Int] = [
            .handled: 20, .drainedOnStop: 20, .conflated: 1, .droppedNewest: 8, .droppedOldest: 8, .latest: 2,
            .failed: 8,
        ]
        #expect(handled.count == expected[end] ?? 0, "\(end)")
        if end != .failed, end != .conflated {
            let dropped = Int(counts.dropped)
            #expect(dropped == (policy == nil ? 0 : 20 - handled.count) + (end == .closed ? 20 : 0), "\(end)")
        }
        #expect(DispatchTests.wait { census.count == 0 }, "\(type) \(end): \(census.count) leaked")
    }

    @Test(arguments: [true, false]) func poolsDestroyWhatTheyCannotSend(isDropped: Bool) {
        for policy in [OverflowPolicy.dropNewest, .dropOldest, .latest, .fail] {
            do {
                let pool = ProcessorPool(name: "test", size: 1...2, capacity: 4, overflowPolicy: policy, bus: bus)
                pool.on(Small.self, balancer: .byKey { $0.token.number % 3 }) { _, _ in }
                pool.on(Large.self, balancer: .lowestLoad) { _, _ in }
                pool.on(Weak.self) { _, _ in }
                for number in 0..<20 {
                    bus.queue(Small(Token(number, in: census)))
                    bus.queue(Large(Token(number, in: census)))
                    bus.queue(Weak(Token(number, in: census)))
                }
                if !isDropped { pool.stop(.now) }
            }
            bus.queue(Small(Token(0, in: census)))
            #expect(census.count == 0, "\(policy)")
        }
    }

    @Test func theListenersOfAPoolEndWithIt() {
        do {
            let token = Token(0, in: census)
            let pool = ProcessorPool(name: "test", size: 1...2, bus: bus)
            pool.on(Small.self) { _, _ in withExtendedLifetime(token) {} }
        }
        #expect(census.count == 0)
    }

    @Test func aChannelLetsGoOfItsLatestEvent() {
        do {
            let channel = EventChannel<Small>(replaysLatest: true)
            for number in 0..<3 { channel.publish(Small(Token(number, in: census))) }
            #expect(census.count == 1)
        }
        #expect(census.count == 0)
    }

    @Test func pendingEventsOfTasksGoWithTheListener() async {
        let mayGo = Latch()
        let channel = EventChannel<Small>()
        let subscription = channel.listen(on: .task(limit: 2, capacity: 4)) { _, _ in
            while !mayGo.isOpen { await Task.yield() }
        }
        for number in 0..<20 { channel.publish(Small(Token(number, in: census))) }
        subscription.cancel()
        mayGo.open()
        #expect(await DispatchTests.suspend { census.count == 0 })
    }
}

protocol TokenCarrier: Event {
    init(_ token: Token)
    var token: Token { get }
}

extension TokenCarrier {
    /// Whether the event came through in one piece.
    var isWhole: Bool {
        if let large = self as? EnvelopeTests.Large, large.numbers.7 != 8 { return false }
        if let fitting = self as? EnvelopeTests.Fitting, fitting.numbers.4 != 5 { return false }
        if let weak = self as? EnvelopeTests.Weak, weak.same !== token { return false }
        return (0..<20).contains(token.number)
    }
}
