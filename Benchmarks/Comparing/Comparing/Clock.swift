/// The time that some work takes, in nanoseconds per element.
///
/// - Parameters:
///   - count: How many elements the work handles.
///   - body: The work.
/// - Returns: The time of the whole, divided by `count`.
/// - Throws: What `body` throws.
@inlinable
public func nanoseconds(per count: Int, _ body: () throws -> Void) rethrows -> Double {
    let time = try ContinuousClock().measure(body)
    let (seconds, attoseconds) = time.components
    return (Double(seconds) * 1e9 + Double(attoseconds) * 1e-9) / Double(count)
}
