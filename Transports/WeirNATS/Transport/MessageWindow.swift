internal import WeirSockets

/// The messages that were published and are not settled, by their numbers: a ring.
struct MessageWindow {
    enum Outcome {
        case kept
        case refused
        /// To be sent again: the stream has no room, or no leader.
        case later
    }

    private struct Message {
        var deadline: Moment
        var outcome: Outcome?
    }

    /// As many as the window permits, rounded up to a power of two: the low bits of a number are its place.
    private var ring: [Message]

    /// The number of the first one, which is how many were settled.
    private(set) var first: UInt64 = 0
    private(set) var count = 0

    init(capacity: Int) {
        var size = 1
        while size < capacity { size *= 2 }
        ring = Array(repeating: Message(deadline: Moment(nanoseconds: 0)), count: size)
    }

    var isEmpty: Bool { count == 0 }

    /// The number of the next message.
    var end: UInt64 { first + UInt64(count) }

    /// Until when the first one is to be confirmed.
    var deadline: Moment? { isEmpty ? nil : ring[place(first)].deadline }

    /// What has become of the first one, where that is known.
    var outcome: Outcome? { isEmpty ? nil : ring[place(first)].outcome }

    private func place(_ number: UInt64) -> Int { Int(truncatingIfNeeded: number) & (ring.count - 1) }

    /// Adds messages that were published.
    mutating func append(_ more: Int, deadline: Moment) {
        precondition(count + more <= ring.count, "no more than the window permits")
        for number in end..<end + UInt64(more) { ring[place(number)] = Message(deadline: deadline) }
        count += more
    }

    func contains(_ number: UInt64) -> Bool { number >= first && number - first < UInt64(count) }

    /// Notes what has become of a message; nothing where it is none of these.
    mutating func note(_ number: UInt64, _ outcome: Outcome) {
        guard contains(number) else { return }
        ring[place(number)].outcome = outcome
    }

    /// Notes that all were kept.
    mutating func noteAllKept() {
        for number in first..<end { ring[place(number)].outcome = .kept }
    }

    /// Settles the first one.
    mutating func removeFirst() {
        first += 1
        count -= 1
    }

    /// Counts a message as settled that is not published.
    mutating func skip() {
        precondition(isEmpty, "those before it are settled first")
        first += 1
    }

    /// Forgets what was published: it is published again, with the same numbers.
    mutating func removeAll() { count = 0 }
}
