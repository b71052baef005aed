import Testing
import WeirCore
import WeirFlow
import WeirSelection
import WeirTesting

@Suite struct WindowedJoinTests {
    /// Closes windows over plain lists.
    private func reference(
        _ arrivals: [Arrival],
        size: Int64,
        limit: Int,
        _ close: ([Keyed], [Keyed]) -> [([Keyed?], Timestamp)]
    ) -> Outcome<[Keyed?]> {
        let length = size * 1_000_000
        func begin(_ time: Timestamp) -> Timestamp {
            let number = (Double(time.nanosecondsSinceEpoch) / Double(length)).rounded(.down)
            return Timestamp(nanosecondsSinceEpoch: Int64(number) * length)
        }
        var outcome = Outcome<[Keyed?]>()
        var waiting: [(input: Int, element: Keyed)] = []
        var open = Timestamp.distantPast
        func closeWindows(before end: Timestamp) {
            let begins = Set(waiting.map { begin($0.element.timestamp) }).filter { $0 < end }.sorted()
            for start in begins {
                let sides = (0...1).map { side in
                    waiting.filter { $0.input == side && begin($0.element.timestamp) == start }.map(\.element)
                }
                for (output, time) in close(sides[0], sides[1]) { outcome.emit(output, time) }
                waiting.removeAll { begin($0.element.timestamp) == start }
            }
        }
        for event in ReferenceJunction.events(arrivals, inputs: 2) {
            switch event {
            case .element(let input, let element):
                if element.timestamp >= open, waiting.count < limit { waiting.append((input, element)) }
            case .watermark(let watermark):
                guard begin(watermark) > open else { continue }
                open = begin(watermark)
                closeWindows(before: open)
                outcome.signals.append(.watermark(open))
            case .completion(let completion):
                if case .finished = completion { closeWindows(before: .distantFuture) }
                outcome.signals.append(.completion(completion))
            }
        }
        return outcome
    }

    @Test(arguments: [JoinKind.inner, .left, .outer], [3, 1_000])
    func join(kind: JoinKind, limit: Int) {
        compare(inputs: 2) {
            $0[0].join($0[1], kind, every: .milliseconds(3), limit: limit, by: \.key, and: \.key)
                .map { [$0.0, $0.1] }
        } with: { arrivals in
            reference(arrivals, size: 3, limit: limit) { lefts, rights in
                var output: [([Keyed?], Timestamp)] = []
                for left in lefts {
                    let partners = rights.filter { $0.key == left.key }
                    output += partners.map { ([left, $0], max(left.timestamp, $0.timestamp)) }
                    if partners.isEmpty, kind != .inner { output.append(([left, nil], left.timestamp)) }
                }
                if kind == .outer {
                    output += rights.filter { right in !lefts.contains { $0.key == right.key } }
                        .map { ([nil, $0], $0.timestamp) }
                }
                return output
            }
        }
    }

    @Test(arguments: [true, false])
    func intersectAndExcept(isIntersection: Bool) {
        compare(inputs: 2) { channels in
            let stream =
                isIntersection
                ? channels[0].intersect(channels[1], every: .milliseconds(3), by: \.key, and: \.key)
                : channels[0].except(channels[1], every: .milliseconds(3), by: \.key, and: \.key)
            return stream.map { [$0] as [Keyed?] }
        } with: { arrivals in
            reference(arrivals, size: 3, limit: 1_000) { lefts, rights in
                let firsts = lefts.enumerated().filter { index, left in
                    !lefts[..<index].contains { $0.key == left.key }
                }
                return firsts.map(\.element)
                    .filter { left in rights.contains { $0.key == left.key } == isIntersection }
                    .map { ([$0], $0.timestamp) }
            }
        }
    }

    @Test func lateAndRefusedElementsAreCounted() {
        let channels = [EventChannel<Keyed>(), EventChannel<Keyed>()]
        let join = channels[0].join(channels[1], .inner, every: .seconds(1), limit: 1, by: \.key, and: \.key)
        join.subscribe { _ in }
        for channel in channels { channel.advance(to: Timestamp(secondsSinceEpoch: 1)) }
        for second in [0, 1, 1] as [Int64] {
            channels[0].publish(Keyed(timestamp: Timestamp(secondsSinceEpoch: second), key: 0, value: 0))
        }
        #expect(join.late.count == 1)
        #expect(join.refused.count == 1)
    }
}
