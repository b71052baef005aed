import Testing
import WeirCore
import WeirFlow
import WeirTesting

/// The operators that go by time, drawn.
@Suite struct MarbleTests {
    private func record<Output: EventStream>(
        _ input: MarbleDiagram,
        _ operation: (TestChannel<String>) -> Output
    ) -> Recorder<Output.Element> {
        let channel = TestChannel<String>()
        let recorder = Recorder(operation(channel))
        channel.play(input)
        return recorder
    }

    @Test func debounceWaitsForAPause() {
        let recorder = record("ab---c-d--^|") { $0.debounce(for: .seconds(2)) }
        #expect(recorder.difference(from: "---b---c-d|") == nil)
    }

    @Test func debounceEmitsWhatIsHeldAtTheEndButNotAtAFailure() {
        #expect(record("a-b|") { $0.debounce(for: .seconds(2)) }.difference(from: "--a{2}b{4}|") == nil)
        #expect(record("a-b#") { $0.debounce(for: .seconds(3)) }.difference(from: "#") == nil)
    }

    @Test func throttleLetsOneThroughAtATime() {
        let recorder = record("abc-d(ef)-g|") { $0.throttle(for: .seconds(3)) }
        #expect(recorder.difference(from: "a---d--g|") == nil)
    }

    @Test func sampleTakesTheLastOfAnInterval() {
        let recorder = record("ab--c--^|") { $0.sample(every: .seconds(3)) }
        #expect(recorder.difference(from: "---b--c|") == nil)
    }

    @Test func delayMovesTimesAndWatermarks() {
        let recorder = record("a-b^-|") { $0.delay(by: .seconds(2)) }
        #expect(recorder.difference(from: "--a-b^|") == nil)
    }

    @Test func orderedPutsLateElementsInTheirPlaces() {
        let recorder = record("ac{3}b{1}--d{5}e--|") { $0.ordered(within: .seconds(3)) }
        #expect(recorder.difference(from: "ab-c-de{6}|", includingWatermarks: false) == nil)
    }

    @Test func unionKeepsTheEarlierWatermark() {
        let (left, right) = (TestChannel<String>(), TestChannel<String>())
        let recorder = Recorder(left.union(right))
        MarbleLine.play(left.line("a--^-c-^|"), right.line("-b--^d-|"))
        #expect(recorder.elements == ["a", "b", "c", "d"])
        #expect(recorder.isFinished)
    }
}
