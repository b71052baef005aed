import Testing
import WeirCore
import WeirFlow
import WeirTesting

/// Joins that get no watermarks say so, once; those that get one do not.
@Suite struct StallTests {
    private func run<Join: WatermarkWaiting>(
        givingWatermark: Bool,
        _ build: (EventChannel<Keyed>, EventChannel<Keyed>) -> Join
    ) -> [WatermarkStall] {
        let (left, right) = (EventChannel<Keyed>(), EventChannel<Keyed>())
        let join = build(left, right)
        let told = Locked<[WatermarkStall]>([])
        join.stalls.subscribe { stall, _ in told.withLock { $0.append(stall) } }
        join.subscribe { _ in }
        if givingWatermark {
            left.advance(to: .epoch)
            right.advance(to: .epoch)
        }
        for time in 0..<2_000 {
            let event = Keyed(timestamp: milliseconds(Int64(time)), key: time % 7, value: time)
            left.publish(event)
            right.publish(event)
        }
        return told.withLock { $0 }
    }

    @Test func joinsTellThatNoWatermarkComes() {
        let close = run(givingWatermark: false) {
            $0.join($1, within: .milliseconds(100), by: \.key, and: \.key)
        }
        #expect(close.count == 1 && close.first?.since == milliseconds(0))
        #expect(close.first.map { $0.until >= milliseconds(511) } ?? false)
        let windowed = run(givingWatermark: false) {
            $0.join($1, .inner, every: .milliseconds(100), by: \.key, and: \.key)
        }
        #expect(windowed == [WatermarkStall(since: milliseconds(100), until: milliseconds(200))])
    }

    @Test func aWatermarkIsEnough() {
        #expect(
            run(givingWatermark: true) { $0.join($1, within: .milliseconds(100), by: \.key, and: \.key) }.isEmpty
        )
        #expect(
            run(givingWatermark: true) { $0.join($1, .inner, every: .milliseconds(100), by: \.key, and: \.key) }.isEmpty
        )
    }
}
