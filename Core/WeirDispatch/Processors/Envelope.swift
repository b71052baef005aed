public import WeirCore

/// An event of any type on its way to a processor: the event's bytes beside the inbox that knows its type.
///
/// Events of up to 48 bytes travel inside the envelope, which then is one cache line; larger ones in a box of their
/// own, which costs an allocation. The taker of an envelope must open or destroy it, once.
///
/// An envelope does not keep its inbox alive, or each event would cost two changes of a reference count that the
/// threads of both sides fight over: a ``ProcessorEndpoint`` does, until its processor has nothing pending any more.
@safe
@frozen
@usableFromInline
struct Envelope: Sendable {
    /// The bytes of an event; in words, to be aligned.
    @frozen
    @usableFromInline
    struct Payload: Sendable {
        @usableFromInline var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)

        @inlinable
        init() {}
    }

    @usableFromInline let inbox: Unmanaged<Inbox>
    @usableFromInline let dispatchTime: Timestamp
    @usableFromInline var payload: Payload

    @inlinable
    init(inbox: Inbox, dispatchTime: Timestamp, payload: Payload) {
        unsafe self.inbox = inbox.isCounted ? .passRetained(inbox) : .passUnretained(inbox)
        self.dispatchTime = dispatchTime
        self.payload = payload
    }

    /// Passes the event to its listener.
    @inline(__always)
    func open(_ context: EventContext) {
        var payload = payload
        unsafe inbox._withUnsafeGuaranteedRef { inbox in
            inbox.open(&payload, context)
            if inbox.isCounted { unsafe Unmanaged.passUnretained(inbox).release() }
        }
    }

    /// Destroys the event of an envelope that will not be opened.
    @usableFromInline
    func destroy() {
        var payload = payload
        unsafe inbox._withUnsafeGuaranteedRef { inbox in
            inbox.destroy(&payload)
            if inbox.isCounted { unsafe Unmanaged.passUnretained(inbox).release() }
        }
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

    /// Whether each envelope keeps the inbox alive; otherwise its ``ProcessorEndpoint`` does.
    @usableFromInline let isCounted: Bool

    @usableFromInline
    init(
        isCounted: Bool,
        open: @escaping @Sendable (inout Envelope.Payload, EventContext) -> Void,
        destroy: @escaping @Sendable (inout Envelope.Payload) -> Void
    ) {
        self.isCounted = isCounted
        self.open = open
        self.destroy = destroy
    }
}

/// Puts events of one type into payloads and takes them out again.
@safe
@usableFromInline
enum Payload<E: Sendable> {
    @usableFromInline
    final class Box: Sendable {
        @usableFromInline let event: E

        @inlinable
        init(_ event: E) {
            self.event = event
        }
    }

    /// Whether events of the type can travel as bare bytes: they fit, and they may be moved by copying their bytes.
    ///
    /// A type may not be moved so when it holds weak references; the flag stands in its value witness table, whose
    /// layout is part of Swift's stable ABI.
    @usableFromInline
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

    @inlinable
    @inline(__always)
    static func make(_ event: E, isInline: Bool) -> Envelope.Payload {
        var payload = Envelope.Payload()
        unsafe withUnsafeMutableBytes(of: &payload) { bytes in
            if let base = bytes.baseAddress { unsafe write(event, isInline: isInline, to: base) }
        }
        return payload
    }

    @unsafe
    @inlinable
    @inline(__always)
    static func write(_ event: E, isInline: Bool, to place: UnsafeMutableRawPointer) {
        if isInline {
            unsafe place.initializeMemory(as: E.self, to: event)
        } else {
            unsafe place.initializeMemory(as: Box.self, to: Box(event))
        }
    }

    @inlinable
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
