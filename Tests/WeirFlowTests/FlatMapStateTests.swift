import TestStreams
import Testing
import WeirCore
import WeirCreation
import WeirFlow
import WeirSelection
import WeirTesting

@Suite struct FlatMapStateTests {
    private static let strategies: [FlatteningStrategy] = [.merge(limit: 3), .concat, .latest, .first]

    @Test(arguments: strategies)
    func withStreamsThatHaveFinished(strategy: FlatteningStrategy) {
        let difference = RestoreTrials.difference(counting: { [$0.refused.count, $0.replaced.count] }) { channel in
            channel.flatMap(strategy) { outer in Values(of: [outer, outer]) }
        }
        #expect(difference == nil)
    }

    @Test(arguments: strategies, [LimitPolicy.dropNewest, .dropOldest, .fail])
    func withStreamsThatRun(strategy: FlatteningStrategy, policy: LimitPolicy) {
        let difference = RestoreTrials.difference { channel in
            channel.flatMap(strategy, overflowPolicy: policy, limit: 4, innerState: .repeated) { outer in
                // Some end at once, the others never do.
                Values(of: [outer, outer]).concat(
                    Values<Labelled>([]).append(outer).filter { _ in outer.value < 2 }.concat(
                        Ending(isEndless: outer.value > 2)
                    )
                )
            }
        }
        #expect(difference == nil)
    }

    @Test func streamsThatRunAreRefusedOtherwise() {
        let channel = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
        channel.flatMap(.latest) { _ in SilentStream<Int>() }.subscribe { _ in }
        #expect(throws: Never.self) { try channel.checkpoint() }
        channel.publish(Labelled(timestamp: .epoch, value: 1))
        #expect(throws: StateError.self) { try channel.checkpoint() }
    }

    @Test func whatWasEmittedIsNotEmittedAgain() throws {
        let old = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
        let first = Recorder(stream(old))
        old.publish(Labelled(timestamp: .epoch, value: 2))
        #expect(first.elements == [0, 1])
        let new = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
        let second = Recorder(stream(new))
        try new.restore(old.checkpoint())
        new.publish(Labelled(timestamp: .epoch, value: 1))
        #expect(second.elements == [0])
    }

    @Test func countsAreSaved() throws {
        for strategy in [FlatteningStrategy.first, .latest] {
            func stream(_ channel: EventChannel<Labelled>) -> FlatMapStreams<EventChannel<Labelled>, SilentStream<Int>>
            {
                channel.flatMap(strategy, innerState: .repeated) { _ in SilentStream() }
            }
            let old = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
            stream(old).subscribe { _ in }
            for value in 0..<3 { old.publish(Labelled(timestamp: .epoch, value: value)) }
            let new = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
            let restored = stream(new)
            restored.subscribe { _ in }
            try new.restore(old.checkpoint())
            #expect(restored.refused.count == (strategy == .first ? 2 : 0))
            #expect(restored.replaced.count == (strategy == .latest ? 2 : 0))
        }
    }

    /// A pipeline of fewer streams at once starts no other before it is down to that.
    @Test func fewerStreamsRunThanBefore() throws {
        let (old, new) = (Inner(width: 3, limit: 9), Inner(width: 1, limit: 9))
        old.publish(0..<6)
        try new.channel.restore(old.channel.checkpoint())
        new.publish(6..<7)
        #expect(new.started.elements == [0, 1, 2])
        new.ends[0].finish()
        new.ends[1].finish()
        #expect(new.started.elements == [0, 1, 2])
        new.ends[2].finish()
        #expect(new.started.elements == [0, 1, 2, 3])
        new.ends[3].finish()
        #expect(new.started.elements == [0, 1, 2, 3, 4])
    }

    @Test func fewerElementsWaitThanBefore() throws {
        let (old, new) = (Inner(width: 1, limit: 9), Inner(width: 1, limit: 2))
        old.publish(0..<6)
        try new.channel.restore(old.channel.checkpoint())
        new.publish(6..<7)
        #expect(new.stream.refused.count == 4)
        for number in [0, 5, 6] { new.ends[number].finish() }
        #expect(new.started.elements == [0, 5, 6])
    }

    /// Streams that end when they are told.
    private struct Inner {
        let channel = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
        let ends = (0..<7).map { _ in EventChannel<Int>() }
        let starts = EventChannel<Int>()
        let started: Recorder<Int>
        let stream: FlatMapStreams<EventChannel<Labelled>, EventChannel<Int>>

        init(width: Int, limit: Int) {
            let (ends, starts) = (ends, starts)
            started = Recorder(starts)
            stream = channel.flatMap(
                .merge(limit: width),
                overflowPolicy: .dropOldest,
                limit: limit,
                innerState: .repeated
            ) { outer in
                starts.publish(outer.value)
                return ends[outer.value]
            }
            stream.subscribe { _ in }
        }

        func publish(_ values: Range<Int>) {
            for value in values { channel.publish(Labelled(timestamp: .epoch, value: value)) }
        }
    }

    private func stream(_ channel: EventChannel<Labelled>) -> some EventStream<Int> {
        channel.flatMap(.merge(limit: 4), innerState: .repeated) { outer in
            Values(0..<outer.value) { _ in outer.timestamp }.concat(SilentStream())
        }
    }
}

/// A stream without elements that ends at once or never.
private struct Ending: EventStream {
    typealias Element = Labelled

    let isEndless: Bool

    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Labelled {
        if !isEndless { sink.finish(.finished) }
        return Subscription()
    }
}
