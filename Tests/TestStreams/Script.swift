public import WeirCore
public import WeirTesting

/// An event that a test can tell from all others; `Kind` makes types of it that can not be mixed up.
public struct Item<Kind>: Event, Hashable {
    public let id: Int
    public let timestamp: Timestamp

    public init(_ id: Int, at nanoseconds: Int64) {
        self.id = id
        timestamp = Timestamp(nanosecondsSinceEpoch: nanoseconds)
    }
}

/// The kind of the first stream.
public enum One: Sendable {}
/// The kind of the second stream.
public enum Two: Sendable {}
/// The kind of the third stream.
public enum Three: Sendable {}

/// An element as a reference sees it.
public struct Arrival: Hashable, Sendable {
    public let input: Int
    /// Counts all elements in the order of arrival.
    public let id: Int
    public let time: Int64

    public init(input: Int, id: Int, time: Int64) {
        self.input = input
        self.id = id
        self.time = time
    }
}

/// What arrives at several inputs, in order: elements with equal and disordered times, and watermarks at random points,
/// some of which go back.
public struct Script: Sendable {
    enum Step {
        case element(Arrival)
        case watermark(input: Int, Int64)
        case finish(input: Int)
    }

    let steps: [Step]
    /// The elements that are not older than the watermark of all inputs, in the order of arrival.
    public let accepted: [Arrival]
    /// The elements that are older than the watermark of all inputs, in the order of arrival.
    public let late: [Arrival]

    public init(seed: UInt64, inputs: Int, upTo length: Int = 14) {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...length, using: &generator)
        let disorder = Int64.random(in: 0...5, using: &generator)
        var steps: [Step] = []
        var accepted: [Arrival] = []
        var late: [Arrival] = []
        var watermarks = Array(repeating: Int64.min, count: inputs)
        for id in 0..<count {
            let now = Int64(id) * 20 / Int64(length) - 10
            let input = Int.random(in: 0..<inputs, using: &generator)
            switch Int.random(in: 0..<20, using: &generator) {
            case 0 where id > count / 2 && watermarks[input] != .max:
                steps.append(.finish(input: input))
                watermarks[input] = .max
            case 1..<8:
                let time = now - Int64.random(in: -1...6, using: &generator)
                steps.append(.watermark(input: input, time))
                watermarks[input] = max(watermarks[input], time)
            default:
                guard watermarks[input] != .max else { continue }
                let time = now + Int64.random(in: -disorder...disorder, using: &generator)
                let arrival = Arrival(input: input, id: id, time: time)
                steps.append(.element(arrival))
                let isLate = watermarks.allSatisfy { $0 > time }
                if isLate { late.append(arrival) } else { accepted.append(arrival) }
            }
        }
        self.steps = steps
        self.accepted = accepted
        self.late = late
    }

    /// Plays the script, elements one by one or in batches, and finishes all inputs.
    public func play(seed: UInt64, into inlets: Inlet..., finishing: Bool = true) {
        var generator = SeededGenerator(seed: ~seed)
        var batch: [Arrival] = []
        func flush() {
            if let first = batch.first { inlets[first.input].publish(batch) }
            batch = []
        }
        for step in steps {
            if case .element(let arrival) = step, batch.first.map({ $0.input == arrival.input }) ?? true {
                batch.append(arrival)
                if Bool.random(using: &generator) { flush() }
                continue
            }
            flush()
            switch step {
            case .element(let arrival): batch = [arrival]
            case .watermark(let input, let time): inlets[input].advance(time)
            case .finish(let input): inlets[input].finish()
            }
        }
        flush()
        if finishing { for inlet in inlets { inlet.finish() } }
    }
}

/// Where a script puts the elements of one input.
public struct Inlet {
    let publish: ([Arrival]) -> Void
    let advance: (Int64) -> Void
    let finish: () -> Void

    public init<Kind>(_ channel: EventChannel<Item<Kind>>) {
        publish = { batch in
            let items = batch.map { Item<Kind>($0.id, at: $0.time) }
            if items.count == 1 { channel.publish(items[0]) } else { channel.publish(contentsOf: items) }
        }
        advance = { channel.advance(to: Timestamp(nanosecondsSinceEpoch: $0)) }
        finish = { channel.finish() }
    }
}

extension Recorder {
    /// Whether no element is older than a watermark before it, watermarks ascend, and the stream has ended.
    public var isLawful: Bool {
        var watermark = Timestamp.distantPast
        for signal in signals {
            switch signal {
            case .element(_, let time): if time < watermark { return false }
            case .watermark(let next):
                if next <= watermark { return false }
                watermark = next
            case .completion: break
            }
        }
        return isFinished
    }

    /// Whether the elements come in the order of their times, each before the first watermark that settles it.
    ///
    /// - Parameter reaching: Whether a watermark covers elements of its own time, or only older ones.
    /// - Returns: Whether they do.
    public func isFinal(reaching: Bool) -> Bool {
        var last = Timestamp.distantPast
        var watermark = Timestamp.distantPast
        var isWaiting = false
        for signal in signals {
            switch signal {
            case .element(_, let time):
                if time < last || (reaching ? time <= watermark : time < watermark) { return false }
                last = time
                isWaiting = true
            case .watermark(let next):
                // The signals before this watermark were caused by it.
                if isWaiting, reaching ? last > next : last >= next { return false }
                watermark = next
                isWaiting = false
            case .completion: break
            }
        }
        return true
    }

    /// The event times of the elements as the script counts them.
    public var nanoseconds: [Int64] { times.map(\.nanosecondsSinceEpoch) }
}

/// The combinations of one arrival of each input, by brute force.
///
/// - Parameters:
///   - arrivals: The elements.
///   - inputs: How many inputs there are.
///   - condition: Takes the arrivals of a combination, by input.
/// - Returns: Them, in the order of the first element's time and arrival, then of the second's, and so on.
public func combinations(
    of arrivals: [Arrival],
    inputs: Int,
    where condition: ([Arrival]) -> Bool
) -> [[Arrival]] {
    var rows: [[Arrival]] = [[]]
    for input in 0..<inputs {
        let own = arrivals.filter { $0.input == input }.sorted { ($0.time, $0.id) < ($1.time, $1.id) }
        rows = rows.flatMap { row in own.map { row + [$0] } }
    }
    return rows.filter(condition)
}

/// What an operator that lets elements be reused emits: at each arrival the combinations that it completes.
public func reused(_ arrivals: [Arrival], inputs: Int, where condition: ([Arrival]) -> Bool) -> [[Arrival]] {
    combinations(of: arrivals, inputs: inputs, where: condition)
        .enumerated()
        .sorted { left, right in
            let leftLast = left.element.map(\.id).max() ?? 0
            let rightLast = right.element.map(\.id).max() ?? 0
            return (leftLast, left.offset) < (rightLast, right.offset)
        }
        .map(\.element)
}

/// What an operator that consumes elements emits: each, in the order of time, takes the oldest partners.
public func consumed(_ arrivals: [Arrival], inputs: Int, where condition: ([Arrival]) -> Bool) -> [[Arrival]] {
    var free: [Arrival] = []
    var results: [[Arrival]] = []
    for arrival in arrivals.sorted(by: { ($0.time, $0.input, $0.id) < ($1.time, $1.input, $1.id) }) {
        free.append(arrival)
        let found = combinations(of: free, inputs: inputs) { $0.contains(arrival) && condition($0) }
        guard let first = found.first else { continue }
        results.append(first)
        free.removeAll { first.contains($0) }
    }
    return results
}
