internal import WeirCore

/// The events of pending matches: each is linked to the one before it, and belongs to one pending match.
///
/// Memory: 8 bytes for an event.
struct EventChains: Sendable {
    private struct Node: Sendable {
        var event: UInt32
        // The one before it; of an unused node the next unused one; negative for none.
        var previous: Int32
    }

    private var nodes: [Node] = []
    private var unused: Int32 = -1

    /// How many events there are.
    private(set) var count = 0

    /// The events that were removed: each of them has one holder less.
    private(set) var released: [UInt32] = []

    /// Makes room for events at once, of which it has none yet.
    mutating func reserve(_ count: Int) { nodes = Array(roomFor: count) }

    /// Adds an event behind a chain.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - chain: The last event so far; negative for none.
    /// - Returns: The chain with the event.
    mutating func append(_ event: UInt32, to chain: Int32) -> Int32 {
        count += 1
        let node = unused
        guard node >= 0 else {
            nodes.append(Node(event: event, previous: chain))
            return Int32(nodes.count - 1)
        }
        unused = nodes[Int(node)].previous
        nodes[Int(node)] = Node(event: event, previous: chain)
        return node
    }

    /// Frees a chain, and releases its events.
    mutating func remove(_ chain: Int32) {
        var node = chain
        while node >= 0 {
            released.append(nodes[Int(node)].event)
            node = free(node)
        }
    }

    /// Frees a chain, and calls a function with its events, the last one first.
    mutating func take(_ chain: Int32, _ body: (UInt32) -> Void) {
        var node = chain
        while node >= 0 {
            body(nodes[Int(node)].event)
            node = free(node)
        }
    }

    /// The events of a chain, the last one first.
    func forEach(of chain: Int32, _ body: (UInt32) -> Void) {
        var node = chain
        while node >= 0 {
            body(nodes[Int(node)].event)
            node = nodes[Int(node)].previous
        }
    }

    /// Forgets the events that were released.
    mutating func forgetReleased() { released.removeAll(keepingCapacity: true) }

    private mutating func free(_ node: Int32) -> Int32 {
        let previous = nodes[Int(node)].previous
        nodes[Int(node)].previous = unused
        unused = node
        count -= 1
        return previous
    }
}
