internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// Messages with their length in decimal digits in front (RFC 6587).
extension MessageStage {
    /// How many bytes are read at a time: as frames they take up to two and a half times as much.
    private static let octetShare = 16 << 10

    /// Reads once from a stream.
    func receiveOctets(_ connection: inout Connection, _ now: Moment, _ hasRate: Bool) -> Bool {
        let rate = hasRate ? settings.rate : nil
        let room = connection.permitted(Self.octetShare, rate: rate, burst: settings.burst, now: now)
        let place = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + room])
        guard let target = place.baseAddress else { return false }
        let count = unsafe cweir_net_receive(connection.descriptor, target, room, nil, nil)
        if SystemError(count) == .wouldBlock { return true }
        guard count > 0 else {
            // Not after an error: the rest of the line may be lost.
            if count == 0, settings.deliversUnfinished, case .line = Self.header(of: connection.partial[...]) {
                connection.partial.append(UInt8(ascii: "\n"))
                takeOctets(&connection)
            }
            rejectUnfinished(&connection)
            return false
        }
        connection.hasSent = true
        connection.allowance -= settings.rate == nil ? 0 : count
        connection.lastArrival = now
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: place[..<count])
        unsafe connection.partial.append(contentsOf: bytes)
        // Only what is new is looked at until the message is whole, as a long one may come byte by byte.
        let mayEnd: Bool =
            switch connection.lack {
            case .unknown: true
            case .bytes(let whole): connection.partial.count >= whole
            case .newline:
                unsafe connection.partial.count > settings.lineLimit || bytes.contains(UInt8(ascii: "\n"))
            }
        if mayEnd { takeOctets(&connection) }
        return true
    }

    /// How a message begins.
    enum OctetHeader: Equatable {
        /// With its length, and the number of bytes that say it.
        case count(Int, headerLength: Int)
        /// With none: it ends at a newline.
        case line
        /// That is not clear yet.
        case incomplete
    }

    /// Finds out how a message begins.
    static func header(of bytes: ArraySlice<UInt8>) -> OctetHeader {
        var length = 0
        for (index, byte) in bytes.prefix(10).enumerated() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard index < 9, index > 0 || byte != UInt8(ascii: "0") else { return .line }
                length = length * 10 + Int(byte - UInt8(ascii: "0"))
            case UInt8(ascii: " ") where index > 0: return .count(length, headerLength: index + 1)
            default: return .line
            }
        }
        return bytes.count < 10 ? .incomplete : .line
    }

    /// Takes the whole messages of what a connection has sent.
    private func takeOctets(_ connection: inout Connection) {
        let bytes = exchange(&connection.partial, with: [])
        connection.lack = .unknown
        var rest = bytes[...]
        loop: while let first = rest.first {
            if connection.skip > 0 {
                let count = min(connection.skip, rest.count)
                connection.skip -= count
                rest = rest.dropFirst(count)
            } else if connection.skipsLine {
                let line = rest.prefix { $0 != UInt8(ascii: "\n") }
                connection.skipsLine = line.count == rest.count
                rest = rest.dropFirst(line.count + 1)
            } else if first == UInt8(ascii: "\n") {
                // Some senders end their messages twice.
                rest = rest.dropFirst()
            } else {
                switch Self.header(of: rest) {
                case .incomplete: break loop
                case .count(let length, let headerLength):
                    let whole = headerLength + length
                    guard length <= settings.lineLimit else {
                        let present = min(whole, rest.count)
                        unsafe rest.prefix(present).withUnsafeBytes { unsafe reject(.tooLong, $0, of: connection) }
                        connection.skip = whole - present
                        rest = rest.dropFirst(present)
                        continue
                    }
                    guard rest.count >= whole else {
                        connection.lack = .bytes(whole)
                        break loop
                    }
                    deliver(rest.dropFirst(headerLength).prefix(length), of: &connection)
                    rest = rest.dropFirst(whole)
                case .line:
                    let line = rest.prefix { $0 != UInt8(ascii: "\n") }
                    let isWhole = line.count < rest.count
                    if line.count > settings.lineLimit {
                        unsafe line.withUnsafeBytes { unsafe reject(.tooLong, $0, of: connection) }
                        connection.skipsLine = !isWhole
                    } else {
                        guard isWhole else {
                            connection.lack = .newline
                            break loop
                        }
                        deliver(line, of: &connection)
                    }
                    rest = rest.dropFirst(line.count + 1)
                }
            }
        }
        connection.partial = Array(rest)
    }

    /// Hands on a message as a frame.
    private func deliver(_ message: ArraySlice<UInt8>, of connection: inout Connection) {
        let length = Boundary.lengthByteCount + message.count
        let frame = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + length])
        unsafe Boundary.writeLength(message.count, to: frame)
        unsafe UnsafeMutableRawBufferPointer(rebasing: frame[Boundary.lengthByteCount...]).copyBytes(from: message)
        deliver(1, bytes: length, of: &connection)
    }
}
