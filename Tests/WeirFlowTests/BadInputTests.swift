import Testing
import WeirCore
import WeirDispatch
import WeirFlow
import WeirTesting

/// Arguments that make no sense trap when the stream is made, not when it runs.
@Suite struct BadInputTests {
    @Test func durationsThatAreNotPositive() async {
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Keyed>().ordered(within: .milliseconds(-1))
        }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Keyed>().distinct(by: \.key, within: .zero)
        }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Keyed>().debounce(for: .zero)
        }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Keyed>().sample(every: .milliseconds(-1))
        }
        await #expect(processExitsWith: .failure) {
            let channel = EventChannel<Keyed>()
            _ = channel.join(channel, within: .milliseconds(-1), by: \.key, and: \.key)
        }
    }

    /// A duration of less than a nanosecond is none.
    @Test func durationsThatAreTooShort() async {
        await #expect(processExitsWith: .failure) { _ = EventChannel<Keyed>().sample(every: .nanoseconds(1) / 2) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Keyed>().debounce(for: .nanoseconds(1) / 2) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Keyed>().throttle(for: .nanoseconds(1) / 2) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Keyed>().timeout(after: .nanoseconds(1) / 2) }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Keyed>().distinct(by: \.key, within: .nanoseconds(1) / 2)
        }
        await #expect(processExitsWith: .failure) {
            let channel = EventChannel<Keyed>()
            _ = channel.join(channel, .inner, every: .nanoseconds(1) / 2, by: \.key, and: \.key)
        }
    }

    /// The greatest duration means no bound.
    @Test func boundsWithoutAnEnd() async {
        await #expect(processExitsWith: .success) {
            let channel = EventChannel<Keyed>()
            let distinct = Recorder(channel.distinct(by: \.key, within: .seconds(1), limit: .max))
            let last = Recorder(channel.distinct(by: \.key, last: .max))
            let limited = Recorder(channel.limit(1, per: .seconds(86_400), burst: .max))
            let buffered = Recorder(channel.buffer(.max))
            let ordered = Recorder(channel.ordered(within: .seconds(1), limit: .max))
            for value in 0..<3 { channel.publish(Keyed(timestamp: .epoch, key: value, value: value)) }
            channel.finish()
            precondition(distinct.elements.count == 3 && last.elements.count == 3 && limited.elements.count == 3)
            precondition(buffered.elements.map(\.count) == [3] && ordered.elements.count == 3)
        }
    }

    @Test func limitsThatLeaveNoRoom() async {
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Keyed>().ordered(within: .zero, limit: 0)
        }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Keyed>().buffer(0)
        }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Keyed>().limit(0, per: .seconds(1))
        }
        await #expect(processExitsWith: .failure) {
            let channel = EventChannel<Keyed>()
            _ = channel.zip(channel, limit: 0)
        }
    }

    @Test func ratesAndPausesOfNothing() async {
        await #expect(processExitsWith: .failure) { _ = EventChannel<Keyed>().throttle(for: .zero) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Keyed>().timeout(after: .zero) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Keyed>().buffer(every: .zero) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Keyed>().buffer(every: .seconds(1), limit: 0) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Keyed>().limit(1, per: .zero) }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Keyed>().limit(1, per: .seconds(1), burst: 0) }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Keyed>().retry(-1, after: .seconds(1), on: Scheduler())
        }
    }

    @Test func countsAndLimitsOfOperatorsThatRemember() async {
        await #expect(processExitsWith: .failure) { _ = EventChannel<Keyed>().distinct(by: \.key, last: 0) }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Keyed>().distinct(by: \.key, within: .seconds(1), limit: 0)
        }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Keyed>().grouped(by: { $0.key }, limit: 0) { $0 }
        }
        await #expect(processExitsWith: .failure) {
            let channel = EventChannel<Keyed>()
            _ = channel.enrich(with: channel, limit: 0, by: \.key, and: \.key)
        }
        await #expect(processExitsWith: .failure) {
            let channel = EventChannel<Keyed>()
            _ = channel.join(channel, within: .seconds(1), limit: 0, by: \.key, and: \.key)
        }
        await #expect(processExitsWith: .failure) {
            let channel = EventChannel<Keyed>()
            _ = channel.join(channel, .inner, every: .zero, limit: 1, by: \.key, and: \.key)
        }
        await #expect(processExitsWith: .failure) { _ = EventChannel<Keyed>().merge(EventChannel<Keyed>(), limit: -1) }
    }

    @Test func whatFindsNoRoomInAnIntervalIsHandedBack() {
        let channel = EventChannel<Keyed>()
        let buffered = channel.buffer(every: .seconds(1), limit: 2)
        buffered.subscribe { _ in }
        for value in 0..<5 { channel.publish(Keyed(timestamp: .epoch, key: 0, value: value)) }
        channel.publish(Keyed(timestamp: Timestamp(secondsSinceEpoch: 1), key: 0, value: 5))
        #expect(buffered.refused.count == 3)
    }
}
