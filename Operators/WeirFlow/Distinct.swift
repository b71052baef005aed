public import WeirCore

extension EventStream {
    /// Drops elements whose key was emitted shortly before.
    ///
    ///     alarms.distinct(by: \.device, within: .seconds(60), limit: 10_000)
    ///
    /// Emits an element when it arrives, with its time, and drops it if the youngest element of its key that was
    /// emitted is less than `duration` away in event time, before or after. Remembers a time for each key, until the
    /// watermark has come `duration` further; of more than `limit` keys, it forgets the one that was emitted first. A
    /// key that does not equal itself, like NaN, is no repetition, and is not remembered. Watermarks and the completion
    /// pass. Elements older than the watermark go to ``Distinct/late``.
    ///
    /// - Parameters:
    ///   - key: The key of an element.
    ///   - duration: How long a key counts as a repetition; positive.
    ///   - limit: How many keys to remember; positive.
    /// - Returns: The elements without the repetitions.
    /// - Complexity: One hash look-up per element, without allocation once the memory has grown.
    @inlinable
    public func distinct<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Element) -> Key,
        within duration: Duration,
        limit: Int = 1 << 20
    ) -> Distinct<Self, Key> {
        precondition(limit > 0, "distinct: limit must be positive, but is \(limit)")
        return Distinct(self, key, Nanoseconds.positive(duration, "how long a key is remembered"), limit)
    }

    /// Drops elements whose key is among the last keys that were emitted.
    ///
    ///     orders.distinct(by: \.id, last: 10_000)
    ///
    /// Emits an element when it arrives, with its time; event time plays no part. Remembers `count` keys, and forgets
    /// the one that was emitted first when there are more. Watermarks and the completion pass.
    ///
    /// - Parameters:
    ///   - key: The key of an element.
    ///   - count: How many keys to remember; positive.
    /// - Returns: The elements without the repetitions.
    /// - Complexity: One hash look-up per element, without allocation once the memory has grown.
    @inlinable
    public func distinct<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Element) -> Key,
        last count: Int
    ) -> Distinct<Self, Key> {
        precondition(count > 0, "distinct: count must be positive, but is \(count)")
        return Distinct(self, key, nil, count)
    }
}

/// The elements of a stream without repetitions; made by `distinct`.
@frozen
public struct Distinct<Upstream: EventStream, Key: Hashable & Sendable>: EventStream {
    public typealias Element = Upstream.Element

    @usableFromInline let upstream: Upstream
    @usableFromInline let key: @Sendable (Element) -> Key
    @usableFromInline let duration: Int64?
    @usableFromInline let limit: Int

    /// The elements older than the watermark; whether they are repetitions is not known any more.
    public let late: SideOutput<Element>

    @inlinable
    init(_ upstream: Upstream, _ key: @escaping @Sendable (Element) -> Key, _ duration: Int64?, _ limit: Int) {
        self.upstream = upstream
        self.key = key
        self.duration = duration
        self.limit = limit
        late = SideOutput()
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(DistinctSink(key, duration, limit, late, sink))
    }
}

extension Distinct: GroupableStream where Upstream: GroupableStream {}

/// Forwards the elements with new keys.
@frozen
@usableFromInline
struct DistinctSink<Key: Hashable & Sendable, Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    /// The time at which an element of a key was emitted.
    @frozen
    @usableFromInline
    struct Memory: Sendable {
        @usableFromInline var time: Timestamp
        // If `order` has several entries of a key, the one with this number is valid.
        @usableFromInline var number: UInt64

        @inlinable
        init(_ time: Timestamp, _ number: UInt64) {
            self.time = time
            self.number = number
        }
    }

    @usableFromInline let key: @Sendable (Input) -> Key
    @usableFromInline let duration: Int64?
    @usableFromInline let limit: Int
    @usableFromInline let late: SideOutput<Input>
    @usableFromInline var memory: [Key: Memory] = [:]
    @usableFromInline var order = Deque<(key: Key, memory: Memory)>()
    @usableFromInline var number: UInt64 = 0
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ key: @escaping @Sendable (Input) -> Key,
        _ duration: Int64?,
        _ limit: Int,
        _ late: SideOutput<Input>,
        _ downstream: consuming Downstream
    ) {
        self.key = key
        self.duration = duration
        self.limit = limit
        self.late = late
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if duration != nil, time < watermark {
            late.send(copy element, at: time)
            return
        }
        let key = key(element)
        var youngest = time
        if let known = memory[key] {
            guard let duration else { return }
            let (from, to) = (known.time.shifted(byNanoseconds: -duration), known.time.shifted(byNanoseconds: duration))
            guard time <= from || time >= to else { return }
            youngest = max(known.time, time)
        } else if key != key {
            // Like NaN: it repeats nothing, and would be neither found again nor forgotten.
            downstream.receive(element, at: time)
            return
        } else {
            // More than one where the state is of a pipeline with a greater limit.
            while memory.count >= limit, !order.isEmpty { forgetFirst() }
        }
        number &+= 1
        let entry = Memory(youngest, number)
        memory[key] = entry
        order.append((key, entry))
        if order.count / 2 > limit { dropStaleEntries() }
        downstream.receive(element, at: time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if let duration {
            self.watermark = max(self.watermark, watermark)
            while let oldest = order.first, oldest.memory.time.shifted(byNanoseconds: duration) <= watermark {
                _ = order.popFirst()
                if memory[oldest.key]?.number == oldest.memory.number { memory[oldest.key] = nil }
            }
        }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        memory = [:]
        order = Deque()
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("distinct")
        try state.exchange(late)
        try state.exchange(&memory)
        try state.exchange(&order)
        try state.exchange(&number)
        try state.exchange(&watermark)
        try downstream.exchangeState(&state)
    }

    /// Forgets the key that was emitted first and not again.
    @inlinable
    mutating func forgetFirst() {
        while let oldest = order.popFirst() {
            guard memory[oldest.key]?.number == oldest.memory.number else { continue }
            memory[oldest.key] = nil
            return
        }
    }

    @inlinable
    mutating func dropStaleEntries() {
        for _ in 0..<order.count {
            guard let entry = order.popFirst() else { return }
            if memory[entry.key]?.number == entry.memory.number { order.append(entry) }
        }
    }
}
