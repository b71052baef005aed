import Testing
import WeirAggregates
import WeirCore
import WeirFlow
import WeirTesting
import WeirWindows

/// Windows that get no watermarks say so, once; those that get one do not.
@Suite struct StallTests {
    private func stalls<Windows: WatermarkWaiting>(
        advancingAt index: Int? = nil,
        times: [Int64],
        _ build: (EventChannel<Sample>) -> Windows
    ) -> [WatermarkStall] {
        let channel = EventChannel<Sample>()
        let windows = build(channel)
        let told = Locked<[WatermarkStall]>([])
        windows.stalls.subscribe { stall in told.withLock { $0.append(stall) } }
        windows.subscribe { _ in }
        for (position, time) in times.enumerated() {
            if position == index { channel.advance(to: Timestamp(nanosecondsSinceEpoch: 0)) }
            channel.publish(Sample(1, at: time))
        }
        let stalls = told.withLock { $0 }
        #expect(windows.stalls.count == UInt64(stalls.count))
        return stalls
    }

    private func stall(_ since: Int64, _ until: Int64) -> WatermarkStall {
        WatermarkStall(
            since: Timestamp(nanosecondsSinceEpoch: since),
            until: Timestamp(nanosecondsSinceEpoch: until)
        )
    }

    @Test func aWindowThatShouldHaveClosedIsTold() {
        let times = [1, 12, 19, 21, 40, 90] as [Int64]
        let size = Duration.nanoseconds(10)
        #expect(stalls(times: times) { $0.tumbling(size).count() } == [stall(10, 21)])
        #expect(stalls(times: times) { $0.tumbling(size) } == [stall(10, 21)])
        #expect(stalls(times: times) { $0.hopping(size, every: .nanoseconds(5)).count() } == [stall(5, 19)])
        #expect(
            stalls(times: times) { $0.hopping(size, every: .nanoseconds(5)).aggregate(PlainSum()) } == [stall(5, 19)]
        )
        #expect(stalls(times: times) { $0.sessions(gap: .nanoseconds(5)).count() } == [stall(6, 12)])
    }

    /// What windows inside of groups refuse, and what they wait for, meets in the side outputs of all groups.
    @Test func stallsAndRefusedElementsOfAllGroupsMeet() {
        let channel = EventChannel<Sample>()
        let grouped = channel.grouped(by: { $0.value }) { group in
            let sessions = group.sessions(gap: .nanoseconds(5), limit: WindowLimit(windows: 2)).count()
            sessions.refused.forward(to: group.refused)
            sessions.stalls.forward(to: group.stalls)
            return sessions
        }
        let told = Locked<[WatermarkStall]>([])
        grouped.stalls.subscribe { stall in told.withLock { $0.append(stall) } }
        let refused = Locked<[Int]>([])
        grouped.refused.subscribe { sample in refused.withLock { $0.append(sample.value) } }
        grouped.subscribe { _ in }
        for time in [1, 12, 40, 90] as [Int64] {
            for value in 1...2 { channel.publish(Sample(value, at: time)) }
        }
        // A stall is told once, not for each group.
        #expect(told.withLock { $0 } == [stall(6, 12)])
        #expect(grouped.stalls.count == 1)
        #expect(refused.withLock { $0 } == [1, 2, 1, 2])
        #expect(grouped.refused.count == 4)
    }

    @Test func aWatermarkOrAFewWindowsAreNoStall() {
        let size = Duration.nanoseconds(10)
        #expect(stalls(advancingAt: 0, times: [1, 12, 90]) { $0.tumbling(size).count() }.isEmpty)
        #expect(stalls(advancingAt: 2, times: [1, 12, 90]) { $0.tumbling(size).count() }.isEmpty)
        #expect(stalls(times: [1, 12, 19]) { $0.tumbling(size).count() }.isEmpty)
        #expect(stalls(times: [1, 12, 90]) { $0.watermarks(lag: .zero).tumbling(size).count() }.isEmpty)
    }

    @Test func aFixedWindowThatShouldHaveClosedIsTold() {
        let (start, end) = (Timestamp(nanosecondsSinceEpoch: 10), Timestamp(nanosecondsSinceEpoch: 20))
        #expect(stalls(times: [1, 12, 30, 31, 90]) { $0.fixed(from: start, to: end).count() } == [stall(20, 31)])
        #expect(stalls(times: [1, 12, 30]) { $0.fixed(from: start, to: end).count() }.isEmpty)
        #expect(stalls(advancingAt: 2, times: [1, 12, 90]) { $0.fixed(from: start, to: end).count() }.isEmpty)
        #expect(stalls(times: [1, 12, 90]) { $0.landmark(from: start).count() }.isEmpty)
    }

    @Test func aWindowOfAGridThatShouldHaveClosedIsTold() {
        #expect(stalls(times: [1, 2, 5, 12, 30]) { $0.windows(on: Squares()).count() } == [stall(4, 12)])
        #expect(stalls(times: [1, 2, 5]) { $0.windows(on: Squares()).count() }.isEmpty)
        #expect(stalls(advancingAt: 2, times: [1, 2, 12, 30]) { $0.windows(on: Squares()).count() }.isEmpty)
    }

    /// Only results at regular times need watermarks here.
    @Test func periodicResultsThatDoNotComeAreTold() {
        let period = Emission.every(.nanoseconds(10))
        let start = Timestamp(nanosecondsSinceEpoch: 5)
        let times = [1, 7, 20, 27, 28, 90] as [Int64]
        #expect(stalls(times: times) { $0.landmark(from: start, emit: period).count() } == [stall(17, 28)])
        #expect(stalls(times: times) { $0.landmark(when: { _ in true }, emit: period).count() } == [stall(11, 27)])
        #expect(stalls(times: times) { $0.tumbling(count: 9, emit: period).count() } == [stall(11, 27)])
        #expect(stalls(times: times) { $0.tumbling(count: 2, emit: period).count() } == [stall(38, 90)])
        #expect(stalls(advancingAt: 1, times: times) { $0.tumbling(count: 9, emit: period).count() }.isEmpty)
        func doors(_ emission: Emission, _ times: [Int64], at index: Int? = nil, closing: Int64 = .max)
            -> [WatermarkStall]
        {
            stalls(advancingAt: index, times: times) {
                $0.windows(
                    opensWhen: { _ in true },
                    closesWhen: { $0.timestamp.nanosecondsSinceEpoch % closing == 0 },
                    emit: emission
                )
                .count()
            }
        }
        #expect(doors(period, times) == [stall(11, 27)])
        #expect(doors(period, times, at: 1).isEmpty)
        #expect(doors(.onEveryElement, times).isEmpty)
        #expect(doors(period, [1, 6, 11, 16, 21, 26, 32], closing: 6) == [stall(21, 32)])
        // Each of these windows is over before a result is due.
        #expect(doors(period, [1, 6, 11, 12, 19, 24, 31, 36], closing: 6).isEmpty)
    }

    @Test func theTextSaysWhatToDo() {
        let text = "\(stall(0, 60_000_000_000))"
        #expect(text.contains("60") && text.contains("watermarks(lag:)"))
    }
}
