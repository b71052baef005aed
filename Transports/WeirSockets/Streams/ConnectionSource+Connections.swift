internal import CWeirSockets
internal import WeirCore
internal import WeirDispatch
internal import WeirFiles
internal import WeirRecords

/// Opening and closing connections.
extension ConnectionSource {
    func watchAcceptor() {
        guard isServing else { return }
        let mayAccept =
            acceptorRetry == nil && connections.count < settings.connectionLimit && acceptedCount != settings.accept
        if acceptor.descriptor == nil {
            // This side connects, once the last connection has ended.
            if mayAccept, connections.isEmpty { acceptorRetry = .now }
            return
        }
        let wanted: PollEvents = mayAccept ? .reading : []
        guard wanted != acceptorEvents, let descriptor = acceptor.descriptor else { return }
        guard poller.watch(descriptor, token: Self.acceptorToken, from: acceptorEvents, to: wanted) == nil else {
            acceptorRetry = .now + 100_000_000
            return
        }
        acceptorEvents = wanted
        // Later connections are refused by the system.
        if acceptedCount == settings.accept { acceptor.close() }
    }

    /// Accepts the connections that wait, up to the limits; the others go on waiting and are not refused.
    ///
    /// - Returns: Whether there was one, which may have been refused.
    @discardableResult
    func accept(_ now: Moment) -> Bool {
        defer { watchAcceptor() }
        var hasFound = false
        for _ in 0..<256 {
            guard connections.count < settings.connectionLimit, acceptedCount != settings.accept else { break }
            // This side connects to one place, and once at a time.
            guard acceptor.descriptor != nil || connections.isEmpty else { break }
            switch acceptor.next() {
            case .made(let descriptor): add(descriptor, now)
            case .begun(let descriptor): add(descriptor, now, isConnecting: true)
            case .failed(let error):
                if error != .wouldBlock || acceptor.descriptor == nil { retry(after: error, now) }
                return hasFound
            }
            hasFound = true
        }
        return hasFound
    }

    /// Tries again later.
    private func retry(after error: SystemError, _ now: Moment) {
        if error.isShortage {
            counter.note("'\(address)' cannot take more connections: \(error); it tries again")
        } else if acceptor.descriptor == nil, !saidThatNothingIsThere {
            // Once, and not each time that it is tried again.
            saidThatNothingIsThere = true
            counter.note("'\(address)' cannot be connected to: \(error); it is tried again")
        }
        acceptorRetry = now + acceptor.pauseAfterFailure()
    }

    private func add(_ descriptor: Int32, _ now: Moment, isConnecting: Bool = false) {
        guard settings.filter?.permits(descriptor) ?? true else { return refuse(descriptor) }
        let token = nextToken
        nextToken += 1
        var connection = Connection(descriptor, isConnecting: isConnecting, allowance: settings.burst, now: now)
        connection.token = token
        guard poller.watch(descriptor, token: token, from: [], to: connection.events) == nil else {
            return refuse(descriptor)
        }
        connections[token] = connection
        guard !isConnecting else { return }
        acceptedCount += 1
        countConnection()
    }

    private func refuse(_ descriptor: Int32) {
        cweir_net_close(descriptor)
        counter.update { $0.refusedConnections += 1 }
    }

    private func countConnection() {
        saidThatNothingIsThere = false
        let count = UInt64(connections.count)
        counter.update { metrics in
            metrics.connections += 1
            metrics.openConnections = count
        }
    }

    /// Goes on with a connection that this side has made, or could not make.
    func finishConnecting(_ token: UInt64, _ now: Moment) {
        guard var connection = connections[token] else { return }
        let error = SocketPlace.error(ofConnecting: connection.descriptor)
        connection.isConnecting = false
        connections[token] = connection
        guard error == nil, watch(token, connection, for: .reading) else {
            cweir_net_close(connection.descriptor)
            connections[token] = nil
            return retry(after: error ?? .wouldBlock, now)
        }
        acceptedCount += 1
        countConnection()
    }

    func end(_ token: UInt64, _ connection: Connection) {
        if !linger(token, connection) { cweir_net_close(connection.descriptor) }
        // What the connection said counts before it is gone.
        stage.count()
        connections[token] = nil
        let count = UInt64(connections.count)
        counter.update { $0.openConnections = count }
        if isServing {
            switch acceptor.sequel(hadBytes: connection.hasSent, counter) {
            case .again(let pause) where acceptedCount != settings.accept: acceptorRetry = .now + pause
            case .none, .again: break
            case .over: phase = .over
            case .failed(let error): phase = .failed(error)
            }
        }
        watchAcceptor()
    }

    func closeIdle(_ now: Moment) {
        guard let idle = settings.idle?.inNanoseconds, now >= nextIdleScan else { return }
        nextIdleScan = now + max(1_000_000, idle / 2)
        for (token, var connection) in connections where connection.lastArrival + idle <= now {
            // A connection that has to wait, for its rate or for its turn, is not idle.
            guard !connection.events.isEmpty, cweir_net_wait(connection.descriptor, -1, 0) == 0 else { continue }
            stage.rejectUnfinished(&connection)
            end(token, connection)
        }
    }

    /// Begins the end: no program finds the listener any more, and this side does not connect again.
    ///
    /// The connections that wait to be accepted have sent already, and are still read: see ``acceptWaiting()``.
    func beginDraining() {
        acceptor.stop()
        let now = Moment.now
        if acceptor.descriptor != nil { accept(now) }
        if let descriptor = acceptor.descriptor, !acceptorEvents.isEmpty {
            _ = poller.watch(descriptor, token: Self.acceptorToken, from: acceptorEvents, to: [])
            acceptorEvents = []
        }
        acceptorRetry = nil
        paused = []
        for (token, connection) in connections where connection.isConnecting {
            cweir_net_close(connection.descriptor)
            connections[token] = nil
        }
        for (token, connection) in connections { watch(token, connection, for: .reading) }
        // It was triggered, and would end every wait at once.
        if let interruption {
            _ = poller.watch(interruption.sourceDescriptor, token: Self.interruptionToken, from: .reading, to: [])
        }
        phase = .draining(until: now + settings.drain.inNanoseconds)
    }

    /// Accepts connections that still wait while the source drains; called when the others have sent nothing more.
    ///
    /// - Returns: Whether there were any.
    func acceptWaiting() -> Bool {
        guard acceptor.descriptor != nil, acceptedCount != settings.accept else { return false }
        // What was sent in these is read: they make room.
        if connections.count >= settings.connectionLimit {
            for (token, var connection) in connections {
                stage.rejectUnfinished(&connection)
                end(token, connection)
            }
        }
        return accept(.now)
    }

    /// Closes the connections that no time was left for, and counts them.
    private func refuseWaiting() {
        guard acceptor.descriptor != nil, acceptedCount != settings.accept else { return }
        var refused: UInt64 = 0
        // Bounded: others may go on connecting where there is no file to remove.
        while refused < 65_536, case .made(let descriptor) = acceptor.next() {
            cweir_net_close(descriptor)
            refused += 1
        }
        guard refused > 0 else { return }
        counter.update { [refused] in $0.refusedConnections += refused }
        counter.note("'\(address)': \(refused) connections that waited were closed unread")
    }

    func close(_ next: Phase) {
        refuseWaiting()
        for (token, var connection) in connections {
            stage.rejectUnfinished(&connection)
            cweir_net_close(connection.descriptor)
            connections[token] = nil
        }
        closeLingering()
        acceptor.close()
        stage.count()
        counter.update { $0.openConnections = 0 }
        phase = next
    }
}
