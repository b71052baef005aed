internal import WeirCore
internal import WeirRecords
internal import WeirSockets

/// What a sink knows of its stream while that confirms nothing: whether it has no leader for a moment, or is gone.
///
/// Only JetStream tells the two apart, so it is asked on each new connection until a message is confirmed again. Time is
/// handed in.
struct StreamWatch {
    private let stream: String
    private let subject: String
    private let timeout: Duration

    /// Whether nobody confirmed what was sent last.
    private var isInDoubt = false

    /// Since when JetStream says that the stream is not there, or does not take the subject.
    private var missingSince: Moment?

    /// Until when an answer is waited for.
    private var question: Moment?

    /// For how many times ``NATSLinkSettings/timeout`` a stream may be missing.
    static let patience = 6

    /// - Parameters:
    ///   - stream: The name of the stream.
    ///   - subject: What is published, with a `*` for the number of a partition.
    ///   - timeout: How long an answer may take.
    init(_ stream: String, subject: String, timeout: Duration) {
        (self.stream, self.subject, self.timeout) = (stream, subject, timeout)
    }

    /// When ``checkTime(_:)`` has something to do.
    var deadline: Moment? { question }

    /// Whether an answer is waited for; nothing is published until then.
    var isAsking: Bool { question != nil }

    /// What to ask.
    var request: String { "$JS.API.STREAM.INFO.\(stream)" }

    /// What is said where nobody takes a message.
    var silence: String {
        "no server answers for the stream '\(stream)', which has no leader for the moment, or was deleted"
    }

    /// Goes on without an answer that does not come.
    mutating func checkTime(_ now: Moment) {
        if let question, question <= now { self.question = nil }
    }

    /// Notes that the stream has confirmed a message.
    mutating func noteConfirmation() {
        guard isInDoubt else { return }
        (isInDoubt, missingSince) = (false, nil)
    }

    /// Notes that nobody has confirmed a message.
    mutating func noteSilence() { isInDoubt = true }

    /// Notes that there is no connection: what nobody can ask for may be there.
    mutating func noteDisconnection() { (missingSince, question) = (nil, nil) }

    /// Notes a new connection.
    ///
    /// - Returns: Whether JetStream is to be asked.
    mutating func noteConnection(_ now: Moment) -> Bool {
        question = isInDoubt ? now + timeout.inNanoseconds : nil
        return isInDoubt
    }

    /// Notes what JetStream answers.
    ///
    /// - Throws: ``NATSError`` where the stream is not there, or takes something else; not a transient one where that has
    ///   been so for too long.
    mutating func take(_ answer: NATSMessage, _ now: Moment) throws(NATSError) {
        question = nil
        var failure: NATSError?
        do throws(NATSError) {
            try NATSClient.stream(JetStreamAnswer(answer, to: "the stream")).check(subject)
        } catch {
            failure = error
        }
        // Anything else passes, as an election does.
        guard let error = failure, error.isMissing || error.kind == .unsendable else {
            missingSince = nil
            return
        }
        let since = missingSince ?? now
        missingSince = since
        let isOver = since + Int64(Self.patience) * timeout.inNanoseconds <= now
        guard error.isMissing else { throw NATSError(isOver ? error.kind : .noResponders, error.reason) }
        guard isOver else { throw NATSError(.noResponders, NATSTransport.missingStream(stream, subject)) }
        throw NATSError(
            error.kind,
            "\(NATSTransport.missingStream(stream, subject)); it has been missing for \(timeout * Self.patience)"
        )
    }
}

extension JetStreamStream {
    /// Fails where the stream does not take a subject.
    ///
    /// - Throws: ``NATSError``.
    func check(_ subject: String) throws(NATSError) {
        guard !subjects.contains(where: { NATSSubject.matches($0, subject) }) else { return }
        throw refusal(of: subject)
    }

    /// That the stream does not take a subject.
    func refusal(of subject: String) -> NATSError {
        NATSError(
            .unsendable,
            "the stream '\(name)' does not take '\(Excerpt.line(subject))', but "
                + subjects.prefix(5).map { "'\(Excerpt.line($0))'" }.joined(separator: ", ")
        )
    }
}
