internal import CWeirSockets

/// Somebody who sends.
struct Connection {
    let descriptor: Int32

    /// What arrived of a message that is not whole yet; its memory goes away with it.
    var partial: [UInt8] = []

    /// Whether the rest of a line that is too long is being passed over.
    var skipsLine = false

    /// How many bytes of a frame that is too long are still to be passed over.
    var skip: UInt64 = 0

    /// Whether its first line was seen, where all begin with the same one.
    var hasHeader = false

    /// What it is watched for now.
    var interest = Interest.reading

    /// How many bytes it may send now, where there is a rate.
    var allowance: Int
    var lastRefill: Moment
    var lastArrival: Moment

    init(_ descriptor: Int32, allowance: Int, now: Moment) {
        self.descriptor = descriptor
        self.allowance = allowance
        lastRefill = now
        lastArrival = now
    }

    /// Adds what the time since the last time permits, up to a second's worth.
    mutating func refill(rate: Int, burst: Int, now: Moment) {
        let elapsed = min(now.nanoseconds - lastRefill.nanoseconds, 1_000_000_000)
        let earned = Int(Double(elapsed) * Double(rate) / 1e9)
        // Time that earned less than a byte stays on the account.
        guard earned > 0 else { return }
        allowance = min(burst, allowance + earned)
        lastRefill = now
    }
}
