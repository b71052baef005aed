internal import WeirCore
internal import WeirRecords
internal import WeirSockets

// What a link publishes.
extension NATSLink {
    /// Publishes what has not been published yet, as far as the window permits.
    func publish(_ batch: inout OutgoingBatch, _ sending: inout Sending) throws(NATSError) {
        // Without a stream, one ping confirms what is sent together.
        guard settings.stream != nil || ping == nil, watch?.isAsking != true else { return }
        let deadline = Moment.now + settings.timeout.inNanoseconds
        while window.count < settings.window, UInt64(window.count) < batch.restMessages {
            let range = batch.range(ofMessage: Int(batch.sentMessages) + window.count)
            do throws(NATSError) { try publish(batch.bytes[range]) } catch {
                // Those before it have to be settled first: what the batch has sent is known by a number.
                guard error.kind == .unsendable, window.isEmpty else {
                    if error.kind == .unsendable { break }
                    throw error
                }
                noteTooLong(error)
                batch.advance(messages: 1)
                sending.tooLong += 1
                settledCount += 1
                continue
            }
            window.append(Outstanding(deadline: deadline, outcome: nil))
        }
        guard settings.stream == nil, !window.isEmpty else { return }
        ping = try connection.say { words in words.ping(.now) }
    }

    /// Says of the first message that is too long which one it is; all are counted.
    private func noteTooLong(_ error: NATSError) {
        guard !saidThatOneIsTooLong else { return }
        saidThatOneIsTooLong = true
        meter.note("'\(address)' goes on without message \(settledCount + 1) of what was written: \(error.reason)")
    }

    private func publish(_ bytes: ArraySlice<UInt8>) throws(NATSError) {
        var payload = bytes
        var partition: Int?
        switch content {
        case .lines: if payload.last == UInt8(ascii: "\n") { payload = payload.dropLast() }
        case .frames: break
        case .partitioned:
            guard let message = PartitionedMessage.read(bytes) else {
                throw NATSError(.unsendable, "what was spilled is no message for a partition")
            }
            partition = message.partition
            payload = message.payload
        }
        let number = settledCount + UInt64(window.count)
        try connection.say { words throws(NATSError) in
            try words.publish(payload, behind: head, number: number, of: partition)
        }
    }
}
