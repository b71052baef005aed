/// Makes several writes to signals one change.
///
///     transaction {
///         position.value = 17
///         speed.value = 3
///     }
///
/// Dependents are computed once, and observers notified once, after `body`; they never see one write without the other.
/// Transactions may be nested: the outermost counts. A derived signal that is read inside, after a write, is computed
/// at once, with its dependencies; all others wait for the end. Writes before `body` throws stay, and are propagated.
///
/// - Parameter body: Writes to signals.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
public func transaction<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    SignalCycle.onThisThread { $0.beginTransaction() }
    defer { SignalCycle.onThisThread { $0.endTransaction() } }
    return try body()
}

/// Makes several writes to signals one change, unless that makes a signal depend on itself.
///
/// Unchecked, that is a programmer's error and traps with the path of the signals. Here all writes are reverted and the
/// error is thrown; observers are not notified. Inside of another transaction nothing is checked: the outermost one
/// counts.
///
/// - Parameter body: Writes to signals.
/// - Throws: ``SignalError/cycle(path:)``.
public func checkedTransaction(_ body: () -> Void) throws(SignalError) {
    if let error = SignalCycle.onThisThread({ $0.check(body) }) { throw error }
}
