internal import CWeirSockets
internal import WeirRecords

// Telling senders how many of their messages are safe: a line with the number, whenever it has grown.
extension ConnectionSource: AcknowledgingSource {
    var acknowledges: Bool { settings.acknowledges }

    func acknowledge(_ byteCount: Int64) {
        guard settings.acknowledges else { return }
        safeByteCount = byteCount
        for (token, count) in stage.takeMarks(through: byteCount) {
            if connections[token] != nil {
                connections[token]?.safeCount += count
                connections[token]?.waitingCount -= count
            } else {
                lingering[token]?.safeCount += count
                lingering[token]?.waitingCount -= count
            }
            untold.insert(token)
        }
        tell()
    }

    /// Tells of messages that were refused behind all that is safe: nothing else may come that would tell of them.
    func acknowledgeRefused() {
        guard let end = stage.marks.first?.end, end <= safeByteCount else { return }
        acknowledge(safeByteCount)
    }

    /// Sends what is to be told, as far as the system takes it; the rest waits for the next time.
    func tell() {
        for token in untold.sorted() {
            if var connection = connections[token] {
                if tell(&connection) { untold.remove(token) }
                connections[token] = connection
            } else if var connection = lingering[token] {
                if tell(&connection) { untold.remove(token) }
                lingering[token] = connection
                endLingering(token, connection)
            } else {
                untold.remove(token)
            }
        }
    }

    /// - Returns: Whether nothing is left to tell.
    private func tell(_ connection: inout Connection) -> Bool {
        while true {
            if connection.untold.isEmpty {
                guard connection.toldCount < connection.safeCount else { return true }
                connection.toldCount = connection.safeCount
                connection.untold = Array("\(connection.safeCount)\n".utf8)
            }
            let bytes = connection.untold
            let sent = unsafe bytes.withUnsafeBytes { bytes in
                unsafe bytes.baseAddress.map { unsafe cweir_net_send(connection.descriptor, $0, bytes.count) } ?? 0
            }
            if let error = SystemError(sent) {
                guard error != .wouldBlock else { return false }
                // Nobody listens to that any more; what was sent counts all the same.
                connection.untold = []
                connection.toldCount = .max
                return true
            }
            connection.untold.removeFirst(sent)
        }
    }

    /// Keeps a connection that sends nothing more until what it has sent is safe and it knows that.
    ///
    /// - Returns: Whether it is kept.
    func linger(_ token: UInt64, _ connection: Connection) -> Bool {
        guard settings.acknowledges, connection.waitingCount > 0 || !connection.untold.isEmpty,
            lingering.count < settings.connectionLimit
        else { return false }
        _ = poller.watch(connection.descriptor, token: token, from: connection.events, to: [])
        lingering[token] = connection
        return true
    }

    private func endLingering(_ token: UInt64, _ connection: Connection) {
        guard connection.waitingCount == 0, connection.untold.isEmpty else { return }
        cweir_net_close(connection.descriptor)
        lingering[token] = nil
        untold.remove(token)
    }

    /// Closes those that wait for nothing but an answer.
    func closeLingering() {
        for connection in lingering.values { cweir_net_close(connection.descriptor) }
        lingering = [:]
        untold = []
    }
}
