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
        var made: UInt64 = 0
        var tries: UInt32 = 0
        while made < UInt64(total) {
            let count = producer.produce(upTo: 64) { batch in
                for offset in 0..<UInt64(batch.freeCapacity) { batch.append(made &+ offset) }
            }
            made &+= UInt64(count)
            pause(unless: count > 0, &tries)
        }
    }

    @inline(never)
    static func produceLines(_ producer: inout RingProducer<Line>, _ total: Int) {
        var made: UInt64 = 0
        var tries: UInt32 = 0
        while made < UInt64(total) {
            let count = producer.produce(upTo: 64) { batch in
                for offset in 0..<UInt64(batch.freeCapacity) { batch.append(Line(made &+ offset)) }
            }
            made &+= UInt64(count)
            pause(unless: count > 0, &tries)
        }
    }

    @inline(never)
    static func pushBatches(_ producer: inout RingProducer<UInt64>, _ total: Int) {
        var batch = [UInt64](repeating: 0, count: 64)
        var made = 0
        var tries: UInt32 = 0
        while made < total {
            for offset in 0..<64 { batch[offset] = UInt64(made &+ offset) }
            var done = 0
            while done < 64 {
                let count = producer.push(contentsOf: batch.span.extracting(droppingFirst: done))
                done &+= count
                pause(unless: count > 0, &tries)
            }
            made &+= 64
        }
    }

    @inline(never)
    static func pushOneByOne(_ producer: inout RingProducer<UInt64>, _ total: Int) {
        var made: UInt64 = 0
        var tries: UInt32 = 0
        while made < UInt64(total) {
            let isPushed = producer.push(made)
            if isPushed { made &+= 1 }
            pause(unless: isPushed, &tries)
        }
    }

    // MARK: Consuming

    @inline(never)
    static func consumeInPlace(_ consumer: inout RingConsumer<UInt64>, _ total: Int) -> UInt64 {
        var sum: UInt64 = 0
        var taken = 0
        var tries: UInt32 = 0
        while taken < total {
            let count = consumer.consume(upTo: 64) { batch in
                for index in batch.indices { sum &+= batch[index] }
            }
            taken &+= count
            pause(unless: count > 0, &tries)
        }
        return sum
    }

    @inline(never)
    static func consumeLines(_ consumer: inout RingConsumer<Line>, _ total: Int) -> UInt64 {
        var sum: UInt64 = 0
        var taken = 0
        var tries: UInt32 = 0
        while taken < total {
            let count = consumer.consume(upTo: 64) { batch in
                for index in batch.indices { sum &+= batch[index].words.0 }
            }
            taken &+= count
            pause(unless: count > 0, &tries)
        }
        return sum
    }

    @inline(never)
    static func popBatches(_ consumer: inout RingConsumer<UInt64>, _ total: Int) -> UInt64 {
        var sum: UInt64 = 0
        var taken = 0
        var tries: UInt32 = 0
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 64) { places in
            while taken < total {
                var batch = OutputSpan(buffer: places, initializedCount: 0)
                let count = consumer.pop(into: &batch)
                for index in batch.span.indices { sum &+= batch.span[index] }
                taken &+= count
                pause(unless: count > 0, &tries)
            }
        }
        return sum
    }

    @inline(never)
    static func popOneByOne(_ consumer: inout RingConsumer<UInt64>, _ total: Int) -> UInt64 {
        var sum: UInt64 = 0
        var taken = 0
        var tries: UInt32 = 0
        while taken < total {
            let number = consumer.pop()
            if let number {
                sum &+= number
                taken &+= 1
            }
            pause(unless: number != nil, &tries)
        }
        return sum
    }
}

/// Waits a little after an attempt that came to nothing.
func pause(unless isDone: Bool, _ tries: inout UInt32) {
    if isDone {
        tries = 0
    } else {
        cbench_wait(&tries)
    }
}

extension cbench_line_t {
    init(_ number: UInt64) {
        self.init(words: (number, number, number, number, number, number, number, number))
    }
}
