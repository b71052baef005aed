internal import CWeir
internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// The checks that a datagram passes before it is forwarded.
extension DatagramWorker {
    func take(_ datagram: UnsafePointer<cweir_net_datagram_t>) {
        // Counted with what becomes of it: the counts may be added before the end of the batch.
        defer {
            counts.arrived += 1
            unsafe counts.bytes += UInt64(datagram.pointee.length)
        }
        guard unsafe isAllowed(datagram) else {
            unsafe reject(datagram, .notAllowed)
            return
        }
        guard unsafe !datagram.pointee.is_truncated else {
            unsafe reject(datagram, .truncated)
            return
        }
        var payload = unsafe datagram.contents
        if let authenticator = settings.authenticator {
            switch unsafe authenticator.verify(payload, senders) {
            case .payload(let range): unsafe payload = UnsafeRawBufferPointer(rebasing: payload[range])
            case .refused(let cause):
                unsafe reject(datagram, cause)
                return
            }
        }
        // Half a frame would put everything after it out of step.
        guard unsafe settings.boundary != .length || settings.boundary.areWhole(payload, limit: settings.limit) else {
            unsafe reject(datagram, .malformed)
            return
        }
        guard makeRoom(), let chunk else {
            if settings.overflow == .block { counts.unread += 1 } else { counts.full += 1 }
            return
        }
        let target = unsafe UnsafeMutableRawBufferPointer(rebasing: chunk.memory[chunk.count...])
        var length = payload.count
        switch settings.boundary {
        case .lines:
            unsafe target.copyMemory(from: payload)
            // An empty datagram is a message without a line.
            if length > 0, unsafe target[length - 1] != UInt8(ascii: "\n") {
                unsafe target[length] = UInt8(ascii: "\n")
                length += 1
            }
        case .length, .octets:
            unsafe target.copyMemory(from: payload)
        case .datagram:
            unsafe Boundary.writeLength(length, to: target)
            unsafe UnsafeMutableRawBufferPointer(rebasing: target[Boundary.lengthByteCount...]).copyMemory(
                from: payload
            )
            length += Boundary.lengthByteCount
        }
        chunk.count += length
        chunk.messages += 1
        counts.taken += 1
    }

    /// Counts a datagram as refused, and keeps its bytes.
    private func reject(_ datagram: UnsafePointer<cweir_net_datagram_t>, _ cause: TransportMetrics.Rejection) {
        counts.rejections[cause, default: 0] += 1
        unsafe meter.keepRejected(datagram.contents, cause) { unsafe datagram.origin }
    }

    private func isAllowed(_ datagram: UnsafePointer<cweir_net_datagram_t>) -> Bool {
        if let filter = settings.filter {
            guard unsafe datagram.pointee.has_credentials, unsafe filter.permits(datagram.pointee.sender) else {
                return false
            }
        }
        guard !settings.allowed.isEmpty else { return true }
        guard unsafe datagram.pointee.family != 0 else { return false }
        let host = unsafe withUnsafeBytes(of: datagram.pointee.host) { bytes in
            unsafe HostNumber(bytes, isIPv4: datagram.pointee.family == 4)
        }
        return settings.allowed.contains { $0.contains(host) }
    }
}

extension UnsafePointer<cweir_net_datagram_t> {
    /// The bytes that arrived, valid until the next batch.
    fileprivate var contents: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: pointee.bytes, count: Int(pointee.length))
    }

    /// Who sent it, as far as the kernel was asked.
    fileprivate var origin: String? {
        if unsafe pointee.has_credentials { return unsafe "user \(pointee.sender.user)" }
        var text = [CChar](repeating: 0, count: 64)
        guard unsafe cweir_net_describe_origin(self, &text, text.count) else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
