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
        endOfRoom = 0
        endOfEventRoom = 64
        updateRoom()
    }

    /// How many nodes there are, with those that have expired and not been reclaimed yet.
    @inlinable
    var nodeCount: Int { Int(endOfNodes &- firstNode) }

    /// How many events are kept.
    @inlinable
    var eventCount: Int { Int(endOfEvents &- firstEvent) }

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
}
