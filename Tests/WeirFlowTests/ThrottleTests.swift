import Testing
import WeirCore
import WeirFlow
import WeirTesting

/// Which elements a throttle emits; the leading edge alone is tested with the other rates.
@Suite struct ThrottleTests {
    private func record(_ input: MarbleDiagram, _ edges: ThrottleEdges) -> Recorder<String> {
        let channel = TestChannel<String>()
        let recorder = Recorder(channel.throttle(for: .seconds(3), edges: edges))
        channel.play(input)
        return recorder
    }

    @Test(arguments: [
        (ThrottleEdges.leading, "a---d-----e------g-|"), (.both, "a--c--d---e--f---g|"),
        (.trailing, "---c--d------f------g|"),
    ])
    func emitsTheEdgesThatAreAskedFor(edges: ThrottleEdges, expected: String) throws {
        let recorder = record("abc-d--^--ef-----g-|", edges)
        let difference = recorder.difference(
            from: try MarbleDiagram(parsing: expected),
            "abcdefg".reduce(into: [:]) { $0[$1] = String($1) },
            includingWatermarks: false
        )
        #expect(difference == nil)
    }

    @Test func emitsWhatIsHeldAtTheEndButNotAtAFailure() {
        #expect(record("ab-|", .both).difference(from: "a--b|") == nil)
        #expect(record("ab-#", .both).difference(from: "a--#") == nil)
        #expect(record("ab-|", .trailing).difference(from: "---b|") == nil)
    }

    /// A duration that an emission begins includes its end: an element of that time is its last one.
    @Test func theTrailingElementAtTheEndOfADurationIsEmittedWhenItArrives() {
        #expect(record("a--^--b", .trailing).elements == ["a", "b"])
        #expect(record("a--^--b|", .trailing).difference(from: "---a--b|", includingWatermarks: false) == nil)
        #expect(record("a--^---b", .trailing).elements == ["a"])
        #expect(record("a--^---b|", .trailing).difference(from: "---a------b|", includingWatermarks: false) == nil)
    }

    @Test func elementsOlderThanTheWatermarkArePutAside() {
        let channel = TestChannel<String>()
        let stream = channel.throttle(for: .seconds(3), edges: .both)
        let recorder = Recorder(stream)
        channel.play("a---^b{1}c|")
        #expect(recorder.elements == ["a", "c"])
        #expect(stream.late.count == 1)
    }

    /// Against a reference that keeps all elements of the current window.
    @Test(arguments: [1, 3] as [Int64], [ThrottleEdges.trailing, .both])
    func agreesWithAReference(duration: Int64, edges: ThrottleEdges) {
        let length = Duration.milliseconds(duration)
        compare(rounds: 4_000) {
            $0[0].throttle(for: length, edges: edges)
        } aside: {
            $0.late
        } with: { arrivals in
            var outcome = Outcome<Keyed>()
            var end: Timestamp?
            var members: [Keyed] = []
            var watermark = Timestamp.distantPast
            func close() {
                guard let due = end else { return }
                if let last = members.last { outcome.emit(last, due) }
                end = members.isEmpty ? nil : due + length
                members = []
            }
            for arrival in arrivals {
                switch arrival.signal {
                case .element(let element, let time):
                    guard time >= watermark else {
                        outcome.aside.append(element)
                        continue
                    }
                    while let due = end, due < time { close() }
                    if end == nil {
                        end = time + length
                        if edges == .both { outcome.emit(element, time) } else { members = [element] }
                    } else {
                        members.append(element)
                        if time == end { close() }
                    }
                    continue
                case .watermark(let mark):
                    watermark = max(watermark, mark)
                    if let due = end, due <= mark, !members.isEmpty { close() }
                case .completion(.finished): close()
                case .completion: break
                }
                outcome.signals.append(arrival.signal)
            }
            return outcome
        }
    }
}
