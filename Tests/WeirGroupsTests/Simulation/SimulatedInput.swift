import WeirCore
import WeirGroups

/// A message of the simulation.
struct SimulatedMessage {
    let number: UInt64
    let partition: Int
    let payload: [UInt8]
    /// When it is published.
    let time: Int64

    /// The part of the input that it is of, and how far time is there, where the input is what another group has found.
    var source = 0
    var mark: TimeMark?

    /// Whether it is the head of a commit: it has no record, and is removed when the next one of its part comes.
    var isHead = false
    var isRemoved = false
}

/// Numbers as bytes.
enum SimulatedBytes {
    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        for _ in 0..<8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}

/// What depends on each message of a partition and on their order, by a few bytes.
final class SimulatedProcessor: PartitionProcessor {
    private let partition: Int
    private var count: UInt64 = 0
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private var taken: [UInt8] = []
    private var outputs: [UInt8] = []

    /// Whether messages begin with an event time, in eight bytes, and lines too.
    private let hasTimes: Bool
    private(set) var time: Int64?

    /// How many bytes a line with a time has, and where that begins.
    static let timedByteCount = 26
    static let timePlace = 1

    init(_ partition: Int, _ state: [UInt8]?, hasTimes: Bool = false) {
        self.partition = partition
        self.hasTimes = hasTimes
        guard let state else { return }
        count = SimulatedBytes.number(state.prefix(8))
        hash = SimulatedBytes.number(state.dropFirst(8).prefix(8))
        if state.count > 16 { time = Int64(SimulatedBytes.number(state.dropFirst(16))) }
    }

    func take(_ payload: ArraySlice<UInt8>) {
        guard hasTimes else { return taken += payload }
        // Before the next one: a mark is behind all that was taken.
        process()
        time = max(time ?? .min, Int64(SimulatedBytes.number(payload.prefix(8))))
        taken += payload.dropFirst(8)
    }

    func process() {
        for byte in taken {
            count += 1
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            guard (hash >> 32) % 3 != 0 else { continue }
            // A line that says which message it is of, and all that was before.
            outputs.append(UInt8(ascii: "A") + UInt8(partition))
            if hasTimes { SimulatedBytes.append(UInt64(time ?? 0), to: &outputs) }
            SimulatedBytes.append(count, to: &outputs)
            SimulatedBytes.append(hash, to: &outputs)
            outputs.append(UInt8(ascii: "\n"))
        }
        taken.removeAll(keepingCapacity: true)
    }

    var outputByteCount: Int { outputs.count }

    func takeOutputs() -> [UInt8] {
        defer { outputs = [] }
        return outputs
    }

    func save() -> [UInt8] {
        var state: [UInt8] = []
        state.reserveCapacity(24)
        SimulatedBytes.append(count, to: &state)
        SimulatedBytes.append(hash, to: &state)
        if let time { SimulatedBytes.append(UInt64(time), to: &state) }
        return state
    }
}

/// What one run that nothing interrupts finds in a partition.
struct PartitionReference {
    /// What is known after a message, and how many bytes of outputs there are by then.
    private struct Place {
        let number: UInt64
        let state: [UInt8]
        let outputByteCount: Int
    }

    private var places: [Place]
    private(set) var outputs: [UInt8] = []

    init(_ partition: Int, _ messages: [SimulatedMessage], hasTimes: Bool = false) {
        let processor = SimulatedProcessor(partition, nil, hasTimes: hasTimes)
        places = [Place(number: 0, state: processor.save(), outputByteCount: 0)]
        for message in messages where message.partition == partition {
            processor.take(message.payload[...])
            processor.process()
            outputs += processor.takeOutputs()
            places.append(Place(number: message.number, state: processor.save(), outputByteCount: outputs.count))
        }
    }

    /// What a run finds that merges what others have found by time.
    init(merging references: [PartitionReference]) {
        places = []
        outputs = SimulatedMerge.outputs(of: references.map(\.outputs))
    }

    /// The number of the last message of the partition; 0 where it has none.
    var lastNumber: UInt64 { places.last?.number ?? 0 }

    /// What is known when all messages up to a number were handled, and how many bytes of outputs there are by then.
    func after(_ number: UInt64) -> (state: [UInt8], outputByteCount: Int) {
        guard let place = places.last(where: { $0.number <= number }) else { return ([], 0) }
        return (place.state, place.outputByteCount)
    }
}
