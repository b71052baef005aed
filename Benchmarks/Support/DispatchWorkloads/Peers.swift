internal import CBench
internal import CommonStream
internal import Comparing
internal import Crew
internal import Dispatch
internal import HeapModule
internal import OpenCombine

/// The same work with what else there is: dispatch queues, OpenCombine's subjects, a heap.
enum Peers {
    /// Blocks on a serial queue from some threads, which share a core; returns nanoseconds per event.
    ///
    /// Nothing bounds the queue, so the producers never wait.
    static func serialQueue(_ total: Int, producers: Int) -> Double {
        let queue = DispatchQueue(label: "bench")
        let arrivals = Arrivals(expecting: total)
        let each = total / producers
        parallel(onCores: Array(repeating: 0, count: producers)) { index in
            if index == 0 { arrivals.start = cbench_now() }
            for number in 0..<UInt64(each) {
                let sample = Sample(number)
                queue.async { arrivals.add(sample.number) }
            }
        }
        return arrivals.wait(forSum: UInt64(producers) * (UInt64(each) * UInt64(each - 1) / 2))
    }

    /// A block on a serial queue every 50 µs; returns nanoseconds from dispatch to handler.
    static func latencyOfSerialQueue(quantile share: Double) -> Double {
        let queue = DispatchQueue(label: "bench", qos: .userInteractive)
        return Latency.paced(quantile: share) { sample, latencies in
            queue.async { latencies.add(cbench_now() - sample.sent) }
        }
    }

    /// A task that iterates over a stream, which gets an element every 50 µs; returns nanoseconds.
    static func latencyOfAsyncStream(quantile share: Double) -> Double {
        let (stream, continuation) = AsyncStream.makeStream(of: Sample.self)
        let latencies = Latencies(Latency.count)
        Task.detached(priority: .high) {
            for await sample in stream { latencies.add(cbench_now() - sample.sent) }
        }
        defer { continuation.finish() }
        return Latency.paced(latencies, quantile: share) { sample, _ in continuation.yield(sample) }
    }

    /// A subject with some subscribers; returns nanoseconds per event and subscriber.
    static func subject(subscribers count: Int) -> Double {
        let subject = PassthroughSubject<Sample, Never>()
        let sums = (0..<count).map { _ in PlainCounter() }
        let subscriptions = sums.map { sum in subject.sink { sum.add($0.number) } }
        defer { for subscription in subscriptions { subscription.cancel() } }
        return Inline.measure(count, sums, total: 1_000_000) { total in
            for number in 0..<UInt64(total) { subject.send(Sample(number)) }
        }
    }

    /// A million timers in a heap: set, and then taken in order; returns nanoseconds per timer.
    static func timers(_ count: Int) -> Double {
        var heap = Heap<Timer>()
        var random = SplitMix64(seed: 42)
        var (fired, last) = (0, Int64.min)
        let time = nanoseconds(per: count) {
            for number in 0..<UInt64(count) {
                heap.insert(Timer(deadline: Timers.nanoseconds(&random), number: number))
            }
            while let timer = heap.popMin() {
                check(timer.deadline >= last, "the heap is not in order")
                (fired, last) = (fired + 1, timer.deadline)
            }
        }
        check(fired == count, "timers were lost")
        return time
    }

    /// The number keeps those of one deadline in their order, and stands for what fires.
    private struct Timer: Comparable {
        let deadline: Int64
        let number: UInt64

        static func < (left: Timer, right: Timer) -> Bool {
            left.deadline != right.deadline ? left.deadline < right.deadline : left.number < right.number
        }
    }
}

/// Puts and takes by turns, by priority, while a number of others wait.
enum Priorities {
    private static let turns = 2_000_000

    /// In a heap; returns nanoseconds for a put and a take.
    static func heap(waiting: Int) -> Double {
        var heap = Heap<Entry>()
        return measure(
            waiting,
            put: { number, level in heap.insert(Entry(rank: (4 - UInt64(level)) << 56 | number, value: number)) },
            take: { heap.popMin()?.value }
        )
    }

    /// The rank is the priority, highest first, and then the order of arrival.
    private struct Entry: Comparable {
        let rank: UInt64
        let value: UInt64

        static func < (left: Entry, right: Entry) -> Bool { left.rank < right.rank }
    }

    /// Puts elements of priorities by chance; all that are put must be taken.
    @inline(__always)
    static func measure(_ waiting: Int, put: (UInt64, Int) -> Void, take: () -> UInt64?) -> Double {
        var random = SplitMix64(seed: 42)
        for number in 0..<UInt64(waiting) { put(number, Int(random.next() % 5)) }
        var (sum, taken) = (UInt64(0), 0)
        let time = nanoseconds(per: turns) {
            for number in UInt64(waiting)..<UInt64(waiting + turns) {
                put(number, Int(random.next() % 5))
                if let value = take() {
                    sum &+= value
                    taken += 1
                }
            }
        }
        check(taken == turns, "the queue was empty")
        while let value = take() {
            sum &+= value
            taken += 1
        }
        let total = UInt64(waiting + turns)
        check(taken == Int(total) && sum == total * (total - 1) / 2, "elements were lost")
        return time
    }
}
