internal import CWeir

/// State that one thread at a time works on: a thread that finds it busy leaves the work to the thread inside.
///
/// No thread waits and nothing recurses: ``run()`` from inside the work makes it run once more. The state need not be
/// `Sendable`: it is made by a closure that captures nothing that is not, and only the work gets to see it.
///
/// Thread safety: any thread.
@safe
package final class GatedState<State>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: `state` is touched only inside the gate, whose enter and leave order one thread's
    // work before the next one's. Both closures are `@Sendable`, so nothing outside can refer to what the state holds.

    private let gate: UnsafeMutablePointer<cweir_gate_t>
    private let state: UnsafeMutablePointer<State>
    private let work: @Sendable (inout State) -> Void

    /// Creates the state.
    package init(_ make: @Sendable () -> State, work: @escaping @Sendable (inout State) -> Void) {
        guard let line = unsafe cweir_allocate_lines(1, MemoryLayout<cweir_gate_t>.size) else {
            preconditionFailure("there is no memory for confined state")
        }
        unsafe gate = line.bindMemory(to: cweir_gate_t.self, capacity: 1)
        unsafe cweir_gate_init(gate)
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: make())
        self.work = work
    }

    deinit {
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
        unsafe cweir_free_lines(gate)
    }

    /// Sees to it that the work runs after this call has begun: now, or by the thread that is at it.
    package func run() {
        guard unsafe cweir_gate_enter(gate) || cweir_gate_notify(gate) else { return }
        repeat {
            unsafe work(&state.pointee)
        } while unsafe !cweir_gate_leave(gate)
    }

    /// Calls `body` with the state while no thread is at the work, such as to save it; waits for the one that is.
    ///
    /// - Parameters:
    ///   - postpone: Called when the work was asked for meanwhile, which has to be done then.
    ///   - body: Takes the state.
    /// - Returns: What `body` returns; `nil` from inside the work, or when the thread that is there waits for this one.
    /// - Throws: What `body` throws.
    package func whileIdle<Result, Failure>(
        postponing postpone: () -> Void,
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard enterAlone() else { return nil }
        defer { if leaveUndone() { postpone() } }
        return unsafe try body(&state.pointee)
    }

    /// Enters when the thread inside has left.
    private func enterAlone() -> Bool {
        guard !isInside else { return false }
        var round: UInt32 = 0
        while unsafe !cweir_gate_enter(gate) {
            if round >= 64 {
                var wait = unsafe cweir_wait_t(waiter: 0, target: 0, next: nil)
                guard unsafe cweir_wait_begin(&wait, cweir_gate_owner(gate)) else { return false }
                cweir_thread_back_off(round)
                unsafe cweir_wait_end(&wait)
            } else {
                cweir_thread_back_off(round)
            }
            round &+= 1
        }
        return true
    }

    /// Leaves without doing the work; returns whether it was asked for.
    private func leaveUndone() -> Bool {
        var isAskedFor = false
        while unsafe !cweir_gate_leave(gate) { isAskedFor = true }
        return isAskedFor
    }

    /// Whether this thread is inside the work.
    package var isInside: Bool { unsafe cweir_gate_is_inside(gate) }
}
