import TestStreams
import Testing
import WeirCore
import WeirDispatch
import WeirFlow
import WeirTesting

/// Streams of several inputs do not wait for those that are idle.
@Suite struct IdleInputTests {
    /// An input as the documentation describes it.
    private struct Input {
        let idle: Int64
        var watermark = Timestamp.distantPast
        var given = Timestamp.distantPast
        var hasElements = false
        var isActive = false
        var isIdle = false
        var hasFinished = false
        // When the clock is looked at next, and how many looks were planned before that one.
        var next: Int64
        var turn: Int
    }

    /// What a union of inputs sends, of which each goes on by the clock.
    private struct Model {
        var inputs: [Input]
        var turns: Int
        var watermark = Timestamp.distantPast
        var signals: [StreamSignal<Keyed>] = []

        init(_ idles: [Int64], at start: Int64) {
            inputs = idles.enumerated().map { Input(idle: $1, next: start + $1, turn: $0) }
            turns = idles.count
        }

        mutating func settle() {
            let open = inputs.filter { !$0.hasFinished }
            let active = open.filter { !$0.isIdle }
            guard let earliest = (active.isEmpty ? open : active).map(\.watermark).min(), earliest > watermark else {
                return
            }
            watermark = earliest
            signals.append(.watermark(earliest))
        }

        mutating func hear(_ index: Int) {
            inputs[index].isActive = true
            inputs[index].isIdle = false
            settle()
        }

        mutating func look(_ index: Int) {
            let input = inputs[index]
            inputs[index].next += input.idle
            inputs[index].turn = turns
            turns += 1
            defer { inputs[index].isActive = false }
            guard !input.isActive, !input.hasFinished else { return }
            inputs[index].isIdle = true
            settle()
            if input.watermark > .distantPast {
                inputs[index].watermark = input.watermark + .milliseconds(input.idle)
            } else if !input.hasElements {
                inputs[index].watermark = milliseconds(input.next - input.idle)
            }
            settle()
        }

        mutating func go(to now: Int64) {
            while let index = inputs.indices.filter({ inputs[$0].next <= now })
                .min(by: { (inputs[$0].next, inputs[$0].turn) < (inputs[$1].next, inputs[$1].turn) })
            {
                look(index)
            }
        }
    }

    @Test func agreesWithTheDefinition() {
        for seed in seeds(4_000) {
            var generator = SeededGenerator(seed: seed)
            let clock = VirtualClock(at: milliseconds(1_000))
            let scheduler = Scheduler(clock: EventClock(clock))
            clock.drives(scheduler)
            let channels = (0..<3).map { _ in EventChannel<Keyed>() }
            let idles = channels.map { _ in Int64.random(in: 1...6, using: &generator) }
            let recorder = Recorder(
                Swift.zip(channels, idles).map { $0.watermarks(idleAfter: .milliseconds($1), on: scheduler) }.union()
            )
            var model = Model(idles, at: 1_000)
            var now = Int64(1_000)
            for step in 0..<40 {
                let index = Int.random(in: 0..<channels.count, using: &generator)
                let time = milliseconds(.random(in: 990...1_060, using: &generator))
                switch Int.random(in: 0..<20, using: &generator) {
                case 0
                where step > 20 && model.inputs.contains { !$0.hasFinished && $0.turn != model.inputs[index].turn }:
                    channels[index].finish()
                    if model.inputs[index].hasFinished { continue }
                    model.inputs[index].hasFinished = true
                    model.settle()
                case 1..<8:
                    channels[index].publish(Keyed(timestamp: time, key: index, value: step))
                    if model.inputs[index].hasFinished { continue }
                    model.hear(index)
                    model.inputs[index].hasElements = true
                    model.signals.append(.element(Keyed(timestamp: time, key: index, value: step), time))
                case 8..<12:
                    channels[index].advance(to: time)
                    // A channel ignores what does not go on.
                    if model.inputs[index].hasFinished || time <= model.inputs[index].given { continue }
                    model.inputs[index].given = time
                    model.hear(index)
                    model.inputs[index].watermark = max(model.inputs[index].watermark, time)
                    model.settle()
                default:
                    now += .random(in: 0...5, using: &generator)
                    clock.advance(to: milliseconds(now))
                    model.go(to: now)
                }
            }
            guard recorder.signals == model.signals else {
                Issue.record("seed \(seed), \(idles): \(recorder.signals) instead of \(model.signals)")
                return
            }
        }
    }

    private let clock = VirtualClock(at: milliseconds(0))

    private func makeScheduler() -> Scheduler {
        let scheduler = Scheduler(clock: EventClock(clock))
        clock.drives(scheduler)
        return scheduler
    }

    private func send(_ time: Int64, _ key: Int, on channel: EventChannel<Keyed>) {
        channel.publish(Keyed(timestamp: milliseconds(time), key: key, value: 0))
        channel.advance(to: milliseconds(time))
    }

    /// A source whose event time is an hour behind holds the others back only while it speaks.
    @Test func aMergeDoesNotWaitForAnIdleSource() {
        let scheduler = makeScheduler()
        let (north, south) = (EventChannel<Keyed>(), EventChannel<Keyed>())
        let merged = north.watermarks(idleAfter: .milliseconds(10), on: scheduler)
            .merge(south.watermarks(idleAfter: .milliseconds(10), on: scheduler))
        let recorder = Recorder(merged)
        let late = Locked<[Int]>([])
        merged.late.subscribeWithTime { element, _ in late.withLock { $0.append(element.key) } }
        send(-3_600_000, 0, on: south)
        send(1, 1, on: north)
        send(2, 2, on: north)
        #expect(recorder.elements.isEmpty)
        clock.advance(to: milliseconds(15))
        send(16, 3, on: north)
        // South is silent for more than ten milliseconds, north is not.
        clock.advance(to: milliseconds(20))
        #expect(recorder.elements.map(\.key) == [0, 1, 2])
        // South is back: it is waited for, time does not go back, and what is older is offered as late.
        send(-3_599_000, 4, on: south)
        #expect(late.withLock { $0 } == [4])
        send(18, 5, on: north)
        send(30, 6, on: north)
        #expect(recorder.elements.map(\.key) == [0, 1, 2])
        send(17, 7, on: south)
        #expect(recorder.elements.map(\.key) == [0, 1, 2, 3])
        send(31, 8, on: south)
        #expect(recorder.elements.map(\.key) == [0, 1, 2, 3, 7, 5])
        #expect(merged.late.count == 1)
    }

    @Test func mergesOfMergesAreIdleTogether() {
        let scheduler = makeScheduler()
        let channels = (0..<3).map { _ in EventChannel<Keyed>() }
        let idle = channels.map { $0.watermarks(idleAfter: .milliseconds(10), on: scheduler) }
        let recorder = Recorder(idle[0].merge(idle[1]).merge(idle[2].union(idle[2])))
        for (index, channel) in channels.enumerated() { send(-1_000, index, on: channel) }
        for time in stride(from: 5 as Int64, through: 40, by: 5) {
            clock.advance(to: milliseconds(time))
            send(time, 9, on: channels[2])
        }
        #expect(recorder.times.last.map { $0 >= milliseconds(30) } ?? false)
    }

    @Test func aJoinForgetsThoughOneSideIsIdle() {
        let scheduler = makeScheduler()
        let (orders, payments) = (EventChannel<Keyed>(), EventChannel<Keyed>())
        let joined = orders.watermarks(idleAfter: .milliseconds(10), on: scheduler)
            .join(
                payments.watermarks(idleAfter: .milliseconds(10), on: scheduler),
                within: .milliseconds(5),
                by: \.key,
                and: \.key
            )
        let recorder = Recorder(joined)
        send(-1_000, 1, on: payments)
        for time in stride(from: 5 as Int64, through: 40, by: 5) {
            clock.advance(to: milliseconds(time))
            send(time, 1, on: orders)
        }
        send(-999, 1, on: payments)
        #expect(recorder.elements.isEmpty)
        #expect(joined.late.count == 1)
    }
}
