public import WeirCore

/// Hands each element to the sink of its key.
@frozen
public struct GroupedSink<Input: Sendable, Key: Hashable & Sendable, Output: Sendable>: Sink {
    @usableFromInline let key: @Sendable (Input) -> Key
    @usableFromInline let limit: Int
    @usableFromInline let onRefused: (@Sendable (Input, Timestamp) -> Void)?
    @usableFromInline let makeGroup: @Sendable () -> SinkHandle<Input>
    @usableFromInline var indexes: [Key: Int] = [:]
    // In the order of their first elements, so that the output of a watermark is a function of the input alone.
    @usableFromInline var groups: [SinkHandle<Input>] = []
    @usableFromInline let downstream: SinkHandle<Output>

    @inlinable
    init(
        _ key: @escaping @Sendable (Input) -> Key,
        _ limit: Int,
        _ onRefused: (@Sendable (Input, Timestamp) -> Void)?,
        _ makeGroup: @escaping @Sendable () -> SinkHandle<Input>,
        _ downstream: SinkHandle<Output>
    ) {
        self.key = key
        self.limit = limit
        self.onRefused = onRefused
        self.makeGroup = makeGroup
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let key = key(element)
        if let index = indexes[key] {
            groups[index].receive(element, time)
        } else if groups.count < limit {
            indexes[key] = groups.count
            groups.append(makeGroup())
            groups[groups.count - 1].receive(element, time)
        } else {
            onRefused?(element, time)
        }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        for group in groups { group.advance(watermark) }
        downstream.advance(watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        for group in groups { group.finish(completion) }
        indexes = [:]
        groups = []
        downstream.finish(completion)
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
