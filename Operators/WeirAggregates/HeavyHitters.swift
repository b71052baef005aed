public import WeirCore

/// The values that are there most often, in bounded memory (SpaceSaving: Metwally, Agrawal and El Abbadi, "Efficient
/// computation of frequent and top-k elements in data streams", 2005).
///
///     requests.tumbling(.seconds(60)).aggregate(HeavyHitters(10, of: \.path, counters: 1000))
///
/// A count is never too low, and too high by no more than its `error`, which is at most *n* / `counters` for *n*
/// elements; every more frequent value is among the counters. The most frequent comes first; of equally frequent ones
/// the one with the smaller error, then the one that was counted first. Values that equal nothing, like NaN, are not
/// counted.
///
/// - Complexity: O(log counters) to add, O(counters · log) to merge and for the result.
public struct HeavyHitters<Input: Sendable, Value: Hashable & Sendable>: MergeableAggregate {
    private struct Counter: Sendable {
        var value: Value
        var count: Int
        var error: Int
        var order: Int
    }

    private let value: @Sendable (Input) -> Value
    private let limit: Int
    private let capacity: Int
    // A binary heap, the least count first; and where each value is in it.
    private var heap: [Counter] = []
    private var places: [Value: Int] = [:]
    private var order = 0

    /// Creates the aggregate of no elements.
    ///
    /// - Parameters:
    ///   - limit: How many values the result has at most; positive.
    ///   - value: The value of an element; called once.
    ///   - counters: How many values are counted; not less than `limit`.
    public init(_ limit: Int, of value: @escaping @Sendable (Input) -> Value, counters: Int) {
        precondition(limit > 0, "HeavyHitters: limit must be positive, but is \(limit)")
        precondition(counters >= limit, "\(limit) values cannot be found with \(counters) counters")
        self.value = value
        self.limit = limit
        capacity = counters
    }

    public mutating func add(_ element: borrowing Input, at time: Timestamp) {
        let value = value(element)
        guard value == value else { return }
        if let place = places[value] {
            heap[place].count += 1
            sink(place)
        } else if heap.count < capacity {
            order += 1
            insert(Counter(value: value, count: 1, error: 0, order: order))
        } else {
            order += 1
            let least = heap[0]
            places[least.value] = nil
            heap[0] = Counter(value: value, count: least.count + 1, error: least.count, order: order)
            places[value] = 0
            sink(0)
        }
    }

    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&heap)
        try state.exchange(&places)
        try state.exchange(&order)
    }

    public mutating func merge(_ other: Self) {
        // What one side does not count may have been there as often as the least that it counts, if it is full.
        let mine = heap.count == capacity ? heap[0].count : 0
        let theirs = other.heap.count == other.capacity ? other.heap[0].count : 0
        var all: [Counter] = []
        for var counter in heap {
            let same = other.places[counter.value].map { other.heap[$0] }
            counter.count += same?.count ?? theirs
            counter.error += same?.error ?? theirs
            all.append(counter)
        }
        for var counter in other.heap where places[counter.value] == nil {
            counter.count += mine
            counter.error += mine
            counter.order += order
            all.append(counter)
        }
        order += other.order
        heap = []
        places = [:]
        for counter in all.sorted(by: Self.comesFirst).prefix(capacity) { insert(counter) }
    }

    public func result() -> [Counted<Value>] {
        heap.sorted(by: Self.comesFirst).prefix(limit).map {
            Counted(value: $0.value, count: $0.count, error: $0.error)
        }
    }

    private static func comesFirst(_ left: Counter, _ right: Counter) -> Bool {
        (-left.count, left.error, left.order) < (-right.count, right.error, right.order)
    }

    private mutating func insert(_ counter: Counter) {
        heap.append(counter)
        var place = heap.count - 1
        places[counter.value] = place
        while place > 0, heap[place].count < heap[(place - 1) / 2].count {
            exchange(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Moves a counter that has grown to where it belongs.
    private mutating func sink(_ start: Int) {
        var place = start
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if heap[child].count < heap[least].count { least = child }
            }
            guard least != place else { return }
            exchange(place, least)
            place = least
        }
    }

    private mutating func exchange(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        places[heap[left].value] = left
        places[heap[right].value] = right
    }
}
