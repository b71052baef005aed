public import WeirCore

extension EventChannel {
    /// Handles the events of the channel.
    ///
    /// - Parameters:
    ///   - context: Where the handler runs.
    ///   - filter: Which of the events are worth handling.
    ///   - owner: Ends the listener when it goes away; not kept alive.
    ///   - handler: Takes the event and how it was dispatched.
    /// - Returns: The handle that ends it. After `cancel()` returns where the handler runs, no call follows.
    @inlinable
    @discardableResult
    public func listen(
        on context: ListenerContext = .publisher,
        filter: ListenerFilter<Element> = .all,
        owner: (any AnyObject & Sendable)? = nil,
        _ handler: @escaping @Sendable (Element, EventContext) -> Void
    ) -> Subscription {
        if case .publisher = context.kind, case .all = filter.kind, owner == nil {
            return attach(DirectListenerSink(channel: self, handler: handler))
        }
        let listener = Listener(filter: filter, owner: owner)
        switch context.kind {
        case .publisher:
            let sink = ListenerSink(listener: listener, channel: self, handler: handler)
            let attached = attach(sink)
            return listener.subscription { attached.cancel() }
        case .processor(let reference):
            let endpoint = ProcessorEndpoint<Element>(to: reference.core, Inbox(listener, handler))
            let subscription = start(listener) { event, context in
                if listener.admits(event, context) { endpoint.send(event, context) }
            }
            reference.core.ends(listener)
            return subscription
        case .executor(let executor, let capacity):
            return start(listener, on: executor, capacity: capacity, handler)
        }
    }

    /// Starts a listener on an executor.
    @usableFromInline
    func start(
        _ listener: Listener<Element>,
        on executor: any TaskExecutor,
        capacity: Int,
        _ handler: @escaping @Sendable (Element, EventContext) -> Void
    ) -> Subscription {
        start(listener, capacity: capacity, limit: 1) { pending in
            Task(executorPreference: executor) {
                while let (event, context) = pending.next() {
                    guard let claimed = listener.claim(event, context) else { continue }
                    handler(claimed.event, claimed.context)
                }
            }
        }
    }

    /// Handles the events of the channel on the main actor.
    ///
    /// - Parameters:
    ///   - context: `.mainActor`.
    ///   - filter: Which of the events are worth handling.
    ///   - owner: Ends the listener when it goes away; not kept alive.
    ///   - handler: Takes the event and how it was dispatched.
    /// - Returns: The handle that ends it. After `cancel()` returns on the main actor, no call follows.
    @discardableResult
    public func listen(
        on context: MainActorContext,
        filter: ListenerFilter<Element> = .all,
        owner: (any AnyObject & Sendable)? = nil,
        _ handler: @escaping @MainActor @Sendable (Element, EventContext) -> Void
    ) -> Subscription {
        let listener = Listener(filter: filter, owner: owner)
        return start(listener, capacity: context.capacity, limit: 1) { pending in
            Task { @MainActor in
                while let (event, context) = pending.next() {
                    guard let claimed = listener.claim(event, context) else { continue }
                    handler(claimed.event, claimed.context)
                }
            }
        }
    }

    /// Handles the events of the channel in tasks.
    ///
    /// - Parameters:
    ///   - context: `.task(limit:capacity:)`.
    ///   - filter: Which of the events are worth handling.
    ///   - owner: Ends the listener when it goes away; not kept alive.
    ///   - handler: Takes the event and how it was dispatched; it may suspend.
    /// - Returns: The handle that ends it, and cancels the tasks in which handlers are suspended.
    @discardableResult
    public func listen(
        on context: TaskContext,
        filter: ListenerFilter<Element> = .all,
        owner: (any AnyObject & Sendable)? = nil,
        _ handler: @escaping @Sendable (Element, EventContext) async -> Void
    ) -> Subscription {
        let listener = Listener(filter: filter, owner: owner)
        let tasks = RunningTasks()
        listener.onEnd { tasks.cancel() }
        return start(listener, capacity: context.capacity, limit: context.limit) { pending in
            tasks.start {
                while let (event, context) = pending.next() {
                    guard let claimed = listener.claim(event, context) else { continue }
                    await handler(claimed.event, claimed.context)
                }
            }
        }
    }

    /// Starts a listener in the concurrent world.
    func start(
        _ listener: Listener<Element>,
        capacity: Int,
        limit: Int,
        run: @escaping @Sendable (PendingEvents<Element>) -> Void
    ) -> Subscription {
        let pending = PendingEvents<Element>(capacity: capacity, limit: limit)
        return start(listener) { event, context in
            guard listener.admits(event, context) else { return }
            switch pending.add(event, context) {
            case .dropped: listener.dropped()
            case .added: break
            case .addedFirst: run(pending)
            }
        }
    }

    /// Starts a listener that is sent its events.
    ///
    /// - Returns: The handle that ends the listener.
    @inlinable
    func start(
        _ listener: Listener<Element>,
        receive: @escaping @Sendable (Element, EventContext) -> Void
    ) -> Subscription {
        if looksAtEach {
            // Through the gate, where the latest event is and the limit: so none is missed or doubled in between.
            let attached = attach(DirectListenerSink(channel: self, handler: receive))
            return listener.subscription { attached.cancel() }
        }
        let id = addReceiver(receive)
        return listener.subscription { [weak self] in self?.removeReceiver(id) }
    }
}

extension Inbox {
    @inlinable
    convenience init<E: Sendable>(_ listener: Listener<E>, _ handler: @escaping @Sendable (E, EventContext) -> Void) {
        let isInline = Payload<E>.isInline
        self.init(
            isCounted: false,
            open: { payload, context in
                guard let event = Payload<E>.take(from: &payload, isInline: isInline) else { return }
                guard let claimed = listener.claim(event, context) else { return }
                handler(claimed.event, claimed.context)
            },
            destroy: { payload in
                _ = Payload<E>.take(from: &payload, isInline: isInline)
                listener.dropped()
            }
        )
    }
}
