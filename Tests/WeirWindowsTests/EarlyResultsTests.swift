import TestStreams
import Testing
import WeirAggregates
import WeirCore
import WeirTesting
import WeirWindows

/// Early results of windows that go by arrival.
@Suite struct EarlyResultsTests {
    /// A result as the reference makes it.
    private struct Expected: Equatable {
        var values: [Int]
        var phase: WindowPhase
        var time: Int64
    }

    /// Plays a script on windows that hold one list at a time.
    ///
    /// `take` returns whether an element is in the window, and whether it closes the window.
    private func reference(
        _ script: Script,
        _ emission: Emission,
        _ take: (_ window: [Sample], _ sample: Sample) -> (isIn: Bool, closes: Bool),
        closesAtWatermark: Bool
    ) -> [Expected] {
        var results: [Expected] = []
        var window: [Sample] = []
        var (watermark, isChanged) = (Int64.min, false)
        var lastPeriod: Int64?
        func emit(_ phase: WindowPhase, _ time: Int64) {
            results.append(Expected(values: window.map(\.index), phase: phase, time: time))
            isChanged = false
        }
        for step in script.steps {
            switch step {
            case .publish(let batch, _):
                for sample in batch {
                    let (isIn, closes) = take(window, sample)
                    guard isIn else { continue }
                    window.append(sample)
                    isChanged = true
                    if closes {
                        emit(.closing, closesAtWatermark ? max(sample.nanoseconds, watermark) : sample.nanoseconds)
                        window = []
                    } else if emission == .onEveryElement {
                        emit(.early, max(sample.nanoseconds, watermark))
                    }
                }
            case .advance(let time):
                guard time > watermark else { continue }
                watermark = time
                guard case .every(let duration) = emission else { continue }
                let period = Int64((Double(time) / Double(duration.wholeNanoseconds)).rounded(.down))
                if lastPeriod.map({ period > $0 }) ?? true {
                    if isChanged { emit(.early, time) }
                    lastPeriod = period
                }
            }
        }
        if let newest = window.map(\.nanoseconds).max() {
            emit(.closing, max(newest, watermark))
        }
        return results
    }

    private func results(_ recorder: Recorder<WindowResult<[Int]>>) -> [Expected] {
        zip(recorder.elements, recorder.times).map { result, time in
            Expected(values: result.value, phase: result.phase, time: time.nanosecondsSinceEpoch)
        }
    }

    @Test func agreeWithABruteForceSearch() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let script = Script(&generator)
            let size = Int.random(in: 1...5, using: &generator)
            let emission: Emission = [.onClose, .onEveryElement, .every(.nanoseconds(3))][Int(seed % 3)]
            let channel = EventChannel<Sample>()
            let counted = Recorder(channel.tumbling(count: size, emit: emission).aggregate(PlainList()))
            let custom = Recorder(
                channel.windows(
                    opensWhen: { $0.value > 4 },
                    closesWhen: { $0.value.isMultiple(of: 3) },
                    emit: emission
                )
                .aggregate(PlainList())
            )
            script.run(on: channel)
            let expectedCounted = reference(
                script,
                emission,
                { window, _ in (true, window.count == size - 1) },
                closesAtWatermark: false
            )
            let expectedCustom = reference(
                script,
                emission,
                { window, sample in
                    window.isEmpty ? (sample.value > 4, false) : (true, sample.value.isMultiple(of: 3))
                },
                closesAtWatermark: true
            )
            guard results(counted) == expectedCounted, results(custom) == expectedCustom else {
                Issue.record(
                    """
                    seed \(seed), size \(size), \(emission): \(results(counted)) instead of \(expectedCounted)
                    or \(results(custom)) instead of \(expectedCustom)
                    """
                )
                return
            }
        }
    }
}
