public import WeirCore

/// Hands each element to the sink of its key.
@frozen
public struct GroupedSink<Input: Sendable, Key: Hashable & Sendable, Output: Sendable>: Sink {
    /// The pipeline of a key.
    @frozen
    @usableFromInline
    struct Slot: Sendable {
        @usableFromInline let key: Key
        @usableFromInline let sink: SinkHandle<Input>
        @usableFromInline var youngest: Timestamp

        @inlinable
        init(_ key: Key, _ sink: SinkHandle<Input>, _ youngest: Timestamp) {
            self.key = key
            self.sink = sink
            self.youngest = youngest
        }
    }

    @usableFromInline let key: @Sendable (Input) -> Key
    @usableFromInline let limit: Int
    @usableFromInline let idle: Int64?
    @usableFromInline let eviction: GroupEviction
    @usableFromInline let refused: SideOutput<Input>
    @usableFromInline let makeGroup: @Sendable () -> SinkHandle<Input>
    @usableFromInline var indexes: [Key: Int] = [:]
    // In the order of their first elements, so that the output of a watermark is a function of the input alone.
    @usableFromInline var groups: [Slot] = []
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
        _ makeGroup: @escaping @Sendable () -> SinkHandle<Input>,
        _ downstream: SinkHandle<Output>
    ) {
        self.key = key
        self.limit = limit
        self.idle = idle
        self.eviction = eviction
        self.refused = refused
        self.makeGroup = makeGroup
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let key = key(element)
        if let index = indexes[key] {
            if idle != nil, time > groups[index].youngest { groups[index].youngest = time }
            groups[index].sink.receive(element, time)
        } else if groups.count < limit {
            indexes[key] = groups.count
            groups.append(Slot(key, makeGroup(), time))
            if let idle { nextEviction = min(nextEviction, time.moved(by: idle)) }
            groups[groups.count - 1].sink.receive(element, time)
        } else {
            refused.send(copy element, at: time)
        }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        for group in groups { group.sink.advance(watermark) }
        if watermark >= nextEviction { evict(at: watermark) }
        downstream.advance(watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        for group in groups { group.sink.finish(completion) }
        indexes = [:]
        groups = []
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func evict(at watermark: Timestamp) {
        guard let idle else { return }
        nextEviction = .distantFuture
        var kept: [Slot] = []
        for group in groups {
            let due = group.youngest.moved(by: idle)
            if due > watermark {
                nextEviction = min(nextEviction, due)
                indexes[group.key] = kept.count
                kept.append(group)
            } else {
                indexes[group.key] = nil
                if eviction == .finish { group.sink.finish(.finished) }
            }
        }
        groups = kept
    }
}

/// Hands what a group emits to the sink behind all groups, which gets watermarks and the completion only once.
@frozen
public struct GroupOutputSink<Input: Sendable>: Sink {
    @usableFromInline let downstream: SinkHandle<Input>

    @inlinable
    init(_ downstream: SinkHandle<Input>) {
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        downstream.receive(element, time)
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {}

    @inlinable
    public mutating func finish(_ completion: Completion) {}
}
