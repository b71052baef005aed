/// How an event is dispatched: how urgent it is, and whether it queues or goes on top.
@frozen
@usableFromInline
package struct DispatchOptions: Sendable {
    @usableFromInline package var priority: Priority
    @usableFromInline package var order: DispatchOrder

    @inlinable
    package init(_ priority: Priority = .normal, _ order: DispatchOrder = .queue) {
        self.priority = priority
        self.order = order
    }
}

/// How an event waits among those of its priority.
@frozen
public enum DispatchOrder: UInt8, CaseIterable, Sendable {
    /// Last in, first out, and before all queued events, whatever their priority.
    case stack = 0

    /// First in, first out.
    case queue = 1
}
