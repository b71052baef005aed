internal import WeirCore
internal import WeirDispatch

/// Items from one thread to another, in order; pushing to a full queue waits.
///
/// Not a ring, which never waits, and not a mailbox, whose thread waits for that mailbox alone: here one thread waits for
/// any of several queues, on a parker that they share.
final class BoundedQueue<Item: Sendable>: Sendable {
    private struct State: Sendable {
        var items: [Item] = []
        var isClosed = false
    }

    private let state = Locked(State())
    private let capacity: Int

    /// Where the pushing thread waits.
    private let room = Parker()

    /// Where the popping thread waits; several queues may share it.
    private let arrival: Parker

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - capacity: How many items there can be; at least one.
    ///   - arrival: Where the popping thread waits.
    init(capacity: Int, arrival: Parker = Parker()) {
        self.capacity = capacity
        self.arrival = arrival
    }

    /// Appends an item, once there is room for it.
    ///
    /// - Returns: False when the queue is closed.
    @discardableResult
    func push(_ item: Item) -> Bool {
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
    func tryPop() -> Item? {
        let item: Item? = state.withLock { $0.items.isEmpty ? nil : $0.items.removeFirst() }
        if item != nil { room.unpark() }
        return item
    }

    /// Takes the next item, once there is one.
    ///
    /// - Returns: `nil` when the queue was closed.
    func pop() -> Item? {
        while true {
            if let item = tryPop() { return item }
            if state.withLock({ $0.isClosed }) { return nil }
            arrival.park()
        }
    }

    /// Ends the queue: drops its contents, and wakes the threads that wait.
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
