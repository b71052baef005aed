import TestStreams
import Testing
import WeirCore
import WeirExpressions
import WeirSelection
import WeirTesting

@Suite struct StateTests {
    private func check<Output: EventStream>(
        counting counts: (Output) -> [UInt64] = { _ in [] },
        sourceLocation: SourceLocation = #_sourceLocation,
        _ build: (EventChannel<Labelled>) -> Output
    ) {
        #expect(RestoreTrials.difference(counting: counts, build) == nil, sourceLocation: sourceLocation)
    }

    @Test func operatorsWithoutState() {
        check { $0.map(\.value).filter { $0 > 1 }.compactMap { $0 == 2 ? nil : $0 }.flatMap { [$0, $0] } }
        check { $0.tap { _ in }.where { $0.value > 1 }.select { $0.value * 2 } }
    }

    @Test func counting() {
        check { $0.take(5) }
        check { $0.drop(5) }
        check { $0.first() }
        check { $0.first { $0.value == 3 } }
        check { $0.element(at: 7) }
        check { $0.enumerated() }
        check { $0.enumerated().drop(2).take(6).map(\.index) }
    }

    @Test func conditions() {
        check { $0.take(while: { $0.value < 4 }) }
        check { $0.drop(while: { $0.value < 3 }) }
        check { $0.take(until: Timestamp(millisecondsSinceEpoch: 12)) }
    }

    @Test func comparing() {
        check { $0.changes() }
        check { $0.changes(of: \.label) }
        check { $0.changes { abs($0.value - $1.value) > 1 } }
    }

    @Test func folding() {
        check { $0.scan(into: "") { $0 += $1.label } }
        check { $0.scan(into: [String: Int]()) { $0[$1.label, default: 0] += $1.value }.map { $0.values.reduce(0, +) } }
        check { $0.map(\.value).scan(into: 0, with: BinaryOperations.Sum.self) }
        check {
            $0.tryScan(into: Set<String>()) { seen, reading in
                if seen.count == 3, reading.value == 0 { throw TrialError() }
                seen.insert(reading.label)
            }.map(\.count)
        }
    }

    @Test func endings() {
        check { $0.last() }
        check { $0.filter { $0.value > 3 }.failIfEmpty() }
        check {
            $0.tryMap { reading in
                if reading.value == 4 { throw TrialError() }
                return reading.label
            }
        }
    }

    @Test func casting() {
        check(counting: { [$0.refused.count] }) { channel in
            channel.map { $0.value > 2 ? $0 as any Sendable : $0.value }.cast(to: Int.self)
        }
    }

    @Test func severalSinksAndNames() {
        check { channel in
            channel.take(2).subscribe { _ in }
            channel.scan(into: 0) { $0 += $1.value }.subscribe { _ in }
            return channel.named("sum").scan(into: 0) { $0 += $1.value }.scan(into: 0) { $0 = $0 &* 31 &+ $1 }
        }
    }
}

private struct TrialError: Error {}
