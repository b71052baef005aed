internal import CWeirSockets

/// A connection that is open for reading.
struct Connection {
    let descriptor: Int32

    /// The bytes of a message that is not whole yet.
    var partial: [UInt8] = []

    /// The number by which the source knows it.
    var token: UInt64 = 0

    /// How many of its messages are safe, and how many are on the way to that; those that were refused count too.
    var safeCount: UInt64 = 0
    var waitingCount: UInt64 = 0

    /// What it was told last, and what of that the system has not taken.
    var toldCount: UInt64 = 0
    var untold: [UInt8] = []

    /// What makes a message whole, as far as its beginning tells.
    enum Lack {
        case unknown
        /// This number of bytes in all.
        case bytes(Int)
        case newline
    }

    /// What is wanting of the message in ``partial``, where messages have their length in digits.
    var lack = Lack.unknown

    /// Whether the rest of a line that is too long is being skipped.
    var skipsLine = false

    /// How many bytes of a frame that is too long are still to be skipped.
    var skip = 0

    /// Whether its first line was seen, where all connections begin with the same one.
    var hasHeader = false

    /// Whether it is still being made.
    var isConnecting = false

    /// Whether something came over it.
    var hasSent = false

    /// What the poller watches it for.
    var events: PollEvents

    /// How many bytes may be read from it now, where there is a rate.
    var allowance: Int
    var lastRefill: Moment
    var lastArrival: Moment

    init(_ descriptor: Int32, isConnecting: Bool = false, allowance: Int, now: Moment) {
        self.descriptor = descriptor
        self.isConnecting = isConnecting
        events = isConnecting ? .writing : .reading
        self.allowance = allowance
        lastRefill = now
        lastArrival = now
    }

    /// Adds what the time since the last refill permits, up to a second's worth.
    mutating func refill(rate: Int, burst: Int, now: Moment) {
        let elapsed = min(now.nanoseconds - lastRefill.nanoseconds, 1_000_000_000)
        let earned = Int(Double(elapsed) * Double(rate) / 1e9)
        // Time that earned less than a byte is kept for the next refill.
        guard earned > 0 else { return }
        allowance = min(burst, allowance + earned)
        lastRefill = now
    }

    /// How many bytes may be read from it now.
    ///
    /// - Parameters:
    ///   - share: How many at most.
    ///   - rate: How many a second; `nil` for any number.
    ///   - burst: How many at once, where there is a rate.
    ///   - now: The time.
    /// - Returns: One at least.
    mutating func permitted(_ share: Int, rate: Int?, burst: Int, now: Moment) -> Int {
        guard let rate else { return share }
        refill(rate: rate, burst: burst, now: now)
        return min(share, max(1, allowance))
    }

    /// Who connected; `nil` where the system does not say.
    var origin: String? {
        if let address = cweir_net_address_t(peerOf: descriptor) { return address.text }
        var credentials = cweir_net_credentials_t()
        // A connection to a port that is broken has neither an address nor a user.
        guard unsafe cweir_net_peer(descriptor, &credentials) == 0, credentials.user != .max else { return nil }
        return "user \(credentials.user)"
    }
}
