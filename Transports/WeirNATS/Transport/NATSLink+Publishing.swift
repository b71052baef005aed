internal import WeirCore
internal import WeirRecords
internal import WeirSockets

// What a link publishes.
extension NATSLink {
    /// Publishes what has not been published yet, as far as the window permits.
    func publish(_ batch: inout OutgoingBatch, _ sending: inout Sending) throws(NATSError) {
        // Without a stream, one ping confirms what is sent together.
        guard settings.stream != nil || ping == nil, watch?.isAsking != true else { return }
        // Few messages at a time cost the system as much as many: a full window waits until a quarter of it is free.
        let rest = Int(clamping: batch.restMessages) - window.count
        guard settings.window - window.count >= min(rest, settings.window / 4) else { return }
        let deadline = Moment.now + settings.timeout.inNanoseconds
        while case let room = min(settings.window, Int(clamping: batch.restMessages)) - window.count, room > 0 {
            let first = Int(batch.sentMessages) + window.count
            do throws(NATSError) {
                let count = try connection.say { words throws(NATSError) in
                    try words.publish(batch, first..<first + room, content, behind: &head, number: window.end)
                }
                window.append(count, deadline: deadline)
            } catch {
                // Those before it have to be settled first: what the batch has sent is known by a number.
                guard error.kind == .unsendable, window.isEmpty else {
                    if error.kind == .unsendable { break }
                    throw error
                }
                noteTooLong(error)
                batch.advance(messages: 1)
                sending.tooLong += 1
                window.skip()
            }
        }
        guard settings.stream == nil, !window.isEmpty else { return }
        ping = try connection.say { words in words.ping(.now) }
    }

    /// Says of the first message that is too long which one it is; all are counted.
    private func noteTooLong(_ error: NATSError) {
        guard !saidThatOneIsTooLong else { return }
        saidThatOneIsTooLong = true
        meter.note("'\(address)' goes on without message \(window.first + 1) of what was written: \(error.reason)")
    }
}

extension NATSConversation {
    /// Publishes messages of a batch, up to one that cannot be published.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - messages: Which of its messages.
    ///   - content: What they are.
    ///   - head: What stands before each.
    ///   - number: That of the first one.
    /// - Returns: How many were published: one at least.
    /// - Throws: ``NATSError`` where the first one cannot be published.
    fileprivate mutating func publish(
        _ batch: OutgoingBatch,
        _ messages: Range<Int>,
        _ content: NATSLink.Content,
        behind head: inout NATSMessageHead,
        number: UInt64
    ) throws(NATSError) -> Int {
        var failure: NATSError?
        let count = unsafe batch.bytes.withUnsafeBufferPointer { bytes in
            for index in messages {
                let message = batch.range(ofMessage: index)
                do throws(NATSError) {
                    unsafe try publish(
                        UnsafeBufferPointer(rebasing: bytes[message]),
                        content,
                        behind: &head,
                        number: number + UInt64(index - messages.lowerBound)
                    )
                } catch {
                    failure = error
                    return index - messages.lowerBound
                }
            }
            return messages.count
        }
        if count == 0, let failure { throw failure }
        return count
    }

    private mutating func publish(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ content: NATSLink.Content,
        behind head: inout NATSMessageHead,
        number: UInt64
    ) throws(NATSError) {
        var payload = unsafe bytes
        var partition: Int?
        switch content {
        case .lines:
            if unsafe bytes.last == UInt8(ascii: "\n") {
                unsafe payload = UnsafeBufferPointer(rebasing: bytes.dropLast())
            }
        case .frames: break
        case .partitioned:
            guard let message = unsafe PartitionedMessage.read(bytes) else {
                throw NATSError(.unsendable, "what was spilled is no message for a partition")
            }
            partition = unsafe message.partition
            unsafe payload = message.payload
        }
        unsafe try publish(payload, behind: &head, number: number, of: partition)
    }
}
