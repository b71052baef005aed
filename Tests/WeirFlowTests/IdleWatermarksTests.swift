import TestStreams
import Testing
import WeirCore
import WeirDispatch
import WeirFlow
import WeirSelection
import WeirTesting

@Suite struct IdleWatermarksTests {
    /// Random signals between random steps of the clock, against the definition.
    @Test func agreesWithTheDefinition() {
        for seed in seeds(5_000) {
            var generator = SeededGenerator(seed: seed)
            let clock = VirtualClock(at: milliseconds(1_000))
            let scheduler = Scheduler(clock: EventClock(clock))
            clock.drives(scheduler)
            let channel = EventChannel<Keyed>()
            let idle = Int64.random(in: 1...5, using: &generator)
            let recorder = Recorder(channel.watermarks(idleAfter: .milliseconds(idle), on: scheduler))
            var expected: [StreamSignal<Keyed>] = []
            var (watermark, given) = (Timestamp.distantPast, Timestamp.distantPast)
            var (hasElements, isActive, now, next) = (false, false, Int64(1_000), 1_000 + idle)
            for step in 0..<30 {
                switch Int.random(in: 0..<6, using: &generator) {
                case 0, 1:
                    let time = milliseconds(.random(in: 990...1_060, using: &generator))
                    let event = Keyed(timestamp: time, key: 0, value: step)
                    channel.publish(event)
                    expected.append(.element(event, time))
                    (hasElements, isActive) = (true, true)
                case 2:
                    let time = milliseconds(.random(in: 990...1_060, using: &generator))
                    channel.advance(to: time)
                    // The channel ignores what does not go on.
                    if time > given { (given, isActive) = (time, true) }
                    if time > watermark {
                        expected.append(.watermark(time))
                        watermark = time
                    }
                default:
                    now += .random(in: 0...4, using: &generator)
                    clock.advance(to: milliseconds(now))
                    while next <= now {
                        if !isActive, watermark > .distantPast || !hasElements {
                            watermark =
                                watermark > .distantPast
                                ? watermark + .milliseconds(idle) : milliseconds(next - idle)
                            expected.append(.watermark(watermark))
                        }
                        isActive = false
                        next += idle
                    }
                }
            }
            channel.finish()
            expected.append(.completion(.finished))
            guard recorder.signals == expected else {
                Issue.record("seed \(seed): \(recorder.signals) instead of \(expected)")
                return
            }
            #expect(scheduler.pendingCount == 0, "seed \(seed)")
        }
    }
}
