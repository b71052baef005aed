internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// Sending messages that stay apart: datagrams and packets.
extension ClientLink {
    func sendMessages(_ batch: inout OutgoingBatch) -> Sending {
        batch.splitIntoMessages()
        var sending = Sending(.done)
        while batch.restMessages > 0 {
            let wanted = min(Int(CWEIR_NET_LARGEST_BATCH), Int(batch.restMessages))
            let result = sendSome(batch, wanted)
            if let error = SystemError(result) {
                if error == .tooLong {
                    sending.tooLong += 1
                    batch.advance(messages: 1)
                    continue
                }
                sending.status = error.isTransient ? .blocked : .failed(LinkFailure(error))
                // At a port this speaks of datagrams that were sent before.
                if case .datagrams = target, error == .refused {
                    sending.refused += UInt64(max(1, cweir_net_take_refusals(descriptor)))
                }
                return sending
            }
            sequence += UInt64(result)
            sending.delivered += UInt64(result)
            batch.advance(messages: Int(result))
            // A batch that ended early does not say why; the kernel's records do.
            guard result < wanted, case .datagrams = target else { continue }
            let refusals = cweir_net_take_refusals(descriptor)
            guard refusals > 0 else { continue }
            sending.refused += UInt64(refusals)
            sending.status = .failed(LinkFailure(.refused))
            return sending
        }
        return sending
    }

    /// Sends as many messages as go in one call.
    private func sendSome(_ batch: OutgoingBatch, _ count: Int) -> Int32 {
        let first = Int(batch.sentMessages)
        let count = authenticable(batch, first, count)
        guard count > 0 else { return -SystemError.tooLong.number }
        return unsafe batch.bytes.withUnsafeBytes { bytes in
            guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
            return unsafe withUnsafeTemporaryAllocation(of: cweir_net_parcel_t.self, capacity: count) { parcels in
                for index in 0..<count {
                    let range = batch.range(ofMessage: first + index)
                    unsafe parcels.initializeElement(at: index, to: parcel(start, range, index))
                }
                guard let parcels = parcels.baseAddress else { return 0 }
                return unsafe cweir_net_send_batch(descriptor, parcels, Int32(count))
            }
        }
    }

    /// How many of the next messages are short enough to be numbered or signed; the kernel measures others.
    private func authenticable(_ batch: OutgoingBatch, _ first: Int, _ count: Int) -> Int {
        guard case .datagrams(_, let authenticator?) = target else { return count }
        let longest = Self.longestDatagram - authenticator.overhead
        return (0..<count).first { batch.range(ofMessage: first + $0).count > longest } ?? count
    }

    private func parcel(_ start: UnsafePointer<UInt8>, _ range: Range<Int>, _ index: Int) -> cweir_net_parcel_t {
        guard case .datagrams(_, let authenticator?) = target else {
            return unsafe cweir_net_parcel_t(bytes: start + range.lowerBound, length: range.count)
        }
        let place = index * Self.longestDatagram
        let length = range.count + authenticator.overhead
        let wrapped = unsafe UnsafeMutableRawBufferPointer(rebasing: arena[place..<place + length])
        unsafe authenticator.write(
            UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count),
            sender: sender,
            sequence: sequence + UInt64(index),
            into: wrapped
        )
        guard let base = wrapped.baseAddress else { return unsafe cweir_net_parcel_t(bytes: start, length: 0) }
        return unsafe cweir_net_parcel_t(bytes: base.assumingMemoryBound(to: UInt8.self), length: length)
    }
}
