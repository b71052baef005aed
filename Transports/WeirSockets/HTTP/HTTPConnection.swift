internal import CWeirSockets

/// A connection of a client of HTTP: the request that arrives, and the answer that leaves.
struct HTTPConnection {
    enum Phase {
        /// In or before a head.
        case head
        /// In a body.
        case body(HTTPRequest, HTTPBodyReader)
        /// The request is whole, and is answered once the engine has taken it.
        case taken
        /// The answer leaves; nothing is read any more but to forget it.
        case closing
    }

    let descriptor: Int32
    var phase = Phase.head
    var events = PollEvents.reading

    /// What arrived and was not taken apart, from `start`.
    private(set) var input: [UInt8] = []
    private var start = 0

    /// How far the head was searched for its end.
    private var scanned = 0

    /// What was received of the body.
    private(set) var body: [UInt8] = []

    /// The answer, of which the first bytes may have left.
    private var output: [UInt8] = []
    private var sent = 0

    /// Whether the connection ends with the answer.
    var closes = false

    /// When the first byte of the request came, or the connection was ready for one.
    private(set) var since: Moment

    /// What comes of the bytes that are there.
    enum Step {
        case needsMore
        /// The client waits for a word before it sends the body.
        case goOn
        case request(HTTPRequest)
    }

    init(_ descriptor: Int32, now: Moment) {
        self.descriptor = descriptor
        since = now
    }

    /// Whether a request has begun and is not whole.
    var isInRequest: Bool {
        switch phase {
        case .head: start < input.count
        case .body: true
        case .taken, .closing: false
        }
    }

    /// Whether bytes are there that belong to the next request.
    var hasInput: Bool { start < input.count }

    /// Whether an answer is still to leave.
    var hasOutput: Bool { sent < output.count }

    /// How much memory it takes that others could need.
    var byteCount: Int { body.count }

    // MARK: Requests

    /// Adds what was received.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, now: Moment) {
        if case .head = phase, !hasInput { since = now }
        unsafe input.append(contentsOf: bytes)
    }

    /// Goes on with the request, as far as its bytes are there.
    ///
    /// - Parameters:
    ///   - rules: What may be asked for.
    ///   - headLimit: How long a head may be.
    /// - Returns: What was found.
    /// - Throws: ``HTTPFlaw`` where the request is refused; the connection cannot go on then.
    mutating func step(_ rules: HTTPRequest.Rules, headLimit: Int) throws(HTTPFlaw) -> Step {
        while true {
            switch phase {
            case .head:
                guard let end = try HTTPHead.end(in: input, from: start, scanned: &scanned) else {
                    guard input.count - start <= headLimit else {
                        throw HTTPFlaw(431, "the head is longer than \(headLimit) bytes")
                    }
                    return .needsMore
                }
                guard end - start <= headLimit else {
                    throw HTTPFlaw(431, "the head is longer than \(headLimit) bytes")
                }
                let bytes = input[start..<end]
                // An empty line may stand in front.
                if bytes.count > 2 {
                    let request = try HTTPRequest(try HTTPHead(bytes), rules)
                    phase = .body(request, HTTPBodyReader(request.bodyLength))
                }
                forget(to: end)
                if case .body(let request, let reader) = phase, request.expectsContinue, !hasInput, !reader.isWhole {
                    return .goOn
                }
            case .body(let request, var reader):
                let count = try reader.read(input[start...], into: &body)
                forget(to: start + count)
                phase = .body(request, reader)
                guard body.count <= rules.bodyLimit else { throw HTTPRequest.tooLong(rules) }
                guard reader.isWhole else { return .needsMore }
                phase = .taken
                return .request(request)
            case .taken, .closing: return .needsMore
            }
        }
    }

    private mutating func forget(to end: Int) {
        start = end
        if start == input.count {
            input.removeAll(keepingCapacity: input.capacity <= 64 << 10)
            start = 0
        } else if start > 64 << 10 {
            input.removeFirst(start)
            start = 0
        }
        scanned = start
    }

    /// Takes what was received of a request: its body, or its head where there is none yet.
    mutating func takeRequest() -> [UInt8] {
        guard body.isEmpty else { return exchange(&body, with: []) }
        defer { forget(to: input.count) }
        return Array(input[start...])
    }

    /// Forgets the body, which was taken.
    mutating func forgetBody() { body = [] }

    // MARK: Answers

    /// Adds an answer.
    mutating func answer(_ bytes: [UInt8]) { output += bytes }

    /// Sends what is left of the answer, as far as that goes without waiting.
    ///
    /// - Returns: False when the client is gone.
    mutating func flush() -> Bool {
        while hasOutput {
            let count = unsafe output[sent...].withUnsafeBytes { bytes in
                unsafe bytes.baseAddress.map { unsafe cweir_net_send(descriptor, $0, bytes.count) } ?? 0
            }
            if let error = SystemError(count) { return error.isTransient }
            sent += count
        }
        output = []
        sent = 0
        return true
    }

    /// Gets ready for the next request.
    mutating func beginNext(_ now: Moment) {
        phase = .head
        since = now
    }

    /// Gets ready for the end, once the answer has left.
    mutating func beginClosing(_ now: Moment) {
        phase = .closing
        since = now
    }
}
