internal import WeirCore

// Who may be handling events of the bus when a checkpoint is made.
extension EventBus {
    var channels: [any AnyEventChannel] { state.withLock { $0.channels.map(\.channel) } }

    /// Notes that a processor, or a pool, may handle events of the bus.
    ///
    /// - Parameters:
    ///   - owner: What has the processors; not kept alive.
    ///   - cores: The processors as long as it is there.
    func note(handlerOf owner: any AnyObject & Sendable, _ cores: @escaping @Sendable () -> [ProcessorCore]) {
        state.withLock { state in
            state.handling.removeAll { $0.owner.object == nil || $0.owner.object === owner }
            state.handling.append(HandlingThreads(owner: WeakReference(owner), cores: cores))
        }
    }

    @usableFromInline
    func note(_ context: ListenerContext) {
        guard case .processor(let reference) = context.kind else { return }
        note(handlerOf: reference.core) { [weak core = reference.core] in core.map { [$0] } ?? [] }
    }

    /// The processors that may handle events of the bus.
    var handlers: [ProcessorCore] {
        // Outside the lock: a pool has one of its own.
        let handling = state.withLock { $0.handling }
        var cores: [ProcessorCore] = []
        for core in handling.flatMap({ $0.cores() }) where !cores.contains(where: { $0 === core }) {
            cores.append(core)
        }
        return cores
    }
}
