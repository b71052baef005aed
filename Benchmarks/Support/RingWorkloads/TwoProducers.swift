internal import CBench
internal import Crew
internal import WeirCore

/// Numbers from two threads, which share a core, to a third over a `SharedRing`.
enum TwoProducers {
    /// Moves the numbers from 0 to half of `total` twice, and returns the nanoseconds that it took.
    static func transfer(
        _ total: Int,
        _ produce: @escaping @Sendable (SharedRing<UInt64>, Int) -> Void,
        _ consume: @escaping @Sendable (SharedRing<UInt64>, Int) -> UInt64
    ) throws -> Int64 {
        let ring = try SharedRing<UInt64>(capacity: Int(CBENCH_RING_CAPACITY))
        let result = TransferResult()
        parallel(onCores: [1, 0, 0]) { index in
            if index == 0 {
                result.sum = consume(ring, total)
                result.end = cbench_now()
            } else {
                if index == 1 { result.start = cbench_now() }
                produce(ring, total / 2)
            }
        }
        return result.nanoseconds(expecting: UInt64(total / 2) * UInt64(total / 2 - 1))
    }

    @inline(never)
    static func pushBatches(_ ring: SharedRing<UInt64>, _ total: Int) {
        var batch = [UInt64](repeating: 0, count: 64)
        var made = 0
        var tries: UInt32 = 0
        while made < total {
            for offset in 0..<64 { batch[offset] = UInt64(made &+ offset) }
            var done = 0
            while done < 64 {
                let count = ring.push(contentsOf: batch.span.extracting(droppingFirst: done))
                done &+= count
                pause(unless: count > 0, &tries)
            }
            made &+= 64
        }
    }

    @inline(never)
    static func pushOneByOne(_ ring: SharedRing<UInt64>, _ total: Int) {
        var made: UInt64 = 0
        var tries: UInt32 = 0
        while made < UInt64(total) {
            let isPushed = ring.push(made)
            if isPushed { made &+= 1 }
            pause(unless: isPushed, &tries)
        }
    }

    @inline(never)
    static func drain(_ ring: SharedRing<UInt64>, _ total: Int) -> UInt64 {
        var sum: UInt64 = 0
        var taken = 0
        var tries: UInt32 = 0
        while taken < total {
            let count = ring.drain(upTo: 64) { batch in
                for index in batch.indices { sum &+= batch[index] }
            }
            taken &+= count
            pause(unless: count > 0, &tries)
        }
        return sum
    }

    @inline(never)
    static func popOneByOne(_ ring: SharedRing<UInt64>, _ total: Int) -> UInt64 {
        var sum: UInt64 = 0
        var taken = 0
        var tries: UInt32 = 0
        while taken < total {
            let number = ring.pop()
            if let number {
                sum &+= number
                taken &+= 1
            }
            pause(unless: number != nil, &tries)
        }
        return sum
    }
}
