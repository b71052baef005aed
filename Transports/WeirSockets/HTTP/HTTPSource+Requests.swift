internal import CWeirSockets
internal import WeirCore
internal import WeirDispatch
internal import WeirRecords

/// Reading requests and answering them.
extension HTTPSource {
    /// Handles what the poller found at a connection.
    func handle(_ token: UInt64, _ ready: PollEvents, _ now: Moment) {
        change(token, now) { connection in
            if connection.hasOutput, !flush(&connection, token, now) { return false }
            guard ready.contains(.reading), !connection.hasOutput else { return true }
            if case .closing = connection.phase { return !cweir_net_discard_input(connection.descriptor) }
            let count = receive(&connection, now)
            // At its end the client may have closed its direction alone, but it has got every answer already.
            guard count > 0 else { return SystemError(count) == .wouldBlock }
            let held = heldBytes - connection.byteCount
            guard proceed(&connection, token, now) else { return false }
            if connection.isInRequest, held + connection.byteCount > settings.memory {
                refuse(&connection, HTTPFlaw(503, "too much is being sent at a time; send it again later"), token, now)
            }
            return true
        }
    }

    /// Changes a connection, and closes it where that is wanted.
    ///
    /// - Parameters:
    ///   - token: The connection's.
    ///   - now: The time.
    ///   - body: Returns whether the connection goes on.
    private func change(_ token: UInt64, _ now: Moment, _ body: (inout HTTPConnection) -> Bool) {
        // An event may have come too late.
        guard connections[token] != nil else { return }
        // Out of the table and back into it, so that its memory is not copied.
        guard var connection = connections.updateValue(HTTPConnection(-1, now: now), forKey: token) else { return }
        let before = connection.byteCount
        let goesOn = body(&connection)
        heldBytes += connection.byteCount - before
        connections[token] = connection
        if !goesOn { end(token) }
    }

    private func receive(_ connection: inout HTTPConnection, _ now: Moment) -> Int {
        unsafe withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            let count = unsafe cweir_net_receive(connection.descriptor, start, bytes.count, nil, nil)
            if count > 0 {
                unsafe connection.receive(UnsafeRawBufferPointer(start: start, count: count), now: now)
            }
            return count
        }
    }

    /// Takes the request of a connection as far as it is there.
    private func proceed(_ connection: inout HTTPConnection, _ token: UInt64, _ now: Moment) -> Bool {
        do throws(HTTPFlaw) {
            switch try connection.step(settings.rules, headLimit: settings.headLimit) {
            case .needsMore: break
            case .goOn:
                connection.answer(HTTPAnswer.goOn)
                return flush(&connection, token, now)
            case .request(let request):
                try take(request, &connection, token)
                // Nothing is read until it is answered.
                watch(&connection, token, [])
            }
            return true
        } catch {
            refuse(&connection, error, token, now)
            return true
        }
    }

    private func take(
        _ request: HTTPRequest,
        _ connection: inout HTTPConnection,
        _ token: UInt64
    ) throws(HTTPFlaw) {
        let outcome = try intake.take(connection.body, isJSON: request.isJSON, from: connection.descriptor)
        connection.forgetBody()
        connection.closes = !request.keepsConnection || isDraining
        // A request of which nothing could be used was a mistake.
        let status = outcome.accepted == 0 && outcome.rejected > 0 ? 400 : 200
        taken.append((token, HTTPAnswer.make(status, outcome.json, closes: connection.closes)))
    }

    /// Answers the requests that the engine has taken, and goes on with what their clients have sent meanwhile.
    func answerTaken(_ now: Moment) {
        for (token, answer) in exchange(&taken, with: []) {
            change(token, now) { connection in
                connection.answer(answer)
                if connection.closes { connection.beginClosing(now) } else { connection.beginNext(now) }
                return flush(&connection, token, now)
            }
        }
    }

    /// Sends the answer of a connection as far as that goes.
    ///
    /// - Returns: False where the connection is to be closed.
    private func flush(_ connection: inout HTTPConnection, _ token: UInt64, _ now: Moment) -> Bool {
        guard connection.flush() else { return false }
        guard !connection.hasOutput else {
            watch(&connection, token, .writing)
            return true
        }
        if case .closing = connection.phase {
            // The client has its end, and is heard out, or its answer could get lost.
            cweir_net_end_sending(connection.descriptor)
            watch(&connection, token, .reading)
            return true
        }
        watch(&connection, token, .reading)
        // What came with the request before it.
        guard connection.hasInput, case .head = connection.phase else { return true }
        return proceed(&connection, token, now)
    }

    private func watch(_ connection: inout HTTPConnection, _ token: UInt64, _ wanted: PollEvents) {
        guard wanted != connection.events else { return }
        // What is not watched any more is found when it takes too long.
        guard poller.watch(connection.descriptor, token: token, from: connection.events, to: wanted) == nil else {
            return
        }
        connection.events = wanted
    }

    // MARK: Refusing

    /// Refuses a request as a whole, and ends its connection with the answer.
    func refuse(_ token: UInt64, _ flaw: HTTPFlaw, _ now: Moment) {
        change(token, now) { connection in
            refuse(&connection, flaw, token, now)
            return true
        }
    }

    private func refuse(_ connection: inout HTTPConnection, _ flaw: HTTPFlaw, _ token: UInt64, _ now: Moment) {
        let cause: TransportMetrics.Rejection =
            switch flaw.status {
            case 413, 431: .tooLong
            case 408, 503: .unfinished
            case 422: .otherHeader
            default: .malformed
            }
        intake.reject(connection.takeRequest(), cause, from: connection.descriptor)
        let json = "{\"accepted\":0,\"error\":\(JSONWriter.quoted(flaw.reason))}"
        connection.answer(HTTPAnswer.make(flaw.status, json, closes: true))
        connection.beginClosing(now)
        // Where it cannot be sent, the next event finds the same error.
        _ = flush(&connection, token, now)
    }
}
