public import WeirCore
public import WeirExpressions

/// The events of partial matches, and the paths through them.
///
/// Every event is kept once, and every beginning that partial matches have in common is kept once: a partial match is a
/// path from a node back to its first event. Nodes and events are counted, and their places are used again.
@frozen
@usableFromInline
struct PathStore<Element: Sendable>: Sendable {
    /// An event that at least one node refers to.
    @frozen
    @usableFromInline
    struct Stored: Sendable {
        @usableFromInline var element: Element?
        @usableFromInline var time: Timestamp
        // The order of arrival, which tells events of the same time apart.
        @usableFromInline var sequence: UInt64
        // The number of nodes; of a free place the next free one.
        @usableFromInline var references: Int32

        @inlinable
        init(_ element: Element, _ time: Timestamp, _ sequence: UInt64) {
            self.element = element
            self.time = time
            self.sequence = sequence
            references = 1
        }
    }

    /// An event of a partial match, and the one before it.
    @frozen
    @usableFromInline
    struct Node: Sendable {
        @usableFromInline var event: Int32
        @usableFromInline var parent: Int32
        @usableFromInline var capture: Int32
        // How many partial matches end here, plus how many nodes follow; of a free place the next free one.
        @usableFromInline var references: Int32

        @inlinable
        init(_ event: Int32, _ parent: Int32, _ capture: Int32) {
            self.event = event
            self.parent = parent
            self.capture = capture
            references = 1
        }
    }

    @usableFromInline var events: [Stored] = []
    @usableFromInline var nodes: [Node] = []
    // For each node, one place for each aggregate.
    @usableFromInline var accumulated: [SummaryState] = []
    @usableFromInline let aggregates: [PlanAggregate<Element>]
    @usableFromInline var freeEvent: Int32 = -1
    @usableFromInline var freeNode: Int32 = -1
    @usableFromInline var eventCount = 0
    @usableFromInline var nodeCount = 0

    @inlinable
    init(_ aggregates: [PlanAggregate<Element>]) {
        self.aggregates = aggregates
    }

    /// Keeps an event for the nodes that are about to refer to it, until ``unpin(_:)``.
    @inlinable
    mutating func add(_ element: borrowing Element, _ time: Timestamp, _ sequence: UInt64) -> Int32 {
        eventCount += 1
        let index = freeEvent
        guard index >= 0 else {
            events.append(Stored(copy element, time, sequence))
            return Int32(events.count - 1)
        }
        freeEvent = events[Int(index)].references
        events[Int(index)] = Stored(copy element, time, sequence)
        return index
    }

    /// Makes a node that a partial match ends at.
    @inlinable
    mutating func extend(_ parent: Int32, _ capture: Int32, _ event: Int32) -> Int32 {
        events[Int(event)].references += 1
        if parent >= 0 { nodes[Int(parent)].references += 1 }
        nodeCount += 1
        let index = freeNode
        guard index >= 0 else {
            nodes.append(Node(event, parent, capture))
            let index = Int32(nodes.count - 1)
            if !aggregates.isEmpty {
                accumulated.append(contentsOf: repeatElement(SummaryState(), count: aggregates.count))
                accumulate(index)
            }
            return index
        }
        freeNode = nodes[Int(index)].references
        nodes[Int(index)] = Node(event, parent, capture)
        if !aggregates.isEmpty { accumulate(index) }
        return index
    }

    @inlinable
    mutating func accumulate(_ index: Int32) {
        let node = nodes[Int(index)]
        for number in aggregates.indices {
            var value = SummaryState()
            if node.parent >= 0 { value = accumulated[Int(node.parent) * aggregates.count + number] }
            if aggregates[number].capture == node.capture, let element = events[Int(node.event)].element {
                value.add(aggregates[number].value(element))
            }
            accumulated[Int(index) * aggregates.count + number] = value
        }
    }

    /// Adds a partial match that ends at a node.
    @inlinable
    mutating func retain(_ node: Int32) {
        if node >= 0 { nodes[Int(node)].references += 1 }
    }

    /// Removes a partial match that ends at a node, and frees what nothing leads to any more.
    @inlinable
    mutating func release(_ node: Int32) {
        var index = node
        while index >= 0 {
            nodes[Int(index)].references -= 1
            guard nodes[Int(index)].references == 0 else { return }
            let (event, parent) = (nodes[Int(index)].event, nodes[Int(index)].parent)
            nodes[Int(index)].references = freeNode
            freeNode = index
            nodeCount -= 1
            events[Int(event)].references -= 1
            if events[Int(event)].references == 0 { forget(event) }
            index = parent
        }
    }

    /// Releases an event that was kept for nodes to come.
    @inlinable
    mutating func unpin(_ event: Int32) {
        events[Int(event)].references -= 1
        if events[Int(event)].references == 0 { forget(event) }
    }

    @inlinable
    mutating func forget(_ event: Int32) {
        events[Int(event)].element = nil
        events[Int(event)].references = freeEvent
        freeEvent = event
        eventCount -= 1
    }

    /// Gives memory back when nothing is kept but much was.
    @inlinable
    mutating func shrink() {
        guard eventCount == 0, nodeCount == 0, nodes.capacity > 4096 else { return }
        events = []
        nodes = []
        accumulated = []
        (freeEvent, freeNode) = (-1, -1)
    }

    /// The time of the last event of a path.
    @inlinable
    func time(of node: Int32) -> Timestamp {
        events[Int(nodes[Int(node)].event)].time
    }

    /// Writes the events of a path into a match, in the order in which they came.
    @inlinable
    func read(_ node: Int32, into match: inout FoundMatch<Element>) {
        match.entries.removeAll(keepingCapacity: true)
        var index = node
        while index >= 0 {
            let node = nodes[Int(index)]
            let stored = events[Int(node.event)]
            if let element = stored.element {
                match.entries.append(
                    FoundMatch.Entry(capture: Int(node.capture), element: element, time: stored.time)
                )
            }
            index = node.parent
        }
        match.entries.reverse()
    }
}
