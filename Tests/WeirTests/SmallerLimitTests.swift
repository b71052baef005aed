import TestStreams
import Testing
import Weir
import WeirTesting

/// Settings are no state: a pipeline with less room than the one whose state it gets keeps to its own limit.
@Suite struct SmallerLimitTests {
    private struct Pipeline<Output: EventStream> {
        let channels: [EventChannel<Labelled>]
        let output: Output
        let recorder: Recorder<Output.Element>

        init(_ channelCount: Int, limit: Int, _ build: ([EventChannel<Labelled>], Int) -> Output) {
            channels = (0..<channelCount).map { _ in EventChannel<Labelled>(clock: EventClock(VirtualClock())) }
            output = build(channels, limit)
            recorder = Recorder(output)
        }

        func publish(_ values: Range<Int>, on channel: Int = 0) {
            for value in values { channels[channel].publish(Labelled(timestamp: time(of: value), value: value)) }
        }

        func advance(to value: Int) {
            for channel in channels { channel.advance(to: time(of: value)) }
        }

        private func time(of value: Int) -> Timestamp { Timestamp(millisecondsSinceEpoch: Int64(20 * value)) }

        func exchange(_ state: inout StateExchange) throws(StateError) {
            for (index, channel) in channels.enumerated() {
                try state.scoped("channel\(index)") { state throws(StateError) in try channel.exchangeState(&state) }
            }
        }

        func checkpoint() throws(StateError) -> Checkpoint { try Checkpoint(of: exchange) }

        func restore(_ checkpoint: Checkpoint) throws(StateError) { try checkpoint.restore(to: exchange) }
    }

    /// Gives a pipeline with a limit of 2 the state of one with a limit of 100, and some more, and looks what it holds.
    private func check<Output: EventStream>(
        _ name: String,
        channels channelCount: Int = 1,
        on channel: Int = 0,
        _ build: ([EventChannel<Labelled>], Int) -> Output,
        gone: (Output, [Output.Element]) -> Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let large = Pipeline(channelCount, limit: 100, build)
        large.publish(0..<10, on: channel)
        let small = Pipeline(channelCount, limit: 2, build)
        try small.restore(large.checkpoint())
        small.publish(10..<13, on: channel)
        // The others were emitted or given up.
        let held = 13 - gone(small.output, large.recorder.elements + small.recorder.elements)
        #expect((0...2).contains(held), "\(name): \(held)", sourceLocation: sourceLocation)
        #expect(!small.recorder.isFinished, "\(name)", sourceLocation: sourceLocation)
    }

    @Test func arraysAreEmitted() throws {
        try check("buffer", { $0[0].buffer($1) }, gone: { $1.joined().count })
        try check("buffer(within:)", { $0[0].buffer($1, within: .seconds(9)) }, gone: { $1.joined().count })
        try check("repeated", { $0[0].repeated(atLeast: $1, within: .seconds(9)) }, gone: { $1.joined().count })
    }

    @Test func whatWaitsForPartnersIsDropped() throws {
        try check(
            "zip",
            channels: 2,
            { $0[0].zip($0[1], overflowPolicy: .dropOldest, limit: $1) },
            gone: { zip, _ in Int(zip.refused.count) }
        )
        try check(
            "zip of three",
            channels: 3,
            { $0[0].zip($0[1], $0[2], overflowPolicy: .dropOldest, limit: $1) },
            gone: { zip, _ in Int(zip.refused.count) }
        )
        for consumption in [ConsumptionPolicy.reuse, .consume] {
            for channel in 0..<2 {
                try check(
                    "then, \(consumption), \(channel)",
                    channels: 2,
                    on: channel,
                    { $0[0].then($0[1], within: .seconds(9), consumption: consumption, limit: $1) },
                    gone: { then, _ in Int(then.dropped.count) }
                )
                try check(
                    "all, \(consumption), \(channel)",
                    channels: 2,
                    on: channel,
                    { all($0[0], $0[1], within: .seconds(9), consumption: consumption, limit: $1) },
                    gone: { all, _ in Int(all.dropped.count) }
                )
            }
        }
    }

    @Test func whatWaitsForTheWatermarkIsDropped() throws {
        try check(
            "absent",
            { $0[0].absent(for: .milliseconds(1), limit: $1) },
            gone: { absent, _ in Int(absent.dropped.count) }
        )
        for channel in 0..<2 {
            try check(
                "unless, \(channel)",
                channels: 2,
                on: channel,
                { $0[0].unless($0[1], within: .seconds(9), limit: $1) },
                gone: { unless, _ in Int(unless.dropped.count) }
            )
        }
        for channel in 0..<3 {
            try check(
                "without, \(channel)",
                channels: 3,
                on: channel,
                { without($0[0], between: $0[1], and: $0[2], within: .seconds(9), limit: $1) },
                gone: { without, _ in Int(without.dropped.count) }
            )
        }
        let scheduler = Scheduler(clock: EventClock(VirtualClock()))
        try check(
            "delay(arrivalBy:)",
            { $0[0].delay(arrivalBy: .seconds(9), on: scheduler, overflowPolicy: .dropOldest, limit: $1) },
            gone: { delay, _ in Int(delay.refused.count) }
        )
    }

    /// Beyond the watermark: what has no forbidden element behind it.
    @Test func whatMayBeginPairsIsDropped() throws {
        let build = { (channels: [EventChannel<Labelled>], limit: Int) in
            without(channels[0], between: channels[1], and: channels[2], within: .seconds(9), limit: limit)
        }
        let large = Pipeline(3, limit: 100, build)
        large.publish(0..<10, on: 1)
        large.advance(to: 10)
        let small = Pipeline(3, limit: 2, build)
        try small.restore(large.checkpoint())
        small.publish(10..<11, on: 1)
        small.advance(to: 11)
        small.publish(12..<13, on: 2)
        small.advance(to: 13)
        #expect(small.recorder.elements.map { $0.0.value } == [9, 10])
    }

    @Test func whatWaitsForItsTurnIsEmittedAheadOfTime() throws {
        try check("merge", channels: 2, { $0[0].merge($0[1], limit: $1) }, gone: { $1.count })
        try check("ordered", { $0[0].ordered(within: .milliseconds(800), limit: $1) }, gone: { $1.count })
    }

    @Test func elementsLeaveWindows() throws {
        func gone(_ changes: [WindowChange<Labelled>]) -> Int { changes.count { $0.hasLeft } }
        try check("last", { $0[0].retaining(last: $1) }, gone: { gone($1) })
        try check("for", { $0[0].retaining(for: .seconds(9), limit: $1) }, gone: { gone($1) })
        try check("latestBy", { $0[0].retaining(latestBy: \.value, limit: $1) }, gone: { gone($1) })
        try check("highest", { $0[0].retaining(highest: $1, by: \.value) }, gone: { gone($1) })
        try check("while", { $0[0].retaining(limit: $1) { _, _, _ in true } }, gone: { gone($1) })
        // Those that do not enter make others leave, too.
        let large = Pipeline(1, limit: 100) { $0[0].retaining(lowest: $1, by: \.value) }
        large.publish(0..<10)
        let small = Pipeline(1, limit: 2) { $0[0].retaining(lowest: $1, by: \.value) }
        try small.restore(large.checkpoint())
        small.publish(10..<11)
        #expect(small.recorder.elements.map(\.element.value) == [9, 8, 7, 6, 5, 4, 3, 2])
        #expect(small.recorder.elements.allSatisfy { $0.hasLeft })
    }

    @Test func ranksAreGivenUp() throws {
        let large = Pipeline(1, limit: 100) { $0[0].running(Ranked(by: { $0.value }, top: $1)) }
        large.publish(0..<10)
        let small = Pipeline(1, limit: 2) { $0[0].running(Ranked(by: { $0.value }, top: $1)) }
        try small.restore(large.checkpoint())
        small.publish(10..<11)
        #expect(small.recorder.elements.last?.map(\.value) == [10, 9])
    }

    @Test func keysAreForgotten() throws {
        let large = Pipeline(1, limit: 100) { $0[0].distinct(by: \.value, last: $1) }
        large.publish(0..<10)
        let small = Pipeline(1, limit: 2) { $0[0].distinct(by: \.value, last: $1) }
        try small.restore(large.checkpoint())
        small.publish(10..<12)
        for value in [10, 11, 9, 0] { small.publish(value..<value + 1) }
        #expect(small.recorder.elements.map(\.value) == [10, 11, 9, 0])
    }

    @Test(arguments: [LimitPolicy.dropNewest, .fail])
    func whatComesIsRefused(policy: LimitPolicy) throws {
        func test<Output: EventStream>(
            channels: Int,
            _ build: ([EventChannel<Labelled>], Int) -> Output,
            refused: (Output) -> UInt64
        ) throws {
            let large = Pipeline(channels, limit: 100, build)
            large.publish(0..<10)
            let small = Pipeline(channels, limit: 2, build)
            try small.restore(large.checkpoint())
            small.publish(10..<11)
            // With the stream, all that wait end.
            #expect(refused(small.output) == (policy == .fail ? 11 : 1))
            #expect(small.recorder.isFinished == (policy == .fail))
        }
        try test(
            channels: 2,
            { $0[0].zip($0[1], overflowPolicy: policy, limit: $1) },
            refused: { $0.refused.count }
        )
        try test(
            channels: 3,
            { $0[0].zip($0[1], $0[2], overflowPolicy: policy, limit: $1) },
            refused: { $0.refused.count }
        )
    }
}
