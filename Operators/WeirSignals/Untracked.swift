internal import WeirCore

/// Reads signals without depending on them.
///
///     let label = MutableSignal("sum")
///     let total = MutableSignal(1)
///     let line = Signal { "\(untracked { label() }): \(total())" }
///
/// What is read inside, directly or by functions that are called there, is up to date, as everywhere. When it changes, the
/// expression around it is not computed again; when that is computed for another reason, it sees the new value. Outside of
/// expressions it makes no difference. A signal that reads itself in this way, directly or through others, is a cycle as well.
///
/// - Parameter body: Reads signals.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
/// - Complexity: O(1) beside that of `body`.
public func untracked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let reader = SignalCycle.onThisThread { $0.beginUntracked() }
    defer { reader?.with { $0.state.value.isUntracked = false } }
    return try body()
}
