internal import CBench
internal import Crew
internal import Synchronization
internal import WeirCore
internal import WeirDispatch

/// How long events take from dispatch to handler when one comes every 50 µs.
enum Latency {
    static let count = 10_000
    private static let interval: Int64 = 50_000

    /// Through a bus to a processor.
    ///
    /// - Parameters:
    ///   - patience: How long the processor looks for the next event before it sleeps.
    ///   - share: Which latency: 0.5 for the median.
    /// - Returns: Nanoseconds.
    /// - Throws: When the system has no thread for the processor.
    static func processor(spinning patience: Duration, quantile share: Double) throws -> Double {
        let bus = EventBus()
        let processor = EventProcessor(name: "bench", spinning: patience, bus: bus)
        let latencies = Latencies(count)
        processor.on(Sample.self) { sample, _ in latencies.add(cbench_now() - sample.sent) }
        processor.perform { cbench_pin(1) }
        try processor.start()
        defer { processor.stop() }
        return paced(latencies, quantile: share) { sample, _ in bus.queue(sample) }
    }

    /// Through something else.
    ///
    /// - Parameters:
    ///   - latencies: Where what handles the events writes their latencies.
    ///   - share: Which latency: 0.5 for the median.
    ///   - send: Sends an event on its way.
    /// - Returns: Nanoseconds.
    static func paced(
        _ latencies: Latencies = Latencies(count),
        quantile share: Double,
        _ send: @escaping @Sendable (Sample, Latencies) -> Void
    ) -> Double {
        parallel(onCores: [0]) { _ in
            var next = cbench_now() + 1_000_000
            for number in 0..<UInt64(count) {
                next += interval
                cbench_wait_until(next)
                send(Sample(number, sent: cbench_now()), latencies)
            }
        }
        latencies.wait()
        return latencies.quantile(share)
    }

    /// By hand, without a processor; returns nanoseconds.
    static func byHand(
        _ measure: (Int32, Int64, UnsafeMutablePointer<Int64>) -> Void,
        quantile share: Double
    ) -> Double {
        let latencies = Latencies(count)
        measure(Int32(count), interval, latencies.values)
        return latencies.quantile(share)
    }
}

/// Durations that one thread writes down.
final class Latencies: @unchecked Sendable {
    let values: UnsafeMutablePointer<Int64>
    private let capacity: Int
    private let count = Atomic<Int>(0)

    init(_ capacity: Int) {
        self.capacity = capacity
        values = .allocate(capacity: capacity)
        values.initialize(repeating: 0, count: capacity)
    }

    deinit {
        values.deallocate()
    }

    @inline(__always)
    func add(_ nanoseconds: Int64) {
        let index = count.load(ordering: .relaxed)
        check(index < capacity, "more arrived than was sent")
        values[index] = nanoseconds
        count.store(index + 1, ordering: .releasing)
    }

    /// Waits until all are there.
    func wait() {
        var tries: UInt32 = 0
        while count.load(ordering: .acquiring) < capacity { cbench_wait(&tries) }
    }

    /// The duration that a share of all does not exceed.
    func quantile(_ share: Double) -> Double {
        let sorted = UnsafeBufferPointer(start: values, count: capacity).sorted()
        return Double(sorted[min(capacity - 1, Int(share * Double(capacity)))])
    }
}
