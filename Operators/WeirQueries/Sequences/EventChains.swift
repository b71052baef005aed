/// The events of pending matches: each is linked to the one before it, and belongs to one pending match.
///
/// Memory: 4 bytes for an event beside its payload.
struct EventChains<Payload: Sendable>: Sendable {
    private var payloads: [Payload?] = []
    private var previous: [Int32] = []
    private var free: [Int32] = []

    /// How many events there are.
    var count: Int { payloads.count - free.count }

    /// Adds an event behind a chain.
    ///
    /// - Parameters:
    ///   - payload: The event.
    ///   - chain: The last event so far; negative for none.
    /// - Returns: The chain with the event.
    mutating func append(_ payload: Payload, to chain: Int32) -> Int32 {
        if let node = free.popLast() {
            payloads[Int(node)] = payload
            previous[Int(node)] = chain
            return node
        }
        payloads.append(payload)
        previous.append(chain)
        return Int32(payloads.count - 1)
    }

    /// Frees a chain.
    mutating func remove(_ chain: Int32) {
        var node = chain
        while node >= 0 {
            payloads[Int(node)] = nil
            free.append(node)
            node = previous[Int(node)]
        }
    }

    /// The events of a chain, the first one first.
    func events(of chain: Int32) -> [Payload] {
        var events: [Payload] = []
        var node = chain
        while node >= 0 {
            if let payload = payloads[Int(node)] { events.append(payload) }
            node = previous[Int(node)]
        }
        events.reverse()
        return events
    }
}
