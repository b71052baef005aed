internal import CBench
public import Comparing
internal import WeirCore
internal import WeirDispatch

/// Events on their way to their handlers: on other threads, on the publisher's, and later.
///
/// The goals are those of issue 3; those between threads were set on another machine, where a cache line takes 238 ns
/// there and back.
public enum DispatchWorkloads {
    private static let line = "cache line, there and back"
    private static let spinningByHand = "by hand: spinning, every 50 µs, p50"
    private static let sleepingByHand = "by hand: mutex and condition, every 50 µs, p50"
    private static let exchanges = "two atomic exchanges"
    private static let closures = "100 closures in an array, each"
    private static let timers = "timer queue, 1 M: set and fire"
    private static let halves = "two threads by hand, 1 µs of work each"
    private static let pool = "pool of 2, 1 µs of work each"
    private static let many = 3_000_000
    private static let few = 400_000
    private static let awake = Duration.microseconds(200)
    private static let usual = EventProcessor.defaultPatience

    public static let suite = Suite(
        "dispatch",
        [Workload(line, in: .nanosecondsPerElement) { cbench_round_trip() }]
            + throughput + latency + burst + pools + inline + later + priorities + allocations
    )

    private static let throughput = [
        Workload("mailbox alone, 1 producer", in: .millionsPerSecond, against: line) {
            try Throughput.mailbox(many, producers: 1)
        },
        Workload("mailbox alone, 4 producers", in: .millionsPerSecond, against: line) {
            try Throughput.mailbox(many, producers: 4)
        },
        processor("1 producer → processor", 1, usual, goal: 15),
        processor("1 producer → processor that spins", 1, awake),
        processor("1 producer → processor that sleeps at once", 1, .zero),
        processor("4 producers → processor", 4, usual, goal: 6),
        processor("4 producers → processor that spins", 4, awake),
        processor("4 producers → processor that sleeps at once", 4, .zero),
        peer("1 producer → serial DispatchQueue", in: .millionsPerSecond, beside: "1 producer → processor") {
            Peers.serialQueue(few, producers: 1)
        },
        peer("4 producers → serial DispatchQueue", in: .millionsPerSecond, beside: "4 producers → processor") {
            Peers.serialQueue(few, producers: 4)
        },
    ]

    private static let latency = [
        Workload(spinningByHand, in: .nanosecondsPerElement, against: line) {
            Latency.byHand(cbench_paced_spinning, quantile: 0.5)
        },
        latency("spinning processor, every 50 µs, p50", awake, 0.5, beside: spinningByHand, goal: 1000),
        latency("spinning processor, every 50 µs, p99", awake, 0.99, beside: spinningByHand, goal: 10_000),
        Workload(sleepingByHand, in: .nanosecondsPerElement, against: line) {
            Latency.byHand(cbench_paced_sleeping, quantile: 0.5)
        },
        latency("parked processor, every 50 µs, p50", usual, 0.5, beside: sleepingByHand, goal: 6000),
        latency("parked processor, every 50 µs, p99", usual, 0.99, beside: sleepingByHand, goal: 15_000),
        peer("serial DispatchQueue, every 50 µs, p50", beside: "parked processor, every 50 µs, p50") {
            Peers.latencyOfSerialQueue(quantile: 0.5)
        },
        peer("serial DispatchQueue, every 50 µs, p99", beside: "parked processor, every 50 µs, p99") {
            Peers.latencyOfSerialQueue(quantile: 0.99)
        },
        peer("AsyncStream, every 50 µs, p50", beside: "parked processor, every 50 µs, p50") {
            Peers.latencyOfAsyncStream(quantile: 0.5)
        },
        peer("AsyncStream, every 50 µs, p99", beside: "parked processor, every 50 µs, p99") {
            Peers.latencyOfAsyncStream(quantile: 0.99)
        },
    ]

    private static let pools = [
        Workload(halves, in: .nanosecondsPerElement) { Pools.byHand() },
        Workload(pool, in: .nanosecondsPerElement, against: halves) { try Pools.pool() },
        peer("concurrent DispatchQueue, 1 µs of work each", beside: pool) { Pools.concurrentQueue() },
    ]

    private static let burst = [
        Workload(
            "burst of 40,000, highest: median wait",
            in: .nanosecondsPerElement,
            against: line,
            goal: .atMost(1_000_000)
        ) { try Burst.medianWait(of: .highest) },
        Workload("burst of 40,000, lowest: median wait", in: .nanosecondsPerElement, against: line) {
            try Burst.medianWait(of: .lowest)
        },
    ]

    private static let inline = [
        Workload(exchanges, in: .nanosecondsPerElement) { Inline.exchanges() },
        Workload("monotonic clock", in: .nanosecondsPerElement) { Inline.clock() },
        inline("channel, 1 subscriber", beside: exchanges, goal: 30) { Inline.publish(to: 1, .subscribers) },
        inline("channel, 1 listener", beside: exchanges, goal: 30) { Inline.publish(to: 1, .listeners) },
        inline("bus, 1 subscriber", beside: exchanges) { Inline.publishOnBus(to: 1, .subscribers) },
        inline("bus, 1 listener", beside: exchanges) { Inline.publishOnBus(to: 1, .listeners) },
        peer("OpenCombine subject, 1 subscriber", beside: "channel, 1 subscriber") { Peers.subject(subscribers: 1) },
        Workload(closures, in: .nanosecondsPerElement) { Inline.byHand(100) },
        inline("channel, 100 subscribers, each", beside: closures, goal: 10) { Inline.publish(to: 100, .subscribers) },
        inline("channel, 100 listeners, each", beside: closures, goal: 10) { Inline.publish(to: 100, .listeners) },
        peer("OpenCombine subject, 100 subscribers, each", beside: "channel, 100 subscribers, each") {
            Peers.subject(subscribers: 100)
        },
    ]

    private static let later = [
        Workload(timers, in: .nanosecondsPerElement, goal: .atMost(200)) { try Timers.queue() },
        Workload("scheduler, 1 M: set and fire", in: .nanosecondsPerElement, against: timers, goal: .atMost(200)) {
            try Timers.scheduler()
        },
        peer("Heap, 1 M timers: insert and pop", beside: timers) { Peers.timers(Timers.count) },
        Workload("bus, 1 M events later: set and handle", in: .nanosecondsPerElement, against: timers) {
            try Timers.bus()
        },
    ]

    private static let priorities = [1000, 100_000].flatMap { waiting in
        let ours = "mailbox of 5 priorities, \(waiting) wait: put and take"
        return [
            Workload(ours, in: .nanosecondsPerElement) { try Throughput.priorities(waiting: waiting) },
            peer("Heap by priority, \(waiting) wait: insert and pop", beside: ours) {
                Priorities.heap(waiting: waiting)
            },
        ]
    }

    private static let allocations = [
        allocations("publish to a subscriber") { Allocations.inline(.subscribers) },
        allocations("publish to a listener") { Allocations.inline(.listeners) },
        allocations("queue to a processor") { try Allocations.dispatch() },
        allocations("handled by a processor") { try Allocations.handling() },
    ]

    private static func processor(
        _ name: String,
        _ producers: Int,
        _ patience: Duration,
        goal: Double? = nil
    ) -> Workload {
        let limit = "mailbox alone, \(producers) producer\(producers == 1 ? "" : "s")"
        return Workload(name, in: .millionsPerSecond, against: limit, goal: goal.map { .atLeast($0) }) {
            try Throughput.processor(many, producers: producers, spinning: patience)
        }
    }

    private static func latency(
        _ name: String,
        _ patience: Duration,
        _ share: Double,
        beside limit: String,
        goal: Double
    ) -> Workload {
        Workload(name, in: .nanosecondsPerElement, against: limit, goal: .atMost(goal)) {
            try Latency.processor(spinning: patience, quantile: share)
        }
    }

    private static func inline(
        _ name: String,
        beside limit: String,
        goal: Double? = nil,
        _ run: @escaping @Sendable () -> Double
    ) -> Workload {
        Workload(name, in: .nanosecondsPerElement, against: limit, goal: goal.map { .atMost($0) }, run: run)
    }

    private static func peer(
        _ name: String,
        in unit: Unit = .nanosecondsPerElement,
        beside ours: String,
        _ run: @escaping @Sendable () throws -> Double
    ) -> Workload {
        Workload(name, in: unit, against: ours, isPeer: true, run: run)
    }

    private static func allocations(_ name: String, _ run: @escaping @Sendable () throws -> Double) -> Workload {
        Workload("100,000 events, \(name)", in: .plain("allocations"), goal: .atMost(0), run: run)
    }
}
