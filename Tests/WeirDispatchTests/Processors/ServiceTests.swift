import TestThreads
import Testing
import WeirCore
import WeirDispatch

/// Processors and pools as a group of services runs them, and what a backend for metrics polls of them.
@Suite(.timeLimit(.minutes(10))) struct ServiceTests {
    private struct Numbered: Event {
        var timestamp = Timestamp.epoch
        let number: Int
    }

    private let bus = EventBus()

    @Test func aCancelledProcessorHandlesWhatIsPending() async throws {
        let processor = EventProcessor(name: "test", bus: bus)
        let handled = Locked(0)
        processor.on(Numbered.self) { _, _ in handled.withLock { $0 += 1 } }
        for number in 0..<500 { bus.queue(Numbered(number: number)) }
        let running = Task { try await processor.run() }
        running.cancel()
        try await running.value
        #expect(handled.withLock { $0 } == 500)
        #expect(processor.metrics.mailbox.total.pending == 0)
    }

    @Test func aProcessorThatIsStoppedEndsItsRun() async throws {
        let processor = EventProcessor(name: "test", bus: bus)
        async let ended: Void = processor.run()
        processor.stop()
        try await ended
        // And once more: there is nothing to wait for.
        try await processor.run()
    }

    @Test func aCancelledPoolHandlesWhatIsPending() async throws {
        let pool = ProcessorPool(name: "test", size: 1...4, capacity: 1024, bus: bus)
        let handled = Locked(0)
        pool.on(Numbered.self) { _, _ in handled.withLock { $0 += 1 } }
        let running = Task { try await pool.run() }
        for number in 0..<500 { bus.queue(Numbered(number: number)) }
        running.cancel()
        try await running.value
        let metrics = pool.metrics
        #expect(metrics.handled == UInt64(handled.withLock { $0 }))
        #expect(metrics.handled + metrics.discarded + metrics.dropped + metrics.refused == 500)
    }

    @Test func snapshotsHaveNamesAndLabels() throws {
        let processor = EventProcessor(name: "test", bus: bus)
        processor.on(Numbered.self) { _, _ in }
        for number in 0..<3 { bus.queue(Numbered(number: number)) }
        try processor.start()
        processor.stop()
        processor.waitUntilStopped()

        let samples = processor.metrics.samples(["processor": "test"])
        #expect(samples.contains(Metric("weir_processor_handled_total", .counter, 3, labels: ["processor": "test"])))
        #expect(samples.contains(Metric("weir_processor_pending", .gauge, 0, labels: ["processor": "test"])))
        #expect(Set(samples.map { [$0.name: $0.labels] }).count == samples.count)

        let channels = bus.samples(["service": "demo"])
        let labels = ["service": "demo", "event": "Numbered"]
        #expect(channels.contains(Metric("weir_channel_published_total", .counter, 3, labels: labels)))
        let causes = channels.filter { $0.name == "weir_channel_dropped_total" }.compactMap { $0.labels["cause"] }
        #expect(causes == ["overflow", "ended", "ahead"])
    }
}
