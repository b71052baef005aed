public import WeirCore

/// The state of a ``CompactSink``: finds the groups of events, puts them in order, and lets the engine do the rest.
@frozen
@usableFromInline
struct CompactGroups<Element: Sendable, Key: Hashable & Sendable, Output: CompactOutput>: ~Copyable, Sendable
where Output.Element == Element {
    @usableFromInline var state: CompactState<Element>
    @usableFromInline var slots = SlotTable<Key>()
    @usableFromInline var output: Output
    @usableFromInline var waiting = WaitingEvents<Element>()
    @usableFromInline var watermark = Timestamp.distantPast
    // When memory is given back next.
    @usableFromInline var nextShrinking = Int64.max
    @usableFromInline var isFinished = false
    @usableFromInline let isInOrder: Bool
    @usableFromInline let isGrouped: Bool
    @usableFromInline let limits: PatternLimits
    @usableFromInline let sides: PatternSides<Element>
    @usableFromInline let gauge: PartialMatchGauge
    // What the gauge shows.
    @usableFromInline var shown = 0
    @usableFromInline let truths: TruthTable<Element>
    // Not optional: taking a closure out of an optional counts references.
    @usableFromInline let key: @Sendable (borrowing Element) -> Key

    @inlinable
    init(
        _ state: consuming CompactState<Element>,
        _ truths: TruthTable<Element>,
        _ key: (@Sendable (borrowing Element) -> Key)?,
        _ settings: PatternSettings,
        _ sides: PatternSides<Element>,
        _ output: Output
    ) {
        if state.engine.within != nil { nextShrinking = .min }
        self.state = state
        self.truths = truths
        isGrouped = key != nil
        self.key = key ?? { _ in preconditionFailure("events without groups have no key") }
        isInOrder = settings.order == .inOrder
        limits = settings.limits
        self.sides = sides
        gauge = sides.partialMatches.makeGauge()
        self.output = output
    }

    /// Takes an event as it arrives.
    @inlinable
    mutating func receive(_ element: borrowing Element, _ time: Int64) {
        if isInOrder {
            if time >= state.engine.time {
                process(element, time)
            } else {
                turnAway(element, time, isLate: true)
            }
        } else {
            keep(element, Timestamp(nanosecondsSinceEpoch: time))
        }
    }

    @inlinable
    var wantsPrefetch: Bool { isGrouped && slots.isLarge }

    /// Prefetches what an event will need.
    @inlinable
    func prefetch(for element: borrowing Element, isNear: Bool) {
        let key = key(element)
        if !isNear {
            slots.prefetchPlace(of: key)
        } else if let slot = slots.prefetchSlot(of: key) {
            state.engine.cells.prefetch(slot &* state.engine.cellsPerSlot)
        }
    }

    @inlinable
    mutating func keep(_ element: borrowing Element, _ time: Timestamp) {
        if time < watermark {
            turnAway(element, time.nanosecondsSinceEpoch, isLate: true)
        } else if waiting.heap.count < limits.waiting {
            waiting.push(copy element, time)
        } else {
            keepWithoutRoom(copy element, time)
        }
    }

    @inlinable
    @inline(never)
    mutating func keepWithoutRoom(_ element: Element, _ time: Timestamp) {
        if let refused = waiting.push(element, time, policy: limits.policy) {
            turnAway(refused.element, refused.time.nanosecondsSinceEpoch, isLate: false)
        }
        failIfToldTo("\(limits.waiting) waiting events")
    }

    /// Takes an event in order.
    @inlinable
    mutating func process(_ element: borrowing Element, _ time: Int64) {
        take(element, time)
        let held = state.engine.graph.nodeCount
        guard held != shown else { return }
        shown = held
        gauge.set(held)
    }

    @inlinable
    mutating func take(_ element: borrowing Element, _ time: Int64) {
        advance(to: time)
        let program = state.engine.programs.program(for: truths.truths(element))
        if program.isIdle || isFinished { return }
        guard isGrouped else {
            _ = state.receive(program, element, time, 0, into: &output)
            if state.engine.hasLosses { noteLosses(with: element, time) }
            return
        }
        let key = key(element)
        let slot: UInt32
        if program.starts {
            guard slots.count < limits.groups || slots.slot(of: key) != nil else {
                turnAway(element, time, isLate: false)
                failIfToldTo("\(limits.groups) groups")
                return
            }
            slot = slots.makeSlot(of: key)
        } else if let known = slots.slot(of: key) {
            slot = known
        } else {
            return
        }
        if !state.receive(program, element, time, slot, into: &output) { slots.remove(slot: slot) }
        if state.engine.hasLosses { noteLosses(with: element, time) }
    }

    @inlinable
    @inline(never)
    mutating func noteLosses(with element: borrowing Element, _ time: Int64) {
        let losses = state.engine.takeLosses()
        sides.noteGivenUp(losses.droppedStarts)
        if losses.isCutShort {
            sides.noteCutShort(1)
            failIfToldTo("\(state.budget.share) matches for each event")
        }
        guard losses.hasRefused else { return }
        turnAway(element, time, isLate: false)
        failIfToldTo("\(CompactEngine<Element>.nodeLimit(limits)) nodes of partial matches")
    }

    @inlinable
    @inline(never)
    func turnAway(_ element: borrowing Element, _ time: Int64, isLate: Bool) {
        guard !isFinished else { return }
        (isLate ? sides.late : sides.refused).send(copy element, at: Timestamp(nanosecondsSinceEpoch: time))
    }

    @inlinable
    mutating func failIfToldTo(_ limit: String) {
        guard limits.policy == .fail, !isFinished else { return }
        isFinished = true
        output.finish(.failed(PatternFailure.limitReached(limit)))
    }

    // MARK: Time

    @inlinable
    mutating func advance(to time: Int64) {
        guard time > state.engine.time else { return }
        state.engine.advance(to: time, &state.match, into: &output)
        if state.engine.starts.releasedCount != 0 { release() }
        if time >= nextShrinking { shrink(at: time) }
    }

    @inlinable
    mutating func advance(toWatermark watermark: Timestamp) {
        guard !isFinished else { return }
        if watermark > self.watermark {
            self.watermark = watermark
            while let next = waiting.pop(before: watermark) {
                process(next.element, next.time.nanosecondsSinceEpoch)
            }
            if !isFinished { advance(to: watermark.nanosecondsSinceEpoch) }
        }
        if !isFinished { output.advance(to: watermark) }
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        if case .finished = completion {
            while let next = waiting.pop() {
                process(next.element, next.time.nanosecondsSinceEpoch)
            }
            if !isFinished { advance(to: .max) }
        }
        guard !isFinished else { return }
        isFinished = true
        output.finish(completion)
    }

    @inlinable
    @inline(never)
    mutating func release() {
        for index in 0..<state.engine.starts.releasedCount { slots.remove(slot: state.engine.starts.released[index]) }
        state.engine.starts.releasedCount = 0
    }

    /// Gives memory back, once for every two windows, so that it costs little for each event.
    @inlinable
    @inline(never)
    mutating func shrink(at time: Int64) {
        let within = state.engine.within ?? 0
        nextShrinking = Nanoseconds.sum(Nanoseconds.sum(time, within), within)
        slots.shrink()
        state.engine.removeSlots(from: max(1, slots.endOfSlots))
        state.engine.starts.shrink(endOfSlots: slots.endOfSlots)
        state.engine.shrink()
    }
}
