import TestThreads
import WeirCore
import WeirDispatch

/// What a mailbox has to do, in the plainest way; put and taken by one thread, which is its consumer.
struct MailboxModel {
    struct Lane {
        var bound: MailboxBound
        var waiting: [Int] = []
        var accepted: UInt64 = 0
        var highWaterMark = 0
        var droppedNewest: UInt64 = 0
        var droppedOldest: UInt64 = 0
        var droppedWhenClosed: UInt64 = 0
        var droppedOwn: UInt64 = 0
    }

    private(set) var lanes: [[Lane]]
    private(set) var failure: MailboxError?
    private(set) var isClosed = false

    init(bounds: MailboxBounds) {
        lanes = Priority.allCases.map { priority in
            DispatchOrder.allCases.map { order in
                var bound = bounds[priority, order]
                if bound.overflowPolicy == .latest { bound.capacity = 1 }
                return Lane(bound: bound)
            }
        }
    }

    subscript(priority: Priority, order: DispatchOrder) -> Lane {
        get { lanes[Int(priority.rawValue)][Int(order.rawValue)] }
        set { lanes[Int(priority.rawValue)][Int(order.rawValue)] = newValue }
    }

    mutating func put(_ element: Int, priority: Priority, order: DispatchOrder) -> Bool {
        if isClosed {
            self[priority, order].droppedWhenClosed += 1
            return false
        }
        let bound = self[priority, order].bound
        if self[priority, order].waiting.count == bound.capacity {
            switch bound.overflowPolicy {
            case .block:
                self[priority, order].droppedOwn += 1
                return false
            case .dropNewest:
                self[priority, order].droppedNewest += 1
                return false
            case .fail:
                self[priority, order].droppedNewest += 1
                failure = .overflow(priority: priority, order: order, capacity: bound.capacity)
                isClosed = true
                return false
            case .dropOldest, .latest:
                self[priority, order].waiting.removeFirst()
                self[priority, order].droppedOldest += 1
            }
        }
        self[priority, order].waiting.append(element)
        self[priority, order].accepted += 1
        let count = self[priority, order].waiting.count
        self[priority, order].highWaterMark = max(count, self[priority, order].highWaterMark)
        return true
    }

    mutating func take() -> (element: Int, priority: Priority, order: DispatchOrder)? {
        for order in [DispatchOrder.stack, .queue] {
            for priority in Priority.allCases where !self[priority, order].waiting.isEmpty {
                let element =
                    order == .stack
                    ? self[priority, order].waiting.removeLast() : self[priority, order].waiting.removeFirst()
                return (element, priority, order)
            }
        }
        return nil
    }

    mutating func close() { isClosed = true }

    /// Whether the numbers of a mailbox are those of the model.
    func agrees(with metrics: MailboxMetrics) -> Bool {
        Priority.allCases.allSatisfy { priority in
            DispatchOrder.allCases.allSatisfy { order in
                let found = metrics[priority, order]
                let lane = self[priority, order]
                return found.pending == UInt64(lane.waiting.count) && found.accepted == lane.accepted
                    && found.highWaterMark == UInt64(lane.highWaterMark) && found.droppedNewest == lane.droppedNewest
                    && found.droppedOldest == lane.droppedOldest && found.droppedOwn == lane.droppedOwn
                    && found.droppedWhenClosed == lane.droppedWhenClosed
            }
        }
    }
}

/// A mailbox beside its model; every step checks that they agree.
struct MailboxPair {
    let mailbox: Mailbox<Token>
    var model: MailboxModel
    let census: Token.Census
    private var next = 0
    private(set) var agrees = true

    init(bounds: MailboxBounds, census: Token.Census) throws {
        mailbox = try Mailbox(bounds: bounds)
        // So that a full place of policy `block` drops instead of waiting for this thread.
        mailbox.becomeConsumer()
        model = MailboxModel(bounds: bounds)
        self.census = census
    }

    mutating func put(_ priority: Priority, _ order: DispatchOrder) {
        let expected = model.put(next, priority: priority, order: order)
        let found = mailbox.put(Token(next, in: census), priority: priority, order: order)
        next += 1
        agrees = agrees && expected == found
    }

    mutating func take() {
        let expected = model.take()
        let found = unsafe mailbox.take()
        agrees =
            agrees && expected?.element == found?.element.number && expected?.priority == found?.priority
            && expected?.order == found?.order
    }

    mutating func close() {
        model.close()
        mailbox.close()
    }

    mutating func compareNumbers() {
        agrees =
            agrees && model.agrees(with: mailbox.metrics) && model.failure == mailbox.failure
            && model.isClosed == mailbox.isClosed
    }
}
