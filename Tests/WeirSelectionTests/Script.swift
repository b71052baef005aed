import TestStreams
import Testing
import WeirCore
import WeirTesting

/// A short random stream, cut at random places into batches and single events.
struct Script: Sendable {
    enum Step: Sendable {
        case one(Sample)
        case batch([Sample])
        case watermark(Timestamp)
        case completion(Completion)
    }

    /// The streams that all tests are run on, by their seeds; made once, which takes as long as most tests.
    static let all = (0..<10_000 as Range<UInt64>).map { Script(seed: $0) }

    private(set) var steps: [Step] = []

    private init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                steps.append(.watermark(Timestamp(millisecondsSinceEpoch: .random(in: -4...4, using: &generator))))
            case 1:
                let count = Int.random(in: 0...4, using: &generator)
                steps.append(.batch(Sample.random(count: count, using: &generator)))
            default:
                steps += Sample.random(count: 1, using: &generator).map { .one($0) }
            }
        }
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: break
        case 1: steps.append(.completion(.failed(ChannelError.overflow(capacity: 1))))
        default: steps.append(.completion(.finished))
        }
    }

    func play(into channel: EventChannel<Sample>) {
        for step in steps {
            switch step {
            case .one(let sample): channel.publish(sample)
            case .batch(let samples): channel.publish(contentsOf: samples)
            case .watermark(let watermark): channel.advance(to: watermark)
            case .completion(let completion): channel.finish(completion)
            }
        }
    }

    /// Compares an operator with a reference on up to 10,000 random streams.
    ///
    /// - Parameters:
    ///   - build: Puts the operator on a channel.
    ///   - reference: Computes the expected signals from all signals of the channel.
    ///   - sourceLocation: Where to report a difference.
    static func compare<Output: EventStream>(
        _ build: (EventChannel<Sample>) -> Output,
        with reference: ([StreamSignal<Sample>]) -> [StreamSignal<Output.Element>],
        sourceLocation: SourceLocation = #_sourceLocation
    ) where Output.Element: Equatable {
        for (seed, script) in all.prefix(seeds(10_000).count).enumerated() {
            let channel = EventChannel<Sample>()
            let input = Recorder(channel)
            let output = Recorder(build(channel))
            script.play(into: channel)
            let expected = reference(input.signals)
            guard output.signals != expected else { continue }
            Issue.record(
                "seed \(seed): \(input.signals) gave \(output.signals) instead of \(expected)",
                sourceLocation: sourceLocation
            )
            return
        }
    }
}

extension StreamSignal {
    /// The element, if it is one.
    var element: Element? {
        if case .element(let element, _) = self { element } else { nil }
    }

    /// The same signal with other elements in place of an element.
    func map<Output>(_ transform: (Element) -> [Output]) -> [StreamSignal<Output>] {
        switch self {
        case .element(let element, let time): transform(element).map { .element($0, time) }
        case .watermark(let watermark): [.watermark(watermark)]
        case .completion(let completion): [.completion(completion)]
        }
    }
}

extension [StreamSignal<Sample>] {
    /// The positions of the elements.
    var elementIndices: [Int] { indices.filter { self[$0].element != nil } }

    /// The signals before a position and the end; all if there is no such position.
    func ending(before position: Int?) -> Self {
        guard let position else { return self }
        return Array(self[..<position]) + [.completion(.finished)]
    }

    /// Everything but the elements at some positions.
    func without(_ positions: some Sequence<Int>) -> Self {
        let positions = Set(positions)
        return indices.filter { !positions.contains($0) }.map { self[$0] }
    }
}
