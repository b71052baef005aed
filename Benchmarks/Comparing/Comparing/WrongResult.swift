/// A workload did not give what it must, so that it has no cost either.
public struct WrongResult: Error, CustomStringConvertible {
    public let description: String

    /// Creates the error.
    ///
    /// - Parameters:
    ///   - result: What came out.
    ///   - reference: What must come out.
    public init(_ result: some Any, insteadOf reference: some Any) {
        description = "the result is \(result) instead of \(reference)"
    }
}
