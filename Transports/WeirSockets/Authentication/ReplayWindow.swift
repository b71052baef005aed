internal import CWeirSockets
internal import WeirCore

/// The sequence numbers that each sender has used, to find lost and repeated datagrams.
///
/// For each sender the last 1024 sequence numbers are kept as bits, as in RFC 6479. What is older than that, or came
/// before, is a replay. With a key, a datagram must also be as young as the window, so that one that was recorded before
/// this table began cannot be sent again later; the clocks of both sides may differ by that much. A receiver forgets what
/// came when it ends, so it refuses what was signed before it began: a sender whose clock is behind is refused for as long
/// after a start as it is behind; one whose clock is ahead could be replayed for as long as it is ahead.
///
/// There is room for 4096 senders. When it is used up, the one that was silent longest is forgotten; with a key only if
/// it was silent for two windows, because its datagrams could be sent again otherwise: new senders are then refused.
///
/// Thread safety: any thread. Complexity: O(1) per datagram, but for O(n) when the table is full.
final class ReplayWindow: Sendable {
    /// What a sequence number turned out to be.
    enum Verdict {
        case fresh, replayed, tooManySenders
    }

    fileprivate static let width: UInt64 = 1024
    private static let capacity = 4096
    fileprivate static let largestLoss: Int64 = 1 << 62

    fileprivate struct Sender {
        /// The number from which on its datagrams are missed: earlier ones are not counted as lost.
        let first: UInt64
        var highest: UInt64
        var lastSeen: Int64
        var seen = [UInt64](repeating: 0, count: 16)
    }

    fileprivate struct State {
        var senders: [UInt64: Sender] = [:]
        /// The numbers that should have come, less those that did.
        var lost: Int64 = 0
    }

    private let state = Locked(State())
    private let window: Int64
    private let begin: Int64
    private let clock: @Sendable () -> Int64

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - window: How old a signed datagram may be.
    ///   - begin: Signed datagrams that were sent before this time are refused, in nanoseconds since the Unix epoch.
    ///   - clock: The time, in nanoseconds since the Unix epoch.
    init(
        window: Duration,
        notBefore begin: Int64 = .min,
        clock: @escaping @Sendable () -> Int64 = { cweir_net_wall_clock() }
    ) {
        self.begin = begin
        self.window = window.inNanoseconds
        self.clock = clock
    }

    /// How many datagrams are missing: numbers that were passed over and did not come since.
    var lost: UInt64 { UInt64(max(0, state.withLock { $0.lost })) }

    /// Records a datagram.
    ///
    /// - Parameters:
    ///   - number: The sender's number.
    ///   - sequence: The datagram's number.
    ///   - time: When it was sent; `nil` where it is not signed.
    /// - Returns: Whether it is new.
    func admit(sender number: UInt64, sequence: UInt64, time: Int64?) -> Verdict {
        let now = clock()
        if let time {
            let (age, overflow) = now.subtractingReportingOverflow(time)
            guard !overflow, age <= window, age >= -window, time >= begin else { return .replayed }
        }
        // Counting on from there must not overflow.
        guard sequence < 1 << 62 else { return .replayed }
        return state.withLock { state in
            if state.senders[number] == nil {
                guard state.makeRoom(now: now, silence: time == nil ? 0 : 2 * window, capacity: Self.capacity) else {
                    return .tooManySenders
                }
                // A high number means that the sender began long before this table.
                let first = sequence < Self.width ? 0 : sequence
                state.senders[number] = Sender(first: first, highest: first, lastSeen: now)
                state.lost = min(state.lost + 1, Self.largestLoss)
            }
            return state.take(number, sequence, now: now)
        }
    }
}

extension ReplayWindow.State {
    fileprivate mutating func take(_ number: UInt64, _ sequence: UInt64, now: Int64) -> ReplayWindow.Verdict {
        guard var sender = senders.updateValue(ReplayWindow.placeholder, forKey: number) else { return .replayed }
        defer { senders[number] = sender }
        sender.lastSeen = max(now, sender.lastSeen)
        if sequence > sender.highest {
            let steps = sequence - sender.highest
            // A step is below 2^62, so the sum cannot overflow; a sender of such numbers makes the count of losses worthless anyway.
            lost = min(lost + Int64(steps), ReplayWindow.largestLoss)
            for step in 0..<min(steps, ReplayWindow.width) { sender.clear(sequence - step) }
            sender.highest = sequence
        } else if sender.highest - sequence >= ReplayWindow.width || sender.has(sequence) {
            return .replayed
        }
        sender.set(sequence)
        if sequence >= sender.first { lost -= 1 }
        return .fresh
    }

    /// Forgets a sender where the table is full.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - silence: How long a sender must have been silent to be forgotten, in nanoseconds.
    ///   - capacity: How many there may be.
    /// - Returns: Whether there is room.
    fileprivate mutating func makeRoom(now: Int64, silence: Int64, capacity: Int) -> Bool {
        guard senders.count >= capacity else { return true }
        guard let oldest = senders.min(by: { $0.value.lastSeen < $1.value.lastSeen }),
            now - oldest.value.lastSeen >= silence
        else { return false }
        senders[oldest.key] = nil
        return true
    }
}

extension ReplayWindow {
    fileprivate static let placeholder = Sender(first: 0, highest: 0, lastSeen: 0, seen: [])
}

extension ReplayWindow.Sender {
    fileprivate func has(_ sequence: UInt64) -> Bool { seen[word(sequence)] & bit(sequence) != 0 }
    fileprivate mutating func set(_ sequence: UInt64) { seen[word(sequence)] |= bit(sequence) }
    fileprivate mutating func clear(_ sequence: UInt64) { seen[word(sequence)] &= ~bit(sequence) }

    private func word(_ sequence: UInt64) -> Int { Int(sequence / 64 % 16) }
    private func bit(_ sequence: UInt64) -> UInt64 { 1 << (sequence % 64) }
}
