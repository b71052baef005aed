internal import AsyncAlgorithms
internal import CBench
internal import Comparing
internal import Crew
internal import DequeModule
internal import Synchronization
internal import WeirCore

/// The same numbers through what else there is: on one thread, and from one to another.
enum Queues {
    private static let capacity = Int(CBENCH_RING_CAPACITY)

    // MARK: On one thread

    private static let many = 10_000_000
    /// How many wait in the queue all the time.
    private static let waiting = 100

    /// An array, an index for each end, and no look at what is free.
    static func byHandOnOneThread() throws -> Double {
        var places = [UInt64](repeating: 0, count: capacity)
        return try oneThread { number in
            places[Int(truncatingIfNeeded: number) & (capacity - 1)] = number
            guard number >= waiting else { return nil }
            return places[Int(truncatingIfNeeded: number &- UInt64(waiting)) & (capacity - 1)]
        }
    }

    static func ringOnOneThread() throws -> Double {
        let ends = try Ring<UInt64>.makeEnds(capacity: capacity)
        var producer = ends.producer
        var consumer = ends.consumer
        var sum: UInt64 = 0
        let cost = nanoseconds(per: many) {
            for number in 0..<UInt64(many) {
                _ = producer.push(number)
                if number >= waiting, let popped = consumer.pop() { sum &+= popped }
            }
        }
        return try checked(cost, sum)
    }

    static func dequeOnOneThread() throws -> Double {
        var deque = Deque<UInt64>(minimumCapacity: capacity)
        return try oneThread { number in
            deque.append(number)
            return number >= waiting ? deque.popFirst() : nil
        }
    }

    @inline(__always)
    private static func oneThread(_ step: (UInt64) -> UInt64?) throws -> Double {
        var sum: UInt64 = 0
        let cost = nanoseconds(per: many) {
            for number in 0..<UInt64(many) { sum &+= step(number) ?? 0 }
        }
        return try checked(cost, sum)
    }

    private static func checked(_ cost: Double, _ sum: UInt64) throws -> Double {
        try checked(cost, sum, of: many - waiting)
    }

    private static func checked(_ cost: Double, _ sum: UInt64, of count: Int) throws -> Double {
        let expected = UInt64(count) * UInt64(count - 1) / 2
        guard sum == expected else { throw WrongResult(sum, insteadOf: expected) }
        return cost
    }

    // MARK: From one thread to another

    /// A deque that is never fuller than a ring, behind a mutex.
    static func dequeBehindMutex() throws -> Double {
        let total = 1_000_000
        let deque = SharedDeque()
        let result = TransferResult()
        parallel(onCores: [0, 1]) { index in
            if index == 0 {
                result.start = cbench_now()
                Transfer.push(total) { deque.push($0) ? 1 : 0 }
            } else {
                result.sum = Transfer.popOneByOne(total) { deque.pop() }
                result.end = cbench_now()
            }
        }
        return try checked(Double(result.end - result.start) / Double(total), result.sum, of: total)
    }

    private final class SharedDeque: Sendable {
        private let places = Mutex(Deque<UInt64>(minimumCapacity: capacity))

        func push(_ number: UInt64) -> Bool {
            places.withLock { places in
                guard places.count < capacity else { return false }
                places.append(number)
                return true
            }
        }

        func pop() -> UInt64? {
            places.withLock { $0.popFirst() }
        }
    }

    /// Its buffer is unbounded: a bounded one drops.
    static func asyncStream() throws -> Double {
        let count = 1_000_000
        let (stream, continuation) = AsyncStream.makeStream(of: UInt64.self, bufferingPolicy: .unbounded)
        return try tasks(count, receiving: stream) {
            for number in 0..<UInt64(count) { continuation.yield(number) }
            continuation.finish()
        }
    }

    /// Each element waits until it is taken.
    static func asyncChannel() throws -> Double {
        let count = 50_000
        let channel = AsyncChannel<UInt64>()
        return try tasks(count, receiving: channel) {
            for number in 0..<UInt64(count) { await channel.send(number) }
            channel.finish()
        }
    }

    private static func tasks<Numbers: AsyncSequence & Sendable>(
        _ count: Int,
        receiving numbers: Numbers,
        _ send: @escaping @Sendable () async -> Void
    ) throws -> Double where Numbers.Element == UInt64, Numbers.Failure == Never {
        var sum: UInt64 = 0
        let cost = nanoseconds(per: count) {
            sum = wait(for: {
                async let sending: Void = send()
                let sum = await numbers.reduce(0, &+)
                await sending
                return sum
            })
        }
        return try checked(cost, sum, of: count)
    }
}
