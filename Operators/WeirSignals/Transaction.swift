/// Makes several writes to signals one change.
///
///     transaction {
///         position.value = 17
///         speed.value = 3
///     }
///
/// What depends on them is computed once, and observers are told once, after `body`; they never see one write without
/// the other. Transactions may be nested: the outermost counts. A derived signal that is read inside, after a write, is
/// computed for the occasion. What was written before `body` throws stays written, and is carried.
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
/// That is a programmer's mistake, and traps with the path of the signals where nobody checks. Here all writes are taken
/// back, as if there had been none, and the error is thrown; observers hear nothing. Inside of another transaction nothing
/// is checked: the outermost one counts.
///
/// - Parameter body: Writes to signals.
/// - Throws: ``SignalError/cycle(path:)``.
public func checkedTransaction(_ body: () -> Void) throws(SignalError) {
    if let error = SignalCycle.onThisThread({ $0.check(body) }) { throw error }
}
