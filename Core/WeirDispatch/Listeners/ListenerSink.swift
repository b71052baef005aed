public import WeirCore

/// Calls a listener's handler on the publisher's thread, as a sink of its channel.
@safe
@usableFromInline
struct ListenerSink<E: Sendable>: Sink {
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
        guard listener.admits(event, context), let claimed = listener.claim(event, context) else { return }
        handler(claimed.event, claimed.context)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {}

    @inlinable
    mutating func finish(_ completion: Completion) {}

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
    }
}

/// Calls the handler of a listener that takes every event, until its subscription ends: the channel asks that anyway.
@safe
@usableFromInline
struct DirectListenerSink<E: Sendable>: Sink {
    // Its own channel, which is alive while it sends.
    @usableFromInline let channel: Unmanaged<EventChannel<E>>
    @usableFromInline let handler: @Sendable (E, EventContext) -> Void

    @inlinable
    init(channel: EventChannel<E>, handler: @escaping @Sendable (E, EventContext) -> Void) {
        unsafe self.channel = .passUnretained(channel)
        self.handler = handler
    }

    @inlinable
    mutating func receive(_ element: borrowing E, at time: Timestamp) {
        handler(copy element, unsafe channel._withUnsafeGuaranteedRef { $0.currentContext() })
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {}

    @inlinable
    mutating func finish(_ completion: Completion) {}

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
    }
}
