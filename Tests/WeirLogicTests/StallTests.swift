import Testing
import WeirCore
import WeirLogic
import WeirSelection
import WeirSequences
import WeirTesting

/// Operators that wait for watermarks say when none comes, once; those that get one do not.
@Suite struct StallTests {
    private struct Beat: Event, Equatable {
        let timestamp: Timestamp
    }

    private func time(_ nanoseconds: Int64) -> Timestamp { Timestamp(nanosecondsSinceEpoch: nanoseconds) }

    /// Publishes on each of three channels at each of the times.
    private func run<Output: WatermarkWaiting>(
        _ times: [Int64],
        givingWatermark: Bool = false,
        _ build: ([EventChannel<Beat>]) -> Output
    ) -> [WatermarkStall] {
        let channels = (0..<3).map { _ in EventChannel<Beat>() }
        let output = build(channels)
        let told = Locked<[WatermarkStall]>([])
        output.stalls.subscribeWithTime { stall, _ in told.withLock { $0.append(stall) } }
        output.subscribe { _ in }
        if givingWatermark { for channel in channels { channel.advance(to: .epoch) } }
        for time in times { for channel in channels { channel.publish(Beat(timestamp: self.time(time))) } }
        return told.withLock { $0 }
    }

    private func stall(_ since: Int64, _ until: Int64) -> [WatermarkStall] {
        [WatermarkStall(since: time(since), until: time(until))]
    }

    @Test func theyTellThatNoWatermarkComes() {
        let times = [3, 1, 12, 21, 22, 90] as [Int64]
        let ten = Duration.nanoseconds(10)
        #expect(run(times) { $0[0].absent(for: ten) } == stall(11, 22))
        #expect(run(times) { $0[0].absent(for: ten, from: time(-20)) } == stall(-10, 3))
        #expect(run(times) { $0[0].unless($0[1].filter { _ in false }, within: ten) } == stall(11, 22))
        #expect(run(times) { without($0[0], between: $0[1], and: $0[2], within: ten) } == stall(1, 12))
        for consumption in [ConsumptionPolicy.reuse, .consume] {
            #expect(run(times) { all($0[0], $0[1], within: ten, consumption: consumption) } == stall(11, 22))
            #expect(run(times) { $0[0].then($0[1], within: ten, consumption: consumption) } == stall(11, 22))
            #expect(run(times) { sequence($0[0], $0[1], within: ten, consumption: consumption) } == stall(11, 22))
        }
    }

    @Test func aWatermarkIsEnough() {
        let times = [3, 1, 12, 21, 22, 90] as [Int64]
        let ten = Duration.nanoseconds(10)
        #expect(run(times, givingWatermark: true) { $0[0].absent(for: ten) }.isEmpty)
        #expect(run(times, givingWatermark: true) { $0[0].unless($0[1], within: ten) }.isEmpty)
        #expect(
            run(times, givingWatermark: true) { without($0[0], between: $0[1], and: $0[2], within: ten) }.isEmpty
        )
        #expect(run(times, givingWatermark: true) { all($0[0], $0[1], within: ten) }.isEmpty)
        #expect(run(times, givingWatermark: true) { $0[0].then($0[1], within: ten) }.isEmpty)
    }

    @Test func elementsOutOfOrderAreNoStall() {
        let times = [1, 11, 3, 21, 9] as [Int64]
        let ten = Duration.nanoseconds(10)
        #expect(run(times) { $0[0].absent(for: ten) }.isEmpty)
        #expect(run(times) { $0[0].unless($0[1].filter { _ in false }, within: ten) }.isEmpty)
        #expect(run(times) { all($0[0], $0[1], within: ten) }.isEmpty)
    }
}
