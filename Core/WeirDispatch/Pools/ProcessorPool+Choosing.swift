internal import CWeir
internal import Synchronization
internal import WeirCore

/// The choice of a processor for an event, and the number of processors.
extension ProcessorPool {
    /// Puts an envelope into the mailbox of the processor that `choose` names; one that has just gone is not asked again.
    ///
    /// - Parameters:
    ///   - envelope: What to put; destroyed by the caller when it is not taken.
    ///   - context: How the event was dispatched.
    ///   - choose: Takes the processors; returns `nil` to be asked again a little later.
    /// - Returns: Whether the envelope was taken.
    func send(_ envelope: Envelope, _ context: EventContext, choose: (PoolMembers) -> PoolMember?) -> Bool {
        var round: UInt32 = 0
        while true {
            var outcome = Outcome.retry
            members.read { members in
                guard let member = choose(members) else { return }
                let mailbox = member.core.mailbox
                switch mailbox.offer(envelope, context.priority, context.order) {
                case .taken: outcome = member.load > scaling.pendingToGrow ? .takenUnderLoad : .taken
                case .dropped: outcome = .dropped
                // Closed by an overflow, and in the pool as before.
                case .closed: outcome = mailbox.failure == nil ? .retry : .refused
                }
            }
            switch outcome {
            case .taken: return true
            case .takenUnderLoad:
                grow()
                return true
            case .dropped: return false
            case .refused: return refuse()
            case .retry:
                // A closed mailbox means that the processor has left the pool, unless all have.
                if state.withLock({ $0.isStopped }) { return refuse() }
                cweir_thread_back_off(round)
                round &+= 1
            }
        }
    }

    private enum Outcome {
        case taken, takenUnderLoad, retry
        /// The mailbox has counted it.
        case dropped
        /// Nobody has counted it.
        case refused
    }

    private func refuse() -> Bool {
        refused.wrappingAdd(1, ordering: .relaxed)
        return false
    }

    /// The place of the next processor in turn.
    func nextTurn() -> Int {
        Int(truncatingIfNeeded: turn.wrappingAdd(1, ordering: .relaxed).oldValue & 0x7FFF_FFFF)
    }

    // MARK: Scaling

    func makeMember(_ state: inout State) -> PoolMember {
        state.made += 1
        do {
            return PoolMember(
                try ProcessorCore(name: "\(name).\(state.made)", bounds: bounds, clock: bus.clock),
                number: UInt32(truncatingIfNeeded: state.made)
            )
        } catch {
            preconditionFailure("a processor of the pool '\(name)' cannot be made: \(error)")
        }
    }

    /// Adds a processor, unless there are enough.
    func grow() {
        var count = 0
        members.read { count = $0.count }
        guard count < size.upperBound else { return }
        let settled = state.withLock { state -> [ProcessorCore] in
            var all: [PoolMember] = []
            members.read { all = $0.all }
            guard all.count == count, state.isStarted, !state.isStopped else { return [] }
            let member = makeMember(&state)
            // Without a thread left the pool stays as it is.
            guard (try? member.core.start()) != nil else { return [] }
            state.grown += 1
            state.quietSince = nil
            return state.settle(members.replace(with: PoolMembers(all + [member])))
        }
        for core in settled { core.stop(.draining) }
    }

    /// Takes the last processor away when nothing has been pending for the quiet period.
    func shrinkIfQuiet() {
        let now = bus.clock.now()
        let settled = state.withLock { state -> [ProcessorCore] in
            guard !state.isStopped else { return [] }
            let settled = state.settle(members.collect())
            var current: PoolMembers?
            members.read { current = $0 }
            guard let current, current.all.allSatisfy({ $0.load == 0 }) else {
                state.quietSince = nil
                return settled
            }
            let since = state.quietSince ?? now
            state.quietSince = since
            state.forgetStopped()
            guard now - since >= scaling.quietPeriod, current.count > size.lowerBound, let last = current.all.last
            else {
                return settled
            }
            // The next one waits for a quiet period of its own.
            state.quietSince = now
            state.shrunk += 1
            state.retiring.append((last.core, current))
            return settled + state.settle(members.replace(with: PoolMembers(current.all.dropLast())))
        }
        // What was put into its mailbox before it closed is handled.
        for core in settled { core.stop(.draining) }
    }
}
