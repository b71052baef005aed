/// What can go wrong in a transport.
public enum TransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The address itself is wrong, whatever is there: an option that there is not, or a value that makes no sense.
    case badAddress(address: String, reason: String)
    /// The address cannot be opened; the reason follows the address.
    case cannotOpen(address: String, reason: String)
    /// Reading broke off.
    case readFailed(address: String, reason: String)
    /// Writing broke off.
    case writeFailed(address: String, reason: String)
    /// The reader has gone, such as after `| head`.
    case closed(address: String)
    /// The reader was asked to stop, such as with Ctrl-C.
    case interrupted(address: String)

    public var description: String {
        switch self {
        case .badAddress(let address, let reason), .cannotOpen(let address, let reason):
            "cannot open '\(address)': \(reason)"
        case .readFailed(let address, let reason): "cannot read on from '\(address)': \(reason)"
        case .writeFailed(let address, let reason): "cannot write to '\(address)': \(reason)"
        case .closed(let address): "'\(address)' was closed by its reader"
        case .interrupted(let address): "waiting for '\(address)' was interrupted"
        }
    }
}
