/// Values in the order of their event times; equal times in the order of arrival.
///
/// For operators that keep elements until a watermark releases them. Made for input that is nearly in order: a
/// value that arrives with *d* younger ones before it is put in place in O(*d*), the oldest is taken in O(1) amortised,
/// and no memory is allocated once the storage has grown to what is needed.
@frozen
public struct TimeOrderedQueue<Value: Sendable>: Sendable {
    /// A value and its place in time.
    @frozen
    public struct Entry: Sendable {
        /// Event time.
        public let time: Timestamp
        /// The value.
        public var value: Value

        @inlinable
        init(time: Timestamp, value: Value) {
            self.time = time
            self.value = value
        }
    }

    @usableFromInline var entries = Deque<Entry>()

    /// Creates an empty collection.
    @inlinable
    public init() {}

    /// How many values there are.
    @inlinable
    public var count: Int { entries.count }

    /// Whether there is nothing.
    @inlinable
    public var isEmpty: Bool { entries.isEmpty }

    /// The oldest value.
    @inlinable
    public var first: Entry? { entries.first }

    /// The entry at a position, the oldest at 0.
    @inlinable
    public subscript(_ position: Int) -> Entry {
        get { entries[position] }
        _modify { yield &entries[position] }
    }

    /// Puts a value in its place, behind all of the same time.
    @inlinable
    public mutating func insert(_ value: Value, at time: Timestamp) {
        var position = entries.count
        while position > 0, entries[position - 1].time > time { position -= 1 }
        entries.insert(Entry(time: time, value: value), at: position)
    }

    /// Takes the oldest value out; there must be one.
    @inlinable
    @discardableResult
    public mutating func removeFirst() -> Entry {
        entries.removeFirst()
    }

    /// Takes a value out; O(*n*).
    @inlinable
    public mutating func remove(at position: Int) {
        if position == 0 { removeFirst() } else { entries.removeAll(from: position, to: position + 1) }
    }

    /// Takes out the values from one position to before another; O(*n*).
    @inlinable
    public mutating func removeAll(from start: Int, to end: Int) {
        entries.removeAll(from: start, to: end)
    }

    /// Takes out everything.
    @inlinable
    public mutating func removeAll() {
        entries.removeAll()
    }

    /// The position of the oldest value that is younger than `time`, or `count`.
    @inlinable
    public func firstPosition(after time: Timestamp) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].time > time { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The position of the oldest value that is not older than `time`, or `count`.
    @inlinable
    public func firstPosition(from time: Timestamp) -> Int {
        time == .distantPast ? 0 : firstPosition(after: time.shifted(byNanoseconds: -1))
    }
}
