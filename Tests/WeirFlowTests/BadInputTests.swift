import Testing
import WeirCore
import WeirFlow

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
}
