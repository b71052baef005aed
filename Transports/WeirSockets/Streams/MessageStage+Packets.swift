internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

// Packets: each is a message, or has whole ones.
extension MessageStage {
    /// Reads some packets, each of them a message.
    func receivePackets(_ connection: inout Connection, _ now: Moment, _ hasRate: Bool) -> Bool {
        for _ in 0..<64 {
            guard unsafe end + settings.lineLimit + Boundary.addedByteCount <= memory.count, end < Self.capacity else {
                return true
            }
            guard !hasRate || connection.allowance > 0 else { return true }
            if hasRate, let rate = settings.rate { connection.refill(rate: rate, burst: settings.burst, now: now) }
            var isTruncated = false
            var isEnd = false
            let place = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + settings.lineLimit])
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
                unsafe reject(.truncated, UnsafeRawBufferPointer(rebasing: place[..<count]), of: connection)
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
            if unsafe memory[end + count - 1] != UInt8(ascii: "\n") {
                unsafe memory[end + count] = UInt8(ascii: "\n")
                length += 1
            }
            return deliver(1, bytes: length, of: &connection)
        case .length, .octets:
            let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + count])
            guard unsafe settings.boundary.areWhole(UnsafeRawBufferPointer(bytes), limit: settings.lineLimit) else {
                unsafe reject(.malformed, UnsafeRawBufferPointer(bytes), of: connection)
                return true
            }
            return deliver(1, bytes: count, of: &connection)
        case .datagram:
            let packet = unsafe UnsafeRawBufferPointer(rebasing: memory[end..<end + count])
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end...])
            unsafe UnsafeMutableRawBufferPointer(rebasing: target[Boundary.lengthByteCount...]).copyMemory(from: packet)
            unsafe Boundary.writeLength(count, to: target)
            return deliver(1, bytes: count + Boundary.lengthByteCount, of: &connection)
        }
    }
}
