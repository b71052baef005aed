public import WeirCore

extension EventStream {
    /// Attaches to the stream in a context: what attaching does, such as sending what is known beforehand, runs there.
    ///
    /// - Parameter context: Where to attach.
    /// - Returns: The stream.
    public func attach(on context: ExecutionContext) -> AttachedOn<Self> {
        AttachedOn(upstream: self, context: context)
    }
}

/// A stream that is attached to in a context; made by `attach(on:)`.
public struct AttachedOn<Upstream: EventStream>: EventStream {
    public typealias Element = Upstream.Element

    let upstream: Upstream
    let context: ExecutionContext

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let attached = DeferredSubscription()
        let (upstream, sink) = (upstream, sink)
        context.perform {
            if !attached.isCancelled { attached.set(upstream.attach(sink)) }
        }
        return Subscription { attached.cancel() }
    }
}
