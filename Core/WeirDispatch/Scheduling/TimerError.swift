/// Why a timer queue or a timer cannot be made.
public enum TimerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A queue can hold between 1 and 2³¹ timers.
    case invalidLimit(Int)
    /// As many timers are pending as the queue may hold.
    case full(limit: Int)
    /// There is no memory for another timer.
    case outOfMemory

    public var description: String {
        switch self {
        case .invalidLimit(let limit): "a timer queue cannot be limited to \(limit) timers, only to 1 up to 2^31"
        case .full(let limit): "\(limit) timers are pending, as many as the queue may hold"
        case .outOfMemory: "there is no memory for another timer"
        }
    }
}
