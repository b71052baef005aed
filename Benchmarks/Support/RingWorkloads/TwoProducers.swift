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
        Transfer.pushBatches(total) { ring.push(contentsOf: $0) }
    }

    @inline(never)
    static func pushOneByOne(_ ring: SharedRing<UInt64>, _ total: Int) {
        Transfer.push(total) { ring.push($0) ? 1 : 0 }
    }

    @inline(never)
    static func drain(_ ring: SharedRing<UInt64>, _ total: Int) -> UInt64 {
        Transfer.pop(total) { sum in
            ring.drain(upTo: 64) { batch in
                for index in batch.indices { sum &+= batch[index] }
            }
        }
    }

    @inline(never)
    static func popOneByOne(_ ring: SharedRing<UInt64>, _ total: Int) -> UInt64 {
        Transfer.popOneByOne(total) { ring.pop() }
    }
}
