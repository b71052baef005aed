internal import WeirCore

/// What one thread hands to another one, in order; a full queue makes the giver wait.
final class BoundedQueue<Item: Sendable>: Sendable {
    private struct State: Sendable {
        var items: [Item] = []
        var isClosed = false
    }

    private let state = Locked(State())
    private let capacity: Int

    /// Where the giver waits.
    private let room = Parker()

    /// Where the taker waits; several queues may share it.
    private let arrival: Parker

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - capacity: How many items there can be; at least one.
    ///   - arrival: Where the taker waits.
    init(capacity: Int, arrival: Parker = Parker()) {
        self.capacity = capacity
        self.arrival = arrival
    }

    /// Hands over an item, once there is room for it.
    ///
    /// - Returns: False when nobody takes items any more.
    @discardableResult
    func give(_ item: Item) -> Bool {
        while true {
            let outcome: Bool? = state.withLock { state in
                if state.isClosed { return false }
                guard state.items.count < capacity else { return nil }
                state.items.append(item)
                return true
            }
            if let outcome {
                arrival.unpark()
                return outcome
            }
            room.park()
        }
    }

    /// Takes the next item, if there is one.
    func takeIfThere() -> Item? {
        let item: Item? = state.withLock { $0.items.isEmpty ? nil : $0.items.removeFirst() }
        if item != nil { room.unpark() }
        return item
    }

    /// Takes the next item, once there is one.
    ///
    /// - Returns: `nil` when the queue was closed.
    func take() -> Item? {
        while true {
            if let item = takeIfThere() { return item }
            if state.withLock({ $0.isClosed }) { return nil }
            arrival.park()
        }
    }

    /// Says that nobody takes items any more; what waits is dropped.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.items.removeAll()
        }
        room.unpark()
        arrival.unpark()
    }

    /// How many items wait.
    var count: Int { state.withLock { $0.items.count } }
}
