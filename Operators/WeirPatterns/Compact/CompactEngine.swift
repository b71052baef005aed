public import WeirCore

/// Evaluates a compact automaton for any number of groups.
///
/// An event costs a look-up of its program and a few instructions for its group, whatever the window and however many
/// partial matches there are. Its matches stay in the graph, where they can be counted or enumerated one by one until the
/// next event: see ``nextMatch()``.
@frozen
@usableFromInline
struct CompactEngine<Element: Sendable>: ~Copyable, Sendable {
    /// Where matches of the last event, or of a moment of time, lie in the graph.
    @frozen
    @usableFromInline
    struct Finding: BitwiseCopyable, Sendable {
        /// 0 if the event is the only one.
        @usableFromInline var root: UInt32
        /// The capture of the event that completes the matches; -1 if it is not part of them.
        @usableFromInline var capture: Int32

        @inlinable
        init(_ root: UInt32, _ capture: Int32) {
            self.root = root
            self.capture = capture
        }
    }

    /// What waits until all cells have been looked at for an event.
    @frozen
    @usableFromInline
    struct Deferred: BitwiseCopyable, Sendable {
        @usableFromInline var node: UInt32
        @usableFromInline var cell: UInt32
        @usableFromInline var count: UInt32
        @usableFromInline var newest: Int64

        @inlinable
        init(_ node: UInt32, _ newest: Int64, _ count: UInt32, _ cell: UInt32) {
            self.node = node
            self.newest = newest
            self.count = count
            self.cell = cell
        }
    }

    @usableFromInline var programs: CompactPrograms
    @usableFromInline var graph: CompactGraph<Element>
    @usableFromInline var cells: PositionRing<CompactCell>
    @usableFromInline var cellsPerSlot: UInt32
    @usableFromInline var slotCount: UInt32 = 1
    @usableFromInline let within: Int64?
    @usableFromInline let limits: PatternLimits
    /// The cells whose partial matches are matches when the window closes, one bit each.
    @usableFromInline let pendingCells: UInt64
    @usableFromInline var time = Int64.min
    @usableFromInline var findings = PositionRing(capacity: 16, filler: Finding(0, -1))
    @usableFromInline var findingCount: UInt32 = 0
    @usableFromInline var waiting = PositionRing(capacity: 16, filler: Deferred(0, 0, 0, 0))
    @usableFromInline var waitingCount: UInt32 = 0
    @usableFromInline var cursor = CompactCursor()
    @usableFromInline var starts: CompactStarts
    @usableFromInline var refusedEvents: UInt64 = 0
    @usableFromInline var droppedStarts: UInt64 = 0
    /// Whether the limit has cost something that has not been reported.
    @usableFromInline var hasLosses = false
    @usableFromInline var losses = CompactLosses()
    @usableFromInline var hasFailed = false

    @usableFromInline
    init(_ plan: CompactPlan, _ limits: PatternLimits, reportsTimeouts: Bool, isGrouped: Bool) {
        let isExact = plan.hasPending || reportsTimeouts
        starts = CompactStarts(
            isNeeded: plan.within != nil && (isExact || isGrouped),
            isExact: isExact,
            reportsTimeouts: reportsTimeouts
        )
        pendingCells = plan.waiting.indices.reduce(0) { mask, cell in
            plan.automaton.states[plan.waiting[cell]].kind == .pending ? mask | 1 << UInt64(cell) : mask
        }
        within = plan.within
        graph = CompactGraph(limit: Self.nodeLimit(limits))
        self.limits = limits
        cellsPerSlot = UInt32(max(1, plan.waiting.count))
        cells = PositionRing(capacity: Int(cellsPerSlot), filler: .empty)
        programs = CompactPrograms(plan)
    }

    /// How many nodes there may be: each is at least one partial match, and each event has one of its own.
    @usableFromInline
    static func nodeLimit(_ limits: PatternLimits) -> Int { min(limits.partialMatches, limits.events, 1 << 30) }

    /// What is held.
    @usableFromInline
    var metrics: CompactMetrics {
        var metrics = CompactMetrics()
        metrics.nodeCount = graph.nodeCount
        metrics.eventCount = graph.eventCount
        metrics.bytesWithoutEvents =
            graph.nodes.capacity * MemoryLayout<CompactNode>.stride
            + graph.spanTimes.capacity * 12
            + cells.capacity * MemoryLayout<CompactCell>.stride
            + starts.bytes
            + programs.places.capacity * (MemoryLayout<CompactProgram>.stride + 8)
            + programs.instructions.capacity * MemoryLayout<CompactInstruction>.stride
        metrics.bytes =
            metrics.bytesWithoutEvents + graph.events.capacity * MemoryLayout<CompactEvent<Element>>.stride
        metrics.refusedEvents = refusedEvents
        metrics.droppedStarts = droppedStarts
        metrics.hasFailed = hasFailed
        return metrics
    }

    // MARK: Time

    /// Moves time on: partial matches that started too long before have expired.
    @inlinable
    mutating func advance(to time: Int64) {
        guard time > self.time else { return }
        self.time = time
        guard let within else { return }
        let (floor, isTooEarly) = time.subtractingReportingOverflow(within - 1)
        if !isTooEarly, floor > graph.floor { graph.floor = floor }
    }

    // MARK: Events

    /// Takes an event.
    ///
    /// - Parameters:
    ///   - program: What events with its truth values do.
    ///   - element: The event, at the time that ``advance(to:)`` was given.
    ///   - slot: Its group.
    /// - Returns: Whether it completes matches.
    @inlinable
    mutating func receive(_ program: CompactProgram, _ element: borrowing Element, slot: UInt32) -> Bool {
        findingCount = 0
        if slot >= slotCount { addSlots(through: slot) }
        let needed = UInt32(truncatingIfNeeded: program.nodeCount)
        if graph.endOfNodes &+ needed > graph.endOfRoom, !makeRoom(for: needed) { return false }
        let base = slot &* cellsPerSlot
        let firstNew = graph.endOfNodes
        var event: UInt32?
        var index = program.first
        while index != program.end {
            let source = programs.instructions[index]
            index &+= 1
            let end = index &+ source.number
            let cell: CompactCell
            if source.operation == .fromStart {
                cell = CompactCell(newest: time, root: 0, count: 0)
            } else {
                let position = base &+ UInt32(source.cell)
                cell = cells[position]
                if cell.root == 0 {
                    index = end
                    continue
                }
                let isOver = cell.newest < graph.floor
                if isOver || source.operation == .from { cells[position] = .empty }
                if isOver {
                    index = end
                    continue
                }
            }
            var taken: UInt32 = 0
            while index != end {
                let instruction = programs.instructions[index]
                index &+= 1
                switch instruction.operation {
                case .take:
                    let position: UInt32
                    if let event {
                        position = event
                    } else {
                        position = graph.append(element, time)
                        event = position
                    }
                    taken = graph.step(cell.root, cell.newest, position, instruction.number)
                    put(taken, cell.newest, 1, base, instruction)
                case .share:
                    put(taken, cell.newest, 1, base, instruction)
                case .move:
                    put(cell.root, cell.newest, cell.count, base, instruction)
                case .match:
                    find(cell.root, -1)
                case .matchTaking:
                    find(cell.root, Int32(truncatingIfNeeded: instruction.number))
                case .from, .fromKeeping, .fromStart:
                    break
                }
            }
        }
        if waitingCount != 0 { putWaiting() }
        if graph.endOfNodes != firstNew { graph.noteTime(time, since: firstNew) }
        return findingCount != 0
    }

    @inlinable
    mutating func put(
        _ node: UInt32,
        _ newest: Int64,
        _ count: UInt32,
        _ base: UInt32,
        _ instruction: CompactInstruction
    ) {
        let position = base &+ UInt32(instruction.cell)
        if instruction.isDeferred {
            wait(Deferred(node, newest, count, position))
        } else {
            cells[position] = graph.insert(node, newest, count, into: cells[position])
        }
    }

    @inlinable
    @inline(never)
    mutating func wait(_ deferred: Deferred) {
        if Int(waitingCount) == waiting.capacity {
            waiting.resize(to: waiting.capacity * 2, keeping: 0, to: waitingCount, filler: deferred)
        }
        waiting[waitingCount] = deferred
        waitingCount += 1
    }

    @inlinable
    @inline(never)
    mutating func putWaiting() {
        for index in 0..<waitingCount {
            let item = waiting[index]
            cells[item.cell] = graph.insert(item.node, item.newest, item.count, into: cells[item.cell])
        }
        waitingCount = 0
    }

    @inlinable
    mutating func find(_ root: UInt32, _ capture: Int32) {
        if Int(findingCount) == findings.capacity { growFindings() }
        findings[findingCount] = Finding(root, capture)
        findingCount &+= 1
    }

    @inlinable
    @inline(never)
    mutating func growFindings() {
        findings.resize(to: findings.capacity * 2, keeping: 0, to: findingCount, filler: Finding(0, -1))
    }

    // MARK: Groups

    /// Whether a group has a partial match.
    @inlinable
    func hasPartialMatch(slot: UInt32) -> Bool {
        let base = slot &* cellsPerSlot
        var cell = base
        while cell != base &+ cellsPerSlot {
            let content = cells[cell]
            if content.root != 0, content.newest >= graph.floor { return true }
            cell &+= 1
        }
        return false
    }

    /// The latest start of a partial match of a group; `nil` if there is none.
    @inlinable
    func newestStart(slot: UInt32) -> Int64? {
        guard slot < slotCount else { return nil }
        var newest: Int64?
        for cell in (slot * cellsPerSlot)..<((slot + 1) * cellsPerSlot) where cells[cell].root != 0 {
            if cells[cell].newest >= graph.floor { newest = max(newest ?? .min, cells[cell].newest) }
        }
        return newest
    }

    /// Forgets the partial matches of a group.
    @inlinable
    mutating func clear(slot: UInt32) {
        for cell in (slot * cellsPerSlot)..<((slot + 1) * cellsPerSlot) { cells[cell] = .empty }
    }

    @inlinable
    @inline(never)
    mutating func addSlots(through slot: UInt32) {
        let needed = Int(slot + 1) * Int(cellsPerSlot)
        precondition(needed <= 1 << 31, "\(slot) groups of \(cellsPerSlot) states are more than can be numbered")
        if needed > cells.capacity {
            cells.resize(to: needed, keeping: 0, to: slotCount * cellsPerSlot, filler: .empty)
        }
        slotCount = slot + 1
    }

    /// Gives back the cells of slots that are not used any more.
    ///
    /// - Parameter slot: The first slot of those; no later one is in use.
    @inlinable
    mutating func removeSlots(from slot: UInt32) {
        guard slot < slotCount else { return }
        let needed = max(1, Int(slot)) * Int(cellsPerSlot)
        for cell in UInt32(needed)..<(slotCount * cellsPerSlot) { cells[cell] = .empty }
        if needed * 4 <= cells.capacity {
            cells.resize(to: needed, keeping: 0, to: UInt32(needed), filler: .empty)
        }
        slotCount = UInt32(max(1, Int(slot)))
    }

    // MARK: Limits

    @inlinable
    @inline(never)
    mutating func makeRoom(for count: UInt32) -> Bool {
        if hasFailed {
            refuse()
            return false
        }
        while !graph.makeRoom(for: Int(count), cells: &cells, cellCount: slotCount * cellsPerSlot) {
            switch limits.policy {
            case .dropOldest where graph.nodeCount > 0:
                let dropped = graph.expireOldest()
                droppedStarts += UInt64(dropped)
                losses.droppedStarts += dropped
                hasLosses = true
            case .dropNewest, .dropOldest:
                refuse()
                return false
            case .fail:
                refuse()
                fail()
                return false
            }
        }
        return true
    }

    @inlinable
    mutating func refuse() {
        refusedEvents += 1
        losses.hasRefused = true
        hasLosses = true
    }

    /// Notes that an event completes more matches than it may.
    @inlinable
    @inline(never)
    mutating func cutShort() {
        losses.isCutShort = true
        hasLosses = true
    }

    /// What was lost since this was asked for last.
    @inlinable
    mutating func takeLosses() -> CompactLosses {
        hasLosses = false
        defer { losses = CompactLosses() }
        return losses
    }

    @inlinable
    mutating func fail() {
        hasFailed = true
        for cell in 0..<(slotCount * cellsPerSlot) { cells[cell] = .empty }
        graph = CompactGraph(limit: Self.nodeLimit(limits))
        // There is never room again.
        graph.endOfRoom = 0
    }

    /// Gives back the memory that is not needed any more.
    @inlinable
    mutating func shrink() {
        guard !hasFailed else { return }
        graph.reclaimExpired()
        if graph.nodes.capacity > CompactGraph<Element>.leastCapacity, graph.nodeCount * 8 < graph.nodes.capacity {
            graph.collect(&cells, slotCount * cellsPerSlot, roomFor: 0)
        }
    }
}
