public import WeirCore

/// Passes each element to the sink of its key.
@frozen
@usableFromInline
struct GroupedSink<Input: Sendable, Key: Hashable & Sendable, Output: Sendable>: Sink {
    @usableFromInline let key: @Sendable (Input) -> Key
    @usableFromInline let limit: Int
    @usableFromInline let idle: Int64?
    @usableFromInline let eviction: GroupEviction
    @usableFromInline let sides: GroupSides<Input>
    @usableFromInline let build: @Sendable (Group<Input, Key>) -> Void
    // The pipelines of the groups, at the groups' indexes; none before the first group.
    @usableFromInline var bank = SinkBank(NoSink<Input>())
    @usableFromInline var isBuilt = false
    // Whether the pipeline of a further group is a copy of the first one's.
    @usableFromInline var copies = false
    @usableFromInline var indexes = KeyTable<Key>()
    @usableFromInline let groups = SharedCell(driven: GroupSlots<Key>())
    // The watermark of all groups, future ones too.
    @usableFromInline var watermark = Timestamp.distantPast
    // No group can be evicted by an earlier watermark.
    @usableFromInline var nextEviction = Timestamp.distantFuture
    @usableFromInline var watch: StallWatch
    @usableFromInline let downstream: SinkHandle<Output>

    @inlinable
    init(
        _ key: @escaping @Sendable (Input) -> Key,
        _ limit: Int,
        _ idle: Int64?,
        _ eviction: GroupEviction,
        _ sides: GroupSides<Input>,
        _ build: @escaping @Sendable (Group<Input, Key>) -> Void,
        _ downstream: SinkHandle<Output>
    ) {
        self.key = key
        self.limit = limit
        self.idle = idle
        self.eviction = eviction
        self.sides = sides
        watch = StallWatch(sides.stalls)
        self.build = build
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let key = key(element)
        if let index = indexes.place(of: key) {
            if idle != nil, time > groups.value.slots[index].youngest { groups.value.slots[index].youngest = time }
            bank.receive(index, element, time)
        } else if groups.value.slots.count < limit, key == key {
            let index = add(key, time)
            bank.receive(index, element, time)
        } else {
            sides.refused.send(copy element, at: time)
        }
    }

    /// Adds a group, and returns its index.
    @inlinable
    mutating func add(_ key: Key, _ time: Timestamp) -> Int {
        let index = groups.value.slots.count
        indexes.insert(key, at: index)
        groups.value.slots.append(GroupSlots<Key>.Slot(key, time))
        if copies { bank.append(watermark) } else { buildGroup(key) }
        if let idle {
            let due = time.shifted(byNanoseconds: idle)
            nextEviction = min(nextEviction, due)
            watch.expect(at: due, within: idle)
            watch.look(at: time)
        }
        return index
    }

    /// Builds the pipeline of a group.
    @usableFromInline
    mutating func buildGroup(_ key: Key) {
        let group = Group(key, groups, sides, isBuilt ? bank : nil, watermark)
        build(group)
        let isForThisKey: Bool
        (bank, isForThisKey) = group.finishBuilding()
        isBuilt = true
        copies = !isForThisKey
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
        watch.end()
        bank.advance(watermark)
        if watermark >= nextEviction { evict(at: watermark) }
        downstream.advance(watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        for index in groups.value.slots.indices { bank.finish(index, completion) }
        bank.keep { _ in false }
        indexes = KeyTable()
        groups.value.slots = []
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("grouped")
        try state.exchange(sides.refused)
        try state.exchange(sides.late)
        try state.exchange(sides.dropped)
        try watch.exchangeState(&state)
        var watermark = watermark
        try state.exchange(&watermark)
        try state.exchange(&nextEviction)
        var slots = groups.value.slots
        try state.exchange(&slots)
        if state.isRestoring { rebuild(slots) }
        if try !bank.exchangeState(&state) { rebuild([]) }
        if state.isRestoring { self.watermark = watermark }
        try downstream.exchangeState(&state)
    }

    /// Makes new pipelines for groups, which get their states afterwards.
    private mutating func rebuild(_ slots: [GroupSlots<Key>.Slot]) {
        (bank, isBuilt, copies) = (SinkBank(NoSink<Input>()), false, false)
        (indexes, groups.value.slots) = (KeyTable(), [])
        watermark = .distantPast
        for slot in slots {
            indexes.insert(slot.key, at: groups.value.slots.count)
            groups.value.slots.append(slot)
            if copies { bank.append(watermark) } else { buildGroup(slot.key) }
        }
    }

    @usableFromInline
    mutating func evict(at watermark: Timestamp) {
        guard let idle else { return }
        nextEviction = .distantFuture
        for (index, group) in groups.value.slots.enumerated() {
            let due = group.youngest.shifted(byNanoseconds: idle)
            if due > watermark {
                nextEviction = min(nextEviction, due)
            } else {
                indexes.remove(group.key)
                if eviction == .finish { bank.finish(index, .finished) }
            }
        }
        bank.keep { groups.value.slots[$0].youngest.shifted(byNanoseconds: idle) > watermark }
        groups.value.slots.removeAll { $0.youngest.shifted(byNanoseconds: idle) <= watermark }
        for (index, group) in groups.value.slots.enumerated() { indexes.move(group.key, to: index) }
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

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
    }
}

/// Stands for the pipelines as long as there is no group.
@frozen
@usableFromInline
struct NoSink<Input: Sendable>: Sink {
    @inlinable
    init() {}

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {}

    @inlinable
    mutating func advance(to watermark: Timestamp) {}

    @inlinable
    mutating func finish(_ completion: Completion) {}

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
    }
}
