internal import CWeir
internal import Synchronization

// What finds the channel busy: it waits, and the thread inside the gate delivers it.
extension EventChannel {
    @inlinable
    var hasWaiting: Bool { waiting.count > 0 }

    /// Delivers all that waits, also what is behind a slot that is still being written: it may be the publisher's own
    /// event, which its next one must not overtake.
    @usableFromInline
    @inline(never)
    func drainAll() {
        var round: UInt32 = 0
        while hasWaiting {
            drain()
            cweir_thread_back_off(round)
            round &+= 1
        }
    }

    @usableFromInline
    @inline(never)
    func leaveAfterDraining() {
        repeat { drain() } while unsafe !cweir_gate_leave(gate)
    }

    /// Does what others left behind: the events that wait, then a watermark, then the completion.
    func drain() {
        // Read before the events are taken and applied after: what came before the watermark is among them.
        let requested = Timestamp(nanosecondsSinceEpoch: requestedWatermark.load(ordering: .acquiring))
        while let next = waiting.pop() {
            if unsafe inside.pointee.isFinished {
                countDroppedAfterEnd(1)
            } else {
                unsafe inside.pointee.options = next.options
                unsafe inside.pointee.dispatchTime = next.dispatchTime
                unsafe inside.pointee.isStamped = true
                deliver(next.event, isTimed: isTimed)
            }
        }
        takeTable()
        if unsafe requested > inside.pointee.watermark, unsafe !inside.pointee.isFinished {
            unsafe inside.pointee.watermark = requested
            unsafe inside.pointee.table._withUnsafeGuaranteedRef { table in
                table.forEach { $0.advance(requested) }
            }
        }
        if completionRequested.load(ordering: .acquiring), unsafe !inside.pointee.isFinished { complete() }
    }

    func complete() {
        unsafe inside.pointee.isFinished = true
        let (subscribers, completion, unused) = registration.withLock { registration in
            let completion = registration.requestedCompletion ?? .finished
            registration.completion = completion
            let subscribers = registration.subscribers.map(\.subscriber)
            registration.subscribers = []
            return (subscribers, completion, offerTable(registration))
        }
        withExtendedLifetime(unused) {}
        for subscriber in subscribers { subscriber.finish(completion) }
        takeTable()
    }

    func enterAndDrain() {
        // Notify instead of entering: the thread inside looks at the requests before it leaves.
        if unsafe cweir_gate_notify(gate) { leaveAfterDraining() }
    }

    /// Leaves an event in the ring for the thread inside, or enters if there is none.
    @usableFromInline
    @inline(never)
    func leaveBehind(_ event: Element, _ options: DispatchOptions) -> Bool {
        if overflowPolicy == .latest {
            while waiting.pop() != nil { dropped.wrappingAdd(1, ordering: .relaxed) }
        }
        var round: UInt32 = 0
        let new = Waiting(event: event, options: options, dispatchTime: clock.now())
        while !waiting.push(new) {
            switch overflowPolicy {
            case .block:
                guard unsafe !cweir_gate_is_inside(gate) else {
                    dropped.wrappingAdd(1, ordering: .relaxed)
                    return false
                }
                enterAndDrain()
                guard waitForRoom(round) else {
                    dropped.wrappingAdd(1, ordering: .relaxed)
                    return false
                }
                round &+= 1
            case .dropNewest:
                dropped.wrappingAdd(1, ordering: .relaxed)
                return false
            case .dropOldest, .latest:
                if waiting.pop() != nil { dropped.wrappingAdd(1, ordering: .relaxed) }
            case .fail:
                dropped.wrappingAdd(1, ordering: .relaxed)
                finish(.failed(ChannelError.overflow(capacity: capacity)))
                return false
            }
        }
        _ = waitingHighWaterMark.max(waiting.count, ordering: .relaxed)
        enterAndDrain()
        return true
    }

    /// Waits a moment for the thread inside; false when that one waits for this one, so that there will be no room.
    func waitForRoom(_ round: UInt32) -> Bool {
        guard round >= 64 else {
            cweir_thread_back_off(round)
            return true
        }
        var wait = unsafe cweir_wait_t(waiter: 0, target: 0, next: nil)
        guard unsafe cweir_wait_begin(&wait, cweir_gate_owner(gate)) else { return false }
        cweir_thread_back_off(round)
        unsafe cweir_wait_end(&wait)
        return true
    }
}
