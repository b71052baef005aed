internal import CBench
internal import Crew
internal import WeirCore

/// Numbers from one core to another over a `Ring`.
enum OneProducer {
    typealias Line = cbench_line_t

    /// Both ends until the threads take them.
    private final class Ends<Element: Sendable>: @unchecked Sendable {
        var producer: RingProducer<Element>?
        var consumer: RingConsumer<Element>?

        init() throws {
            let ends = try Ring<Element>.makeEnds(capacity: Int(CBENCH_RING_CAPACITY))
            producer = consume ends.producer
            consumer = consume ends.consumer
        }
    }

    /// Moves the numbers from 0 to `total` and returns the nanoseconds that it took.
    static func transfer<Element: Sendable>(
        _ total: Int,
        _ produce: @escaping @Sendable (inout RingProducer<Element>, Int) -> Void,
        _ consume: @escaping @Sendable (inout RingConsumer<Element>, Int) -> UInt64
    ) throws -> Int64 {
        let ends = try Ends<Element>()
        let result = TransferResult()
        parallel(onCores: [0, 1]) { index in
            if index == 0, var producer = ends.producer.take() {
                result.start = cbench_now()
                produce(&producer, total)
            } else if var consumer = ends.consumer.take() {
                result.sum = consume(&consumer, total)
                result.end = cbench_now()
            }
        }
        return result.nanoseconds(expecting: UInt64(total) * UInt64(total - 1) / 2)
    }

    // MARK: Producing

    @inline(never)
    static func produceInPlace(_ producer: inout RingProducer<UInt64>, _ total: Int) {
        Transfer.push(total) { made in
            producer.produce(upTo: 64) { batch in
                for offset in 0..<UInt64(batch.freeCapacity) { batch.append(made &+ offset) }
            }
        }
    }

    @inline(never)
    static func produceLines(_ producer: inout RingProducer<Line>, _ total: Int) {
        Transfer.push(total) { made in
            producer.produce(upTo: 64) { batch in
                for offset in 0..<UInt64(batch.freeCapacity) { batch.append(Line(made &+ offset)) }
            }
        }
    }

    @inline(never)
    static func pushBatches(_ producer: inout RingProducer<UInt64>, _ total: Int) {
        Transfer.pushBatches(total) { producer.push(contentsOf: $0) }
    }

    @inline(never)
    static func pushOneByOne(_ producer: inout RingProducer<UInt64>, _ total: Int) {
        Transfer.push(total) { producer.push($0) ? 1 : 0 }
    }

    // MARK: Consuming

    @inline(never)
    static func consumeInPlace(_ consumer: inout RingConsumer<UInt64>, _ total: Int) -> UInt64 {
        Transfer.pop(total) { sum in
            consumer.consume(upTo: 64) { batch in
                for index in batch.indices { sum &+= batch[index] }
            }
        }
    }

    @inline(never)
    static func consumeLines(_ consumer: inout RingConsumer<Line>, _ total: Int) -> UInt64 {
        Transfer.pop(total) { sum in
            consumer.consume(upTo: 64) { batch in
                for index in batch.indices { sum &+= batch[index].words.0 }
            }
        }
    }

    @inline(never)
    static func popBatches(_ consumer: inout RingConsumer<UInt64>, _ total: Int) -> UInt64 {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 64) { places in
            Transfer.pop(total) { sum in
                var batch = OutputSpan(buffer: places, initializedCount: 0)
                let count = consumer.pop(into: &batch)
                for index in batch.indices { sum &+= batch[index] }
                return count
            }
        }
    }

    @inline(never)
    static func popOneByOne(_ consumer: inout RingConsumer<UInt64>, _ total: Int) -> UInt64 {
        Transfer.popOneByOne(total) { consumer.pop() }
    }
}

extension cbench_line_t {
    init(_ number: UInt64) {
        self.init(words: (number, number, number, number, number, number, number, number))
    }
}
