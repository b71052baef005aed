public import WeirAggregates
public import WeirCore

/// What a sliding window remembers, by what its aggregate can do.
public protocol SlidingState: Sendable {
    /// The aggregate.
    associatedtype Base: Aggregate

    /// How many elements, or stand-ins for them, are remembered.
    var count: Int { get }

    /// Adds the newest element.
    mutating func add(_ element: borrowing Base.Input, at time: Timestamp, position: Int64)

    /// Takes out all elements whose position is not after `position`.
    mutating func evict(through position: Int64)

    /// The aggregate of what is in.
    mutating func result() -> Base.Output
}

/// An element of a sliding window.
@frozen
public struct SlidingEntry<Element: Sendable>: Sendable {
    @usableFromInline let element: Element
    @usableFromInline let time: Timestamp
    @usableFromInline let position: Int64

    @inlinable
    init(_ element: consuming Element, _ time: Timestamp, _ position: Int64) {
        self.element = element
        self.time = time
        self.position = position
    }
}

/// Remembers the elements and folds them anew for each result: O(elements) per result.
@frozen
public struct RefoldingState<Base: Aggregate>: SlidingState {
    @usableFromInline let initial: Base
    @usableFromInline var entries = Backlog<SlidingEntry<Base.Input>>()

    @inlinable
    init(_ initial: Base) {
        self.initial = initial
    }

    @inlinable
    public var count: Int { entries.count }

    @inlinable
    public mutating func add(_ element: borrowing Base.Input, at time: Timestamp, position: Int64) {
        entries.append(SlidingEntry(copy element, time, position))
    }

    @inlinable
    public mutating func evict(through position: Int64) {
        while !entries.isEmpty, entries[0].position <= position { entries.removeFirst() }
    }

    @inlinable
    public mutating func result() -> Base.Output {
        var aggregate = initial
        for index in 0..<entries.count {
            let entry = entries[index]
            aggregate.add(entry.element, at: entry.time)
        }
        return aggregate.result()
    }
}

/// Remembers the elements and takes them out of the aggregate again: O(1) per element.
@frozen
public struct InvertingState<Base: InvertibleAggregate>: SlidingState {
    @usableFromInline var aggregate: Base
    @usableFromInline var entries = Backlog<SlidingEntry<Base.Input>>()

    @inlinable
    init(_ initial: Base) {
        aggregate = initial
    }

    @inlinable
    public var count: Int { entries.count }

    @inlinable
    public mutating func add(_ element: borrowing Base.Input, at time: Timestamp, position: Int64) {
        aggregate.add(element, at: time)
        entries.append(SlidingEntry(copy element, time, position))
    }

    @inlinable
    public mutating func evict(through position: Int64) {
        while !entries.isEmpty {
            let entry = entries[0]
            guard entry.position <= position else { return }
            aggregate.remove(entry.element, at: entry.time)
            entries.removeFirst()
        }
    }

    @inlinable
    public mutating func result() -> Base.Output { aggregate.result() }
}

/// Remembers the values that may still become the result, in a monotone deque: O(1) amortised per element.
@frozen
public struct SelectingState<Base: SelectingAggregate>: SlidingState {
    @usableFromInline let initial: Base
    @usableFromInline var values = Backlog<SlidingEntry<Base.Output>>()

    @inlinable
    init(_ initial: Base) {
        self.initial = initial
    }

    @inlinable
    public var count: Int { values.count }

    @inlinable
    public mutating func add(_ element: borrowing Base.Input, at time: Timestamp, position: Int64) {
        let value = initial.value(of: element)
        while !values.isEmpty, initial.supersedes(value, values[values.count - 1].element) { values.removeLast() }
        values.append(SlidingEntry(value, time, position))
    }

    @inlinable
    public mutating func evict(through position: Int64) {
        while !values.isEmpty, values[0].position <= position { values.removeFirst() }
    }

    @inlinable
    public mutating func result() -> Base.Output { values[0].element }
}

/// Remembers the newer elements, and for each older one the aggregate from it on (two stacks): two merges per element,
/// amortised.
@frozen
public struct MergingState<Base: MergeableAggregate>: SlidingState {
    @usableFromInline let initial: Base
    // The aggregate from an element on up to where the newer elements begin; the oldest is the last.
    @usableFromInline var older: ContiguousArray<SlidingEntry<Base>> = []
    @usableFromInline var newer: ContiguousArray<SlidingEntry<Base.Input>> = []
    @usableFromInline var newerAggregate: Base

    @inlinable
    init(_ initial: Base) {
        self.initial = initial
        newerAggregate = initial
    }

    @inlinable
    public var count: Int { older.count + newer.count }

    @inlinable
    public mutating func add(_ element: borrowing Base.Input, at time: Timestamp, position: Int64) {
        newerAggregate.add(element, at: time)
        newer.append(SlidingEntry(copy element, time, position))
    }

    @inlinable
    public mutating func evict(through position: Int64) {
        while true {
            if let oldest = older.last {
                guard oldest.position <= position else { return }
                older.removeLast()
            } else {
                guard let oldest = newer.first, oldest.position <= position else { return }
                turnOver()
            }
        }
    }

    @inlinable
    mutating func turnOver() {
        for index in newer.indices.reversed() {
            let entry = newer[index]
            var aggregate = initial
            aggregate.add(entry.element, at: entry.time)
            if let following = older.last { aggregate.merge(following.element) }
            older.append(SlidingEntry(aggregate, entry.time, entry.position))
        }
        newer.removeAll(keepingCapacity: true)
        newerAggregate = initial
    }

    @inlinable
    public mutating func result() -> Base.Output {
        guard var aggregate = older.last?.element else { return newerAggregate.result() }
        aggregate.merge(newerAggregate)
        return aggregate.result()
    }
}
