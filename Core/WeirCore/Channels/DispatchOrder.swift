/// How an event waits among those of its priority.
@frozen
public enum DispatchOrder: UInt8, CaseIterable, Sendable {
    /// Last in, first out, and before all queued events, whatever their priority.
    case stack = 0

    /// First in, first out.
    case queue = 1
}
