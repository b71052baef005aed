import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirTesting
import WeirWindows

@Suite struct RankedWindowsTests {
    @Test func agreeWithASortedList() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let size = Int64.random(in: 1...9, using: &generator)
            let count = Int.random(in: 1...4, using: &generator)
            let order: RankOrder = seed.isMultiple(of: 2) ? .ascending : .descending
            let channel = EventChannel<Sample>()
            let windows = channel.hopping(.nanoseconds(2 * size), every: .nanoseconds(size))
            let (lists, ranked) = (Recorder(windows), Recorder(windows.ordered(by: \.value, order, top: count)))
            let sessions = channel.sessions(gap: .nanoseconds(size))
            let (sessionLists, rankedSessions) = (
                Recorder(sessions), Recorder(sessions.ordered(by: \.value, order, top: count))
            )
            script.run(on: channel)
            func expected(_ recorder: Recorder<WindowResult<[Sample]>>) -> [[Sample]] {
                recorder.elements.map { window in
                    Array(
                        window.value.sorted {
                            let (left, right) = order == .ascending ? ($0, $1) : ($1, $0)
                            return left.value == right.value
                                ? ($0.nanoseconds, $0.index) < ($1.nanoseconds, $1.index) : left.value < right.value
                        }
                        .prefix(count)
                    )
                }
            }
            guard ranked.elements.map(\.value) == expected(lists), ranked.times == lists.times,
                rankedSessions.elements.map(\.value) == expected(sessionLists)
            else {
                Issue.record("seed \(seed): \(ranked.elements) instead of \(expected(lists))")
                return
            }
        }
    }

    @Test func whatEqualsNothingComesLast() {
        var ranking = Ranked<Double, Double>(by: { $0 }, .descending, top: 3)
        for value in [Double.nan, 1, .infinity, .nan, -.infinity] { ranking.add(value, at: .epoch) }
        #expect(ranking.result() == [.infinity, 1, -.infinity])
        var ascending = Ranked<Double, Double>(by: { $0 }, .ascending, top: 3)
        for value in [Double.nan, 1, 2] { ascending.add(value, at: .epoch) }
        #expect(ascending.result().prefix(2) == [1, 2])
        #expect(ascending.result()[2].isNaN)
    }

    @Test func badArgumentsTrap() async {
        await #expect(processExitsWith: .failure) { _ = Ranked<Double, Double>(by: { $0 }, top: 0) }
    }
}
