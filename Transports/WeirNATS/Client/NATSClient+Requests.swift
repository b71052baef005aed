internal import WeirCore
internal import WeirSockets

// Requests, each with a deadline, and messages to others.
extension NATSClient {
    /// Asks for something, and waits for the answer.
    ///
    /// - Parameters:
    ///   - subject: What to ask.
    ///   - payload: The question.
    ///   - headers: Fields beside it.
    ///   - repeats: Whether the question may be asked again where the connection breaks, or nobody answers for a moment, as
    ///     during an election: not, where it changes something each time.
    ///   - time: How long it may take; ``NATSSettings/timeout`` where it is `nil`.
    /// - Returns: The first answer.
    /// - Throws: ``NATSError``; when the time is over at the latest.
    package func request(
        _ subject: String,
        _ payload: ArraySlice<UInt8>,
        headers: NATSHeaders = NATSHeaders([]),
        repeats: Bool = true,
        within time: Duration? = nil
    ) throws(NATSError) -> NATSMessage {
        try NATSSubject.check(subject, allowsWildcards: false)
        let encoded = try headers.encoded()
        return try asking(repeats: repeats, within: time) { time throws(NATSError) in
            try ask(subject, payload, encoded, isWholeWith: { _ in true }, time)[0]
        }
    }

    /// Asks for something that several messages answer, and waits for all of them.
    ///
    /// - Parameters:
    ///   - subject: What to ask.
    ///   - payload: The question.
    ///   - time: How long it may take until the last one; ``NATSSettings/timeout`` where it is `nil`. The question is asked
    ///     again where none comes for a while, not where they come slowly.
    /// - Returns: The answers, and behind them the one that has a status, which says that these are all.
    /// - Throws: ``NATSError``; when the time is over at the latest.
    package func requestAll(
        _ subject: String,
        _ payload: ArraySlice<UInt8>,
        within time: Duration? = nil
    ) throws(NATSError) -> [NATSMessage] {
        try NATSSubject.check(subject, allowsWildcards: false)
        return try asking(repeats: true, within: time) { time throws(NATSError) in
            try ask(subject, payload, [], isWholeWith: { $0.headers?.status != nil }, time)
        }
    }

    /// Asks, and asks again where that may help.
    private func asking<Answer>(
        repeats: Bool,
        within time: Duration?,
        _ ask: (RequestTime) throws(NATSError) -> Answer
    ) throws(NATSError) -> Answer {
        var time = RequestTime(time, usually: settings.timeout, repeats: repeats, .now)
        var pause = Backoff(longest: .milliseconds(500))
        while true {
            do throws(NATSError) {
                try connect(by: time.limit)
                return try ask(time)
            } catch {
                let isPassing: Bool =
                    switch error.kind {
                    case .disconnected, .noResponders, .late: true
                    default: false
                    }
                let next = error.kind == .late ? .now : Moment.now + pause.next()
                if error.kind == .late { time.noteSilence() }
                guard repeats, isPassing, next < time.limit else { throw error }
                // The time passes in the loop, where an interruption ends it.
                while .now < next, connection.isUp { try step(until: next) }
            }
        }
    }

    /// Asks once.
    private func ask(
        _ subject: String,
        _ payload: ArraySlice<UInt8>,
        _ headers: [UInt8],
        isWholeWith: (NATSMessage) -> Bool,
        _ time: RequestTime
    ) throws(NATSError) -> [NATSMessage] {
        requestCount += 1
        let number = requestCount
        answers[number] = []
        defer { answers[number] = nil }
        try connection.say { words throws(NATSError) in
            try words.publish(subject, reply: "\(inbox).\(number)", headers: headers, payload)
        }
        var known = 0
        var limit = time.deadline(behind: .now)
        while true {
            if let found = answers[number], found.count > known {
                guard found.last?.headers?.status != 503 else {
                    throw NATSError(.noResponders, "nobody answers '\(Excerpt.line(subject))'")
                }
                if let end = found[known...].firstIndex(where: isWholeWith) { return Array(found[...end]) }
                known = found.count
                limit = time.deadline(behind: .now)
            }
            if let refusal = refusal(of: subject) { throw refusal }
            guard .now < limit else {
                let what = known == 0 ? "there is no answer" : "there is no last answer"
                throw NATSError(.late, "\(what) to '\(Excerpt.line(subject))' within \(time.total)")
            }
            try step(until: limit)
        }
    }

    /// Asks for something, and goes on: ``answer(to:)`` has the answer once it has come, until ``forget(_:)``.
    ///
    /// - Returns: The number of the request.
    /// - Throws: ``NATSError`` where there is no connection; with the end of one no answer comes.
    func begin(_ subject: String, _ payload: ArraySlice<UInt8>) throws(NATSError) -> UInt64 {
        try NATSSubject.check(subject, allowsWildcards: false)
        try connect()
        requestCount += 1
        let number = requestCount
        try connection.say { words throws(NATSError) in
            try words.publish(subject, reply: "\(inbox).\(number)", payload)
        }
        answers[number] = []
        return number
    }

    /// The answer to a request that was begun; `nil` while there is none.
    ///
    /// - Throws: ``NATSError`` where nobody answers.
    func answer(to number: UInt64) throws(NATSError) -> NATSMessage? {
        guard let answer = answers[number]?.first else { return nil }
        guard answer.headers?.status != 503 else { throw NATSError(.noResponders, "nobody answers a request") }
        return answer
    }

    /// Forgets a request that was begun.
    func forget(_ number: UInt64) { answers[number] = nil }

    /// That the user may not ask a subject, or get answers, where the server has said so.
    private func refusal(of subject: String) -> NATSError? {
        let isOwn = { (words: String) in words.contains("\"\(subject)\"") || words.contains("\"\(self.inbox).") }
        return refusals.first(where: isOwn).map(NATSError.init(refusal:))
    }

    /// Publishes a message that nobody answers; ``flush()`` says whether the server has it.
    ///
    /// - Throws: ``NATSError`` where there is no connection, or the message cannot be sent.
    package func publish(
        _ subject: String,
        _ payload: ArraySlice<UInt8>,
        headers: NATSHeaders = NATSHeaders([])
    ) throws(NATSError) {
        try NATSSubject.check(subject, allowsWildcards: false)
        let encoded = try headers.encoded()
        try connect()
        try connection.say { words throws(NATSError) in
            try words.publish(subject, headers: encoded, payload)
        }
    }

    /// Waits until the server has handled all that was sent.
    ///
    /// - Throws: ``NATSError`` where it does not say so in time.
    package func flush() throws(NATSError) {
        try connect()
        let limit = Moment.now + settings.timeout.inNanoseconds
        let number = try connection.say { words in words.ping(.now) }
        awaitedPong = number
        defer { awaitedPong = 0 }
        while pongs < number {
            guard .now < limit else { throw NATSError(.late, "the server does not answer within \(settings.timeout)") }
            try step(until: limit)
        }
    }
}
