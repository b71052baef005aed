internal import CBench
internal import Crew
internal import WeirCore
internal import WeirDispatch

/// Events from some threads, which share a core, to one on the other core.
enum Throughput {
    private static let capacity = 4096

    /// Through a bus to a processor that counts; returns nanoseconds per event.
    static func processor(_ total: Int, producers: Int, spinning patience: Duration) throws -> Double {
        let bus = EventBus()
        let processor = EventProcessor(name: "bench", capacity: capacity, spinning: patience, bus: bus)
        let arrivals = Arrivals(expecting: total)
        processor.on(Sample.self) { sample, _ in arrivals.add(sample.number) }
        processor.perform { cbench_pin(1) }
        try processor.start()
        defer { processor.stop() }
        return produce(total, producers, arrivals) { produce(through: bus, $0) }
    }

    /// Through a mailbox alone to a thread that looks all the time; returns nanoseconds per event.
    static func mailbox(_ total: Int, producers: Int) throws -> Double {
        let mailbox = try Mailbox<Sample>(bounds: MailboxBounds(capacity: capacity))
        let arrivals = Arrivals(expecting: total)
        parallel(onCores: [1] + Array(repeating: 0, count: producers)) { index in
            if index == 0 {
                take(from: mailbox, total, arrivals)
            } else {
                if index == 1 { arrivals.start = cbench_now() }
                put(into: mailbox, total / producers)
            }
        }
        return arrivals.wait(forSum: sum(total, producers))
    }

    private static func produce(
        _ total: Int,
        _ producers: Int,
        _ arrivals: Arrivals,
        _ body: @escaping @Sendable (Int) -> Void
    ) -> Double {
        parallel(onCores: Array(repeating: 0, count: producers)) { index in
            if index == 0 { arrivals.start = cbench_now() }
            body(total / producers)
        }
        return arrivals.wait(forSum: sum(total, producers))
    }

    private static func sum(_ total: Int, _ producers: Int) -> UInt64 {
        let each = UInt64(total / producers)
        return UInt64(producers) * (each * (each - 1) / 2)
    }

    @inline(never)
    private static func produce(through bus: EventBus, _ count: Int) {
        for number in 0..<UInt64(count) { bus.queue(Sample(number)) }
    }

    @inline(never)
    private static func put(into mailbox: Mailbox<Sample>, _ count: Int) {
        for number in 0..<UInt64(count) { mailbox.put(Sample(number)) }
    }

    /// Five priorities in one mailbox, on one thread; returns nanoseconds for a put and a take.
    static func priorities(waiting: Int) throws -> Double {
        let mailbox = try Mailbox<UInt64>(bounds: MailboxBounds(capacity: 1 << 17))
        let levels = Priority.allCases
        return Priorities.measure(
            waiting,
            put: { number, level in mailbox.put(number, priority: levels[level]) },
            take: { unsafe mailbox.take()?.element }
        )
    }

    @inline(never)
    private static func take(from mailbox: Mailbox<Sample>, _ total: Int, _ arrivals: Arrivals) {
        var taken = 0
        var tries: UInt32 = 0
        while taken < total {
            if let next = unsafe mailbox.take() {
                arrivals.add(next.element.number)
                taken += 1
                tries = 0
            } else {
                cbench_wait(&tries)
            }
        }
    }
}
