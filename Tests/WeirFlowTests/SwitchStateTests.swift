import TestStreams
import Testing
import WeirCore
import WeirCreation
import WeirDispatch
import WeirFlow
import WeirSelection
import WeirSequences
import WeirTesting

/// What follows a stream that has switched to another one, or was tried again.
@Suite struct SwitchStateTests {
    private struct Broken: Error {}

    /// History that is sent while the stream is attached, and then what is live.
    @Test func afterKnownValues() {
        let history = [9, 9].map { Labelled(timestamp: .epoch, value: $0) }
        #expect(
            RestoreTrials.difference { channel in
                Values(of: history).concat(channel).filter { $0.value < 9 }.scan(into: 0) { $0 += $1.value }
            } == nil
        )
        #expect(
            RestoreTrials.difference { channel in
                FailedStream<Labelled>(Broken()).catch { _ in channel.pairwise().map(\.1) }.scan(into: "") {
                    $0 += $1.label
                }
            } == nil
        )
    }

    /// What has switched goes on with the stream that it was at, whichever channel is saved first.
    @Test func whatSwitchesLater() {
        typealias Channels = [EventChannel<Labelled>]
        let concat = [
            RestoreTrials.difference(channels: 2) { $0[0].concat($0[1]).pairwise() },
            RestoreTrials.difference(channels: 2) { $0[1].concat($0[0]).pairwise() },
            RestoreTrials.difference(channels: 2) {
                $0[0].filter { $0.value > 1 }.take(2).concat($0[1].pairwise().map(\.1))
            },
            RestoreTrials.difference(channels: 2) {
                $0[0].take(1).concat($0[0].drop(2)).scan(into: 0) { $0 += $1.value }
            },
            RestoreTrials.difference(channels: 3) { $0[2].take(2).concat($0[0].take(3)).concat($0[1]).pairwise() },
            RestoreTrials.difference(channels: 3) { $0[0].take(2).concat($0[1].take(2).concat($0[2])).pairwise() },
            RestoreTrials.difference(channels: 3) { $0[0].merge($0[1]).take(5).concat($0[2]).pairwise() },
            RestoreTrials.difference(channels: 3) { $0[2].take(3).concat($0[0]).merge($0[1]).pairwise() },
        ]
        for difference in concat { #expect(difference == nil) }
        let failing = [
            RestoreTrials.difference(channels: 2) { channels in
                channels[0].catch { [second = channels[1]] _ in second.filter { $0.value > 2 } }.pairwise()
            },
            RestoreTrials.difference(channels: 2) { channels in
                Self.failing(channels[0]).catch { [second = channels[1]] _ in second.take(2) }.concat(channels[0])
                    .pairwise()
            },
            RestoreTrials.difference(channels: 2) { channels in
                channels[0].take(2).concat(Self.failing(channels[1])).catch { [first = channels[0]] _ in first }
                    .pairwise()
            },
        ]
        for difference in failing { #expect(difference == nil) }
        let late = [
            RestoreTrials.difference(channels: 2) {
                $0[0].timeout(after: .milliseconds(2), switchingTo: $0[1]).pairwise()
            },
            RestoreTrials.difference(channels: 2) {
                $0[1].timeout(after: .milliseconds(2), switchingTo: $0[0].take(3)).concat($0[1]).pairwise()
            },
        ]
        for difference in late { #expect(difference == nil) }
    }

    /// Streams that several sinks share, each of which goes on with another one.
    @Test func whatSwitchesBehindSharedStreams() {
        let difference = RestoreTrials.difference(channels: 3) { channels in
            let shared = channels[0].share()
            let first = shared.take(2).concat(channels[1]).pairwise()
            return first.merge(shared.take(4).concat(channels[2]).pairwise())
        }
        #expect(difference == nil)
    }

    private static func failing(_ channel: EventChannel<Labelled>) -> some EventStream<Labelled> {
        channel.tryMap { element in
            guard element.value != 3 else { throw Broken() }
            return element
        }
    }

    /// The error that has led to another stream has the same text afterwards.
    @Test func theHandlerGetsTheTextOfTheError() throws {
        let texts = Locked<[String]>([])
        let found = Locked<[Int]>([])
        func channels() -> (EventChannel<Labelled>, EventChannel<Labelled>) {
            let (first, second) = (EventChannel<Labelled>(), EventChannel<Labelled>())
            Self.failing(first).catch { error in
                texts.withLock { $0.append("\(error)") }
                return second
            }.pairwise().subscribe { old, new in found.withLock { $0.append(old.value * 10 + new.value) } }
            return (first, second)
        }
        func exchange(
            _ channels: (EventChannel<Labelled>, EventChannel<Labelled>),
            _ state: inout StateExchange
        ) throws(StateError) {
            try state.scoped("first") { state throws(StateError) in try channels.0.exchangeState(&state) }
            try state.scoped("second") { state throws(StateError) in try channels.1.exchangeState(&state) }
        }
        let before = channels()
        before.0.publish(Labelled(timestamp: .epoch, value: 3))
        before.1.publish(Labelled(timestamp: .epoch, value: 2))
        let checkpoint = try Checkpoint { state throws(StateError) in try exchange(before, &state) }
        let after = channels()
        #expect(try checkpoint.restore { state throws(StateError) in try exchange(after, &state) }.isComplete)
        #expect(texts.withLock { $0 } == ["Broken()", "Broken()"])
        after.0.publish(Labelled(timestamp: .epoch, value: 1))
        after.1.publish(Labelled(timestamp: .epoch, value: 4))
        #expect(found.withLock { $0 } == [24])
    }

    /// The type of an error is not saved, and so neither is what looks at it.
    @Test func whatLooksAtTheTypeOfAnErrorIsRefused() throws {
        let (first, second) = (EventChannel<Labelled>(), EventChannel<Labelled>())
        Self.failing(first).catch(Broken.self) { _ in second }.pairwise().subscribe { _ in }
        _ = try first.checkpoint()
        first.publish(Labelled(timestamp: .epoch, value: 3))
        #expect(throws: StateError.unsaveable(operator: "catch(_:_:), after a failure,")) { try second.checkpoint() }
    }

    /// Chains that are over are not remembered.
    @Test func whatIsOverIsForgotten() throws {
        let (first, second) = (EventChannel<Labelled>(), EventChannel<Labelled>())
        for _ in 0..<1000 {
            first.take(1).concat(second.take(1)).subscribe { _ in }
            first.publish(Labelled(timestamp: .epoch, value: 1))
            second.publish(Labelled(timestamp: .epoch, value: 1))
        }
        #expect(try first.checkpoint().bytes.count < 1000)
    }

    /// What is restored during a pause is attached: the pause is over.
    @Test func pausesOfAttempts() throws {
        func channel(_ clock: VirtualClock, _ found: Multicast<Int>) -> EventChannel<Labelled> {
            let channel = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
            let scheduler = Scheduler(clock: EventClock(clock))
            clock.drives(scheduler)
            Self.failing(channel).scan(into: 0) { $0 += $1.value }.retry(3, after: .seconds(1), on: scheduler)
                .scan(into: 0) { $0 += $1 }.subscribe { found.send($0, at: .epoch) }
            return channel
        }
        let clock = VirtualClock()
        let found = Multicast<Int>()
        let recorder = Recorder(found)
        let first = channel(clock, found)
        for value in [1, 2, 3, 4] { first.publish(Labelled(timestamp: .epoch, value: value)) }
        #expect(recorder.elements == [1, 4])
        let checkpoint = try first.checkpoint()
        let later = VirtualClock()
        let other = Multicast<Int>()
        let otherRecorder = Recorder(other)
        let second = channel(later, other)
        // What is before `retry` starts anew with each attempt.
        #expect(try second.restore(checkpoint).isComplete)
        second.publish(Labelled(timestamp: .epoch, value: 5))
        #expect(otherRecorder.elements == [9])
        // Two attempts are left.
        for value in [3, 3, 3] {
            second.publish(Labelled(timestamp: .epoch, value: value))
            later.advance(by: .seconds(9))
        }
        second.publish(Labelled(timestamp: .epoch, value: 1))
        #expect(otherRecorder.elements == [9])
        // The first one goes on as well.
        clock.advance(by: .seconds(1))
        first.publish(Labelled(timestamp: .epoch, value: 5))
        #expect(recorder.elements == [1, 4, 9])
    }

    /// Streams of several channels, and those that have gone on before, are attached from the beginning after a pause.
    @Test func pausesOfAttemptsOfSeveralStreams() throws {
        typealias Channels = [EventChannel<Labelled>]
        func channels(_ build: (Channels, Scheduler) -> some EventStream<Int>) -> (Channels, Recorder<Int>) {
            let channels = (0..<2).map { _ in EventChannel<Labelled>(clock: EventClock(VirtualClock())) }
            let clock = VirtualClock()
            let scheduler = Scheduler(clock: EventClock(clock))
            clock.drives(scheduler)
            return (channels, Recorder(build(channels, scheduler).scan(into: 0) { $0 += $1 }))
        }
        func exchange(_ channels: Channels, _ state: inout StateExchange) throws(StateError) {
            for (index, channel) in channels.enumerated().reversed() {
                try state.scoped("\(index)") { state throws(StateError) in try channel.exchangeState(&state) }
            }
        }
        func publish(_ channel: EventChannel<Labelled>, _ value: Int) {
            channel.publish(Labelled(timestamp: .epoch, value: value))
        }
        /// What a pipeline finds in values of two channels, and one that goes on from there in others.
        func found(
            _ values: [(channel: Int, value: Int)],
            then others: [(channel: Int, value: Int)],
            _ build: (Channels, Scheduler) -> some EventStream<Int>
        ) throws -> [[Int]] {
            let (first, second) = (channels(build), channels(build))
            for (channel, value) in values { publish(first.0[channel], value) }
            let checkpoint = try Checkpoint { state throws(StateError) in try exchange(first.0, &state) }
            #expect(try checkpoint.restore { state throws(StateError) in try exchange(second.0, &state) }.isComplete)
            for (channel, value) in others { publish(second.0[channel], value) }
            return [first.1.elements, second.1.elements]
        }
        let merged = try found([(0, 1), (1, 3), (0, 1)], then: [(0, 2), (1, 4)]) { channels, scheduler in
            channels[0].union(Self.failing(channels[1])).map(\.value).retry(2, after: .seconds(1), on: scheduler)
        }
        #expect(merged == [[1], [3, 7]])
        let switched = try found([(0, 1), (1, 3)], then: [(1, 4), (0, 2), (1, 4)]) { channels, scheduler in
            channels[0].take(1).concat(Self.failing(channels[1])).map(\.value)
                .retry(2, after: .seconds(1), on: scheduler)
        }
        #expect(switched == [[1], [3, 7]])
    }

    /// A stream is not given another one's state where what it has left is not saved with it.
    @Test func whatSwitchesLaterDoesNotFit() throws {
        func channels() -> (EventChannel<Labelled>, EventChannel<Labelled>) {
            let first = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
            let second = EventChannel<Labelled>(clock: EventClock(VirtualClock()))
            first.concat(second).pairwise().subscribe { _ in }
            return (first, second)
        }
        let (first, second) = channels()
        first.publish(Labelled(timestamp: .epoch, value: 1))
        first.finish()
        second.publish(Labelled(timestamp: .epoch, value: 2))
        let checkpoint = try second.checkpoint()
        let other = channels().1
        #expect(throws: StateError.self) { try other.restore(checkpoint) }
        let report = try other.restore(checkpoint, droppingMismatches: true)
        #expect(report.dropped.map(\.name) == ["1/later", "1/pairwise"])
    }

    /// Each attempt has the place of the one before.
    @Test func attempts() {
        let difference = RestoreTrials.difference { channel in
            channel.tryMap { element in
                guard element.value != 3 else { throw Broken() }
                return element
            }.scan(into: 0) { $0 += $1.value }.retry(2).pairwise()
        }
        #expect(difference == nil)
        // Beside another sink, whose signals come in the same order afterwards.
        let beside = RestoreTrials.difference { channel in
            let found = Multicast<String>()
            channel.tryMap { element in
                guard element.value != 3 else { throw Broken() }
                return element.value
            }.retry(3).pairwise().subscribe { found.send("retried \($0)", at: .epoch) }
            channel.scan(into: 0) { $0 += $1.value }.subscribe { found.send("sum \($0)", at: .epoch) }
            return found
        }
        #expect(beside == nil)
    }
}
