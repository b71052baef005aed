import Testing
import WeirCore
import WeirSelection
import WeirTesting

/// The laws that connect the operators.
@Suite struct LawTests {
    /// Compares two streams, signal by signal, on random input.
    private func expectEqual<Left: EventStream, Right: EventStream>(
        _ left: (EventChannel<Sample>) -> Left,
        _ right: (EventChannel<Sample>) -> Right,
        sourceLocation: SourceLocation = #_sourceLocation
    ) where Left.Element == Right.Element, Left.Element: Equatable {
        for (seed, script) in Script.all.enumerated() {
            let channel = EventChannel<Sample>()
            let left = Recorder(left(channel))
            let right = Recorder(right(channel))
            script.play(into: channel)
            guard left.signals != right.signals else { continue }
            Issue.record("seed \(seed): \(left.signals) and \(right.signals)", sourceLocation: sourceLocation)
            return
        }
    }

    @Test func filtersAndMapsFuse() {
        expectEqual({ $0.filter { $0.value > 0 }.filter { $0.value < 3 } }) {
            $0.filter { (1..<3).contains($0.value) }
        }
        expectEqual({ $0.map(\.value).map { $0 * 2 } }, { $0.map { $0.value * 2 } })
        expectEqual({ $0.compactMap { $0.value > 0 ? $0 : nil } }, { $0.filter { $0.value > 0 } })
        expectEqual({ $0.flatMap { [$0] } }, { $0 })
        expectEqual({ $0.flatMap { $0.value > 0 ? [$0] : [] } }, { $0.filter { $0.value > 0 } })
    }

    @Test func takingAndDroppingCompose() {
        expectEqual({ $0.take(3).take(2) }, { $0.take(2) })
        expectEqual({ $0.drop(2).drop(1) }, { $0.drop(3) })
        expectEqual({ $0.take(while: { $0.value < 2 }).take(while: { $0.value > -2 }) }) {
            $0.take(while: { $0.value < 2 && $0.value > -2 })
        }
        expectEqual({ $0.take(1) }, { $0.first() })
        expectEqual({ $0.drop(2).first() }, { $0.element(at: 2) })
        expectEqual({ $0.take(until: Timestamp(millisecondsSinceEpoch: 3)).take(until: .epoch) }) {
            $0.take(until: .epoch)
        }
    }

    @Test func whatIsIdempotent() {
        expectEqual({ $0.changes(of: \.value).changes(of: \.value) }, { $0.changes(of: \.value) })
        expectEqual({ $0.last().last() }, { $0.last() })
        expectEqual({ $0.drop(while: { $0.value < 2 }).drop(while: { $0.value < 2 }) }) {
            $0.drop(while: { $0.value < 2 })
        }
    }
}
