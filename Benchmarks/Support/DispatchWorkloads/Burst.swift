internal import CBench
internal import Crew
internal import WeirCore
internal import WeirDispatch

/// 40,000 events at once from four threads, of all priorities in turn.
enum Burst {
    private static let producers = 4
    private static let each = 10_000

    /// How long the events of a priority wait for their handler, at the median; in nanoseconds.
    static func medianWait(of priority: Priority) throws -> Double {
        let bus = EventBus()
        let processor = EventProcessor(name: "bench", capacity: 8192, bus: bus)
        let levels = Priority.allCases
        let waits = levels.map { _ in Latencies(producers * each / levels.count) }
        processor.on(Sample.self) { sample, context in
            waits[Int(context.priority.rawValue)].add(cbench_now() - sample.sent)
        }
        processor.perform { cbench_pin(1) }
        try processor.start()
        defer { processor.stop() }
        parallel(onCores: Array(repeating: 0, count: producers)) { _ in
            for number in 0..<each {
                let level = levels[number % levels.count]
                bus.queue(Sample(UInt64(number), sent: cbench_now()), priority: level)
            }
        }
        for wait in waits { wait.wait() }
        return waits[Int(priority.rawValue)].quantile(0.5)
    }
}
