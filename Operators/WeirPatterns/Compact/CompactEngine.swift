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
    @usableFromInline var losses = StrategyLosses()
    @usableFromInline var hasFailed = false

    @usableFromInline
    init(_ plan: CompactPlan, _ limits: PatternLimits, reportsTimeouts: Bool, isGrouped: Bool) {
        let isExact = plan.hasPending || reportsTimeouts
        starts = CompactStarts(
            isNeeded: plan.within != nil && (isExact || isGrouped),
            isExact: isExact,
            reportsTimeouts: reportsTimeouts,
            isGrouped: isGrouped
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

    /// Moves time on: partial matches that started too long before have expired.
    @inlinable
    mutating func advance(to time: Int64) {
        guard time > self.time else { return }
        self.time = time
        guard let within else { return }
        let (floor, isTooEarly) = time.subtractingReportingOverflow(within - 1)
        if !isTooEarly, floor > graph.floor { graph.floor = floor }
    }
}
