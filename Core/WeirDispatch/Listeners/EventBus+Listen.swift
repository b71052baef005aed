public import WeirCore

extension EventBus {
    /// Handles the events of a type, wherever they are published on this bus.
    ///
    /// - Parameters:
    ///   - type: The type of the events.
    ///   - context: Where the handler runs.
    ///   - filter: Which of the events are worth handling.
    ///   - owner: Ends the listener when it goes away; not kept alive.
    ///   - handler: Takes the event and how it was dispatched.
    /// - Returns: The handle that ends it. After `cancel()` returns where the handler runs, no call follows.
    @inlinable
    @discardableResult
    public func listen<E: Sendable>(
        to type: E.Type,
        on context: ListenerContext = .publisher,
        filter: ListenerFilter<E> = .all,
        owner: (any AnyObject & Sendable)? = nil,
        _ handler: @escaping @Sendable (E, EventContext) -> Void
    ) -> Subscription {
        note(context)
        return channel(of: type).listen(on: context, filter: filter, owner: owner, handler)
    }

    /// Handles the events of a type on the main actor.
    ///
    /// - Parameters:
    ///   - type: The type of the events.
    ///   - context: `.mainActor`.
    ///   - filter: Which of the events are worth handling.
    ///   - owner: Ends the listener when it goes away; not kept alive.
    ///   - handler: Takes the event and how it was dispatched.
    /// - Returns: The handle that ends it. After `cancel()` returns on the main actor, no call follows.
    @discardableResult
    public func listen<E: Sendable>(
        to type: E.Type,
        on context: MainActorContext,
        filter: ListenerFilter<E> = .all,
        owner: (any AnyObject & Sendable)? = nil,
        _ handler: @escaping @MainActor @Sendable (E, EventContext) -> Void
    ) -> Subscription {
        channel(of: type).listen(on: context, filter: filter, owner: owner, handler)
    }

    /// Handles the events of a type in tasks.
    ///
    /// - Parameters:
    ///   - type: The type of the events.
    ///   - context: `.task(limit:capacity:)`.
    ///   - filter: Which of the events are worth handling.
    ///   - owner: Ends the listener when it goes away; not kept alive.
    ///   - handler: Takes the event and how it was dispatched; it may suspend.
    /// - Returns: The handle that ends it. A handler that is suspended meanwhile goes on to its end.
    @discardableResult
    public func listen<E: Sendable>(
        to type: E.Type,
        on context: TaskContext,
        filter: ListenerFilter<E> = .all,
        owner: (any AnyObject & Sendable)? = nil,
        _ handler: @escaping @Sendable (E, EventContext) async -> Void
    ) -> Subscription {
        channel(of: type).listen(on: context, filter: filter, owner: owner, handler)
    }
}
