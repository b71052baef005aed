internal import WeirCore
internal import WeirRecords
internal import WeirSockets

// Sources of streams. A durable consumer remembers what was acknowledged, and several sources may share it. Without one, the
// source counts: it has a consumer of its own, which it makes anew behind the last message whenever one may be missing.
extension NATSSource {
    /// Finds the stream, and has it hand out what comes next.
    ///
    /// - Throws: ``NATSError``; one that is not transient where it can never work.
    func setUp(_ name: String) throws(NATSError) {
        goBackBeforeGap()
        let stream = try find(name)
        readsAll = (stream.subjects == [settings.subject] || settings.subject == ">") && stream.history == nil
        pull.forget()
        // A message that is longer than what a request permits would never come.
        pull.byteLimit = max(4 << 20, client.info.payloadLimit + NATSParser.headroom)
        if settings.durable != nil { try findDurable(in: stream) } else { try makeConsumer(in: stream) }
        consumerSequence = 0
        acknowledgements = []
        try client.connection.say { words in words.subscribe("\(client.inbox).pull.*", as: Self.subscription) }
        try request()
    }

    private func find(_ name: String) throws(NATSError) -> JetStreamStream {
        let stream: JetStreamStream
        do throws(NATSError) { stream = try client.stream(name) } catch {
            guard error.isMissing else { throw error }
            throw NATSError(error.kind, NATSTransport.missingStream(name, settings.subject))
        }
        guard streamCreation.isEmpty || streamCreation == stream.creation else {
            throw NATSError(
                .unsendable,
                "the stream '\(name)' is another one than that which was read before: it was made at \(stream.creation)"
            )
        }
        if !wasUp { try checkSubject(in: stream) }
        streamCreation = stream.creation
        return stream
    }

    /// Fails where the stream never has a message of the subject.
    private func checkSubject(in stream: JetStreamStream) throws(NATSError) {
        guard !stream.hasOtherSubjects,
            !stream.subjects.contains(where: { NATSSubject.overlap($0, settings.subject) }),
            // It may have taken it before it was changed.
            try client.subjects(of: stream.name, like: settings.subject).isEmpty
        else { return }
        throw stream.refusal(of: settings.subject)
    }

    private func findDurable(in stream: JetStreamStream) throws(NATSError) {
        let name = settings.durable ?? ""
        do throws(NATSError) { consumer = try client.consumer(name, of: stream.name) } catch {
            guard error.isMissing else { throw error }
            guard consumer == nil else {
                throw NATSError(.unsendable, "the consumer '\(name)' was deleted, and with it what was read")
            }
            var wanted = JetStreamConsumerSettings(name)
            wanted.isDurable = true
            wanted.subject = settings.subject
            wanted.start = settings.start == .all ? .first : settings.start == .new ? .new : .last
            consumer = try client.createConsumer(wanted, of: stream.name)
        }
        guard consumer?.isPush != true else {
            throw NATSError(
                .unsendable,
                "the consumer '\(name)' sends its messages by itself; make one that is asked for them: "
                    + "nats consumer add \(stream.name) NAME --pull --ack explicit"
            )
        }
        let subject = consumer?.subject.flatMap { $0.isEmpty ? nil : $0 }
        guard subject == settings.subject || (subject == nil && stream.subjects == [settings.subject]) else {
            throw NATSError(
                .unsendable,
                "the consumer '\(name)' is of \(subject.map { "'\($0)'" } ?? "all subjects of the stream"), and not of "
                    + "'\(settings.subject)'; give another name to 'durable'"
            )
        }
        // An acknowledgement of all would stand also for what another reader got, and perhaps never handed on.
        guard consumer?.acknowledgement == .explicit else {
            throw NATSError(
                .unsendable,
                "the consumer '\(name)' does not have each message acknowledged, so that some could get lost; make one "
                    + "that does: nats consumer add \(stream.name) NAME --pull --ack explicit"
            )
        }
    }

    /// Makes a consumer that begins behind the last message.
    private func makeConsumer(in stream: JetStreamStream) throws(NATSError) {
        var wanted = JetStreamConsumerSettings("weir-\(client.inbox.dropFirst(7))-\(consumerNumber)")
        consumerNumber += 1
        wanted.subject = settings.subject
        wanted.acknowledgement = .none
        if nextSequence > 0 {
            try checkRetention(stream)
            wanted.start = .sequence(nextSequence)
        } else {
            hasBegun = false
            switch settings.start {
            case .all: nextSequence = max(1, stream.first)
            case .new: nextSequence = stream.last + 1
            case .last: wanted.start = .last
            }
            if nextSequence > 0 {
                wanted.start = .sequence(nextSequence)
                stage.goOn(after: nextSequence - 1)
            }
        }
        consumer = try client.createConsumer(wanted, of: stream.name)
    }

    /// Asks for more where little is outstanding.
    func request() throws(NATSError) {
        guard let consumer, client.connection.isUp, stage.hasRoom, !isLeaving else { return }
        while let next = pull.request(.now) {
            try client.connection.say { words throws(NATSError) in
                try words.publish(
                    "$JS.API.CONSUMER.MSG.NEXT.\(consumer.stream).\(consumer.name)",
                    reply: "\(client.inbox).pull.\(next.number)",
                    next.payload[...]
                )
            }
        }
        try client.connection.flush()
    }

    // MARK: Messages

    func takeFromStream(_ message: NATSFrame.Message) {
        guard let reply = message.reply, let place = JetStreamPlace(client.connection.bytes(reply)) else {
            return takeStatus(message)
        }
        pull.noteMessage(client.now)
        guard settings.durable == nil else {
            if !isLeaving { append(message, sequence: nil) }
            noteAcknowledgement(client.connection.bytes(reply))
            return
        }
        consumerSequence += 1
        guard place.consumerSequence == consumerSequence, place.streamSequence >= nextSequence else {
            // Some were lost on the way, so they are handed out again.
            failure = NATSError(.disconnected, "messages got lost on the way and are asked for again")
            return
        }
        // What the stream had removed before it was read from its start was never to be read.
        if place.streamSequence > nextSequence, hasBegun { noteGap() }
        hasBegun = true
        if nextSequence == 0 { stage.goOn(after: place.streamSequence - 1) }
        let isBegun = place.streamSequence == nextSequence
        append(message, sequence: place.streamSequence, skipping: isBegun ? exchange(&skippedByteCount, with: 0) : 0)
        nextSequence = place.streamSequence + 1
    }

    private func takeStatus(_ message: NATSFrame.Message) {
        guard !client.connection.bytes(message.subject).elementsEqual(gapInbox.utf8) else {
            return takeGapAnswer(message)
        }
        guard !message.headers.isEmpty, let headers = NATSHeaders(client.connection.bytes(message.headers)),
            headers.status != nil
        else { return }
        switch pull.note(headers, .now) {
        case .goesOn: break
        case .isGone: failure = NATSError(.disconnected, "the consumer is gone")
        case .refused(let words): failure = NATSError(.disconnected, "the consumer answers \(words)")
        }
    }

    // MARK: Acknowledging

    private func noteAcknowledgement(_ reply: ArraySlice<UInt8>) {
        acknowledgements += "PUB ".utf8
        acknowledgements += reply
        acknowledgements += (isLeaving ? " 4\r\n-NAK\r\n" : " 4\r\n+ACK\r\n").utf8
    }

    /// Acknowledges what was handed out.
    ///
    /// Where that gets lost, the messages come again.
    func acknowledge() {
        let lines = exchange(&acknowledgements, with: [])
        guard client.connection.isUp else { return }
        try? client.connection.say { words throws(NATSError) in words.send(lines: lines) }
        try? client.connection.flush()
    }
}

// Where a source of a stream is: what `--state` saves.
extension NATSSource: PositionedSource {
    var position: SourcePosition? {
        guard settings.stream != nil, settings.durable == nil else { return nil }
        // With the last message alone, the first number is known when it has come.
        guard !streamCreation.isEmpty, stage.handedOut.sequence > 0 || nextSequence > 0 else {
            return SourcePosition(offset: 0)
        }
        var position = SourcePosition(offset: Int64(clamping: stage.handedOut.sequence) + 1)
        // How much of the message with that number was handed out, and which stream it is.
        position.fileByteCount = Int64(stage.handedOut.byteCount)
        position.node = 1
        position.head = Array(streamCreation.utf8)
        return position
    }

    /// Goes on behind what another source has handed out.
    func goOn(at position: SourcePosition) {
        streamCreation = String(decoding: position.head, as: UTF8.self)
        guard position.offset > 0 else { return }
        nextSequence = UInt64(position.offset)
        skippedByteCount = Int(position.fileByteCount)
        stage.goOn(after: nextSequence - 1, begun: skippedByteCount)
    }
}
