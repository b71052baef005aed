internal import CWeirSockets
internal import WeirCore
internal import WeirFiles

/// Reads the messages of many connections as one stream of bytes, in which messages stay whole.
///
/// The event loop runs on the thread that reads, and only while it does: a reader that is busy reads nothing, the
/// kernel's buffers fill up, and the senders wait. Nothing is lost, and nothing is kept here but one stage of whole
/// messages and, for each connection, the beginning of a message: at most the line limit times the connection limit.
///
/// Safety: the stage is allocated in `init` and freed in `deinit`; all else is the reader's thread's own.
@safe
final class ConnectionSource: TransportSource {
    let expectedByteCount: Int64? = nil
    let drainsWhenInterrupted = true
    let meter: TransportMeter? = TransportMeter()

    private enum Phase {
        case serving
        /// Nobody new is let in; what was sent is still read, until a moment.
        case draining(until: Moment)
        case interrupted
        case over
    }

    private let settings: ConnectionSettings
    private let address: String
    private let entrance: Entrance
    private let poller: Poller
    private let interruption: Interruption?
    private let stage: UnsafeMutableRawBufferPointer

    private var phase = Phase.serving
    private var connections: [UInt64: Connection] = [:]
    private var nextToken: UInt64 = firstToken
    private var taken = 0
    private var start = 0
    private var end = 0
    private var header: [UInt8]?

    /// The connections that have to wait for their rate, and until when.
    private var paused: [(token: UInt64, until: Moment)] = []
    private var nextIdleScan = Moment(nanoseconds: 0)
    private var entranceInterest = Interest()

    /// When to let somebody in again, or try to connect again, where that did not work.
    private var entranceRetry: Moment?

    /// What happened since the counts were last added to the meter.
    private var tally = Tally()

    private struct Tally {
        var messages: UInt64 = 0
        var bytes: UInt64 = 0
        var rejections: [(TransportMetrics.Rejection, UInt64)] = []
    }

    private static let entranceToken: UInt64 = 0
    private static let interruptionToken: UInt64 = 1
    private static let firstToken: UInt64 = 2

    /// How much is read from a connection before the next one has its turn.
    private static let share = 64 << 10
    private static let stageCapacity = 256 << 10

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - entrance: Where connections come from.
    ///   - settings: What is taken from them.
    ///   - address: For messages.
    ///   - interruption: What ends the waiting, where something can.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when the system has no descriptors left.
    init(
        _ entrance: Entrance,
        settings: ConnectionSettings,
        address: String,
        interruption: Interruption?
    ) throws(TransportError) {
        self.entrance = entrance
        self.settings = settings
        self.address = address
        self.interruption = interruption
        poller = try Poller(address: address)
        unsafe stage = .allocate(byteCount: Self.stageCapacity + settings.lineLimit + 8, alignment: 1)
        if let interruption {
            _ = poller.watch(interruption.descriptor, token: Self.interruptionToken, from: [], to: .reading)
        }
        watchEntrance()
    }

    deinit {
        for connection in connections.values { cweir_net_close(connection.descriptor) }
        entrance.close()
        unsafe stage.deallocate()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        if start == end { try fill() }
        let count = min(buffer.count, end - start)
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: stage[start..<start + count]))
        start += count
        return count
    }

    /// Fills the stage with whole messages, waiting for the first; leaves it empty at the end.
    private func fill() throws(TransportError) {
        start = 0
        end = 0
        while end == 0 {
            switch phase {
            case .serving:
                if let interruption, interruption.isTriggered {
                    beginDraining()
                } else if taken == settings.accept, connections.isEmpty {
                    close(.over)
                } else {
                    serve(milliseconds: waitingTime())
                }
            case .draining(let limit):
                poller.wait(milliseconds: 0)
                if !serve(milliseconds: 0) || limit < .now { close(.interrupted) }
            case .interrupted: throw .interrupted(address: address)
            case .over: return
            }
        }
    }

    // MARK: The loop

    /// Waits once and does what there is to do.
    ///
    /// - Returns: Whether a connection had something.
    @discardableResult
    private func serve(milliseconds: Int32) -> Bool {
        var served = false
        poller.wait(milliseconds: milliseconds)
        let now = Moment.now
        resume(now)
        while end < Self.stageCapacity - Self.share, let event = poller.nextEvent() {
            switch event.token {
            case Self.interruptionToken: continue
            case Self.entranceToken: letIn(now)
            default:
                guard connections[event.token] != nil else { continue }
                served = true
                receive(event.token, now)
            }
        }
        if let retry = entranceRetry, retry <= now {
            entranceRetry = nil
            letIn(now)
            watchEntrance()
        }
        closeIdle(now)
        count()
        return served
    }

    /// How long to wait for an event, in milliseconds.
    private func waitingTime() -> Int32 {
        var earliest = entranceRetry
        for pause in paused { earliest = min(earliest ?? pause.until, pause.until) }
        if settings.idle != nil, !connections.isEmpty { earliest = min(earliest ?? nextIdleScan, nextIdleScan) }
        return earliest?.millisecondsFromNow ?? -1
    }

    /// Adds what happened to the meter, at once: the counts fit at any moment.
    private func count() {
        guard tally.messages > 0 || !tally.rejections.isEmpty else { return }
        let tally = exchange(&self.tally, with: Tally())
        meter?.update { metrics in
            metrics.arrived += tally.messages
            metrics.arrivedBytes += tally.bytes
            metrics.delivered += tally.messages
            for (cause, count) in tally.rejections {
                metrics.arrived += count
                metrics[cause] += count
            }
        }
    }

    private func reject(_ cause: TransportMetrics.Rejection, _ count: UInt64 = 1) {
        if count > 0 { tally.rejections.append((cause, count)) }
    }

    // MARK: Connections that come and go

    private func watchEntrance() {
        guard isServing else { return }
        let isOpen = entranceRetry == nil && connections.count < settings.connectionLimit && taken != settings.accept
        if entrance.descriptor == nil {
            // Nobody comes: this side goes, once the last connection has ended.
            if isOpen, connections.isEmpty { entranceRetry = .now }
            return
        }
        let wanted: Interest = isOpen ? .reading : []
        guard wanted != entranceInterest, let descriptor = entrance.descriptor else { return }
        _ = poller.watch(descriptor, token: Self.entranceToken, from: entranceInterest, to: wanted)
        entranceInterest = wanted
        // Whoever comes now should be told so.
        if taken == settings.accept { entrance.close() }
    }

    private var isServing: Bool {
        if case .serving = phase { true } else { false }
    }

    /// Lets in who waits at the entrance, as far as the limits go; who has to wait there is not turned away.
    private func letIn(_ now: Moment) {
        for _ in 0..<256 {
            guard connections.count < settings.connectionLimit, taken != settings.accept else { break }
            // This side goes to one place, and once at a time.
            guard entrance.descriptor != nil || connections.isEmpty else { break }
            let descriptor = entrance.next()
            if let error = SystemError(descriptor) {
                if error == .wouldBlock, entrance.descriptor != nil { break }
                if error.isShortage {
                    meter?.note("'\(address)' cannot take more connections: \(error); it tries again")
                }
                entranceRetry = now + entrance.pause(after: error)
                break
            }
            add(descriptor, now)
        }
        watchEntrance()
    }

    private func add(_ descriptor: Int32, _ now: Moment) {
        taken += 1
        if let filter = settings.filter {
            var credentials = cweir_net_credentials_t()
            let result = unsafe cweir_net_peer(descriptor, &credentials)
            guard result == 0, filter.permits(credentials) else {
                cweir_net_close(descriptor)
                meter?.update { $0.refusedConnections += 1 }
                return
            }
        }
        let token = nextToken
        nextToken += 1
        let connection = Connection(descriptor, allowance: settings.burst, now: now)
        guard poller.watch(descriptor, token: token, from: [], to: .reading) == nil else {
            cweir_net_close(descriptor)
            meter?.update { $0.refusedConnections += 1 }
            return
        }
        connections[token] = connection
        let count = UInt64(connections.count)
        meter?.update { metrics in
            metrics.connections += 1
            metrics.openConnections = count
        }
    }

    private func end(_ token: UInt64, _ connection: Connection) {
        cweir_net_close(connection.descriptor)
        connections[token] = nil
        let count = UInt64(connections.count)
        meter?.update { $0.openConnections = count }
        if isServing, entrance.descriptor == nil, taken != settings.accept {
            entranceRetry = .now + entrance.pauseAfterEnd()
        }
        watchEntrance()
    }

    private func closeIdle(_ now: Moment) {
        guard let idle = settings.idle?.inNanoseconds, now >= nextIdleScan else { return }
        nextIdleScan = now + max(1_000_000, idle / 2)
        for (token, connection) in connections where connection.lastArrival + idle <= now {
            // One that has to wait, for its rate or for its turn, is not idle.
            guard !connection.interest.isEmpty, cweir_net_wait(connection.descriptor, -1, 0) == 0 else { continue }
            if !connection.partial.isEmpty { reject(.unfinished) }
            end(token, connection)
        }
    }

    /// Stops letting in; who is at the entrance already has sent, and is still read.
    private func beginDraining() {
        entrance.removeFile()
        let now = Moment.now
        letIn(now)
        if let descriptor = entrance.descriptor, !entranceInterest.isEmpty {
            _ = poller.watch(descriptor, token: Self.entranceToken, from: entranceInterest, to: [])
            entranceInterest = []
        }
        entranceRetry = nil
        entrance.close()
        paused = []
        for (token, connection) in connections { watch(token, connection, for: .reading) }
        phase = .draining(until: now + settings.drain.inNanoseconds)
    }

    private func close(_ next: Phase) {
        for (token, connection) in connections {
            if !connection.partial.isEmpty { reject(.unfinished) }
            cweir_net_close(connection.descriptor)
            connections[token] = nil
        }
        entrance.close()
        count()
        meter?.update { $0.openConnections = 0 }
        phase = next
    }

    // MARK: Bytes

    private func watch(_ token: UInt64, _ connection: Connection, for wanted: Interest) {
        guard connection.interest != wanted else { return }
        _ = poller.watch(connection.descriptor, token: token, from: connection.interest, to: wanted)
        connections[token]?.interest = wanted
    }

    /// Watches those again that have waited long enough for their rate.
    private func resume(_ now: Moment) {
        guard !paused.isEmpty else { return }
        for pause in paused where pause.until <= now {
            if let connection = connections[pause.token] { watch(pause.token, connection, for: .reading) }
        }
        paused.removeAll { $0.until <= now }
    }

    private func receive(_ token: UInt64, _ now: Moment) {
        // Out of the table and back into it, so that its memory is not copied.
        guard var connection = connections.updateValue(Connection(-1, allowance: 0, now: now), forKey: token) else {
            return
        }
        let isOpen = settings.kind == .packets ? receivePackets(&connection, now) : receiveBytes(&connection, now)
        guard isOpen else {
            end(token, connection)
            return
        }
        let needsPause = settings.rate != nil && connection.allowance <= 0 && !isDraining
        connections[token] = connection
        guard needsPause, let rate = settings.rate else { return }
        // Long enough for a piece that is worth waking up for.
        let piece = max(1, min(rate / 20, 4096))
        let nanoseconds = Double(piece - connection.allowance) / Double(rate) * 1e9
        paused.append((token, now + Int64(min(nanoseconds, 60e9)) + 1))
        watch(token, connection, for: [])
    }

    private var isDraining: Bool {
        if case .draining = phase { true } else { false }
    }

    /// How many bytes may be read from a connection now.
    private func permitted(_ connection: inout Connection, _ now: Moment) -> Int {
        guard let rate = settings.rate, !isDraining else { return Self.share }
        connection.refill(rate: rate, burst: settings.burst, now: now)
        return min(Self.share, max(1, connection.allowance))
    }

    /// Reads once from a stream.
    ///
    /// - Returns: False when it has ended.
    private func receiveBytes(_ connection: inout Connection, _ now: Moment) -> Bool {
        let kept = connection.partial.count
        if kept > 0 {
            unsafe stage[end..<end + kept].copyBytes(from: connection.partial)
        }
        let room = permitted(&connection, now)
        let place = unsafe UnsafeMutableRawBufferPointer(rebasing: stage[(end + kept)..<(end + kept + room)])
        guard let target = place.baseAddress else { return false }
        let count = unsafe cweir_net_receive(connection.descriptor, target, room, nil, nil)
        if let error = SystemError(count) {
            if error == .wouldBlock { return true }
            // A sender that was killed with something unread looks like this.
            if !connection.partial.isEmpty || connection.skipsLine { endMessage(&connection) }
            return false
        }
        guard count > 0 else {
            if settings.deliversUnfinished, settings.boundary == .lines, kept > 0 {
                unsafe stage[end + kept] = UInt8(ascii: "\n")
                connection.partial = []
                deliver(1, bytes: kept + 1, of: &connection)
            } else if kept > 0 || connection.skip > 0 {
                endMessage(&connection)
            }
            return false
        }
        connection.allowance -= settings.rate == nil ? 0 : count
        connection.lastArrival = now
        return take(kept + count, &connection)
    }

    private func endMessage(_ connection: inout Connection) {
        // What was passed over is counted already.
        if !connection.partial.isEmpty { reject(.unfinished) }
        connection.partial = []
    }

    /// Takes the whole messages of some bytes at the end of the stage, and keeps the rest.
    ///
    /// - Returns: False when the connection is no longer welcome.
    private func take(_ total: Int, _ connection: inout Connection) -> Bool {
        var first = end
        let last = end + total
        if connection.skip > 0 {
            let count = min(UInt64(last - first), connection.skip)
            connection.skip -= count
            first += Int(count)
        } else if connection.skipsLine {
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: stage[first..<last])
            guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
            let skipped = unsafe cweir_net_after_newline(start, bytes.count)
            connection.skipsLine = skipped == 0
            first = skipped == 0 ? last : first + skipped
        }
        let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: stage[first..<last])
        let found = unsafe settings.boundary.take(bytes, limit: settings.lineLimit)
        reject(.tooLong, found.too_long)
        connection.skip += found.skip
        let rest = first + found.consumed
        if last - rest > settings.lineLimit + (settings.boundary == .lines ? 0 : Boundary.lengthByteCount) {
            reject(.tooLong)
            connection.skipsLine = true
            connection.partial = []
        } else if rest < last {
            unsafe connection.partial = Array(stage[rest..<last])
        } else {
            connection.partial = []
        }
        guard found.kept > 0 else { return true }
        if first > end {
            let source = unsafe UnsafeRawBufferPointer(rebasing: stage[first..<first + found.kept])
            unsafe UnsafeMutableRawBufferPointer(rebasing: stage[end..<end + found.kept]).copyMemory(from: source)
        }
        return deliver(found.count, bytes: found.kept, of: &connection)
    }

    /// Hands on what stands at the end of the stage.
    ///
    /// - Returns: False when the connection is no longer welcome.
    @discardableResult
    private func deliver(_ messages: UInt64, bytes: Int, of connection: inout Connection) -> Bool {
        var messages = messages
        var bytes = bytes
        if settings.sharesHeader, !connection.hasHeader {
            connection.hasHeader = true
            let all = unsafe stage[end..<end + bytes]
            let newline = unsafe all.firstIndex(of: UInt8(ascii: "\n")) ?? all.endIndex - 1
            let line = unsafe Array(all[...newline])
            if let header {
                reject(.header)
                guard header == line else {
                    meter?.note(
                        "'\(address)': a connection begins with another header than the first one; it was closed"
                    )
                    meter?.update { $0.refusedConnections += 1 }
                    reject(.header, messages - 1)
                    return false
                }
                bytes -= line.count
                messages -= 1
                let source = unsafe UnsafeRawBufferPointer(
                    rebasing: stage[(end + line.count)..<(end + line.count + bytes)]
                )
                unsafe UnsafeMutableRawBufferPointer(rebasing: stage[end..<end + bytes]).copyMemory(from: source)
            } else {
                header = line
            }
        }
        end += bytes
        tally.messages += messages
        tally.bytes += UInt64(bytes)
        return true
    }

    /// Reads some packets, each of them a message.
    ///
    /// - Returns: False when the connection has ended.
    private func receivePackets(_ connection: inout Connection, _ now: Moment) -> Bool {
        for _ in 0..<64 {
            guard unsafe end + settings.lineLimit + Boundary.addedByteCount <= stage.count, end < Self.stageCapacity
            else { return true }
            guard settings.rate == nil || connection.allowance > 0 || isDraining else { return true }
            _ = permitted(&connection, now)
            var isTruncated = false
            var isEnd = false
            let place = unsafe UnsafeMutableRawBufferPointer(rebasing: stage[end..<end + settings.lineLimit])
            guard let target = place.baseAddress else { return false }
            let count = unsafe cweir_net_receive(
                connection.descriptor,
                target,
                settings.lineLimit,
                &isTruncated,
                &isEnd
            )
            if let error = SystemError(count) { return error == .wouldBlock }
            if isEnd { return false }
            connection.lastArrival = now
            if settings.rate != nil { connection.allowance -= max(1, count) }
            if isTruncated {
                reject(.truncated)
            } else if count > 0 {
                guard takePacket(count, &connection) else { return false }
            }
        }
        return true
    }

    private func takePacket(_ count: Int, _ connection: inout Connection) -> Bool {
        switch settings.boundary {
        case .lines:
            var length = count
            if unsafe stage[end + count - 1] != UInt8(ascii: "\n") {
                unsafe stage[end + count] = UInt8(ascii: "\n")
                length += 1
            }
            return deliver(1, bytes: length, of: &connection)
        case .length:
            let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: stage[end..<end + count])
            let found = unsafe settings.boundary.take(bytes, limit: settings.lineLimit)
            guard found.kept == count else {
                reject(.malformed)
                return true
            }
            return deliver(1, bytes: count, of: &connection)
        case .datagram:
            let packet = unsafe UnsafeRawBufferPointer(rebasing: stage[end..<end + count])
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: stage[end...])
            unsafe UnsafeMutableRawBufferPointer(rebasing: target[Boundary.lengthByteCount...]).copyMemory(from: packet)
            unsafe Boundary.writeLength(count, to: target)
            return deliver(1, bytes: count + Boundary.lengthByteCount, of: &connection)
        }
    }
}

extension ConnectionSettings {
    /// How much may come at once where there is a rate: a second's worth.
    fileprivate var burst: Int { max(rate ?? 0, 1) }
}
