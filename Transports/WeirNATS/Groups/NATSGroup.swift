internal import WeirCore
internal import WeirFiles
internal import WeirFormats
package import WeirGroups
internal import WeirRecords
internal import WeirSockets

// Groups, whose input is a stream and whose outputs and commits are another one.
extension NATSTransport: GroupTransport {
    package func openGroup(_ request: GroupRequest) throws(GroupError) -> any GroupBackend {
        try NATSGroupPlaces.check(request.name)
        let (servers, settings, address, places, lines):
            (
                [SocketPlace], NATSSettings, String,
                (input: NATSAddress, output: NATSAddress, names: (String?, String?)), Int
            )
        do throws(TransportError) {
            let parts = try TransportAddress(ofSource: request.input, self)
            let input = try NATSAddress(parts, allowsWildcards: true)
            let isWhole = input.subject.hasSuffix(".*")
            guard
                !input.subject.dropLast(isWhole ? 2 : 0).split(separator: ".").contains(where: {
                    $0 == "*" || $0 == ">"
                })
            else {
                throw .badAddress(
                    address: parts.whole,
                    reason: "a group reads one subject; a '*' stands for its last part"
                )
            }
            guard !isWhole || request.partitionCount == 1 else {
                throw .badAddress(
                    address: parts.whole,
                    reason: "with a '*' at its end the whole input is one partition"
                )
            }
            try parts.permit(
                ["framing", "durable", "deliver", "drain", "batch"],
                if: false,
                otherwise: "means nothing for a group, which reads messages of lines from where it was"
            )
            let sink = try TransportAddress(ofSink: request.output, self)
            let output = try NATSAddress(sink, allowsWildcards: false)
            let ofGroups: Set<String> = ["stream", "lines", "timeout"]
            try sink.permit(
                sinkOptions.map(\.name).filter { !ofGroups.contains($0) },
                if: false,
                otherwise: "means nothing for a group, which commits its outputs"
            )
            let names = (parts.options.textIfGiven("stream"), sink.options.textIfGiven("stream"))
            try Self.check(names.0, "stream", parts)
            try Self.check(names.1, "stream", sink)
            guard Set(input.hosts) == Set(output.hosts), input.credentials == output.credentials else {
                throw .badAddress(
                    address: sink.whole,
                    reason: "a group commits outputs where it reads its input: name the same servers and user"
                )
            }
            guard NATSGroupPlaces.base(of: input.subject) != output.subject else {
                throw .badAddress(address: sink.whole, reason: "the input has the same subject")
            }
            (servers, settings, address) = try (input.servers(), Self.settings(input, parts.options), parts.whole)
            (places, lines) = ((input, output, names), sink.options.integer("lines"))
        } catch {
            throw GroupError(.refused, "\(error)")
        }
        let client = try Self.client(servers, settings, address, interruption)
        defer { client.close() }
        do throws(NATSError) {
            do throws(NATSError) { try client.connectOnce(notice: request.notice) } catch {
                guard error.isTransient else { throw error }
                throw NATSError(error.kind, "'\(address)' cannot be reached: \(error.reason)\(NATSTransport.advice)")
            }
            guard client.info.isAtLeast(2, 12) else {
                throw NATSError(
                    .tooOld,
                    "a group needs nats-server 2.12 or newer, which keeps several messages as one, and '\(address)' is "
                        + Excerpt.of(client.info.version.utf8, limit: 20)
                )
            }
            let subject = NATSGroupPlaces.base(of: places.input.subject)
            let isWhole = subject != places.input.subject
            let input = try Self.inputStream(places.names.0, subject, isWhole: isWhole, request, client)
            try Self.check(input: input, subject)
            if input.forgets {
                request.notice(
                    "the stream '\(input.name)' gives up old messages: the group ends where some were not read before; with "
                        + "'discard new' and without an age producers wait instead"
                )
            }
            let name = places.names.1 ?? "weir-\(request.name)"
            try Self.checkThatStateIsThere(name, request, client)
            try Self.outputStream(
                name,
                isGiven: places.names.1 != nil,
                NATSGroupPlaces.streamSubjects(of: request.name, places.output.subject),
                replicas: input.replicas,
                client
            )
            let markSubject = isWhole ? NATSGroupPlaces.markSubject(among: input.subjects) : nil
            if isWhole, markSubject == nil,
                input.subjects.contains(where: { NATSSubject.matches($0, "weir.any.checkpoint.0") })
                    || input.subjects.contains(where: { $0.hasPrefix("weir.") })
            {
                throw NATSError(
                    .unsendable,
                    "the stream '\(input.name)' has outputs of several groups, or takes any subject: parts of an input are merged "
                        + "by time where its stream is of one group"
                )
            }
            if !isWhole, let history = input.history {
                let words =
                    "the stream '\(input.name)' keeps \(history) messages of each subject, and gives up others though they were "
                    + "not read"
                guard request.skipsRemoved else {
                    throw NATSError(
                        .unsendable,
                        "\(words): nats stream edit \(input.name) --max-msgs-per-subject=-1, or --state-mismatch drop"
                    )
                }
                request.notice(words)
            }
            if !input.permitsDirect {
                request.notice(
                    "the stream '\(input.name)' does not answer for its last messages, so it is not known how far members lag "
                        + "behind: nats stream edit \(input.name) --allow-direct"
                )
            }
            let found = NATSGroupPlaces(
                inputStream: input.name,
                inputSubject: subject,
                inputCreation: input.creation,
                inputPermitsDirect: input.permitsDirect,
                stream: name,
                outputSubject: places.output.subject,
                group: request.name,
                isWhole: isWhole,
                markSubject: markSubject,
                sourceCount: try markSubject.map { subject throws(NATSError) in try Self.sourceCount(subject, client) }
                    ?? 0
            )
            return NATSGroup(
                servers: servers,
                settings: settings,
                address: address,
                places: found,
                replicas: input.replicas,
                linesPerMessage: lines,
                request: request,
                interruption: interruption
            )
        } catch {
            throw GroupError(error)
        }
    }

    package func findGroup(_ name: String, at address: String) throws(GroupError) -> any SharedValues {
        try NATSGroupPlaces.check(name)
        let client: NATSClient
        let shown: String
        do throws(TransportError) {
            let parts = try TransportAddress(ofSource: address, self)
            let place = try NATSAddress(parts, allowsWildcards: true, needsSubject: false)
            shown = place.shown
            client = try NATSClient(
                try place.servers(),
                Self.settings(place, parts.options),
                address: parts.whole,
                interruption: interruption
            )
        } catch {
            throw GroupError(.refused, "\(error)")
        }
        do throws(NATSError) { try client.connectOnce() } catch {
            throw GroupError(
                GroupError(error).kind,
                "'\(shown)' cannot be reached: \(error.reason)\(error.isTransient ? Self.advice : "")"
            )
        }
        let bucket = NATSGroupPlaces.bucket(of: name)
        do throws(NATSError) { _ = try client.stream("KV_\(bucket)") } catch {
            throw error.isMissing ? GroupError(.refused, "there is no group '\(name)'") : GroupError(error)
        }
        return try NATSSharedValues(bucket, client, replicas: 1)
    }

    fileprivate static func client(
        _ servers: [SocketPlace],
        _ settings: NATSSettings,
        _ address: String,
        _ interruption: Interruption?,
        finishesWhatWasBegun: Bool = false
    ) throws(GroupError) -> NATSClient {
        do throws(TransportError) {
            return try NATSClient(
                servers,
                settings,
                address: address,
                interruption: interruption,
                finishesWhatWasBegun: finishesWhatWasBegun
            )
        } catch {
            throw GroupError(.refused, "\(error)")
        }
    }

    /// Finds the stream that has the input.
    private static func inputStream(
        _ name: String?,
        _ subject: String,
        isWhole: Bool,
        _ request: GroupRequest,
        _ client: NATSClient
    ) throws(NATSError) -> JetStreamStream {
        let filter = "\(subject).*"
        let found = try client.streams(taking: filter)
        guard let name = name ?? found.first else {
            guard !isWhole else {
                throw NATSError(
                    .unsendable,
                    "no stream takes '\(Excerpt.line(filter))': start the group first whose outputs these are"
                )
            }
            throw NATSError(
                .unsendable,
                "no stream takes '\(Excerpt.line(filter))', the partitions of the input; make one: "
                    + "nats stream add NAME --subjects '\(Excerpt.line(filter))' --discard new --replicas 3 --defaults"
            )
        }
        let stream: JetStreamStream
        do throws(NATSError) { stream = try client.stream(name) } catch {
            throw error.isMissing ? NATSError(.unsendable, missingStream(name, filter)) : error
        }
        guard stream.subjects.contains(where: { NATSSubject.matches($0, filter) }) else {
            throw NATSError(.unsendable, "the stream '\(name)' does not take '\(Excerpt.line(filter))'")
        }
        guard !isWhole else { return stream }
        let others = try client.subjects(of: name, like: filter).filter { subject in
            let last = String(subject.split(separator: ".").last ?? "")
            return !(Int(last).map { (0..<request.partitionCount).contains($0) && "\($0)" == last } ?? false)
        }
        let ofOthers = others.filter { Int($0.split(separator: ".").last ?? "") == nil }
        // Where the last messages can be asked for, members see it while they work.
        if !stream.permitsDirect, let other = ofOthers.min() {
            request.notice(
                "the stream '\(name)' has messages of '\(Excerpt.line(other))', which are of no partition and are not read"
            )
        }
        if let other = others.filter({ !ofOthers.contains($0) }).min() {
            throw NATSError(
                .unsendable,
                "the stream '\(name)' has messages of '\(Excerpt.line(other))', which is none of \(request.partitionCount) "
                    + "partitions: say with --partitions how many there are, as 'weir produce' was told"
            )
        }
        return stream
    }

    /// Checks the settings of a stream of inputs, whose partitions have subjects behind one.
    static func check(input stream: JetStreamStream, _ subject: String) throws(NATSError) {
        guard stream.keepsRead else {
            throw NATSError(
                .unsendable,
                "the stream '\(stream.name)' removes what was read, and a group reads again where a member was lost: its "
                    + "retention has to be 'limits'"
            )
        }
        try checkThatSubjectsStay(stream, ["\(subject).*"])
    }

    /// Fails where a stream keeps messages under other subjects than those by which a group asks for them.
    private static func checkThatSubjectsStay(_ stream: JetStreamStream, _ subjects: [String]) throws(NATSError) {
        guard let change = stream.subjectChange, let subject = subjects.first(where: change.hides) else { return }
        throw NATSError(
            .unsendable,
            "the stream '\(stream.name)' keeps what is published to '\(Excerpt.line(subject))' as "
                + "'\(Excerpt.line(change.destination))', where a group does not find it: remove its 'subject_transform'"
        )
    }

    /// How many partitions the group has that writes marks.
    private static func sourceCount(_ markSubject: String, _ client: NATSClient) throws(NATSError) -> Int {
        let group = String(markSubject.split(separator: ".")[1])
        let bucket = try KeyValueBucket(NATSGroupPlaces.bucket(of: group), client)
        let found: KeyValueBucket.Entry?
        do throws(NATSError) {
            _ = try client.stream("KV_\(bucket.name)")
            found = try bucket.get(GroupMembership.settingsKey)
        } catch {
            guard error.isMissing else { throw error }
            found = nil
        }
        guard let settings = found,
            let json = try? JSONNode.read(settings.value, allowsRepeatedNames: true),
            let count = json[GroupSettings.partitionCountName]?.text.flatMap({ Int($0) })
        else {
            throw NATSError(.unsendable, "the group '\(group)', whose outputs are to be read, was never joined")
        }
        return count
    }

    /// Fails where a group was joined before, and what its partitions know is gone.
    private static func checkThatStateIsThere(
        _ name: String,
        _ request: GroupRequest,
        _ client: NATSClient
    ) throws(NATSError) {
        let bucket = try KeyValueBucket(NATSGroupPlaces.bucket(of: request.name), client)
        do throws(NATSError) { _ = try client.stream("KV_\(bucket.name)") } catch {
            guard error.isMissing else { throw error }
            return
        }
        guard try bucket.get(GroupMembership.begunKey) != nil else { return }
        do throws(NATSError) {
            guard try client.subjects(of: name, like: "weir.\(request.name).checkpoint.*").isEmpty else { return }
        } catch {
            guard error.isMissing else { throw error }
        }
        guard !request.skipsRemoved else { return }
        throw NATSError(
            .unsendable,
            "the group '\(request.name)' has worked before, and what its partitions know is gone from the stream '\(name)'; with "
                + "--state-mismatch drop it begins anew, with the first message"
        )
    }

    /// Makes the stream of outputs and commits, or checks the one that is there.
    private static func outputStream(
        _ name: String,
        isGiven: Bool,
        _ subjects: [String],
        replicas: Int,
        _ client: NATSClient
    ) throws(NATSError) {
        let stream: JetStreamStream
        do throws(NATSError) { stream = try client.stream(name) } catch {
            guard error.isMissing, !isGiven else {
                throw error.isMissing ? NATSError(.unsendable, "there is no stream '\(name)'") : error
            }
            var settings = JetStreamSettings(name, subjects: subjects)
            (settings.replicas, settings.takesBatches, settings.permitsReplacing) = (replicas, true, true)
            do throws(NATSError) { stream = try client.createStream(settings) } catch {
                guard case .refused(_, 10065) = error.kind else { throw error }
                throw NATSError(
                    .unsendable,
                    "another stream takes a part of \(shown(subjects)) already: write to another subject, or have that stream "
                        + "take them all, and name it with 'stream=NAME'"
                )
            }
        }
        try check(output: stream, subjects, client)
    }

    /// Checks the settings of a stream of outputs and commits.
    static func check(output stream: JetStreamStream, _ subjects: [String], _ client: NATSClient) throws(NATSError) {
        let name = stream.name
        func refuse(_ reason: String, _ remedy: String) -> NATSError {
            NATSError(.unsendable, "the stream '\(name)' \(reason): nats stream edit \(name) \(remedy)")
        }
        if let missing = subjects.first(where: { subject in
            !stream.subjects.contains { NATSSubject.matches($0, subject) }
        }) {
            throw NATSError(
                .unsendable,
                "the stream '\(name)' does not take '\(Excerpt.line(missing))': a group needs \(shown(subjects))"
            )
        }
        try checkThatSubjectsStay(stream, subjects)
        guard stream.takesBatches else { throw refuse("does not keep several messages as one", "--allow-batch") }
        guard stream.permitsReplacing else {
            throw refuse("does not let a message replace others", "--allow-rollup --allow-direct")
        }
        guard !stream.forgets else {
            throw refuse(
                "gives up old messages by age, number or size, and with them what partitions know",
                "--max-age 0 --max-msgs=-1 --max-bytes=-1; limit what is kept of each subject instead "
                    + "(--max-msgs-per-subject 100000)"
            )
        }
        guard stream.messageLimit.map({ $0 >= client.info.payloadLimit }) ?? true else {
            throw refuse(
                "takes messages of \(stream.messageLimit ?? 0) bytes, and a commit may have some of "
                    + "\(client.info.payloadLimit)",
                "--max-msg-size=-1"
            )
        }
        guard stream.history.map({ $0 >= leastHistory }) ?? true else {
            throw refuse(
                "keeps fewer messages of a subject than a commit may have",
                "--max-msgs-per-subject \(leastHistory)"
            )
        }
    }

    /// How many messages of a subject a stream keeps at least: a commit may have as many.
    private static let leastHistory = 1000

    private static func shown(_ subjects: [String]) -> String {
        subjects.map { "'\(Excerpt.line($0))'" }.joined(separator: ", ")
    }
}

/// A group on servers of NATS.
struct NATSGroup: GroupBackend {
    let servers: [SocketPlace]
    let settings: NATSSettings
    let address: String
    let places: NATSGroupPlaces
    let replicas: Int
    let linesPerMessage: Int
    let request: GroupRequest
    let interruption: Interruption?

    var sourceCount: Int { places.sourceCount }

    /// How long a member waits for one answer about its group, which is silent for longer than its lease otherwise.
    private static let patience = Duration.seconds(2)

    // A member ends by itself, after what was begun: nothing interrupts its requests, unless no server can be reached. One
    // that hangs is noticed soon, and another one is tried.
    private func client(within timeout: Duration? = nil) throws(GroupError) -> NATSClient {
        var settings = settings
        settings.timeout = min(settings.timeout, timeout ?? settings.timeout)
        settings.pingInterval = .seconds(1)
        settings.retry = min(settings.retry, .milliseconds(500))
        // Not all members at the server that was named first.
        let first = Int.random(in: servers.indices)
        return try NATSTransport.client(
            Array(servers[first...] + servers[..<first]),
            settings,
            address,
            interruption,
            finishesWhatWasBegun: true
        )
    }

    func makeValues() throws(GroupError) -> any SharedValues {
        try NATSSharedValues(
            NATSGroupPlaces.bucket(of: request.name),
            client(within: Self.patience),
            replicas: replicas,
            places: places,
            request: request
        )
    }

    func makeLog(clock: any TimeSource) throws(GroupError) -> any PartitionLog {
        NATSPartitionLog(
            try client(),
            places,
            linesPerMessage: linesPerMessage,
            skipsRemoved: request.skipsRemoved,
            clock: clock,
            notice: request.notice
        )
    }
}
