public import WeirCore

/// Which keys come first.
@frozen
public enum RankOrder: Sendable, Hashable {
    /// The least key comes first.
    case ascending

    /// The greatest key comes first.
    case descending
}

/// The elements with the greatest, or the least, keys, in the order of these.
///
///     trades.tumbling(.seconds(60)).aggregate(Ranked(by: \.price, top: 10))
///
/// Of equal keys, the element with the earlier event time comes first; of equal times, the one that arrived first. Keys
/// that equal nothing, like NaN, come last. Remembers no more elements than the result has.
///
/// - Complexity: For a result of *n* elements, O(log *n*) to add one that does not get in, O(*n*) to add one that does
///   and to merge; without allocation once there are *n*.
@frozen
public struct Ranked<Input: Sendable, Key: Comparable & Sendable>: MergeableAggregate {
    @frozen
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let key: Key
        @usableFromInline let time: Timestamp
        @usableFromInline let order: Int
        @usableFromInline let element: Input

        @inlinable
        init(_ key: Key, _ time: Timestamp, _ order: Int, _ element: Input) {
            self.key = key
            self.time = time
            self.order = order
            self.element = element
        }
    }

    @usableFromInline let key: @Sendable (Input) -> Key
    @usableFromInline let isDescending: Bool
    @usableFromInline let limit: Int
    @usableFromInline var entries: [Entry] = []
    @usableFromInline var arrivals = 0

    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - key: The key of an element; called once for each.
    ///   - order: Which keys come first.
    ///   - limit: How many elements the result has at most; positive.
    @inlinable
    public init(by key: @escaping @Sendable (Input) -> Key, _ order: RankOrder = .descending, top limit: Int) {
        precondition(limit > 0, "Ranked: limit must be positive, but is \(limit)")
        self.key = key
        isDescending = order == .descending
        self.limit = limit
    }

    @inlinable
    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        let element = copy element
        insert(Entry(key(element), time, arrivals, element))
        arrivals += 1
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&entries)
        try state.exchange(&arrivals)
    }

    @inlinable
    public mutating func merge(_ other: Self) {
        for entry in other.entries { insert(Entry(entry.key, entry.time, arrivals + entry.order, entry.element)) }
        arrivals += other.arrivals
    }

    @inlinable
    public func result() -> [Input] { entries.map(\.element) }

    @inlinable
    mutating func insert(_ entry: Entry) {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if precedes(entry, entries[middle]) { high = middle } else { low = middle + 1 }
        }
        guard low < limit else { return }
        // More than one where the state is of an aggregate with a greater limit.
        while entries.count >= limit { entries.removeLast() }
        entries.insert(entry, at: low)
    }

    @inlinable
    func precedes(_ left: Entry, _ right: Entry) -> Bool {
        if left.key < right.key { return !isDescending }
        if right.key < left.key { return isDescending }
        // Equal keys; or keys that equal not even themselves, and are last.
        let (isLeftOrdinary, isRightOrdinary) = (left.key == left.key, right.key == right.key)
        if isLeftOrdinary != isRightOrdinary { return isLeftOrdinary }
        return (left.time, left.order) < (right.time, right.order)
    }
}
