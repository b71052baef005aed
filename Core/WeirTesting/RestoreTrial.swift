public import WeirCore

/// A stream to find out whether a pipeline goes on after a restart as if there had been none.
///
/// The pipeline is stopped at every position, and its state is restored into a new one, which gets the rest. That its
/// signals, side outputs and checkpoints are those of an uninterrupted run shows that every operator saves all that it
/// remembers.
///
///     import Testing
///
///     let trial = RestoreTrial(seed: 1) { id, time, _ in Reading(timestamp: time, celsius: Double(id)) }
///     let difference = trial.difference { channels in channels[0].debounce(for: .milliseconds(3)) }
///     #expect(difference == nil)
///
/// Thread safety: a value; its pipelines run on the calling thread.
public struct RestoreTrial<Input: Sendable>: Sendable {
    private enum Step: Sendable {
        case element(Input)
        case watermark(Timestamp)
        case completion(Completion)
    }

    private let steps: [(channel: Int, step: Step)]
    private let channelCount: Int
    private let seed: UInt64

    /// Makes a random stream: elements with equal and disordered times, watermarks, some of which go back, and most times an
    /// end.
    ///
    /// - Parameters:
    ///   - seed: The same seed makes the same stream.
    ///   - channelCount: How many channels the pipeline has; positive.
    ///   - length: How many signals there are at most.
    ///   - makeElement: Makes an element of its number, from 0, and its time in milliseconds around the epoch.
    public init(
        seed: UInt64,
        channels channelCount: Int = 1,
        upTo length: Int = 24,
        _ makeElement: (_ id: Int, _ time: Timestamp, _ generator: inout SeededGenerator) -> Input
    ) {
        precondition(channelCount > 0, "a pipeline has no \(channelCount) channels")
        self.seed = seed
        self.channelCount = channelCount
        var generator = SeededGenerator(seed: seed)
        let disorder = Int64.random(in: 0...4, using: &generator)
        let count = Int.random(in: 1...length, using: &generator)
        var steps: [(channel: Int, step: Step)] = []
        for id in 0..<count {
            let channel = Int.random(in: 0..<channelCount, using: &generator)
            let offset = Int64.random(in: -disorder...disorder, using: &generator)
            let time = Timestamp(millisecondsSinceEpoch: Int64(id) + offset)
            if Int.random(in: 0..<5, using: &generator) == 0 {
                steps.append((channel, .watermark(time.shifted(byNanoseconds: -2_000_000))))
            } else {
                steps.append((channel, .element(makeElement(id, time, &generator))))
            }
        }
        for channel in 0..<channelCount {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: break
            case 1: steps.append((channel, .completion(.failed(ChannelError.overflow(capacity: 1)))))
            case 2: steps.append((channel, .completion(.interrupted)))
            default: steps.append((channel, .completion(.finished)))
            }
        }
        self.steps = steps
    }

    /// Runs a pipeline without interruption, and once with an interruption at each position.
    ///
    /// Signals are compared as text.
    ///
    /// - Parameters:
    ///   - counts: What the side outputs of the pipeline have counted; not compared once the stream is over.
    ///   - build: Puts the operators on the channels; called for each run.
    /// - Returns: What differs first; `nil` when nothing does.
    public func difference<Output: EventStream>(
        counting counts: (Output) -> [UInt64] = { _ in [] },
        _ build: ([EventChannel<Input>]) -> Output
    ) -> String? {
        let whole = Run(channelCount, build)
        for step in steps { whole.play(step) }
        let last: [UInt8]
        do throws(StateError) {
            last = try whole.checkpoint().bytes
        } catch {
            return "seed \(seed): \(error)"
        }
        let first = Run(channelCount, build)
        for position in 0...steps.count {
            do throws(StateError) {
                let checkpoint = try Checkpoint(bytes: try first.checkpoint().bytes)
                let second = Run(channelCount, build)
                try second.restore(checkpoint)
                guard try second.checkpoint().bytes == checkpoint.bytes else {
                    return "seed \(seed), position \(position): what was restored is saved in another way"
                }
                let before = first.texts.count
                for step in steps[position...] { second.play(step) }
                guard whole.texts.dropFirst(before).elementsEqual(second.texts) else {
                    return """
                        seed \(seed), position \(position) of \(steps): \
                        \(second.texts) instead of \(Array(whole.texts.dropFirst(before)))
                        """
                }
                // A stream that is over was detached with its side outputs.
                guard first.recorder.isFinished || counts(second.output) == counts(whole.output) else {
                    return
                        "seed \(seed), position \(position): counts \(counts(second.output)), not \(counts(whole.output))"
                }
                guard try second.checkpoint().bytes == last else {
                    return "seed \(seed), position \(position): the last checkpoint is another"
                }
            } catch {
                return "seed \(seed), position \(position): \(error)"
            }
            if position < steps.count { first.play(steps[position]) }
        }
        return whole.texts == first.texts ? nil : "seed \(seed): saving has changed the signals"
    }

    /// The checkpoint of a pipeline after all signals.
    ///
    /// - Parameter build: Puts the operators on the channels.
    /// - Returns: The checkpoint.
    /// - Throws: `StateError`.
    public func checkpoint<Output: EventStream>(
        of build: ([EventChannel<Input>]) -> Output
    ) throws(StateError) -> Checkpoint {
        let run = Run(channelCount, build)
        for step in steps {
            if case .completion = step.step { continue }
            run.play(step)
        }
        return try run.checkpoint()
    }

    private struct Run<Output: EventStream> {
        let channels: [EventChannel<Input>]
        let output: Output
        let recorder: Recorder<Output.Element>

        init(_ channelCount: Int, _ build: ([EventChannel<Input>]) -> Output) {
            channels = (0..<channelCount).map { _ in EventChannel<Input>(clock: EventClock(VirtualClock())) }
            output = build(channels)
            recorder = Recorder(output)
        }

        var texts: [String] { recorder.signals.map { "\($0)" } }

        func play(_ step: (channel: Int, step: Step)) {
            switch step.step {
            case .element(let element): channels[step.channel].publish(element)
            case .watermark(let watermark): channels[step.channel].advance(to: watermark)
            case .completion(let completion): channels[step.channel].finish(completion)
            }
        }

        func exchange(_ state: inout StateExchange) throws(StateError) {
            for (index, channel) in channels.enumerated() {
                try state.scoped("channel\(index)") { state throws(StateError) in try channel.exchangeState(&state) }
            }
        }

        func checkpoint() throws(StateError) -> Checkpoint { try Checkpoint(of: exchange) }

        func restore(_ checkpoint: Checkpoint) throws(StateError) { try checkpoint.restore(to: exchange) }
    }
}
