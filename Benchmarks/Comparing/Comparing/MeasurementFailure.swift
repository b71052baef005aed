/// Why a measurement is worth nothing: what it needs is not there, or what it counts does not fit.
public struct MeasurementFailure: Error, CustomStringConvertible {
    public let description: String

    /// Creates the error.
    ///
    /// - Parameter description: What went wrong.
    public init(_ description: String) {
        self.description = description
    }
}
