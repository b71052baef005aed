/// Passes everything on as long as an object is there, and detaches when it has gone.
@frozen
@usableFromInline
struct OwnedSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let owner: WeakReference
    @usableFromInline let own: DeferredSubscription
    @usableFromInline var downstream: Downstream?

    @inlinable
    init(_ owner: any AnyObject & Sendable, _ own: DeferredSubscription, _ downstream: consuming Downstream) {
        self.owner = WeakReference(owner)
        self.own = own
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if isWanted { downstream?.receive(element, at: time) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if isWanted { downstream?.advance(to: watermark) }
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if isWanted { downstream?.finish(completion) }
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        if isWanted { try downstream?.exchangeState(&state) }
    }

    @inlinable var isWanted: Bool {
        mutating get {
            guard owner.object == nil else { return true }
            downstream = nil
            own.cancel()
            return false
        }
    }
}

extension EventStream {
    /// Attaches a sink for as long as an object is there.
    ///
    /// - Parameters:
    ///   - sink: What takes the signals.
    ///   - owner: Not kept alive. The first signal that comes after it has gone detaches the sink.
    /// - Returns: The handle that detaches it earlier.
    /// - Complexity: That of `attach(_:)`; a weak reference is read for each signal.
    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S, owner: any AnyObject & Sendable) -> Subscription
    where S.Input == Element {
        let own = DeferredSubscription()
        return own.set(attach(OwnedSink(owner, own, sink)))
    }
}
