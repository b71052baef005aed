import TestStreams
import Testing
import WeirCore
import WeirTesting

/// Short random streams for one or more inputs, interleaved, and cut at random places into batches and single events.
struct Script: Sendable {
    enum Step: Sendable {
        case one(Int, Keyed)
        case batch(Int, [Keyed])
        case watermark(Int, Timestamp)
        case completion(Int, Completion)
    }

    /// What scripts are made for.
    private struct Kind: Hashable {
        let inputs: Int
        let keepsWatermarks: Bool
    }

    private static let made = Locked<[Kind: [Script]]>([:])

    private(set) var steps: [Step] = []

    /// The scripts of the first 10,000 seeds; made once, which takes as long as most tests.
    ///
    /// - Parameters:
    ///   - inputs: How many streams there are.
    ///   - keepsWatermarks: Whether no element is older than a watermark before it.
    /// - Returns: The scripts, by their seeds.
    static func all(inputs: Int, keepsWatermarks: Bool) -> [Script] {
        made.withLock { made in
            let kind = Kind(inputs: inputs, keepsWatermarks: keepsWatermarks)
            if let scripts = made[kind] { return scripts }
            let scripts = (0..<10_000 as Range<UInt64>).map {
                Script(seed: $0, inputs: inputs, keepsWatermarks: keepsWatermarks)
            }
            made[kind] = scripts
            return scripts
        }
    }

    /// The scripts of the first seeds.
    static func first(_ count: Int, inputs: Int, keepsWatermarks: Bool) -> [Script] {
        // Few tests have more inputs, and few rounds.
        guard inputs > 3 else { return Array(all(inputs: inputs, keepsWatermarks: keepsWatermarks).prefix(count)) }
        return (0..<UInt64(count)).map { Script(seed: $0, inputs: inputs, keepsWatermarks: keepsWatermarks) }
    }

    private init(seed: UInt64, inputs: Int, keepsWatermarks: Bool) {
        var generator = SeededGenerator(seed: seed)
        var earliest = Array(repeating: Int64(-6), count: inputs)
        var isOpen = Array(repeating: true, count: inputs)
        func event(_ input: Int) -> Keyed {
            let from = keepsWatermarks ? earliest[input] : -6
            return Keyed(
                timestamp: Timestamp(
                    millisecondsSinceEpoch: .random(in: from...max(from, earliest[input]) + 6, using: &generator)
                ),
                key: .random(in: 0...2, using: &generator),
                value: .random(in: 0...9, using: &generator)
            )
        }
        for _ in 0..<Int.random(in: 0...12 * inputs, using: &generator) {
            let input = Int.random(in: 0..<inputs, using: &generator)
            guard isOpen[input] else { continue }
            switch Int.random(in: 0..<20, using: &generator) {
            case 0:
                isOpen[input] = false
                steps.append(.completion(input, .finished))
            case 1 where seed % 4 == 0:
                isOpen[input] = false
                let failure = Completion.failed(ChannelError.overflow(capacity: 1))
                steps.append(.completion(input, seed % 8 == 0 ? .interrupted : failure))
            case 2...6:
                earliest[input] += .random(in: -1...4, using: &generator)
                steps.append(.watermark(input, Timestamp(millisecondsSinceEpoch: earliest[input])))
                if case .watermark(_, let last)? = steps.dropLast().last(where: { step in
                    if case .watermark(input, _) = step { true } else { false }
                }) {
                    earliest[input] = max(earliest[input], last.nanosecondsSinceEpoch / 1_000_000)
                }
            case 7...9:
                steps.append(.batch(input, (0..<Int.random(in: 0...4, using: &generator)).map { _ in event(input) }))
            default:
                steps.append(.one(input, event(input)))
            }
        }
        for input in 0..<inputs where isOpen[input] && Int.random(in: 0..<3, using: &generator) > 0 {
            steps.append(.completion(input, .finished))
        }
    }

    func play(into channels: [EventChannel<Keyed>]) {
        for step in steps {
            switch step {
            case .one(let input, let event): channels[input].publish(event)
            case .batch(let input, let events): channels[input].publish(contentsOf: events)
            case .watermark(let input, let watermark): channels[input].advance(to: watermark)
            case .completion(let input, let completion): channels[input].finish(completion)
            }
        }
    }
}

/// A signal of one of several inputs.
struct Arrival {
    let input: Int
    let signal: StreamSignal<Keyed>
}

/// Writes the signals of several inputs down in the order in which they come.
struct LogSink: Sink {
    let input: Int
    let log: Log

    final class Log: Sendable {
        let arrivals = Locked<[Arrival]>([])
    }

    mutating func receive(_ element: borrowing Keyed, at time: Timestamp) {
        let signal = StreamSignal.element(copy element, time)
        log.arrivals.withLock { $0.append(Arrival(input: input, signal: signal)) }
    }

    mutating func advance(to watermark: Timestamp) {
        log.arrivals.withLock { $0.append(Arrival(input: input, signal: .watermark(watermark))) }
    }

    mutating func finish(_ completion: Completion) {
        log.arrivals.withLock { $0.append(Arrival(input: input, signal: .completion(completion))) }
    }
}

/// The output of an operator for a script: its signals, and those of its side outputs.
struct Outcome<Element: Sendable & Equatable>: Equatable {
    var signals: [StreamSignal<Element>] = []
    var aside: [Keyed] = []
}

/// Compares an operator with a reference on random streams.
///
/// - Parameters:
///   - inputs: How many streams the operator takes.
///   - keepsWatermarks: Whether no element is older than a watermark before it.
///   - rounds: How many streams prove the operator, up to 10,000; ``seeds(_:)`` says how many of them are tried.
///   - build: Puts the operator on channels.
///   - aside: The operator's side output.
///   - reference: Computes the expected output from all signals of the channels.
///   - sourceLocation: Where to report a difference.
func compare<Output: EventStream>(
    inputs: Int = 1,
    keepsWatermarks: Bool = false,
    rounds: Int = 10_000,
    _ build: ([EventChannel<Keyed>]) -> Output,
    aside: ((Output) -> SideOutput<Keyed>)? = nil,
    with reference: ([Arrival]) -> Outcome<Output.Element>,
    sourceLocation: SourceLocation = #_sourceLocation
) where Output.Element: Equatable {
    let scripts = Script.first(Int(seeds(UInt64(rounds)).upperBound), inputs: inputs, keepsWatermarks: keepsWatermarks)
    for (seed, script) in scripts.enumerated() {
        let channels = (0..<inputs).map { _ in EventChannel<Keyed>() }
        let log = LogSink.Log()
        for (input, channel) in channels.enumerated() { channel.attach(LogSink(input: input, log: log)) }
        let stream = build(channels)
        let dropped = Locked<[Keyed]>([])
        aside?(stream).subscribe { element in dropped.withLock { $0.append(element) } }
        let output = Recorder(stream)
        script.play(into: channels)
        let arrivals = log.arrivals.withLock { $0 }
        let outcome = Outcome(signals: output.signals, aside: dropped.withLock { $0 })
        let expected = reference(arrivals)
        guard outcome != expected else { continue }
        Issue.record(
            "seed \(seed): \(arrivals.map { "\($0)\n" }.joined()) gave\n\(outcome)\ninstead of\n\(expected)",
            sourceLocation: sourceLocation
        )
        return
    }
}

extension Outcome {
    mutating func emit(_ element: Element, _ time: Timestamp) { signals.append(.element(element, time)) }
}

func milliseconds(_ count: Int64) -> Timestamp { Timestamp(millisecondsSinceEpoch: count) }
