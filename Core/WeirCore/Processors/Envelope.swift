/// An event of any type on its way to a processor: the event's bytes beside the inbox that knows its type.
///
/// Events of up to 64 bytes travel inside the envelope, larger ones in a box of their own, which costs an allocation.
/// Whoever takes an envelope out of a mailbox must open or destroy it, once.
@frozen
@usableFromInline
struct Envelope: Sendable {
    @usableFromInline typealias Payload = InlineArray<8, UInt64>

    @usableFromInline let inbox: Inbox
    @usableFromInline let dispatchTime: Timestamp
    @usableFromInline var payload: Payload

    @inlinable
    init(inbox: Inbox, dispatchTime: Timestamp, payload: Payload) {
        self.inbox = inbox
        self.dispatchTime = dispatchTime
        self.payload = payload
    }

    /// Destroys the event of an envelope that nobody will open.
    func destroy() {
        var payload = payload
        inbox.destroy(&payload)
    }
}

/// Opens the envelopes of one event type for one listener.
///
/// The closures were formed where the type was known; they are constants of a class, so calling them touches no
/// reference count.
@usableFromInline
final class Inbox: Sendable {
    /// Moves the event out of the payload and hands it to the listener.
    @usableFromInline let open: @Sendable (inout Envelope.Payload, EventContext) -> Void

    /// Destroys the event in the payload.
    let destroy: @Sendable (inout Envelope.Payload) -> Void

    init(
        open: @escaping @Sendable (inout Envelope.Payload, EventContext) -> Void,
        destroy: @escaping @Sendable (inout Envelope.Payload) -> Void
    ) {
        self.open = open
        self.destroy = destroy
    }
}

/// Puts events of one type into payloads and takes them out again.
@safe
enum Payload<E: Event> {
    private final class Box: Sendable {
        let event: E

        init(_ event: E) {
            self.event = event
        }
    }

    /// Whether events of the type can travel as bare bytes: they fit, and they may be moved by copying their bytes.
    ///
    /// A type may not be moved so when it holds weak references; the flag stands in its value witness table, whose
    /// layout is part of Swift's stable ABI.
    static var isInline: Bool {
        MemoryLayout<E>.size <= MemoryLayout<Envelope.Payload>.size
            && MemoryLayout<E>.alignment <= MemoryLayout<Envelope.Payload>.alignment
            && isBitwiseTakable
    }

    private static var isBitwiseTakable: Bool {
        // The pointer to the value witness table precedes the metadata; it holds eight functions, size and stride, then
        // the flags, of which bit 20 says "not bitwise takable".
        let metadata = unsafe unsafeBitCast(E.self as Any.Type, to: UnsafePointer<UnsafeRawPointer>.self)
        let witnesses = unsafe metadata[-1]
        let flags = unsafe witnesses.load(fromByteOffset: 10 * MemoryLayout<Int>.size, as: UInt32.self)
        return flags & (1 << 20) == 0
    }

    @inline(__always)
    static func make(_ event: E, isInline: Bool) -> Envelope.Payload {
        var payload = Envelope.Payload(repeating: 0)
        unsafe withUnsafeMutableBytes(of: &payload) { bytes in
            guard let base = bytes.baseAddress else { return }
            if isInline {
                unsafe base.initializeMemory(as: E.self, repeating: event, count: 1)
            } else {
                unsafe base.initializeMemory(as: Box.self, repeating: Box(event), count: 1)
            }
        }
        return payload
    }

    @inline(__always)
    static func take(from payload: inout Envelope.Payload, isInline: Bool) -> E? {
        unsafe withUnsafeMutableBytes(of: &payload) { bytes -> E? in
            guard let base = bytes.baseAddress else { return nil }
            return isInline
                ? unsafe base.assumingMemoryBound(to: E.self).move()
                : unsafe base.assumingMemoryBound(to: Box.self).move().event
        }
    }
}
