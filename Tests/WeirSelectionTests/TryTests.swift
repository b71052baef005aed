import Testing
import WeirCore
import WeirSelection
import WeirTesting

/// The operators whose closures may throw: what comes before the error is as without it, and nothing comes after.
@Suite struct TryTests {
    private struct Refused: Error, Equatable {
        let value: Int
    }

    /// Values above 2 are refused, and those of -3 cancel.
    @Sendable private static func check(_ value: Int) throws -> Int {
        if value == -3 { throw CancellationError() }
        if value > 2 { throw Refused(value: value) }
        return value
    }

    /// The reference: maps each element until `transform` throws.
    private func walk<Output: Equatable>(
        _ signals: [StreamSignal<Sample>],
        _ transform: (Sample) throws -> Output?
    ) -> [StreamSignal<Output>] {
        var output: [StreamSignal<Output>] = []
        for signal in signals {
            switch signal {
            case .element(let sample, let time):
                do {
                    if let result = try transform(sample) { output.append(.element(result, time)) }
                } catch {
                    return output + [.completion(error is CancellationError ? .interrupted : .failed(error))]
                }
            case .watermark(let watermark): output.append(.watermark(watermark))
            case .completion(let completion): output.append(.completion(completion))
            }
        }
        return output
    }

    @Test func tryMap() {
        Script.compare {
            $0.tryMap { try Self.check($0.value) * 2 }
        } with: {
            walk($0) { try Self.check($0.value) * 2 }
        }
    }

    @Test func tryCompactMap() {
        Script.compare {
            $0.tryCompactMap { try Self.check($0.value) > 0 ? $0.value * 2 : nil }
        } with: {
            walk($0) { try Self.check($0.value) > 0 ? $0.value * 2 : nil }
        }
    }

    @Test func tryFilter() {
        Script.compare {
            $0.tryFilter { try Self.check($0.value) > 0 }
        } with: {
            walk($0) { try Self.check($0.value) > 0 ? $0 : nil }
        }
    }

    @Test func tryScan() {
        Script.compare {
            $0.tryScan(into: 0) { $0 += try Self.check($1.value) }
        } with: { signals in
            var sum = 0
            return walk(signals) { sample in
                sum += try Self.check(sample.value)
                return sum
            }
        }
    }

    @Test func anErrorDetaches() {
        let channel = EventChannel<Sample>()
        let calls = Locked(0)
        channel.tryMap { sample -> Int in
            calls.withLock { $0 += 1 }
            throw Refused(value: sample.value)
        }.subscribe { _ in }
        for value in 1...3 { channel.publish(Sample(value, at: 0)) }
        #expect(calls.withLock { $0 } == 1)
    }
}
