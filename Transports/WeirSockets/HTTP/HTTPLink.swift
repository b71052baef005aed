internal import CWeirSockets
internal import WeirCore
internal import WeirDispatch
internal import WeirRecords

/// A link that posts messages, and waits for the answer to each request.
///
/// Messages count as delivered when the answer says so. Where the answer says that they will never be taken, they are
/// refused; where it says that they cannot be taken now, or does not come, they are sent again.
@safe
final class HTTPLink: OutgoingLink {
    private let place: SocketPlace
    private let settings: HTTPLinkSettings
    private let address: String
    private let poller: Poller
    private let meter: TransportMeter
    private var descriptor: Int32 = -1
    private var events = PollEvents()

    // The request that is being sent or answered, and how much of the batch it has.
    private var request: [UInt8]?
    private var sentCount = 0
    private var batchByteCount = 0
    private var reader = HTTPAnswerReader()

    /// Whether the connection has carried an answer already: its other side may have closed it since then.
    private var isReused = false
    private var lastRefusal = 0

    private(set) var isConnecting = false
    private(set) var deadline: Moment?

    private static let token: UInt64 = 2

    init(_ place: SocketPlace, _ settings: HTTPLinkSettings, poller: Poller, meter: TransportMeter, address: String) {
        self.place = place
        self.settings = settings
        self.poller = poller
        self.meter = meter
        self.address = address
    }

    deinit {
        close()
    }

    var isUp: Bool { descriptor >= 0 && !isConnecting }

    /// A server that is there may still refuse everything.
    var isProvenByOpening: Bool { false }
    var isFlushed: Bool { true }

    func open() -> SystemError? {
        switch place.connect(for: address) {
        case .failed(let error): return error
        case .made(let made): (descriptor, isConnecting) = (made, false)
        case .begun(let made): (descriptor, isConnecting) = (made, true)
        }
        guard let error = watch(isConnecting ? .writing : .reading) else { return nil }
        close()
        return error
    }

    func close() {
        if descriptor >= 0 { cweir_net_close(descriptor) }
        descriptor = -1
        events = []
        isConnecting = false
        isReused = false
        request = nil
        deadline = nil
    }

    func handle(token: UInt64, ready: PollEvents) -> Sending? {
        guard descriptor >= 0 else { return nil }
        guard !isConnecting else {
            if let error = SocketPlace.error(ofConnecting: descriptor) ?? watch(.reading) {
                close()
                return Sending(.failed(LinkFailure(error)))
            }
            isConnecting = false
            return nil
        }
        // Between two requests there is nothing to be said but that the connection is over.
        if request == nil, ready.contains(.reading), cweir_net_discard_input(descriptor) { close() }
        return nil
    }

    func send(_ batch: inout OutgoingBatch) -> Sending {
        var sending = Sending(.done)
        while batch.restCount > 0 {
            if request == nil { begin(batch) }
            do throws(LinkFailure) {
                guard try flush(), let answer = try receive() else {
                    sending.status = .blocked
                    return sending
                }
                let wasWhole = sentCount == request?.count
                try take(answer, &batch, &sending)
                // After an answer that came too early the rest of the request is of no use.
                if !answer.keepsConnection || !wasWhole { close() }
            } catch {
                sending.status = .failed(error)
                return sending
            }
            guard isUp else {
                // It is opened again for the rest.
                if batch.restCount > 0 { sending.status = .blocked }
                return sending
            }
        }
        return sending
    }

    private func begin(_ batch: OutgoingBatch) {
        let (body, count) = settings.body(of: batch)
        batchByteCount = count
        request = settings.head(bodyByteCount: body.count) + body
        sentCount = 0
        reader = HTTPAnswerReader()
        deadline = .now + settings.timeout.inNanoseconds
    }

    /// Sends what is left of the request.
    ///
    /// - Returns: Whether all of it has left, or an answer has come before.
    private func flush() throws(LinkFailure) -> Bool {
        guard let request else { return true }
        try checkDeadline()
        while sentCount < request.count {
            let count = unsafe request[sentCount...].withUnsafeBytes { bytes in
                unsafe bytes.baseAddress.map { unsafe cweir_net_send(descriptor, $0, bytes.count) } ?? 0
            }
            if let error = SystemError(count) {
                // The answer may be there already, such as that the body is too long.
                let isAnswered = !reader.isEmpty || cweir_net_wait(descriptor, -1, 0) != 0
                guard error.isTransient || isAnswered else { throw LinkFailure(error) }
                if let error = watch([.reading, .writing]) { throw LinkFailure(error) }
                return isAnswered
            }
            sentCount += count
        }
        if let error = watch(.reading) { throw LinkFailure(error) }
        return true
    }

    private func checkDeadline() throws(LinkFailure) {
        if let deadline, deadline <= .now { throw LinkFailure("it does not answer within \(settings.timeout)") }
    }

    /// Receives what there is of the answer.
    ///
    /// - Returns: The answer once it is whole.
    private func receive() throws(LinkFailure) -> HTTPAnswerReader.Answer? {
        while true {
            // An answer may come for ever.
            try checkDeadline()
            var found: HTTPAnswerReader.Answer?
            var failure: LinkFailure?
            var isOver = false
            unsafe withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { bytes in
                guard let start = bytes.baseAddress else { return }
                let count = unsafe cweir_net_receive(descriptor, start, bytes.count, nil, nil)
                if SystemError(count) == .wouldBlock {
                    isOver = true
                    return
                }
                do throws(HTTPFlaw) {
                    let piece = unsafe UnsafeRawBufferPointer(start: start, count: max(0, count))
                    found = unsafe try reader.take(piece, isEnd: count <= 0)
                    isOver = count <= 0
                } catch {
                    failure = LinkFailure(
                        reader.isEmpty ? "it closes the connection" : "its answer cannot be read: \(error.reason)"
                    )
                }
            }
            if let found { return found }
            if let failure {
                // The connection was closed while it was not in use; another one may do.
                guard isReused, reader.isEmpty else { throw failure }
                close()
                return nil
            }
            if isOver { return nil }
        }
    }

    /// Does what an answer says.
    private func take(
        _ answer: HTTPAnswerReader.Answer,
        _ batch: inout OutgoingBatch,
        _ sending: inout Sending
    ) throws(LinkFailure) {
        guard !answer.isTransient else {
            var failure = LinkFailure("it answers \(answer.text)")
            failure.pause = answer.retryAfter.map { Int64($0) * 1_000_000_000 }
            throw failure
        }
        let messages = batch.advance(bytes: batchByteCount)
        sending.delivered += messages
        if answer.isSuccess {
            lastRefusal = 0
        } else {
            sending.refused += messages
            // Once, and not for each request.
            if lastRefusal != answer.status {
                meter.note("'\(address)' refuses messages, which are lost: \(answer.text)")
            }
            lastRefusal = answer.status
        }
        request = nil
        deadline = nil
        isReused = true
    }

    private func watch(_ wanted: PollEvents) -> SystemError? {
        guard wanted != events, descriptor >= 0 else { return nil }
        if let error = poller.watch(descriptor, token: Self.token, from: events, to: wanted) { return error }
        events = wanted
        return nil
    }
}

/// How messages are posted.
struct HTTPLinkSettings: Sendable {
    var host: String
    var path: String
    var type: String

    /// Whether a body is an array of the lines.
    var isArray = false

    /// How many lines a request has at most.
    var lines = Int.max
    var timeout = Duration.seconds(30)

    /// The head of a request.
    func head(bodyByteCount: Int) -> [UInt8] {
        Array(
            """
            POST \(path) HTTP/1.1\r
            Host: \(host)\r
            Content-Type: \(type)\r
            Content-Length: \(bodyByteCount)\r
            User-Agent: weir\r
            \r\n
            """.utf8
        )
    }

    /// The body of the next request.
    ///
    /// - Parameter batch: What is to be sent.
    /// - Returns: The body, and how many of the batch's bytes it has, all of them whole messages.
    func body(of batch: OutgoingBatch) -> (body: [UInt8], byteCount: Int) {
        var end = batch.bytes.count
        if lines < Int.max {
            if batch.ends.isEmpty {
                var place = batch.offset
                for _ in 0..<lines where place < batch.bytes.count {
                    place = (batch.bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? batch.bytes.count - 1) + 1
                }
                end = place
            } else {
                end = batch.ends[Int(min(batch.sentMessages + UInt64(lines), batch.messages)) - 1]
            }
        }
        let bytes = batch.bytes[batch.offset..<end]
        guard isArray else { return (Array(bytes), bytes.count) }
        let elements = bytes.split(separator: UInt8(ascii: "\n"))
        return (
            [UInt8(ascii: "[")] + elements.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")], bytes.count
        )
    }
}
