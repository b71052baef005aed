import TestStreams
import Testing
import WeirCore
import WeirSequences
import WeirTesting

@Suite struct RunTests {
    /// The maximal runs: cut wherever two neighbours do not go on.
    func runs(_ levels: [Level], _ goesOn: (Int, Int) -> Bool) -> [[Level]] {
        var runs: [[Level]] = []
        for level in levels {
            if let last = runs.last?.last, goesOn(last.value, level.value) {
                runs[runs.count - 1].append(level)
            } else {
                runs.append([level])
            }
        }
        return runs
    }

    @Test func agreesWithABruteForceSearch() {
        for seed in seeds(10_000) {
            var generator = SeededGenerator(seed: seed)
            let levels = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                Level(.random(in: 0...4, using: &generator), at: .random(in: -5...5, using: &generator))
            }
            let least = Int.random(in: 1...4, using: &generator)
            let channel = EventChannel<Level>()
            let recorders = [
                Recorder(channel.rising(atLeast: least, by: \.value)),
                Recorder(channel.rising(atLeast: least, by: \.value, strictly: false)),
                Recorder(channel.falling(atLeast: least, by: \.value)),
                Recorder(channel.falling(atLeast: least, by: \.value, strictly: false)),
            ]
            let cut = Int.random(in: 0...levels.count, using: &generator)
            let watermark = Timestamp(millisecondsSinceEpoch: .random(in: -6...6, using: &generator))
            channel.publish(contentsOf: Array(levels[..<cut]))
            channel.advance(to: watermark)
            for level in levels[cut...] { channel.publish(level) }
            channel.finish()

            let goesOn: [(Int, Int) -> Bool] = [(<), (<=), (>), (>=)]
            for (recorder, goesOn) in zip(recorders, goesOn) {
                let expected = runs(levels, goesOn).filter { $0.count >= least }
                #expect(recorder.elements == expected, "seed \(seed)")
                #expect(recorder.isLawful, "seed \(seed)")
                for (time, run) in zip(recorder.times, expected) {
                    #expect(time == run.last?.timestamp || time == watermark, "seed \(seed)")
                }
            }
        }
    }

    @Test func aRunIsEmittedWhenItEnds() {
        let channel = EventChannel<Level>()
        let recorder = Recorder(channel.rising(atLeast: 2, by: \.value))
        for value in 0..<3 { channel.publish(Level(value, at: Int64(value))) }
        channel.advance(to: .distantFuture)
        #expect(recorder.elements.isEmpty)
        channel.publish(Level(0, at: 3))
        #expect(recorder.elements.map { $0.map(\.value) } == [[0, 1, 2]])
    }

    @Test(arguments: [LongRun.split, .dropOldest])
    func runsThatAreTooLong(_ longRun: LongRun) {
        for length in 0..<12 {
            let channel = EventChannel<Level>()
            let rises = channel.rising(atLeast: 2, by: \.value, longRun: longRun, limit: 3)
            let recorder = Recorder(rises)
            for value in 0..<length { channel.publish(Level(value, at: Int64(value))) }
            channel.finish()
            let values = recorder.elements.map { $0.map(\.value) }
            switch longRun {
            case .split:
                let chunks = stride(from: 0, to: length, by: 3).map { Array($0..<min($0 + 3, length)) }
                #expect(values == chunks.filter { $0.count >= 2 })
                #expect(rises.dropped.count == 0)
            case .dropOldest:
                #expect(values == (length < 2 ? [] : [Array(max(0, length - 3)..<length)]))
                #expect(rises.dropped.count == UInt64(max(0, length - 3)))
            }
        }
    }

    @Test func aFailureDiscardsTheRun() {
        let channel = EventChannel<Level>()
        let recorder = Recorder(channel.falling(atLeast: 1, by: \.value))
        channel.publish(Level(1, at: 1))
        channel.finish(.failed(ChannelError.overflow(capacity: 1)))
        #expect(recorder.elements.isEmpty && recorder.isFinished)
    }

    @Test func badArgumentsTrap() async {
        await #expect(processExitsWith: .failure) { _ = EventChannel<Level>().rising(atLeast: 0, by: \.value) }
        await #expect(processExitsWith: .failure) {
            _ = EventChannel<Level>().falling(atLeast: 3, by: \.value, limit: 2)
        }
    }
}
