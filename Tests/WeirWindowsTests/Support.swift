import Testing
import WeirAggregates
import WeirCore
import WeirTesting
import WeirWindows

/// An event with an order of arrival.
struct Sample: Event, Hashable {
    let timestamp: Timestamp
    let value: Int
    let index: Int

    init(_ value: Int, at nanoseconds: Int64, index: Int = 0) {
        self.value = value
        timestamp = Timestamp(nanosecondsSinceEpoch: nanoseconds)
        self.index = index
    }

    var nanoseconds: Int64 { timestamp.nanosecondsSinceEpoch }
    var number: Double { Double(value) }
}

/// What enters a channel.
enum Step {
    case publish([Sample], asBatch: Bool)
    case advance(Int64)
}

/// A random stream with equal and out-of-order times and watermarks at random points.
struct Script {
    var steps: [Step] = []

    init(_ generator: inout SeededGenerator, ordered: Bool = false) {
        var (now, index) = (Int64.random(in: -30...10, using: &generator), 0)
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            let batch = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                now += .random(in: 0...4, using: &generator)
                let time = ordered ? now : now - .random(in: 0...8, using: &generator)
                index += 1
                return Sample(.random(in: -4...9, using: &generator), at: time, index: index)
            }
            steps.append(.publish(batch, asBatch: .random(using: &generator)))
            if Bool.random(using: &generator) {
                steps.append(.advance(now - .random(in: 0...10, using: &generator)))
            }
        }
    }

    var samples: [Sample] {
        steps.flatMap { step -> [Sample] in
            if case .publish(let batch, _) = step { return batch }
            return []
        }
    }

    var lastWatermark: Int64 {
        steps.reduce(.min) { watermark, step in
            if case .advance(let time) = step { max(watermark, time) } else { watermark }
        }
    }

    /// The samples that are not late, with the watermark at their arrival.
    func onTime(allowing lateness: Int64 = 0) -> (kept: [Sample], late: [Sample]) {
        var (kept, late, watermark) = ([Sample](), [Sample](), Int64.min / 2)
        for step in steps {
            switch step {
            case .publish(let batch, _):
                for sample in batch {
                    if sample.nanoseconds < watermark - lateness { late.append(sample) } else { kept.append(sample) }
                }
            case .advance(let time):
                watermark = max(watermark, time)
            }
        }
        return (kept, late)
    }

    func run(on channel: EventChannel<Sample>) {
        for step in steps {
            switch step {
            case .publish(let batch, asBatch: true): channel.publish(contentsOf: batch)
            case .publish(let batch, asBatch: false): for sample in batch { channel.publish(sample) }
            case .advance(let time): channel.advance(to: Timestamp(nanosecondsSinceEpoch: time))
            }
        }
        channel.finish()
    }
}

/// The samples by time, equal times in the order of arrival.
func byTime(_ samples: [Sample]) -> [Sample] {
    samples.sorted { ($0.nanoseconds, $0.index) < ($1.nanoseconds, $1.index) }
}

/// A sum that can do nothing but add.
struct PlainSum: Aggregate {
    private var sum = 0
    mutating func add(_ element: borrowing Sample, at time: Timestamp) { sum += element.value }
    func result() -> Int { sum }
}

/// A list of the order of arrival that can do nothing but add.
struct PlainList: Aggregate {
    private var list: [Int] = []
    mutating func add(_ element: borrowing Sample, at time: Timestamp) { list.append(element.index) }
    func result() -> [Int] { list }
}

/// A sum that elements can be taken out of, but that cannot be merged.
struct InvertibleSum: InvertibleAggregate {
    private var sum = 0
    mutating func add(_ element: borrowing Sample, at time: Timestamp) { sum += element.value }
    mutating func remove(_ element: borrowing Sample, at time: Timestamp) { sum -= element.value }
    func result() -> Int { sum }
}

/// A sum that can be merged, but that elements cannot be taken out of.
struct MergeableSum: MergeableAggregate {
    private var sum = 0
    mutating func add(_ element: borrowing Sample, at time: Timestamp) { sum += element.value }
    mutating func merge(_ other: Self) { sum += other.sum }
    func result() -> Int { sum }
}

/// A window as a test compares it.
struct Seen: Hashable, CustomStringConvertible {
    var start: Int64
    var end: Int64
    var values: [Int]
    var time: Int64?

    var description: String { "[\(start), \(end)) \(values) @\(time ?? 0)" }
}

extension Recorder {
    /// The windows that were recorded, with their event times.
    func seen<Value: Sendable>(
        _ phase: WindowPhase? = .closing,
        _ values: (Value) -> [Int]
    ) -> [Seen] where Element == WindowResult<Value> {
        zip(elements, times).filter { phase == nil || $0.0.phase == phase }.map { result, time in
            Seen(
                start: result.start.nanosecondsSinceEpoch,
                end: result.end.nanosecondsSinceEpoch,
                values: values(result.value),
                time: time.nanosecondsSinceEpoch
            )
        }
    }
}

/// Whether no element came after a watermark that is later, and the end came last.
func keepsTheOrderOfTime<Element>(_ recorder: Recorder<Element>) -> Bool {
    var watermark = Timestamp.distantPast
    for signal in recorder.signals {
        switch signal {
        case .element(_, let time): if time < watermark { return false }
        case .watermark(let time):
            if time < watermark { return false }
            watermark = time
        case .completion: break
        }
    }
    return recorder.isFinished
}
