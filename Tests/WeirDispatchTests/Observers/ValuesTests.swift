import Testing
import WeirCore
import WeirDispatch

@Suite("values(): elements as an asynchronous sequence")
struct ValuesTests {
    private struct Reading: Event {
        var timestamp: Timestamp { .epoch }
        let value: Int
    }

    private let channel = EventChannel<Reading>()

    private func publish(_ values: Range<Int>) {
        for value in values { channel.publish(Reading(value: value)) }
    }

    /// Whether something is attached: it would drop, with room for one.
    private func isAttached(_ dropped: SideOutput<Reading>) -> Bool {
        let before = dropped.count
        publish(0..<3)
        return dropped.count > before
    }

    @Test func breakDetaches() async {
        let dropped = SideOutput<Reading>()
        let values = channel.droppingValues(.oldest(1), dropped: dropped)
        publish(0..<1)
        for await reading in values {
            #expect(reading.value == 0)
            break
        }
        #expect(!isAttached(dropped))
        // A second iteration finds the end.
        for await _ in values { Issue.record("nothing was sent") }
    }

    @Test func breakDetachesWhatMayThrow() async throws {
        let dropped = SideOutput<Reading>()
        let values = channel.throwingDroppingValues(.oldest(1), dropped: dropped)
        publish(0..<1)
        for try await _ in values { break }
        #expect(!isAttached(dropped))
        withExtendedLifetime(values) {}
    }

    @Test func lettingGoOfAnIteratorDetaches() async {
        let dropped = SideOutput<Reading>()
        let values = channel.droppingValues(.oldest(1), dropped: dropped)
        do {
            var iterator = values.makeAsyncIterator()
            publish(0..<1)
            #expect(await iterator.next()?.value == 0)
            #expect(isAttached(dropped))
        }
        #expect(!isAttached(dropped))
        withExtendedLifetime(values) {}
    }

    @Test func lettingGoOfTheSequenceDetaches() {
        let dropped = SideOutput<Reading>()
        do {
            let values = channel.droppingValues(.oldest(1), dropped: dropped)
            #expect(isAttached(dropped))
            withExtendedLifetime(values) {}
        }
        #expect(!isAttached(dropped))
    }

    @Test func cancellingTheTaskDetaches() async {
        let dropped = SideOutput<Reading>()
        let values = channel.droppingValues(.oldest(1), dropped: dropped)
        let task = Task {
            for await _ in values {}
        }
        task.cancel()
        await task.value
        #expect(!isAttached(dropped))
        withExtendedLifetime(values) {}
    }
}
