internal import WeirCore

/// Where the events of one listener enter a pool.
final class PoolEndpoint<E: Sendable>: Sendable {
    private let pool: WeakPool
    private let shards: PoolShards
    private let balancer: Balancer<E>.Kind
    private let inbox: Inbox
    private let isInline = Payload<E>.isInline

    init(
        _ pool: ProcessorPool,
        shards: PoolShards,
        balancer: Balancer<E>.Kind,
        listener: Listener<E>,
        handler: @escaping @Sendable (E, EventContext) -> Void
    ) {
        self.pool = WeakPool(pool: pool)
        self.shards = shards
        self.balancer = balancer
        let isInline = isInline
        let scales = pool.size.count > 1
        let ageToGrow = pool.scaling.ageToGrow
        // The shard of an event is counted down when the event was handled or dropped, whatever comes first.
        let leave: @Sendable (E) -> Void
        if case .byKey(let hash) = balancer {
            leave = { shards.shard(of: hash($0)).leave() }
        } else {
            leave = { _ in }
        }
        // Its envelopes are at any of the pool's processors, so they keep it alive themselves.
        inbox = Inbox(
            isCounted: true,
            open: { [weakPool = self.pool] payload, context in
                guard let event = Payload<E>.take(from: &payload, isInline: isInline) else { return }
                if scales, context.age > ageToGrow { weakPool.pool?.grow() }
                if let claimed = listener.claim(event, context) { handler(claimed.event, claimed.context) }
                leave(event)
            },
            destroy: { payload in
                guard let event = Payload<E>.take(from: &payload, isInline: isInline) else { return }
                listener.dropped()
                leave(event)
            }
        )
    }

    /// Sends an event to the processor that the balancer chooses.
    func send(_ event: E, _ context: EventContext) {
        let envelope = Envelope(
            inbox: inbox,
            dispatchTime: context.dispatchTime,
            payload: Payload<E>.make(event, isInline: isInline)
        )
        guard let pool = pool.pool else {
            enterShard(of: event)
            envelope.destroy()
            return
        }
        var isTaken = false
        switch balancer {
        case .roundRobin:
            let turn = pool.nextTurn()
            isTaken = pool.send(envelope, context) { $0.all[turn % $0.count] }
        case .lowestLoad:
            isTaken = pool.send(envelope, context) { members in members.all.min { $0.load < $1.load } }
        case .custom(let choose):
            isTaken = pool.send(envelope, context) { members in
                let place = choose(event, members.all.map(\.load))
                precondition(
                    members.all.indices.contains(place),
                    "a balancer chose processor \(place) of a pool that has \(members.count)"
                )
                return members.all[place]
            }
        case .byKey(let hash):
            let shard = shards.shard(of: hash(event))
            var hasEntered = false
            isTaken = pool.send(envelope, context) { members in
                if hasEntered { shard.leave() }
                let number = shard.enter(preferred: members.all[shard.index % members.count].number)
                hasEntered = true
                // A processor that has left is at its last events: when these are handled the shard may move.
                return members.all.first { $0.number == number }
            }
        }
        if !isTaken { envelope.destroy() }
    }

    /// Counts an event that goes nowhere, so that destroying it can count it down.
    private func enterShard(of event: E) {
        if case .byKey(let hash) = balancer { _ = shards.shard(of: hash(event)).enter(preferred: 0) }
    }
}

/// A pool that is not kept alive by those who send to it.
struct WeakPool: Sendable {
    weak let pool: ProcessorPool?
}
