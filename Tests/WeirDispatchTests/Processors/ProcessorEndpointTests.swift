import Synchronization
import TestThreads
import Testing
import WeirCore
import WeirDispatch

/// An envelope does not keep its listener alive; the endpoint that it came through and the processor do.
@Suite struct ProcessorEndpointTests {
    private struct Parcel: Event {
        let timestamp = Timestamp.epoch
        let content: Content
    }

    private final class Content: Sendable {}

    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
        let living = Atomic<Int>(0)
    }

    /// What a handler captures, counted while it lives.
    private final class Token: Sendable {
        private let counter: Counter

        init(_ counter: Counter) {
            self.counter = counter
            counter.living.add(1, ordering: .relaxed)
        }

        deinit { counter.living.subtract(1, ordering: .relaxed) }

        func use() { counter.value.add(1, ordering: .relaxed) }
    }

    private func waitForNobody(_ counter: Counter) async throws {
        for _ in 0..<100_000 where counter.living.load(ordering: .relaxed) > 0 {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    @Test func listenersComeAndGoWhileTheirEventsArePending() async throws {
        let counter = Counter()
        let bus = EventBus()
        let processor = EventProcessor(name: "doors", capacity: 64, bus: bus)
        try processor.start()
        let isOver = Counter()
        TestThreads.run([
            {
                while isOver.value.load(ordering: .relaxed) == 0 {
                    for priority in Priority.allCases { bus.queue(Parcel(content: Content()), priority: priority) }
                }
            },
            {
                var round = 0
                // As long as it takes until an event is handled.
                let isHandled = DispatchTests.wait {
                    let token = Token(counter)
                    let handle = processor.on(Parcel.self) { _, _ in token.use() }
                    // Most handles live for a moment, and some for longer.
                    if round % 4 == 0 { TestThreads.yield() }
                    handle.cancel()
                    round += 1
                    return round >= 3000 && counter.value.load(ordering: .relaxed) > 0
                }
                #expect(isHandled)
                isOver.value.store(1, ordering: .relaxed)
            },
        ])
        // Between the last event and the end: a listener whose events are never handled.
        do {
            let token = Token(counter)
            let handle = processor.on(Parcel.self) { _, _ in token.use() }
            for _ in 0..<50 { bus.queue(Parcel(content: Content())) }
            handle.cancel()
        }
        processor.stop(.now)
        try await processor.stopped()
        try await waitForNobody(counter)
        #expect(counter.living.load(ordering: .relaxed) == 0)
        #expect(counter.value.load(ordering: .relaxed) > 0)
    }

    @Test func aListenerIsLetGoByAnIdleProcessor() async throws {
        let counter = Counter()
        let bus = EventBus()
        let processor = EventProcessor(name: "doors", bus: bus)
        try processor.start()
        do {
            let token = Token(counter)
            let handle = processor.on(Parcel.self) { _, _ in token.use() }
            bus.queue(Parcel(content: Content()))
            while counter.value.load(ordering: .relaxed) == 0 { await Task.yield() }
            handle.cancel()
        }
        try await waitForNobody(counter)
        #expect(counter.living.load(ordering: .relaxed) == 0)
        processor.stop()
        try await processor.stopped()
    }

    @Test func aListenerIsLetGoByAProcessorThatNeverRan() {
        let counter = Counter()
        do {
            let bus = EventBus()
            let processor = EventProcessor(name: "doors", bus: bus)
            let token = Token(counter)
            processor.on(Parcel.self) { _, _ in token.use() }
            bus.queue(Parcel(content: Content()))
        }
        #expect(counter.living.load(ordering: .relaxed) == 0)
    }
}
