public import WeirAggregates
public import WeirCore

/// The state of a sliding window, by the capabilities of its aggregate.
@usableFromInline
protocol SlidingState: Sendable {
    /// The aggregate.
    associatedtype Base: Aggregate

    /// The number of entries.
    var count: Int { get }

    /// Adds the newest element.
    mutating func add(_ element: borrowing Base.Input, at time: Timestamp, position: Int64)

    /// Removes the elements up to `position`.
    mutating func evict(through position: Int64)

    /// The aggregate of the elements in the window.
    mutating func result() -> Base.Output

    /// Saves what is remembered, or gives it back.
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError)
}

/// An element of a sliding window.
@frozen
@usableFromInline
struct SlidingEntry<Element: Sendable>: Sendable {
    @usableFromInline var element: Element
    @usableFromInline var time: Timestamp
    @usableFromInline var position: Int64

    @inlinable
    init(_ element: consuming Element, _ time: Timestamp, _ position: Int64) {
        self.element = element
        self.time = time
        self.position = position
    }
}

/// Remembers the elements and folds them again for each result: O(elements) per result.
@frozen
@usableFromInline
struct RefoldingState<Base: Aggregate>: SlidingState {
    @usableFromInline let initial: Base
    @usableFromInline var entries = Deque<SlidingEntry<Base.Input>>()

    @inlinable
    init(_ initial: Base) {
        self.initial = initial
    }

    @inlinable
    var count: Int { entries.count }

    @inlinable
    mutating func add(_ element: borrowing Base.Input, at time: Timestamp, position: Int64) {
        entries.append(SlidingEntry(copy element, time, position))
    }

    @inlinable
    mutating func evict(through position: Int64) {
        while !entries.isEmpty, entries[0].position <= position { entries.removeFirst() }
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&entries)
    }

    @inlinable
    mutating func result() -> Base.Output {
        var aggregate = initial
        for index in 0..<entries.count {
            let entry = entries[index]
            aggregate.add(entry.element, at: entry.time)
        }
        return aggregate.result()
    }
}

/// Remembers the elements and removes them from the aggregate: O(1) per element.
@frozen
@usableFromInline
struct InvertingState<Base: InvertibleAggregate>: SlidingState {
    @usableFromInline var aggregate: Base
    @usableFromInline var entries = Deque<SlidingEntry<Base.Input>>()

    @inlinable
    init(_ initial: Base) {
        aggregate = initial
    }

    @inlinable
    var count: Int { entries.count }

    @inlinable
    mutating func add(_ element: borrowing Base.Input, at time: Timestamp, position: Int64) {
        aggregate.add(element, at: time)
        entries.append(SlidingEntry(copy element, time, position))
    }

    @inlinable
    mutating func evict(through position: Int64) {
        while !entries.isEmpty {
            let entry = entries[0]
            guard entry.position <= position else { return }
            aggregate.remove(entry.element, at: entry.time)
            entries.removeFirst()
        }
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try aggregate.exchangeState(&state)
        try state.exchange(&entries)
    }

    @inlinable
    mutating func result() -> Base.Output { aggregate.result() }
}

/// Remembers the values that may still become the result, in a monotone deque: O(1) amortised per element.
@frozen
@usableFromInline
struct SelectingState<Base: SelectingAggregate>: SlidingState {
    @usableFromInline let initial: Base
    @usableFromInline var values = Deque<SlidingEntry<Base.Output>>()

    @inlinable
    init(_ initial: Base) {
        self.initial = initial
    }

    @inlinable
    var count: Int { values.count }

    @inlinable
    mutating func add(_ element: borrowing Base.Input, at time: Timestamp, position: Int64) {
        let value = initial.value(of: element)
        while !values.isEmpty, initial.supersedes(value, values[values.count - 1].element) { values.removeLast() }
        values.append(SlidingEntry(value, time, position))
    }

    @inlinable
    mutating func evict(through position: Int64) {
        while !values.isEmpty, values[0].position <= position { values.removeFirst() }
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&values)
    }

    @inlinable
    mutating func result() -> Base.Output { values[0].element }
}

/// Remembers the newer elements, and for each older one the aggregate from it on (two stacks): two merges per element,
/// amortised.
@frozen
@usableFromInline
struct MergingState<Base: MergeableAggregate>: SlidingState {
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
    var count: Int { older.count + newer.count }

    @inlinable
    mutating func add(_ element: borrowing Base.Input, at time: Timestamp, position: Int64) {
        newerAggregate.add(element, at: time)
        newer.append(SlidingEntry(copy element, time, position))
    }

    @inlinable
    mutating func evict(through position: Int64) {
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

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&older, like: SlidingEntry(initial, .epoch, 0)) { entry, state throws(StateError) in
            try entry.element.exchangeState(&state)
            try state.exchange(&entry.time)
            try state.exchange(&entry.position)
        }
        try state.exchange(&newer)
        try newerAggregate.exchangeState(&state)
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
    mutating func result() -> Base.Output {
        guard var aggregate = older.last?.element else { return newerAggregate.result() }
        aggregate.merge(newerAggregate)
        return aggregate.result()
    }
}
