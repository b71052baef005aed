/// What can go wrong with signals.
public enum SignalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A signal depends on itself; the path leads from the signal through its dependencies back to it.
    ///
    /// Signals are named as they were named when they were made, or else by where that was.
    case cycle(path: [String])

    public var description: String {
        switch self {
        case .cycle(let path):
            "a signal depends on itself: \(path.joined(separator: " reads ")); take one of them out of the expression"
        }
    }
}
