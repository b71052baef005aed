internal import CAllocations
internal import CBench
internal import Synchronization
internal import WeirCore
internal import WeirDispatch

/// How many allocations 100,000 events take, after the start.
enum Allocations {
    private static let count = 100_000
    private static let warmUp = 1000

    /// Publishing to handlers on the publisher's thread.
    static func inline(_ kind: Inline.Kind) -> Double {
        let channel = EventChannel<Sample>()
        let sum = PlainCounter()
        switch kind {
        case .subscribers: channel.subscribe { sum.add($0.number) }
        case .listeners: channel.listen { sample, _ in sum.add(sample.number) }
        }
        return counted(by: { for number in 0..<$0 { channel.publish(Sample(number)) } })
    }

    /// Queueing to a processor whose thread does not get to them.
    static func dispatch() throws -> Double {
        let queued = try Queued()
        defer { queued.end() }
        return counted(by: queued.dispatch)
    }

    /// The processor's handling of what was queued before.
    static func handling() throws -> Double {
        let queued = try Queued()
        queued.dispatch(UInt64(count))
        let before = callocations_count()
        queued.end()
        queued.wait(for: count)
        return before < 0 ? .nan : Double(callocations_count() - before)
    }

    private static func counted(by body: (UInt64) -> Void) -> Double {
        body(UInt64(warmUp))
        let before = callocations_count()
        body(UInt64(count))
        return before < 0 ? .nan : Double(callocations_count() - before)
    }

    /// A processor that is held by its first event.
    private final class Queued: Sendable {
        let bus = EventBus()
        let processor: EventProcessor
        let isHeld = Atomic<Bool>(true)
        let handled = Atomic<Int>(0)

        init() throws {
            processor = EventProcessor(name: "bench", capacity: 1 << 17, bus: bus)
            processor.on(Sample.self) { [weak self] _, _ in self?.handle() }
            try processor.start()
            dispatch(1)
            while processor.metrics.busyFor == nil { _ = sched_yield() }
        }

        func handle() {
            var tries: UInt32 = 0
            while isHeld.load(ordering: .acquiring) { cbench_wait(&tries) }
            handled.add(1, ordering: .releasing)
        }

        func dispatch(_ count: UInt64) {
            for number in 0..<count { bus.queue(Sample(number)) }
        }

        func end() {
            isHeld.store(false, ordering: .releasing)
        }

        func wait(for count: Int) {
            var tries: UInt32 = 0
            while handled.load(ordering: .acquiring) < count + 1 { cbench_wait(&tries) }
        }
    }
}
