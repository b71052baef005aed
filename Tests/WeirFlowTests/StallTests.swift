import Testing
import WeirCore
import WeirFlow
import WeirSelection
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
        join.stalls.subscribe { stall in told.withLock { $0.append(stall) } }
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

    @Test func mergesTellThatNoWatermarkComes() {
        let merged = run(givingWatermark: false) { $0.merge($1) }
        #expect(merged == [WatermarkStall(since: milliseconds(0), until: milliseconds(512))])
        #expect(run(givingWatermark: false) { [$0, $1].merged() } == merged)
        #expect(
            run(givingWatermark: false) { $0.merge($1, limit: 10) }
                == [WatermarkStall(since: milliseconds(0), until: milliseconds(5))]
        )
        #expect(run(givingWatermark: true) { $0.merge($1) }.isEmpty)
    }

    /// One input without watermarks holds the other back.
    @Test func aSingleInputWithoutWatermarksIsAStall() {
        let (left, right) = (EventChannel<Keyed>(), EventChannel<Keyed>())
        let merged = left.merge(right)
        merged.subscribe { _ in }
        for time in 0..<2_000 as Range<Int64> {
            left.publish(Keyed(timestamp: milliseconds(time), key: 0, value: 0))
            left.advance(to: milliseconds(time))
        }
        #expect(merged.stalls.count == 1)
    }

    @Test func groupsThatCannotBeEvictedAreTold() {
        func stalls(_ givingWatermark: Bool, evictingAfter idle: Duration?) -> [WatermarkStall] {
            run(givingWatermark: givingWatermark) { left, _ in
                left.grouped(by: \.value, evictingAfter: idle) { $0.map(\.key) }
            }
        }
        #expect(
            stalls(false, evictingAfter: .milliseconds(100))
                == [WatermarkStall(since: milliseconds(100), until: milliseconds(201))]
        )
        #expect(stalls(true, evictingAfter: .milliseconds(100)).isEmpty)
        #expect(stalls(false, evictingAfter: nil).isEmpty)
    }
}
