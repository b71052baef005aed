public import CWeir

/// A reference that many threads read without waiting while others replace it.
///
/// A replaced value is released when the last reader that could have seen it is gone, at the next replacement at the
/// latest.
///
/// Thread safety: all members, from any thread, also from inside `read`.
@safe
@usableFromInline
package final class Snapshot<Value: AnyObject & Sendable>: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: the C snapshot is made for many threads; `retired` is under its lock, which also
    // serialises the writers, as the C functions want it.

    private struct Retired: Sendable {
        var sinceLastPhase: [Value] = []
        var before: [Value] = []
    }

    @usableFromInline let state: UnsafeMutablePointer<cweir_snapshot_t>
    private let retired = Locked(Retired())

    package init() {
        guard let lines = unsafe cweir_allocate_lines(1, MemoryLayout<cweir_snapshot_t>.size) else {
            preconditionFailure("there is no memory for a dispatch table")
        }
        unsafe state = lines.bindMemory(to: cweir_snapshot_t.self, capacity: 1)
        unsafe cweir_snapshot_init(state, nil)
    }

    deinit {
        if let last = unsafe cweir_snapshot_replace(state, nil) { unsafe Unmanaged<Value>.fromOpaque(last).release() }
        unsafe cweir_free_lines(state)
    }

    /// Whether there is nothing to read: one plain load, for the hot path.
    @inlinable
    package var isEmpty: Bool { unsafe cweir_snapshot_is_empty(state) }

    /// How often the value was read with `isCounted`; costs no more than reading it.
    package var countedReads: UInt64 { unsafe cweir_snapshot_tally(state, 1) }

    /// How often the value was read, counted or not.
    package var reads: UInt64 { unsafe cweir_snapshot_tally(state, 0) &+ cweir_snapshot_tally(state, 1) }

    /// Whether no thread is inside `read`, at one moment for each of those that are there before the call.
    package var isUnread: Bool { unsafe cweir_snapshot_is_left(state, 0) && cweir_snapshot_is_left(state, 1) }

    /// Calls `body` with the current value, if there is one.
    ///
    /// - Parameters:
    ///   - isCounted: Whether to count it, also when there is no value.
    ///   - body: May take long: no thread waits for it, but values replaced meanwhile are kept.
    @inlinable
    package func read(isCounted: Bool = false, _ body: (Value) -> Void) {
        _ = read(isCounted: isCounted, after: { true }, body)
    }

    /// Calls `first`, then `body` with the value that there was before it, all in one read.
    ///
    /// - Parameters:
    ///   - isCounted: Whether to count it, also when there is no value.
    ///   - first: Says whether `body` is called; it is called also when there is no value.
    ///   - body: May take long: no thread waits for it, but values replaced meanwhile are kept.
    /// - Returns: What `first` returned.
    @inlinable
    package func read(isCounted: Bool = false, after first: () -> Bool, _ body: (Value) -> Void) -> Bool {
        let reading = unsafe cweir_snapshot_enter(state, isCounted ? 1 : 0)
        let goesOn = first()
        if goesOn, let pointer = unsafe reading.pointer {
            unsafe Unmanaged<Value>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
        }
        unsafe cweir_snapshot_leave(reading)
        return goesOn
    }

    /// Replaces the value, also while it is read.
    ///
    /// - Parameter value: The new value; `nil` leaves nothing to read.
    /// - Returns: Values that no reader uses any more. Their deinitializers are foreign code: release them outside
    ///   locks.
    @discardableResult
    package func replace(with value: Value?) -> [Value] {
        let new = unsafe value.map { unsafe Unmanaged.passRetained($0).toOpaque() }
        return retired.withLock { retired in
            if let old = unsafe cweir_snapshot_replace(state, new) {
                unsafe retired.sinceLastPhase.append(Unmanaged<Value>.fromOpaque(old).takeRetainedValue())
            }
            return collect(&retired)
        }
    }

    /// Looks again whether what was replaced is still read.
    ///
    /// - Returns: Values that no reader uses any more. Their deinitializers are foreign code: release them outside
    ///   locks.
    package func collect() -> [Value] {
        retired.withLock { collect(&$0) }
    }

    private func collect(_ retired: inout Retired) -> [Value] {
        var unused: [Value] = []
        // Twice: without a reader, the value just replaced is released at once.
        for _ in 0..<2 where unsafe cweir_snapshot_advance(state) {
            unused += retired.before
            retired.before = retired.sinceLastPhase
            retired.sinceLastPhase = []
        }
        return unused
    }
}
