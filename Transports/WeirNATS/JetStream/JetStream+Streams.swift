internal import WeirCore
internal import WeirFormats
internal import WeirRecords

/// A stream that a server keeps.
package struct JetStreamStream: Sendable, Hashable {
    package let name: String
    package let subjects: [String]

    /// The numbers of the first and the last message; the first is one more where there are none.
    package let first: UInt64
    package let last: UInt64

    /// When it was made, as text: another stream of the same name has another time.
    package let creation: String

    /// Whether batches can be published as one.
    package let takesBatches: Bool

    /// Whether a message may take the place of all others of its subject.
    package let permitsReplacing: Bool

    /// Whether any server that has a message may be asked for it.
    package let permitsDirect: Bool

    /// How many servers keep it.
    package let replicas: Int

    /// Whether messages go away though nobody removes them: by age, or by their number.
    package let forgets: Bool

    /// Whether messages stay that were read.
    package let keepsRead: Bool

    /// How many bytes a message may have with its headers; `nil` where the stream says nothing about that.
    package let messageLimit: Int?

    /// How many messages of each subject are kept; `nil` where all are.
    package let history: Int?

    /// Whether it may have messages of other subjects than ``subjects``: from other streams, or with changed subjects.
    package let hasOtherSubjects: Bool

    /// How it changes the subjects of what it takes; `nil` where they stay.
    let subjectChange: NATSSubjectChange?
}

/// What a stream is to be like.
package struct JetStreamSettings: Sendable {
    package var name: String
    package var subjects: [String]

    /// How many servers keep it, from 1 to 5.
    package var replicas = 1

    /// Whether it is kept in memory, and gone with its servers.
    package var isInMemory = false

    /// How many messages of each subject are kept; all where it is `nil`.
    package var history: Int?

    /// Whether batches can be published as one; takes a server of version 2.12.
    package var takesBatches = false

    /// Whether a message may take the place of all others of its subject, and single messages can be read by their subject
    /// from any server that has them.
    package var permitsReplacing = false

    /// Whether it is a bucket of values by key: what is full gives up the old, and nothing is deleted but by a mark.
    package var isBucket = false

    package init(_ name: String, subjects: [String]) {
        self.name = name
        self.subjects = subjects
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.member("name", name)
        json.member("subjects", subjects) { json, subject in json.value(subject) }
        json.member("storage", isInMemory ? "memory" : "file")
        json.member("num_replicas", replicas)
        if let history { json.member("max_msgs_per_subject", history) }
        // What is full refuses the new, so that those who publish notice, and nothing is lost in silence.
        if !isBucket { json.member("discard", "new") }
        if takesBatches { json.member("allow_atomic", true) }
        if permitsReplacing || isBucket {
            for flag in ["allow_rollup_hdrs", "allow_direct"] { json.member(flag, true) }
        }
        if isBucket { json.member("deny_delete", true) }
    }
}

// Requests to JetStream about streams.
extension NATSClient {
    /// Asks JetStream for something.
    func ask(
        _ subject: String,
        _ what: String,
        within time: Duration? = nil,
        _ members: (inout JSONWriter) -> Void = { _ in }
    ) throws(NATSError) -> JetStreamAnswer {
        var json = JSONWriter()
        json.object(members)
        do throws(NATSError) {
            return try JetStreamAnswer(request("$JS.API." + subject, json.bytes[...], within: time), to: what)
        } catch {
            guard error.kind == .noResponders else { throw error }
            throw NATSError(
                .noResponders,
                "no server answers for JetStream: start it with 'nats-server -js', or wait until its cluster has a leader"
            )
        }
    }

    /// Looks a stream up.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - time: How long that may take; ``NATSSettings/timeout`` where it is `nil`.
    /// - Returns: The stream as it is now.
    /// - Throws: ``NATSError``; ``NATSError/isMissing`` tells that there is none.
    package func stream(_ name: String, within time: Duration? = nil) throws(NATSError) -> JetStreamStream {
        try JetStreamName.check(name, "stream")
        return try Self.stream(ask("STREAM.INFO.\(name)", "the stream '\(name)'", within: time))
    }

    /// Makes a stream; one that is there already and is the same is left as it is.
    ///
    /// - Parameter settings: What it is to be like.
    /// - Returns: The stream.
    /// - Throws: ``NATSError``, also where there is another one with that name, or with one of the subjects.
    @discardableResult
    package func createStream(_ settings: JetStreamSettings) throws(NATSError) -> JetStreamStream {
        try JetStreamName.check(settings.name, "stream")
        for subject in settings.subjects { try NATSSubject.check(subject, allowsWildcards: true) }
        return try Self.stream(
            ask("STREAM.CREATE.\(settings.name)", "to make the stream '\(settings.name)'", settings.write)
        )
    }

    /// The last message of each subject of a stream that permits to be asked for it.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - filters: Which subjects, with wildcards; up to 1,024 are found.
    ///   - time: How long that may take; ``NATSSettings/timeout`` where it is `nil`.
    /// - Returns: Each subject, its last part where that is a number, the number of its message, and what that says.
    /// - Throws: ``NATSError``.
    package func lastMessages(
        of stream: String,
        like filters: [String],
        within time: Duration? = nil
    ) throws(NATSError) -> [(subject: String, number: Int?, sequence: UInt64, payload: [UInt8])] {
        var json = JSONWriter()
        json.object { json in json.member("multi_last", filters) { json, filter in json.value(filter) } }
        let messages = try requestAll("$JS.API.DIRECT.GET.\(stream)", json.bytes[...], within: time)
        try JetStreamAnswer.checkEnd(messages, "the last messages of '\(stream)'")
        return messages.compactMap { message in
            guard let subject = message.headers?["Nats-Subject"],
                let sequence = message.headers?["Nats-Sequence"].flatMap({ UInt64($0) })
            else { return nil }
            // Another text of the same number, such as 007, is another subject.
            let last = subject.split(separator: ".").last ?? ""
            let number = Int(last).flatMap { "\($0)" == last && $0 >= 0 ? $0 : nil }
            return (subject, number, sequence, message.payload)
        }
    }

    static func stream(_ answer: JetStreamAnswer) throws(NATSError) -> JetStreamStream {
        let config = answer.json["config"]
        return JetStreamStream(
            name: config?["name"]?.text ?? "",
            subjects: config?["subjects"]?.elements.compactMap(\.text) ?? [],
            first: try answer.number("state", "first_seq", of: "a stream"),
            last: try answer.number("state", "last_seq", of: "a stream"),
            creation: answer.json["created"]?.text ?? "",
            takesBatches: config?["allow_atomic"]?.flag ?? false,
            permitsReplacing: (config?["allow_rollup_hdrs"]?.flag ?? false) && (config?["allow_direct"]?.flag ?? false),
            permitsDirect: config?["allow_direct"]?.flag ?? false,
            replicas: config?["num_replicas"]?.integer ?? 1,
            forgets: (config?["max_age"]?.integer ?? 0) > 0
                || config?["discard"]?.text != "new"
                    && ["max_msgs", "max_bytes"].contains { (config?[$0]?.integer ?? 0) > 0 },
            keepsRead: config?["retention"]?.text ?? "limits" == "limits",
            messageLimit: config?["max_msg_size"]?.integer.flatMap { $0 > 0 ? $0 : nil },
            history: config?["max_msgs_per_subject"]?.integer.flatMap { $0 > 0 ? $0 : nil },
            hasOtherSubjects: ["mirror", "sources", "subject_transform"].contains { config?[$0] != nil },
            subjectChange: config?["subject_transform"].flatMap { change in
                guard let destination = change["dest"]?.text, !destination.isEmpty else { return nil }
                let source = change["src"]?.text ?? ""
                return NATSSubjectChange(source: source.isEmpty ? ">" : source, destination: destination)
            }
        )
    }

    /// The streams that take a subject, or a part of what it stands for.
    ///
    /// - Throws: ``NATSError``.
    package func streams(taking subject: String) throws(NATSError) -> [String] {
        try NATSSubject.check(subject, allowsWildcards: true)
        let answer = try ask("STREAM.NAMES", "which streams there are") { json in json.member("subject", subject) }
        return answer.json["streams"]?.elements.compactMap(\.text) ?? []
    }

    /// The subjects of a stream that stand for messages, up to 100,000 of them.
    ///
    /// - Throws: ``NATSError``.
    package func subjects(of stream: String, like filter: String) throws(NATSError) -> [String] {
        try JetStreamName.check(stream, "stream")
        let answer = try ask("STREAM.INFO.\(stream)", "the stream '\(stream)'") { json in
            json.member("subjects_filter", filter)
        }
        return answer.json["state"]?["subjects"]?.members.map(\.name) ?? []
    }
}
