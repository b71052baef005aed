import Testing
import WeirCore
import WeirPatterns
import WeirTesting

/// When partial matches whose time is over are looked for.
@Suite struct TimeoutTests {
    @Test(arguments: [StrategyChoice.compact, .runs], [false, true])
    func aSubscriberTurnsThemOnAndReadingDoesNot(strategy: StrategyChoice, isSubscribed: Bool) {
        let pattern = Pattern<Int>.first { $0 == 1 }.followedBy { $0 == 2 }.within(.seconds(10))
        let feed = Feed<Int>()
        let matches = feed.matches(of: pattern, PatternSettings(strategy: strategy))
        let timeouts = matches.timeouts
        #expect(timeouts.count == 0)
        if isSubscribed {
            timeouts.subscribeWithTime { partial, time in
                #expect(partial.entries.count == 1 && time == Timestamp(secondsSinceEpoch: 10))
                #expect(partial == partial && "\(partial)" == "[\(partial.stages[0]): 1]")
            }
        }
        let recorder = Recorder(matches)
        feed.send(1, at: Timestamp(secondsSinceEpoch: 0))
        feed.advance(to: Timestamp(secondsSinceEpoch: 20))
        feed.finish()
        #expect(recorder.isFinished)
        // Runs end one by one in any case, and then they are counted.
        #expect(timeouts.count == (isSubscribed || strategy == .runs ? 1 : 0))
    }
}
