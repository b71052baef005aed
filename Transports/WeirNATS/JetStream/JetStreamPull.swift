internal import WeirCore
internal import WeirRecords
internal import WeirSockets

/// What a consumer was asked for and has not handed out yet.
///
/// Two requests are outstanding, so that the consumer has always something to go on with: the second is made when half of
/// what was asked for has come. Time is handed in.
struct JetStreamPull {
    /// How many messages a request asks for, and how many bytes they may have.
    let batch: Int
    var byteLimit: Int

    /// How many messages are still to come.
    private(set) var outstanding = 0

    /// When to ask again though the consumer has not said that it gave up.
    private(set) var deadline: Moment?

    private var requestCount: UInt64 = 0

    /// How long a request waits for messages, in nanoseconds.
    static let patience: Int64 = 30_000_000_000

    /// How often the consumer says that it is there, in nanoseconds.
    private let heartbeat: Int64

    /// How often in a row the consumer has not said that it is there, and was asked again.
    private(set) var silences = 0

    init(batch: Int, byteLimit: Int, heartbeat: Int64 = 5_000_000_000) {
        self.batch = batch
        self.byteLimit = byteLimit
        self.heartbeat = heartbeat
    }

    private mutating func noteSign(_ now: Moment) {
        deadline = now + 3 * heartbeat
        silences = 0
    }

    /// The next request, where one is due.
    ///
    /// - Returns: The payload, and the last part of the inbox.
    mutating func request(_ now: Moment) -> (payload: [UInt8], number: UInt64)? {
        if let deadline, deadline <= now {
            outstanding = 0
            silences += 1
        }
        guard outstanding <= batch else { return nil }
        outstanding += batch
        requestCount += 1
        deadline = now + 3 * heartbeat
        var json = JSONWriter()
        json.object { json in
            json.member("batch", batch)
            json.member("max_bytes", byteLimit)
            json.member("expires", Self.patience)
            json.member("idle_heartbeat", heartbeat)
        }
        return (json.bytes, requestCount)
    }

    /// Notes a message.
    mutating func noteMessage(_ now: Moment) {
        outstanding = max(0, outstanding - 1)
        noteSign(now)
    }

    /// What the consumer says without handing anything out.
    enum Status: Equatable {
        /// It is there, or has given up waiting: it is asked again.
        case goesOn
        /// There is no such consumer any more, or nobody answers for it.
        case isGone
        /// It refuses; what it says.
        case refused(String)
    }

    /// Notes what the consumer says.
    mutating func note(_ headers: NATSHeaders, _ now: Moment) -> Status {
        noteSign(now)
        let words = headers.words.lowercased()
        guard headers.status != 100 else { return .goesOn }
        // What is left of the request that ends; of all where it does not say so.
        outstanding = max(0, outstanding - (headers["Nats-Pending-Messages"].flatMap { Int($0) } ?? outstanding))
        switch headers.status {
        case 404, 408: return .goesOn
        case 503: return .isGone
        case 409 where words.contains("consumer deleted") || words.contains("consumer is push"): return .isGone
        case 409: return .goesOn
        default: return .refused("\(headers.status ?? 0) \(Excerpt.of(headers.words.utf8, limit: 100))")
        }
    }

    /// Forgets all requests, as after the connection broke.
    mutating func forget() {
        outstanding = 0
        deadline = nil
        silences = 0
    }
}
