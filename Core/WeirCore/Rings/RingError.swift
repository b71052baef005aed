/// The reason why a ring could not be made.
public enum RingError: Error, Hashable, Sendable {
    /// The capacity, which is attached, is not a power of two between 1 and 2³⁰.
    case invalidCapacity(Int)

    /// There is no memory for the slots.
    case outOfMemory
}

extension RingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidCapacity(let capacity):
            "the capacity of a ring has to be a power of two between 1 and 2^30, not \(capacity)"
        case .outOfMemory:
            "there is no memory for the slots of the ring"
        }
    }
}

extension RingError {
    /// Throws unless `capacity` is a power of two between 1 and 2³⁰.
    static func check(_ capacity: Int) throws(RingError) {
        guard capacity > 0, capacity & (capacity - 1) == 0, capacity <= 1 << 30 else {
            throw .invalidCapacity(capacity)
        }
    }
}
