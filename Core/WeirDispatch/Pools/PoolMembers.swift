internal import Synchronization

/// A processor of a pool.
final class PoolMember: Sendable {
    let core: ProcessorCore

    /// Its number, which no other processor of the pool ever gets.
    let number: UInt32

    init(_ core: ProcessorCore, number: UInt32) {
        self.core = core
        self.number = number
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

    /// One shard: the number of its processor (the high half) and how many of its events are pending there.
    struct Shard: Sendable {
        fileprivate let shards: PoolShards
        let index: Int

        /// Counts one more event.
        ///
        /// - Parameter preferred: The number of the processor that the shard would go to, if it may move.
        /// - Returns: The number of the processor that the event has to go to.
        func enter(preferred: UInt32) -> UInt32 {
            var state = unsafe shards.states[index].load(ordering: .acquiring)
            while true {
                let pending = state & PoolShards.pendingMask
                let number = pending == 0 ? UInt64(preferred) : state >> 32
                let (exchanged, original) = unsafe shards.states[index].compareExchange(
                    expected: state,
                    desired: number << 32 | (pending + 1),
                    ordering: .acquiringAndReleasing
                )
                if exchanged { return UInt32(number) }
                state = original
            }
        }

        /// Counts one event less: it was handled, or never got there.
        func leave() {
            unsafe shards.states[index].wrappingSubtract(1, ordering: .acquiringAndReleasing)
        }
    }

    fileprivate static let pendingMask: UInt64 = (1 << 32) - 1
}
