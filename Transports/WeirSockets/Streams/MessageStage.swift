internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// Receives from connections into one buffer of whole messages, and refuses messages that are too long or not whole.
///
/// Safety: the memory is allocated in `init` and freed in `deinit`; one thread at a time uses the stage.
@safe
final class MessageStage {
    let settings: ConnectionSettings
    private let address: String
    private let meter: TransportMeter
    let memory: UnsafeMutableRawBufferPointer
    private var start = 0
    var end = 0

    /// The line that all connections begin with, where they do, without its end.
    var header: [UInt8]?

    /// What happened since the counts were last added to the meter.
    private var tally = Tally()

    private struct Tally {
        var messages: UInt64 = 0
        var bytes: UInt64 = 0
        var rejections: [(TransportMetrics.Rejection, UInt64)] = []
    }

    /// How many bytes were in the stage before those that are there.
    private var earlierByteCount: Int64 = 0

    /// How many messages of a connection end where, counted from the first byte of all; only where senders want to know.
    private(set) var marks: [(end: Int64, token: UInt64, count: UInt64)] = []

    /// How many messages were taken or refused.
    private var handledCount: UInt64 = 0

    /// How many bytes are read from a connection before the next one has its turn.
    private static let share = 64 << 10
    static let capacity = 256 << 10

    /// Creates an empty stage.
    init(_ settings: ConnectionSettings, address: String, meter: TransportMeter) {
        self.settings = settings
        self.address = address
        self.meter = meter
        unsafe memory = .allocate(byteCount: Self.capacity + settings.lineLimit + 8, alignment: 1)
    }

    deinit {
        unsafe memory.deallocate()
    }

    /// Whether everything was read.
    var isEmpty: Bool { start == end }

    /// Whether there is room for what one connection may bring at a time.
    var hasRoom: Bool { end < Self.capacity - Self.share }

    /// Starts at the beginning of the memory again; what was not read is forgotten.
    func clear() {
        earlierByteCount += Int64(end)
        start = 0
        end = 0
    }

    /// Returns bytes.
    ///
    /// - Returns: How many.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, end - start)
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[start..<start + count]))
        start += count
        return count
    }

    /// Takes out the marks before a place.
    func takeMarks(through byteCount: Int64) -> [(token: UInt64, count: UInt64)] {
        let count = marks.prefix { $0.end <= byteCount }.count
        defer { marks.removeFirst(count) }
        return marks.prefix(count).map { ($0.token, $0.count) }
    }

    // MARK: Counting

    /// Adds what happened to the meter, at once, so that the counts are balanced at any moment.
    func count() {
        guard tally.messages > 0 || !tally.rejections.isEmpty else { return }
        let tally = exchange(&self.tally, with: Tally())
        meter.update { metrics in
            metrics.arrived += tally.messages
            metrics.arrivedBytes += tally.bytes
            metrics.delivered += tally.messages
            for (cause, count) in tally.rejections {
                metrics.arrived += count
                metrics[cause] += count
            }
        }
    }

    /// Counts a message as refused, and keeps its bytes.
    func reject(
        _ cause: TransportMetrics.Rejection,
        _ bytes: UnsafeRawBufferPointer,
        of connection: Connection
    ) {
        tally.rejections.append((cause, 1))
        handledCount += 1
        let hasEnd = unsafe settings.boundary == .lines && bytes.last == UInt8(ascii: "\n")
        let message = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - (hasEnd ? 1 : 0))])
        unsafe meter.keepRejected(message, cause) { connection.origin }
    }

    /// Refuses the beginning of a message that a connection ends with, if there is one.
    ///
    /// The rest of a message that is too long is counted already.
    func rejectUnfinished(_ connection: inout Connection) {
        guard !connection.partial.isEmpty else { return }
        let partial = exchange(&connection.partial, with: [])
        unsafe partial.withUnsafeBytes { unsafe reject(.unfinished, $0, of: connection) }
    }

    // MARK: Receiving

    /// Receives what a connection may send now.
    ///
    /// - Returns: False when it has ended, or is to be closed.
    func receive(from connection: inout Connection, _ now: Moment, isDraining: Bool) -> Bool {
        let before = handledCount
        let isOpen = receiveSome(from: &connection, now, isDraining: isDraining)
        let count = handledCount - before
        if settings.acknowledges, count > 0 {
            connection.waitingCount += count
            marks.append((earlierByteCount + Int64(end), connection.token, count))
        }
        return isOpen
    }

    private func receiveSome(from connection: inout Connection, _ now: Moment, isDraining: Bool) -> Bool {
        let hasRate = settings.rate != nil && !isDraining
        if settings.kind == .packets { return receivePackets(&connection, now, hasRate) }
        return settings.boundary == .octets
            ? receiveOctets(&connection, now, hasRate) : receiveBytes(&connection, now, hasRate)
    }

    /// Reads once from a stream.
    private func receiveBytes(_ connection: inout Connection, _ now: Moment, _ hasRate: Bool) -> Bool {
        let kept = connection.partial.count
        let rate = hasRate ? settings.rate : nil
        let room = connection.permitted(Self.share, rate: rate, burst: settings.burst, now: now)
        let place = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + room])
        guard let target = place.baseAddress else { return false }
        let count = unsafe cweir_net_receive(connection.descriptor, target, room, nil, nil)
        if let error = SystemError(count) {
            if error == .wouldBlock { return true }
            // The error of a sender that was killed with something unread.
            rejectUnfinished(&connection)
            return false
        }
        guard count > 0 else {
            if settings.deliversUnfinished, settings.boundary == .lines, kept > 0 {
                unsafe memory[end..<end + kept].copyBytes(from: connection.partial)
                unsafe memory[end + kept] = UInt8(ascii: "\n")
                connection.partial = []
                deliver(1, bytes: kept + 1, of: &connection)
            } else {
                rejectUnfinished(&connection)
            }
            return false
        }
        connection.hasSent = true
        connection.allowance -= settings.rate == nil ? 0 : count
        connection.lastArrival = now
        if kept > 0 {
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: memory[end..<end + count])
            // Only what is new is looked at until the message is whole, as a long one may come byte by byte.
            let mayEnd = unsafe settings.boundary.ends(connection.partial, in: bytes)
            guard mayEnd || kept + count > settings.lineLimit else {
                unsafe connection.partial += bytes
                return true
            }
            unsafe UnsafeMutableRawBufferPointer(rebasing: memory[(end + kept)...]).copyMemory(from: bytes)
            unsafe memory[end..<end + kept].copyBytes(from: connection.partial)
        }
        return take(kept + count, &connection)
    }

    /// Takes the whole messages of some bytes behind the end of the stage, and keeps the rest in the connection.
    private func take(_ total: Int, _ connection: inout Connection) -> Bool {
        var first = end
        let last = end + total
        if connection.skip > 0 {
            let count = min(last - first, connection.skip)
            connection.skip -= count
            first += count
        } else if connection.skipsLine {
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: memory[first..<last])
            guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
            let skipped = unsafe cweir_net_after_newline(start, bytes.count)
            connection.skipsLine = skipped == 0
            first = skipped == 0 ? last : first + skipped
        }
        let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[first..<last])
        let found = unsafe settings.boundary.take(bytes, limit: settings.lineLimit) { message in
            unsafe reject(.tooLong, message, of: connection)
        }
        connection.skip += found.skip
        let rest = first + found.consumed
        if last - rest > settings.lineLimit + (settings.boundary == .lines ? 0 : Boundary.lengthByteCount) {
            unsafe reject(.tooLong, UnsafeRawBufferPointer(rebasing: memory[rest..<last]), of: connection)
            connection.skipsLine = true
            connection.partial = []
        } else if rest < last {
            unsafe connection.partial = Array(memory[rest..<last])
        } else {
            connection.partial = []
        }
        guard found.kept > 0 else { return true }
        if first > end {
            let source = unsafe UnsafeRawBufferPointer(rebasing: memory[first..<first + found.kept])
            unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + found.kept]).copyMemory(from: source)
        }
        return deliver(found.count, bytes: found.kept, of: &connection)
    }

    /// Adds the messages behind the end of the stage to it.
    ///
    /// - Returns: False when the connection is to be closed.
    @discardableResult
    func deliver(_ messages: UInt64, bytes: Int, of connection: inout Connection) -> Bool {
        handledCount += messages
        var messages = messages
        var bytes = bytes
        let all = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + bytes])
        // Blank lines in front of the header mean nothing.
        if settings.sharesHeader, !connection.hasHeader,
            let start = unsafe all.firstIndex(where: { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
        {
            connection.hasHeader = true
            let line = unsafe all[start...].prefix { $0 != UInt8(ascii: "\n") }
            // However it ends.
            let text = unsafe Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
            if let header {
                guard header == text else {
                    unsafe refuseHeader(messages, UnsafeRawBufferPointer(all), of: connection)
                    return false
                }
                // It repeats the first one: nothing in it is lost.
                tally.rejections.append((.header, 1))
                let rest = unsafe UnsafeRawBufferPointer(rebasing: all[line.endIndex...].dropFirst())
                bytes = start + rest.count
                messages -= 1
                unsafe UnsafeMutableRawBufferPointer(rebasing: all[start..<bytes]).copyMemory(from: rest)
            } else {
                header = text
            }
        }
        end += bytes
        tally.messages += messages
        tally.bytes += UInt64(bytes)
        return true
    }

    /// Refuses a connection that begins with another header than the first one.
    private func refuseHeader(_ count: UInt64, _ messages: UnsafeRawBufferPointer, of connection: Connection) {
        meter.note("'\(address)': a connection begins with another header than the first one; it was closed")
        meter.update { $0.refusedConnections += 1 }
        unsafe reject(.otherHeader, messages, of: connection)
        if count > 1 { tally.rejections.append((.otherHeader, count - 1)) }
    }
}
