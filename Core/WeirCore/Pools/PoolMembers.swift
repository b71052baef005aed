internal import Synchronization

/// A processor of a pool.
final class PoolMember: Sendable {
    let core: ProcessorCore

    init(_ core: ProcessorCore) {
        self.core = core
    }

    /// How many events it has not yet handled.
    var load: Int { core.load }
}

/// The processors of a pool at one moment, of which there is at least one; never changed, only replaced.
final class PoolMembers: Sendable {
    let all: [PoolMember]

    init(_ all: [PoolMember]) {
        self.all = all
    }

    var count: Int { all.count }
}

/// Where the events of each key are: keys share shards, and a shard moves only when nothing of it is pending.
@safe
final class PoolShards: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the memory holds atomics, and lives as long as the shards.

    private static let count = 1024
    private let states: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
        unsafe states = .allocate(capacity: Self.count)
        for index in 0..<Self.count {
            unsafe (states + index).initialize(to: Atomic(0))
        }
    }

    deinit {
        unsafe states.deinitialize(count: Self.count)
        unsafe states.deallocate()
    }

    func shard(of hash: Int) -> Shard {
        Shard(shards: self, index: hash & (Self.count - 1))
    }

    /// One shard: the place of its processor (the high 16 bits) and how many of its events are pending there.
    struct Shard: Sendable {
        fileprivate let shards: PoolShards
        let index: Int

        /// Counts one more event.
        ///
        /// - Parameter preferred: Where the shard would go, if it may move.
        /// - Returns: The place of the processor that the event has to go to.
        func enter(preferred: Int) -> Int {
            var state = unsafe shards.states[index].load(ordering: .acquiring)
            while true {
                let pending = state & PoolShards.pendingMask
                let place = pending == 0 ? UInt64(preferred) : state >> 48
                let (exchanged, original) = unsafe shards.states[index].compareExchange(
                    expected: state,
                    desired: place << 48 | (pending + 1),
                    ordering: .acquiringAndReleasing
                )
                if exchanged { return Int(place) }
                state = original
            }
        }

        /// Counts one event less: it was handled, or never got there.
        func leave() {
            unsafe shards.states[index].wrappingSubtract(1, ordering: .acquiringAndReleasing)
        }
    }

    fileprivate static let pendingMask: UInt64 = (1 << 48) - 1
}
