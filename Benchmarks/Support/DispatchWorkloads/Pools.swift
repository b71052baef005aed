internal import CBench
internal import CommonStream
internal import Crew
internal import Dispatch
internal import Synchronization
internal import WeirDispatch

/// Work of about a microsecond for each event, on two threads.
enum Pools {
    private static let count = 200_000

    /// Some arithmetic, and a number that depends on all of it.
    @inline(never)
    private static func work(_ number: UInt64) -> UInt64 {
        var random = SplitMix64(seed: number)
        var sum: UInt64 = 0
        for _ in 0..<400 { sum &+= random.next() >> 32 }
        return sum
    }

    private static let expected = (0..<UInt64(count)).reduce(UInt64(0)) { $0 &+ work($1) }

    /// Each thread its half, without a queue; returns nanoseconds per event.
    static func byHand() -> Double {
        measure { results in
            parallel(onCores: [0, 1]) { index in
                for number in 0..<UInt64(count / 2) { results.add(work(number * 2 + UInt64(index))) }
            }
        }
    }

    static func pool() throws -> Double {
        let bus = EventBus()
        let pool = ProcessorPool(name: "bench", size: 2...2, capacity: 4096, bus: bus)
        let results = Results()
        pool.on(Sample.self) { sample, _ in results.add(work(sample.number)) }
        try pool.start()
        defer { pool.stop() }
        return measure(results) { _ in
            for number in 0..<UInt64(count) { bus.queue(Sample(number)) }
        }
    }

    static func concurrentQueue() -> Double {
        let queue = DispatchQueue(label: "bench", attributes: .concurrent)
        return measure { results in
            for number in 0..<UInt64(count) {
                let sample = Sample(number)
                queue.async { results.add(work(sample.number)) }
            }
        }
    }

    private static func measure(_ results: Results = Results(), _ body: (Results) -> Void) -> Double {
        let expected = expected
        let start = cbench_now()
        body(results)
        var tries: UInt32 = 0
        while results.count.load(ordering: .acquiring) < count { cbench_wait(&tries) }
        let time = Double(cbench_now() - start) / Double(count)
        check(results.sum.load(ordering: .relaxed) == expected, "the sum of the results is wrong")
        return time
    }

    private final class Results: Sendable {
        let count = Atomic<Int>(0)
        let sum = Atomic<UInt64>(0)

        func add(_ result: UInt64) {
            sum.wrappingAdd(result, ordering: .relaxed)
            count.wrappingAdd(1, ordering: .releasing)
        }
    }
}
