internal import CBench
public import Comparing

/// Rings between two cores: C alone, and the same through the Swift wrapper, beside one cache line going to and fro.
///
/// The goals are those of `anchors.md`, set on another machine; what holds on any machine is the wrapper's share.
public enum RingWorkloads {
    private static let line = "cache line, there and back"
    private static let halves = "by hand: 64 B, two halves in turn"
    private static let most = 64 * 300_000
    private static let some = 64 * 150_000
    private static let few = 64 * 60_000

    /// The wrapper reaches at least 80 % of what C reaches alone.
    private static let wrapperGoal = Workload.Goal.ratio(atMost: 1.25)

    public static let suite = Suite(
        "rings",
        [
            Workload(line, in: .nanosecondsPerElement) { cbench_round_trip() },
            alone("8 B, batches of 64, in place", most, atLeast: 430, cbench_ring_in_place),
            wrapped("8 B, batches of 64, in place", most) {
                try OneProducer.transfer(most, OneProducer.produceInPlace, OneProducer.consumeInPlace)
            },
            alone("8 B, batches of 64, copied", most, cbench_ring_copied),
            wrapped("8 B, batches of 64, copied", most) {
                try OneProducer.transfer(most, OneProducer.pushBatches, OneProducer.popBatches)
            },
            Workload(halves, in: .millionsPerSecond, against: line) {
                Double(cbench_lines_in_halves(UInt64(some))) / Double(some)
            },
            alone("64 B, batches of 64, in place", some, beside: halves, atLeast: 200, cbench_ring_lines_in_place),
            wrapped("64 B, batches of 64, in place", some) {
                try OneProducer.transfer(some, OneProducer.produceLines, OneProducer.consumeLines)
            },
            alone("8 B, one by one", few, atLeast: 25, cbench_ring_one_by_one),
            wrapped("8 B, one by one", few) {
                try OneProducer.transfer(few, OneProducer.pushOneByOne, OneProducer.popOneByOne)
            },
            alone("8 B, pushed one by one, drained", few, cbench_ring_one_to_batch),
            wrapped("8 B, pushed one by one, drained", few) {
                try OneProducer.transfer(few, OneProducer.pushOneByOne, OneProducer.consumeInPlace)
            },
            // The wrapper has no way to fill the slots of a shared ring in place, so it stands beside the copying C.
            alone("2 producers, 8 B, batches of 64, in place", some, atLeast: 200, cbench_shared_in_place),
            alone("2 producers, 8 B, batches of 64, copied in", some, cbench_shared_copied),
            wrapped("2 producers, 8 B, batches of 64, copied in", some) {
                try TwoProducers.transfer(some, TwoProducers.pushBatches, TwoProducers.drain)
            },
            alone("2 producers, 8 B, one by one", few, atLeast: 20, cbench_shared_one_by_one),
            wrapped("2 producers, 8 B, one by one", few) {
                try TwoProducers.transfer(few, TwoProducers.pushOneByOne, TwoProducers.popOneByOne)
            },
        ] + peers
    )

    private static let oneByOne = "Swift: 8 B, one by one"
    private static let byHandAlone = "one thread, push and pop: by hand"
    private static let ringAlone = "one thread, push and pop: Ring"

    private static let peers = [
        peer("Deque behind a Mutex, one by one", beside: oneByOne) { try Queues.dequeBehindMutex() },
        peer("AsyncStream, one by one", beside: oneByOne) { try Queues.asyncStream() },
        peer("AsyncChannel, one by one", beside: oneByOne) { try Queues.asyncChannel() },
        Workload(byHandAlone, in: .nanosecondsPerElement) { try Queues.byHandOnOneThread() },
        Workload(ringAlone, in: .nanosecondsPerElement, against: byHandAlone) { try Queues.ringOnOneThread() },
        peer("one thread, push and pop: Deque", in: .nanosecondsPerElement, beside: ringAlone) {
            try Queues.dequeOnOneThread()
        },
    ]

    private static func peer(
        _ name: String,
        in unit: Unit = .millionsPerSecond,
        beside ours: String,
        _ run: @escaping @Sendable () throws -> Double
    ) -> Workload {
        Workload(name, in: unit, against: ours, isPeer: true, run: run)
    }

    private static func alone(
        _ name: String,
        _ total: Int,
        beside limit: String = line,
        atLeast goal: Double? = nil,
        _ transfer: @escaping @Sendable (UInt64) -> Int64
    ) -> Workload {
        Workload("C11: \(name)", in: .millionsPerSecond, against: limit, goal: goal.map { .atLeast($0) }) {
            Double(transfer(UInt64(total))) / Double(total)
        }
    }

    private static func wrapped(
        _ name: String,
        _ total: Int,
        _ transfer: @escaping @Sendable () throws -> Int64
    ) -> Workload {
        Workload("Swift: \(name)", in: .millionsPerSecond, against: "C11: \(name)", goal: wrapperGoal) {
            Double(try transfer()) / Double(total)
        }
    }
}
