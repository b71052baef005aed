/// Calls a listener's handler on the publisher's thread, as a sink of its channel.
@safe
@usableFromInline
struct ListenerSink<E: Event>: Sink {
    @usableFromInline let listener: Listener<E>
    // Its own channel, which is alive while it sends.
    @usableFromInline let channel: Unmanaged<EventChannel<E>>
    @usableFromInline let handler: @Sendable (E, EventContext) -> Void

    @inlinable
    init(
        listener: Listener<E>,
        channel: EventChannel<E>,
        handler: @escaping @Sendable (E, EventContext) -> Void
    ) {
        self.listener = listener
        unsafe self.channel = .passUnretained(channel)
        self.handler = handler
    }

    @inlinable
    mutating func receive(_ element: borrowing E, at time: Timestamp) {
        let context = unsafe channel._withUnsafeGuaranteedRef { $0.currentContext() }
        let event = copy element
        if case .all = listener.interest {
            if listener.isWanted { handler(event, context) }
            return
        }
        guard listener.admits(event, context), let claimed = listener.claim(event, context) else { return }
        handler(claimed.event, claimed.context)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {}

    @inlinable
    mutating func finish(_ completion: Completion) {}
}
