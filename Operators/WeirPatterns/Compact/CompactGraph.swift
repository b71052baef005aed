public import WeirCore

/// The persistent graph of all partial matches of all groups, and the events in it.
///
/// Nodes are made and never changed, in the order of event time; they lie in a ring. A node is not older than the starts
/// below it, so once the oldest nodes are further back than the window is long they have expired, whatever they are:
/// making room is moving an index. Where that is not enough (no window, or partial matches that ended early) the nodes
/// that no cell leads to any more are squeezed out; that costs as much as the nodes made since the last time.
///
/// The structure is the tECS of Bucchi, Grez, Quintana, Riveros and Vansummeren, "CORE: a Complex event Recognition
/// Engine", PVLDB 15(9), 2022.
@frozen
@usableFromInline
struct CompactGraph<Element: Sendable>: ~Copyable, Sendable {
    /// How many nodes are given back at a time, as a power of two.
    @usableFromInline static var spanBits: UInt32 { 6 }

    @usableFromInline var nodes: PositionRing<CompactNode>
    /// For each span of nodes the time of its youngest node.
    @usableFromInline var spanTimes: PositionRing<Int64>
    /// For each span of nodes the first event that they may lead to.
    @usableFromInline var spanEvents: PositionRing<UInt32>
    @usableFromInline var events: PositionRing<CompactEvent<Element>>
    // Position 0 is no node.
    @usableFromInline var firstNode: UInt32 = 1
    @usableFromInline var endOfNodes: UInt32 = 1
    /// Where there is no room any more.
    @usableFromInline var endOfRoom: UInt32
    @usableFromInline var firstEvent: UInt32 = 0
    @usableFromInline var endOfEvents: UInt32 = 0
    @usableFromInline var endOfEventRoom: UInt32
    /// Partial matches that started before have expired.
    @usableFromInline var floor = Int64.min
    @usableFromInline var keptByCollection = 0
    // Near the limit, how often room is asked for before it is worth looking for nodes that are not needed.
    @usableFromInline var patience = 0

    @usableFromInline static var leastCapacity: Int { 256 }

    /// How many nodes there may be.
    @usableFromInline let limit: Int

    @inlinable
    init(limit: Int) {
        self.limit = limit
        let capacity = Self.leastCapacity
        nodes = PositionRing(capacity: capacity, filler: .none)
        spanTimes = PositionRing(capacity: capacity >> Int(Self.spanBits), filler: .min)
        spanEvents = PositionRing(capacity: capacity >> Int(Self.spanBits), filler: 0)
        events = PositionRing(capacity: 64, filler: CompactEvent(nil, .min))
        endOfRoom = firstNode + UInt32(capacity) - (1 << Self.spanBits)
        endOfEventRoom = 64
    }

    /// How many nodes there are, with those that have expired and not been reclaimed yet.
    @inlinable
    var nodeCount: Int { Int(endOfNodes &- firstNode) }

    /// How many events are kept.
    @inlinable
    var eventCount: Int { Int(endOfEvents &- firstEvent) }

    // MARK: Making nodes

    @inlinable
    mutating func append(_ node: CompactNode) -> UInt32 {
        let position = endOfNodes
        nodes[position] = node
        endOfNodes = position &+ 1
        return position
    }

    /// Every partial match of `parent`, and then an event.
    @inlinable
    mutating func step(_ parent: UInt32, _ newest: Int64, _ event: UInt32, _ capture: UInt32) -> UInt32 {
        append(CompactNode(newest: newest, detail: Int64(capture), link: parent, other: event))
    }

    /// The partial matches of two nodes, of which the first has the newest start.
    @inlinable
    mutating func union(_ left: UInt32, _ newest: Int64, _ right: UInt32, _ newestOfRight: Int64) -> UInt32 {
        append(CompactNode(newest: newest, detail: newestOfRight, link: left | CompactNode.unionBit, other: right))
    }

    /// The cell with one more node in its list.
    @inlinable
    mutating func insert(_ node: UInt32, _ newest: Int64, _ count: UInt32, into cell: CompactCell) -> CompactCell {
        if cell.root == 0 || cell.newest < floor { return CompactCell(newest: newest, root: node, count: count) }
        if newest >= cell.newest {
            // What was there becomes one node of the new list, which keeps lists short.
            return CompactCell(newest: newest, root: union(node, newest, cell.root, cell.newest), count: 2)
        }
        return insertBehind(node, newest, into: cell)
    }

    /// Puts a node behind those with newer starts.
    ///
    /// The list is no longer than there are cells: each entry comes from another one.
    @inlinable
    @inline(never)
    mutating func insertBehind(_ node: UInt32, _ newest: Int64, into cell: CompactCell) -> CompactCell {
        var list: [(node: UInt32, newest: Int64)] = []
        var (rest, newestOfRest) = (cell.root, cell.newest)
        while list.count + 1 < Int(cell.count) {
            let union = nodes[rest]
            list.append((union.left, newestOfRest))
            (rest, newestOfRest) = (union.other, union.detail)
            if newestOfRest < floor { break }
        }
        if newestOfRest >= floor { list.append((rest, newestOfRest)) }
        let place = list.dropFirst().firstIndex { $0.newest <= newest } ?? list.count
        if place == list.count || list[place].newest < newest {
            if list.count <= CompactNode.greatestListCount {
                list.insert((node, newest), at: place)
            } else {
                list[place - 1].node = union(list[place - 1].node, list[place - 1].newest, node, newest)
            }
        } else {
            list[place].node = unionOfEqual(list[place].node, node, newest)
        }
        var root = list[list.count - 1]
        for entry in list.dropLast().reversed() {
            root = (union(entry.node, entry.newest, root.node, root.newest), entry.newest)
        }
        return CompactCell(newest: root.newest, root: root.node, count: UInt32(list.count))
    }

    /// The union of two nodes with the same newest start, such that no left side is a union.
    @inlinable
    mutating func unionOfEqual(_ first: UInt32, _ second: UInt32, _ newest: Int64) -> UInt32 {
        let (a, b) = (nodes[first], nodes[second])
        guard a.isUnion else { return union(first, newest, second, newest) }
        guard b.isUnion else { return union(second, newest, first, newest) }
        let rest: (node: UInt32, newest: Int64)
        if a.detail < floor {
            rest = (b.other, b.detail)
        } else if b.detail < floor {
            rest = (a.other, a.detail)
        } else if a.detail >= b.detail {
            rest = (union(a.other, a.detail, b.other, b.detail), a.detail)
        } else {
            rest = (union(b.other, b.detail, a.other, a.detail), b.detail)
        }
        let inner = union(b.left, newest, rest.node, rest.newest)
        return union(a.left, newest, inner, newest)
    }

    /// Remembers an event.
    @inlinable
    mutating func append(_ element: borrowing Element, _ time: Int64) -> UInt32 {
        if endOfEvents == endOfEventRoom { makeRoomForEvents() }
        let position = endOfEvents
        events[position] = CompactEvent(copy element, time)
        endOfEvents = position &+ 1
        return position
    }

    /// Notes the time of the nodes that were made since `first`.
    @inlinable
    mutating func noteTime(_ time: Int64, since first: UInt32) {
        let last = (endOfNodes &- 1) >> Self.spanBits
        var span = first >> Self.spanBits
        // Nodes in the middle of a span found its first event noted.
        if first & ((1 << Self.spanBits) - 1) != 0 || first == firstNode {
            spanTimes[span] = time
            if first == firstNode { spanEvents[span] = firstEvent }
            span &+= 1
        }
        while span <= last {
            spanTimes[span] = time
            spanEvents[span] = endOfEvents &- 1
            span &+= 1
        }
    }

    // MARK: Making room

    /// Moves on past what has expired, a span at a time.
    @inlinable
    mutating func reclaimExpired() {
        let lastSpan = endOfNodes >> Self.spanBits
        var span = firstNode >> Self.spanBits
        let before = span
        while span < lastSpan, spanTimes[span] < floor { span &+= 1 }
        guard span != before else { return }
        firstNode = span << Self.spanBits
        // The last span may have nothing in it yet.
        let hasNodes = firstNode != endOfNodes
        forgetEvents(before: hasNodes ? spanEvents[span] : endOfEvents)
        updateRoom()
    }

    @inlinable
    mutating func forgetEvents(before event: UInt32) {
        while firstEvent != event {
            events[firstEvent] = CompactEvent(nil, .min)
            firstEvent &+= 1
        }
        endOfEventRoom = firstEvent &+ UInt32(events.capacity)
    }

    @inlinable
    mutating func updateRoom() {
        // A span that is half given back and half in use would have two times: the last one stays free.
        let room = UInt32(nodes.capacity) - (1 << Self.spanBits)
        let end = ((firstNode >> Self.spanBits) << Self.spanBits).addingReportingOverflow(room)
        let endOfNumbers = CompactNode.unionBit - 1
        endOfRoom = min(end.overflow ? endOfNumbers : end.partialValue, endOfNumbers, firstNode + UInt32(limit))
    }

    /// Makes room for events by forgetting those of expired nodes, or by growing.
    @inlinable
    @inline(never)
    mutating func makeRoomForEvents() {
        reclaimExpired()
        if eventCount * 4 > events.capacity * 3 {
            events.resize(
                to: events.capacity * 2,
                keeping: firstEvent,
                to: endOfEvents,
                filler: CompactEvent(nil, .min)
            )
        }
        endOfEventRoom = firstEvent &+ UInt32(events.capacity)
    }

    /// Makes room for nodes.
    ///
    /// - Parameters:
    ///   - count: For how many.
    ///   - cells: What leads to the nodes that are needed.
    ///   - cellCount: How many cells there are.
    /// - Returns: `false` if the limit does not allow it.
    @inlinable
    @inline(never)
    mutating func makeRoom(for count: Int, cells: inout PositionRing<CompactCell>, cellCount: UInt32) -> Bool {
        reclaimExpired()
        let isNearEnd = endOfNodes > CompactNode.unionBit / 2
        if !isNearEnd {
            if hasMuchRoom(for: count) { return true }
            if patience > 0 {
                patience -= 1
                return hasRoom(for: count)
            }
        }
        let made = max(0, nodeCount - keptByCollection)
        let canGrow = nodes.capacity - (1 << Int(Self.spanBits)) < limit
        if isNearEnd || made * 2 >= nodeCount || !canGrow {
            collect(&cells, cellCount, roomFor: count)
            patience = hasMuchRoom(for: count) ? 0 : nodeCount / 8
        } else {
            // One event may take more than what there is already; the first span and the last are not used as a whole.
            var capacity = nodes.capacity * 2
            while capacity - (2 << Int(Self.spanBits)) < nodeCount + count { capacity *= 2 }
            resize(to: capacity)
        }
        return hasRoom(for: count)
    }

    /// Whether there is so much room that making it pays for itself.
    @inlinable
    func hasMuchRoom(for count: Int) -> Bool { hasRoom(for: max(count, min(nodes.capacity, limit) / 4)) }

    @inlinable
    func hasRoom(for count: Int) -> Bool { Int(endOfRoom) - Int(endOfNodes) >= count }

    /// Lets the oldest partial matches expire early, about an eighth of the nodes.
    ///
    /// - Returns: How many first events of partial matches are forgotten.
    @inlinable
    mutating func expireOldest() -> Int {
        let firstSpan = firstNode >> Self.spanBits
        let lastSpan = (endOfNodes - 1) >> Self.spanBits
        let newFloor = Nanoseconds.sum(spanTimes[min(lastSpan, firstSpan + UInt32(nodeCount / 8) >> Self.spanBits)], 1)
        var count = 0
        var position = firstNode
        while position != endOfNodes {
            let node = nodes[position]
            if node.link == 0, node.newest >= floor, node.newest < newFloor { count += 1 }
            position += 1
        }
        floor = max(floor, newFloor)
        patience = 0
        reclaimExpired()
        return count
    }

    @inlinable
    mutating func resize(to capacity: Int) {
        let (firstSpan, endOfSpans) = (firstNode >> Self.spanBits, (endOfNodes >> Self.spanBits) + 1)
        nodes.resize(to: capacity, keeping: firstNode, to: endOfNodes, filler: .none)
        let spans = capacity >> Int(Self.spanBits)
        spanTimes.resize(to: spans, keeping: firstSpan, to: endOfSpans, filler: .min)
        spanEvents.resize(to: spans, keeping: firstSpan, to: endOfSpans, filler: 0)
        updateRoom()
    }

    /// Squeezes out the nodes and the events that no cell leads to any more, and numbers the others anew.
    ///
    /// Parents and sides of a node were made before it, so marking is one pass from the youngest node to the oldest, and
    /// moving is one pass back.
    @inlinable
    mutating func collect(_ cells: inout PositionRing<CompactCell>, _ cellCount: UInt32, roomFor count: Int) {
        var isNeeded = [Bool](repeating: false, count: nodeCount)
        for cell in 0..<cellCount {
            let content = cells[cell]
            if content.root == 0 { continue }
            if content.newest < floor {
                cells[cell] = .empty
            } else {
                isNeeded[Int(content.root - firstNode)] = true
            }
        }
        var needed = 0
        for index in isNeeded.indices.reversed() where isNeeded[index] {
            let node = nodes[firstNode + UInt32(index)]
            needed += 1
            if node.link != 0 { isNeeded[Int(node.left - firstNode)] = true }
            if node.isUnion, node.detail >= floor { isNeeded[Int(node.other - firstNode)] = true }
        }
        move(isNeeded, needed, roomFor: count, &cells, cellCount)
        keptByCollection = needed
    }

    @inlinable
    mutating func move(
        _ isNeeded: [Bool],
        _ needed: Int,
        roomFor count: Int,
        _ cells: inout PositionRing<CompactCell>,
        _ cellCount: UInt32
    ) {
        var moved = CompactGraph(limit: limit)
        moved.floor = floor
        var capacity = Self.leastCapacity
        while capacity < (needed + count) * 2 + (1 << Int(Self.spanBits)) { capacity *= 2 }
        moved.resize(to: capacity)
        var positions = [UInt32](repeating: 0, count: isNeeded.count)
        var lastEvent: UInt32?
        for index in isNeeded.indices where isNeeded[index] {
            let old = firstNode + UInt32(index)
            var node = nodes[old]
            if node.link != 0 {
                let left = positions[Int(node.left - firstNode)]
                node.link = node.isUnion ? left | CompactNode.unionBit : left
            }
            if !node.isUnion {
                if node.other != lastEvent {
                    lastEvent = node.other
                    moved.keep(events[node.other])
                }
                node.other = moved.endOfEvents &- 1
            } else if node.detail >= floor {
                node.other = positions[Int(node.other - firstNode)]
            } else {
                (node.other, node.detail) = (0, .min)
            }
            let position = moved.append(node)
            positions[index] = position
            // Before the first event of the ring nothing is noted.
            let (span, oldSpan) = (position >> Self.spanBits, old >> Self.spanBits)
            if position & ((1 << Self.spanBits) - 1) == 0 || position == 1 {
                moved.spanEvents[span] = moved.endOfEvents == 0 ? 0 : moved.endOfEvents &- 1
            }
            moved.spanTimes[span] = spanTimes[oldSpan]
        }
        for cell in 0..<cellCount where cells[cell].root != 0 {
            cells[cell].root = positions[Int(cells[cell].root - firstNode)]
        }
        self = moved
    }

    @inlinable
    mutating func keep(_ event: CompactEvent<Element>) {
        if endOfEvents == endOfEventRoom { makeRoomForEvents() }
        events[endOfEvents] = event
        endOfEvents &+= 1
    }
}
