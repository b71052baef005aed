/// Calls a listener's handler on the publisher's thread, as a sink of its channel.
struct ListenerSink<E: Event>: Sink {
    let listener: Listener<E>
    let channel: WeakChannel<E>
    let handler: @Sendable (E, EventContext) -> Void

    mutating func receive(_ element: borrowing E, at time: Timestamp) {
        // A channel that is sending is alive.
        guard let context = channel.channel?.currentContext() else { return }
        let event = copy element
        guard listener.admits(event, context), let claimed = listener.claim(event, context) else { return }
        handler(claimed.event, claimed.context)
    }

    mutating func advance(to watermark: Timestamp) {}
    mutating func finish(_ completion: Completion) {}
}

/// A channel that is not kept alive by its own sinks.
struct WeakChannel<E: Event>: Sendable {
    weak let channel: EventChannel<E>?
}
