public import WeirCore

/// How room is made for nodes and events.
extension CompactGraph {
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

    /// Drops the oldest partial matches before their time, about an eighth of the nodes.
    ///
    /// - Returns: How many first events of partial matches are forgotten; `nil` where none can be older than the others, at
    ///   the end of time.
    @inlinable
    mutating func expireOldest() -> Int? {
        let firstSpan = firstNode >> Self.spanBits
        let lastSpan = (endOfNodes - 1) >> Self.spanBits
        let newFloor = Nanoseconds.sum(spanTimes[min(lastSpan, firstSpan + UInt32(nodeCount / 8) >> Self.spanBits)], 1)
        guard newFloor > floor else { return nil }
        var count = 0
        var position = firstNode
        while position != endOfNodes {
            let node = nodes[position]
            if node.link == 0, node.newest >= floor, node.newest < newFloor { count += 1 }
            position += 1
        }
        floor = newFloor
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
