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
