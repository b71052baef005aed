/// How an event is dispatched: how urgent it is, and whether it queues or goes on top.
@frozen
@usableFromInline
struct Urgency: Sendable {
    @usableFromInline var priority: Priority
    @usableFromInline var order: DispatchOrder

    @inlinable
    init(_ priority: Priority = .normal, _ order: DispatchOrder = .queue) {
        self.priority = priority
        self.order = order
    }
}
