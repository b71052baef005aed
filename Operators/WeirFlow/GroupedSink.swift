public import WeirCore

/// Passes each element to the sink of its key.
@frozen
@usableFromInline
struct GroupedSink<Input: Sendable, Key: Hashable & Sendable, Output: Sendable>: Sink {
    /// The group of a key.
    @frozen
    @usableFromInline
    struct Slot: Sendable {
        @usableFromInline let key: Key
        @usableFromInline var youngest: Timestamp

        @inlinable
        init(_ key: Key, _ youngest: Timestamp) {
            self.key = key
            self.youngest = youngest
        }
    }

    @usableFromInline let key: @Sendable (Input) -> Key
    @usableFromInline let limit: Int
    @usableFromInline let idle: Int64?
    @usableFromInline let eviction: GroupEviction
    @usableFromInline let refused: SideOutput<Input>
    // The pipelines of the groups, at the groups' indexes.
    @usableFromInline let bank: SinkBank<Input>
    @usableFromInline var indexes = KeyTable<Key>()
    // In the order of their first elements, so that the output at a watermark depends on the input alone.
    @usableFromInline var groups: [Slot] = []
    // The watermark of all groups, future ones too.
    @usableFromInline var watermark = Timestamp.distantPast
    // No group can be evicted by an earlier watermark.
    @usableFromInline var nextEviction = Timestamp.distantFuture
    @usableFromInline let downstream: SinkHandle<Output>

    @inlinable
    init(
        _ key: @escaping @Sendable (Input) -> Key,
        _ limit: Int,
        _ idle: Int64?,
        _ eviction: GroupEviction,
        _ refused: SideOutput<Input>,
        _ bank: SinkBank<Input>,
        _ downstream: SinkHandle<Output>
    ) {
        self.key = key
        self.limit = limit
        self.idle = idle
        self.eviction = eviction
        self.refused = refused
        self.bank = bank
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let key = key(element)
        if let index = indexes.place(of: key) {
            if idle != nil, time > groups[index].youngest { groups[index].youngest = time }
            bank.receive(index, element, time)
        } else if groups.count < limit, key == key {
            indexes.insert(key, at: groups.count)
            groups.append(Slot(key, time))
            bank.append(watermark)
            if let idle { nextEviction = min(nextEviction, time.shifted(byNanoseconds: idle)) }
            bank.receive(groups.count - 1, element, time)
        } else {
            refused.send(copy element, at: time)
        }
    }

    @inlinable
    var wantsPrefetch: Bool { indexes.isLarge }

    @inlinable
    func prefetch(for element: borrowing Input, isNear: Bool) {
        let key = key(element)
        if !isNear {
            indexes.prefetch(key)
        } else if let index = indexes.place(of: key) {
            bank.prefetch(index)
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        self.watermark = watermark
        bank.advance(watermark)
        if watermark >= nextEviction { evict(at: watermark) }
        downstream.advance(watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        for index in groups.indices { bank.finish(index, completion) }
        bank.keep { _ in false }
        indexes = KeyTable()
        groups = []
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func evict(at watermark: Timestamp) {
        guard let idle else { return }
        nextEviction = .distantFuture
        for (index, group) in groups.enumerated() {
            let due = group.youngest.shifted(byNanoseconds: idle)
            if due > watermark {
                nextEviction = min(nextEviction, due)
            } else {
                indexes.remove(group.key)
                if eviction == .finish { bank.finish(index, .finished) }
            }
        }
        bank.keep { groups[$0].youngest.shifted(byNanoseconds: idle) > watermark }
        groups.removeAll { $0.youngest.shifted(byNanoseconds: idle) <= watermark }
        for (index, group) in groups.enumerated() { indexes.move(group.key, to: index) }
    }
}

/// Passes the elements of a group to the sink behind all groups, which gets watermarks and the completion only once.
@frozen
@usableFromInline
struct GroupOutputSink<Input: Sendable>: Sink {
    @usableFromInline let downstream: SinkHandle<Input>

    @inlinable
    init(_ downstream: SinkHandle<Input>) {
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        downstream.receive(element, time)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {}

    @inlinable
    mutating func finish(_ completion: Completion) {}
}
