public import WeirCore

/// Retains the last elements, or those of a stretch of event time, in the order of their times.
@frozen
public struct RecentRetention<Element: Sendable>: Retention {
    @usableFromInline let duration: Int64?
    @usableFromInline let limit: Int
    @usableFromInline var retained = Deque<(element: Element, time: Timestamp)>()
    @usableFromInline var newest = Timestamp.distantPast

    @inlinable
    init(for duration: Int64?, limit: Int) {
        self.duration = duration
        self.limit = limit
    }

    @inlinable
    public var isTimed: Bool { duration != nil }

    @inlinable
    public mutating func receive(_ element: Element, at time: Timestamp, _ changes: inout RetentionChanges<Element>) {
        guard let duration else {
            changes.append(.entered(element), at: time)
            retained.append((element, time))
            // More than one where the state is of a pipeline with a greater limit.
            while retained.count > limit, let old = retained.popFirst() { changes.append(.left(old.element), at: time) }
            return
        }
        newest = max(newest, time)
        letGo(until: newest, duration, &changes)
        changes.append(.entered(element), at: time)
        var place = retained.count
        while place > 0, retained[place - 1].time > time { place -= 1 }
        retained.insert((element, time), at: place)
        // One that comes out of order may be over already.
        letGo(until: newest, duration, &changes)
        while retained.count > limit, let old = retained.popFirst() { changes.appendEarly(old.element, at: newest) }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp, _ changes: inout RetentionChanges<Element>) {
        guard let duration else { return }
        newest = max(newest, watermark)
        letGo(until: newest, duration, &changes)
    }

    @inlinable
    mutating func letGo(until time: Timestamp, _ duration: Int64, _ changes: inout RetentionChanges<Element>) {
        while retained.count > 0 {
            let end = retained[0].time.shifted(byNanoseconds: duration)
            guard end <= time else { return }
            changes.append(.left(retained.removeFirst().element), at: end)
        }
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&retained)
        try state.exchange(&newest)
    }
}

/// Retains the newest element of each key.
@frozen
public struct LatestRetention<Element: Sendable, Key: Hashable & Sendable>: Retention {
    @usableFromInline let key: @Sendable (Element) -> Key
    @usableFromInline let limit: Int
    @usableFromInline var retained: [Key: (element: Element, number: UInt64)] = [:]
    // If it has several entries of a key, the one with the key's number is valid.
    @usableFromInline var order = Deque<(key: Key, number: UInt64)>()
    @usableFromInline var number: UInt64 = 0

    @inlinable
    init(by key: @escaping @Sendable (Element) -> Key, limit: Int) {
        self.key = key
        self.limit = limit
    }

    @inlinable
    public mutating func receive(_ element: Element, at time: Timestamp, _ changes: inout RetentionChanges<Element>) {
        let key = key(element)
        // Like NaN: it would never be found again.
        guard key == key else {
            changes.append(.entered(element), at: time)
            changes.append(.left(element), at: time)
            return
        }
        number &+= 1
        changes.append(.entered(element), at: time)
        if let old = retained.updateValue((element, number), forKey: key) {
            changes.append(.left(old.element), at: time)
        }
        order.append((key, number))
        // More than one where the state is of a pipeline with a greater limit.
        while retained.count > limit, !order.isEmpty { dropOldest(&changes, at: time) }
        if order.count > 2 * retained.count + 64 { dropStaleEntries() }
    }

    /// Drops the key that has had no element for longest.
    @inlinable
    mutating func dropOldest(_ changes: inout RetentionChanges<Element>, at time: Timestamp) {
        while let oldest = order.popFirst() {
            guard let old = retained[oldest.key], old.number == oldest.number else { continue }
            retained[oldest.key] = nil
            return changes.appendEarly(old.element, at: time)
        }
    }

    @inlinable
    mutating func dropStaleEntries() {
        for _ in 0..<order.count {
            guard let entry = order.popFirst() else { return }
            if retained[entry.key]?.number == entry.number { order.append(entry) }
        }
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&retained)
        try state.exchange(&order)
        try state.exchange(&number)
    }
}

/// Retains the elements with the greatest or least values, in their order; of each key only the newest, where there are
/// keys.
@frozen
public struct RankedRetention<Element: Sendable, Value: Comparable & Sendable, Key: Hashable & Sendable>: Retention {
    @usableFromInline let count: Int
    @usableFromInline let descends: Bool
    @usableFromInline let value: @Sendable (Element) -> Value
    @usableFromInline let key: (@Sendable (Element) -> Key)?
    @usableFromInline var retained: ContiguousArray<(element: Element, value: Value)> = []

    @inlinable
    init(
        _ count: Int,
        descends: Bool,
        by value: @escaping @Sendable (Element) -> Value,
        key: (@Sendable (Element) -> Key)?
    ) {
        self.count = count
        self.descends = descends
        self.value = value
        self.key = key
        // Not always the whole count, which can be an upper bound that is never reached.
        retained.reserveCapacity(min(count, 1023) + 1)
    }

    @inlinable
    public mutating func receive(_ element: Element, at time: Timestamp, _ changes: inout RetentionChanges<Element>) {
        var old: Element?
        if let key {
            let own = key(element)
            if let place = retained.firstIndex(where: { key($0.element) == own }) {
                old = retained.remove(at: place).element
            }
        }
        let value = value(element)
        // One that does not equal itself, like NaN, has no place among the others.
        let place = value == value ? place(of: value) : count
        if place < count {
            retained.insert((element, value), at: place)
            changes.append(.entered(element), at: time)
        }
        if let old { changes.append(.left(old), at: time) }
        // More than one where the state is of a pipeline with a greater count.
        while retained.count > count { changes.append(.left(retained.removeLast().element), at: time) }
    }

    /// Where a value belongs: behind those that equal it.
    @inlinable
    func place(of value: Value) -> Int {
        var (low, high) = (0, retained.count)
        while low < high {
            let middle = (low + high) / 2
            let comesBefore = descends ? value > retained[middle].value : value < retained[middle].value
            if comesBefore { high = middle } else { low = middle + 1 }
        }
        return low
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        // Their values need not be of a type that can be saved.
        var elements = retained.map(\.element)
        try state.exchange(&elements)
        if state.isRestoring { retained = ContiguousArray(elements.map { ($0, value($0)) }) }
    }
}

/// Retains the last elements as long as a condition on the oldest and the newest of them, and on their number, holds.
@frozen
public struct ConditionalRetention<Element: Sendable>: Retention {
    @usableFromInline let limit: Int
    @usableFromInline let condition: @Sendable (borrowing Element, borrowing Element, Int) -> Bool
    @usableFromInline var retained = Deque<Element>()

    @inlinable
    init(limit: Int, while condition: @escaping @Sendable (borrowing Element, borrowing Element, Int) -> Bool) {
        self.limit = limit
        self.condition = condition
    }

    @inlinable
    public mutating func receive(_ element: Element, at time: Timestamp, _ changes: inout RetentionChanges<Element>) {
        changes.append(.entered(element), at: time)
        retained.append(element)
        while retained.count > 0, !condition(retained[0], element, retained.count) {
            changes.append(.left(retained.removeFirst()), at: time)
        }
        // More than one where the state is of a pipeline with a greater limit.
        while retained.count > limit { changes.appendEarly(retained.removeFirst(), at: time) }
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&retained)
    }
}
