import WeirCore
import WeirGroups

/// A message of the simulation.
struct SimulatedMessage {
    let number: UInt64
    let partition: Int
    let payload: [UInt8]
    /// When it is published.
    let time: Int64
}

/// What depends on each message of a partition and on their order, by a few bytes.
final class SimulatedProcessor: PartitionProcessor {
    private let partition: Int
    private var count: UInt64 = 0
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private var taken: [UInt8] = []
    private var outputs: [UInt8] = []

    init(_ partition: Int, _ state: [UInt8]?) {
        self.partition = partition
        guard let state else { return }
        count = Self.number(state.prefix(8))
        hash = Self.number(state.dropFirst(8))
    }

    func take(_ payload: ArraySlice<UInt8>) { taken += payload }

    func process() {
        for byte in taken {
            count += 1
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            guard (hash >> 32) % 3 != 0 else { continue }
            // A line that says which message it is of, and all that was before.
            outputs.append(UInt8(ascii: "A") + UInt8(partition))
            Self.append(count, to: &outputs)
            Self.append(hash, to: &outputs)
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
        state.reserveCapacity(16)
        Self.append(count, to: &state)
        Self.append(hash, to: &state)
        return state
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        for _ in 0..<8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
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

    init(_ partition: Int, _ messages: [SimulatedMessage]) {
        let processor = SimulatedProcessor(partition, nil)
        places = [Place(number: 0, state: processor.save(), outputByteCount: 0)]
        for message in messages where message.partition == partition {
            processor.take(message.payload[...])
            processor.process()
            outputs += processor.takeOutputs()
            places.append(Place(number: message.number, state: processor.save(), outputByteCount: outputs.count))
        }
    }

    /// The number of the last message of the partition; 0 where it has none.
    var lastNumber: UInt64 { places.last?.number ?? 0 }

    /// What is known when all messages up to a number were handled, and how many bytes of outputs there are by then.
    func after(_ number: UInt64) -> (state: [UInt8], outputByteCount: Int) {
        guard let place = places.last(where: { $0.number <= number }) else { return ([], 0) }
        return (place.state, place.outputByteCount)
    }
}
