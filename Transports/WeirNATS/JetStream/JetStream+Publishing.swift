internal import WeirCore
internal import WeirFormats

/// What a stream says of a message that it keeps.
package struct JetStreamReceipt: Sendable, Hashable {
    package let stream: String

    /// The number of the message, or of the last one of a batch.
    package let sequence: UInt64

    /// Whether the stream had the message already.
    package let isDuplicate: Bool

    /// The batch that was kept as one, and how many messages it has.
    package let batch: String?
    package let count: Int?

    /// Reads an answer to a message.
    ///
    /// - Throws: ``NATSError`` where it was not kept.
    init(_ message: NATSMessage) throws(NATSError) {
        let answer = try JetStreamAnswer(message, to: "a message")
        stream = answer.json["stream"]?.text ?? ""
        sequence = try answer.number("seq", of: "a message")
        isDuplicate = answer.json["duplicate"]?.flag ?? false
        batch = answer.json["batch"]?.text
        count = answer.json["count"]?.integer
    }
}

/// What a stream is to check before it keeps a message.
package struct JetStreamExpectation: Sendable, Hashable {
    /// Another message with the same name is a duplicate within the stream's window.
    ///
    /// The window is one of time: what must never be twice is kept out by ``lastSubjectSequence``.
    package var id: String?

    /// The name of the stream.
    package var stream: String?

    /// The number of the last message with this subject; 0 where there is to be none.
    package var lastSubjectSequence: UInt64?

    /// Whether it takes the place of all messages with this subject; takes a stream that permits it.
    package var replacesSubject = false

    package init(
        id: String? = nil,
        stream: String? = nil,
        lastSubjectSequence: UInt64? = nil,
        replacesSubject: Bool = false
    ) {
        self.id = id
        self.stream = stream
        self.lastSubjectSequence = lastSubjectSequence
        self.replacesSubject = replacesSubject
    }

    var fields: [NATSHeaders.Field] {
        var fields: [NATSHeaders.Field] = []
        if let id { fields.append(.init("Nats-Msg-Id", id)) }
        if let stream { fields.append(.init("Nats-Expected-Stream", stream)) }
        if let lastSubjectSequence {
            fields.append(.init("Nats-Expected-Last-Subject-Sequence", "\(lastSubjectSequence)"))
        }
        if replacesSubject { fields.append(.init("Nats-Rollup", "sub")) }
        return fields
    }
}

extension NATSError {
    /// Whether another message came before, with the same subject.
    package var isWrongSequence: Bool {
        if case .refused(_, 10071) = kind { true } else if case .refused(_, 10164) = kind { true } else { false }
    }
}

/// A message that a stream is to keep.
package struct JetStreamMessage: Sendable {
    package var subject: String
    package var payload: ArraySlice<UInt8>
    package var expectation: JetStreamExpectation

    /// Further headers.
    package var fields: [NATSHeaders.Field]

    package init(
        _ subject: String,
        _ payload: ArraySlice<UInt8>,
        expecting expectation: JetStreamExpectation = JetStreamExpectation(),
        headers fields: [NATSHeaders.Field] = []
    ) {
        self.subject = subject
        self.payload = payload
        self.expectation = expectation
        self.fields = fields
    }
}

// Messages that streams keep.
extension NATSClient {
    /// Publishes a message, and waits until a stream keeps it.
    ///
    /// It is sent again where nobody answers only if an id keeps it from being there twice, or that does no harm.
    ///
    /// - Parameters:
    ///   - subject: Where to.
    ///   - payload: The message.
    ///   - expectation: What the stream is to check.
    ///   - fields: Further headers.
    ///   - repeats: Whether it does no harm if it is there twice.
    /// - Returns: Where it is kept.
    /// - Throws: ``NATSError``; ``NATSError/isWrongSequence`` tells that another one came before.
    @discardableResult
    package func store(
        _ subject: String,
        _ payload: [UInt8],
        expecting expectation: JetStreamExpectation = JetStreamExpectation(),
        headers fields: [NATSHeaders.Field] = [],
        repeats: Bool = false
    ) throws(NATSError) -> JetStreamReceipt {
        let headers = NATSHeaders(expectation.fields + fields)
        do throws(NATSError) {
            let answer = try request(subject, payload[...], headers: headers, repeats: repeats || expectation.id != nil)
            return try JetStreamReceipt(answer)
        } catch {
            guard error.kind == .noResponders else { throw error }
            throw Self.missingStream(subject)
        }
    }

    /// That no stream takes a subject, and what to do.
    static func missingStream(_ subject: String) -> NATSError {
        let subject = Excerpt.line(subject)
        return NATSError(
            .noResponders,
            "no stream takes '\(subject)'; make one: nats stream add NAME --subjects '\(subject)' --defaults"
        )
    }

    /// Publishes several messages that a stream keeps all together, or not at all.
    ///
    /// - Parameters:
    ///   - messages: The messages, all for one stream; each may have an expectation of the sequence of its subject.
    ///   - id: What to call the batch; no other one that is under way has the same name.
    /// - Returns: Where the last one is kept.
    /// - Throws: ``NATSError``; then nothing was kept, unless the error is ``NATSError/Kind/late`` or
    ///   ``NATSError/Kind/disconnected``.
    package func store(
        batch messages: [JetStreamMessage],
        id: String
    ) throws(NATSError) -> JetStreamReceipt {
        precondition(!messages.isEmpty, "a batch has a message")
        // A large one takes a while on the way.
        let byteCount = messages.reduce(0) { $0 + $1.payload.count }
        let time = settings.timeout + .nanoseconds(Int64(byteCount) * Self.nanosecondsPerByte)
        try connect()
        // An older server would keep the messages one by one.
        guard info.isAtLeast(2, 12) else { throw Self.tooOldForBatches(info.version) }
        for (index, message) in messages.enumerated() {
            var fields = message.expectation.fields + message.fields
            fields.append(.init("Nats-Batch-Id", id))
            fields.append(.init("Nats-Batch-Sequence", "\(index + 1)"))
            let isLast = index == messages.count - 1
            if isLast { fields.append(.init("Nats-Batch-Commit", "1")) }
            guard index == 0 || isLast else {
                try publish(message.subject, message.payload, headers: NATSHeaders(fields))
                continue
            }
            let answer: NATSMessage
            do throws(NATSError) {
                answer = try request(
                    message.subject,
                    message.payload,
                    headers: NATSHeaders(fields),
                    repeats: false,
                    within: time
                )
            } catch {
                guard error.kind == .noResponders else { throw error }
                throw Self.missingStream(message.subject)
            }
            // That the batch has begun is said with nothing.
            guard isLast || !answer.payload.isEmpty else { continue }
            let receipt = try JetStreamReceipt(answer)
            guard isLast, receipt.batch == id, receipt.count == messages.count else {
                throw Self.tooOldForBatches(info.version)
            }
            return receipt
        }
        preconditionFailure("the last message of a batch has an answer")
    }

    /// How long a byte may take: that of 4 MB/s.
    private static let nanosecondsPerByte: Int64 = 250

    private static func tooOldForBatches(_ version: String) -> NATSError {
        NATSError(
            .tooOld,
            "publishing several messages as one needs nats-server 2.12 or newer for all servers of the stream, and this is "
                + (version.isEmpty ? "an older one" : Excerpt.of(version.utf8, limit: 20))
        )
    }
}
