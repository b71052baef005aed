public import WeirCore

/// Where the events of one listener enter a processor.
///
/// Keeps the inbox alive while a publisher can send, then leaves it to the processor until nothing is pending there:
/// the endpoint is released when the last publisher that could use it has gone.
@usableFromInline
final class ProcessorEndpoint<E: Sendable>: Sendable {
    private let core: ProcessorCore
    // The core's: what the processor's thread writes for each event is near its core's other properties.
    @usableFromInline let mailbox: Mailbox<Envelope>
    @usableFromInline let inbox: Inbox
    @usableFromInline let isInline = Payload<E>.isInline

    @usableFromInline
    init(to core: ProcessorCore, _ inbox: Inbox) {
        self.core = core
        self.inbox = inbox
        mailbox = core.mailbox
    }

    deinit {
        core.retire(inbox)
    }

    /// Sends an event; one that the processor does not take is destroyed, which tells its listener.
    @inlinable
    func send(_ event: E, _ context: EventContext) {
        let isSent = unsafe mailbox.putIfRoom(context.priority, context.order) { slot in
            unsafe write(event, context.dispatchTime, to: slot)
        }
        if !isSent { sendWithoutRoom(event, context) }
    }

    /// Writes an envelope where it will lie: the event goes there at once, and not by way of a payload.
    @unsafe
    @inlinable
    @inline(__always)
    func write(_ event: E, _ dispatchTime: Timestamp, to slot: UnsafeMutableRawPointer) {
        assert(
            MemoryLayout<Envelope>.offset(of: \.dispatchTime) == 8 && MemoryLayout<Envelope>.offset(of: \.payload) == 16
        )
        unsafe slot.initializeMemory(as: Unmanaged<Inbox>.self, to: .passUnretained(inbox))
        unsafe (slot + 8).initializeMemory(as: Timestamp.self, to: dispatchTime)
        unsafe Payload<E>.write(event, isInline: isInline, to: slot + 16)
    }

    @inlinable
    @inline(never)
    func sendWithoutRoom(_ event: E, _ context: EventContext) {
        let payload = Payload<E>.make(event, isInline: isInline)
        let envelope = Envelope(inbox: inbox, dispatchTime: context.dispatchTime, payload: payload)
        if !mailbox.put(envelope, priority: context.priority, order: context.order) { envelope.destroy() }
    }
}
