public import WeirCore

/// What lies between a stream and the strategy that evaluates a pattern on it: puts events in order, evaluates their
/// conditions, finds their groups, and reports what was late, refused or lost.
@frozen
@usableFromInline
struct PatternFront<Strategy: PatternStrategy & ~Copyable, Key: Hashable & Sendable, Output: PatternOutput>:
    ~Copyable, Sendable
where Output.Element == Strategy.Element {
    @usableFromInline typealias Element = Strategy.Element

    @usableFromInline var strategy: Strategy
    @usableFromInline var groups = SlotTable<Key>()
    @usableFromInline var output: Output
    @usableFromInline var waiting = WaitingEvents<Element>()
    @usableFromInline var watermark = Timestamp.distantPast
    // When memory is given back next; never without a window.
    @usableFromInline var nextShrinking: Timestamp
    @usableFromInline var isFinished = false
    @usableFromInline let isInOrder: Bool
    @usableFromInline let isGrouped: Bool
    @usableFromInline let within: Int64?
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
        _ strategy: consuming Strategy,
        within: Int64?,
        _ truths: TruthTable<Element>,
        _ key: (@Sendable (borrowing Element) -> Key)?,
        _ settings: PatternSettings,
        _ sides: PatternSides<Element>,
        _ output: Output
    ) {
        self.strategy = strategy
        self.truths = truths
        self.within = within
        nextShrinking = within == nil ? .distantFuture : .distantPast
        isGrouped = key != nil
        self.key = key ?? { _ in preconditionFailure("events without groups have no key") }
        isInOrder = settings.order == .inOrder
        limits = settings.limits
        self.sides = sides
        gauge = sides.partialMatches.makeGauge()
        self.output = output
    }

    // MARK: Events

    /// Takes an event as it arrives.
    @inlinable
    mutating func receive(_ element: borrowing Element, at time: Timestamp) {
        guard !isFinished else { return }
        if time < (isInOrder ? strategy.now : watermark) {
            turnAway(element, time, isLate: true)
        } else if isInOrder {
            process(element, time)
        } else {
            if watermark == .distantPast, waiting.heap.count >= min(1024, limits.waiting) { noteStall(time) }
            if waiting.heap.count < limits.waiting {
                waiting.push(copy element, time)
            } else {
                keepWithoutRoom(copy element, time)
            }
        }
    }

    /// Tells that no watermark has come, when some hundred events wait.
    @inlinable
    @inline(never)
    func noteStall(_ now: Timestamp) {
        guard let oldest = waiting.heap.first?.time, now > oldest else { return }
        sides.stalls.sendFirst(WatermarkStall(since: oldest, until: now), at: now)
    }

    @inlinable
    @inline(never)
    mutating func keepWithoutRoom(_ element: Element, _ time: Timestamp) {
        if let refused = waiting.push(element, time, policy: limits.policy) {
            turnAway(refused.element, refused.time, isLate: false)
        }
        failIfToldTo("\(limits.waiting) waiting events")
    }

    /// Takes an event in order.
    @inlinable
    mutating func process(_ element: borrowing Element, _ time: Timestamp) {
        process(element, truths.truths(element), time)
    }

    /// Takes an event in order, with the truth values of its conditions.
    @inlinable
    mutating func process(_ element: borrowing Element, _ truths: UInt64, _ time: Timestamp) {
        advance(to: time)
        take(element, truths, time)
        showCount()
    }

    @inlinable
    mutating func take(_ element: borrowing Element, _ truths: UInt64, _ time: Timestamp) {
        let meaning = strategy.meaning(of: truths)
        if strategy.isIdle(meaning) || isFinished { return }
        guard isGrouped else {
            _ = strategy.receive(element, meaning, at: time, slot: 0, into: &output)
            if !strategy.losses.isEmpty { noteLosses(with: element, time) }
            return
        }
        let key = key(element)
        let place = groups.place(for: key)
        let slot = groups.slot(at: place)
        if slot == nil {
            guard strategy.mayBegin(meaning) else { return }
            guard groups.count < limits.groups else {
                turnAway(element, time, isLate: false)
                failIfToldTo("\(limits.groups) groups")
                return
            }
            strategy.nameGroup(groups.nextSlot, key)
        }
        let isOccupied = strategy.receive(element, meaning, at: time, slot: slot ?? groups.nextSlot, into: &output)
        // Most events of new groups leave nothing to remember, and then the group needs no slot.
        if let slot {
            if !isOccupied { forget(slot) }
        } else if isOccupied {
            groups.insert(key, place)
        }
        if !strategy.losses.isEmpty { noteLosses(with: element, time) }
    }

    @inlinable
    mutating func forget(_ slot: UInt32) {
        groups.remove(slot: slot)
        shrinkIfEmpty()
    }

    /// Whether a group has partial matches.
    @inlinable
    var hasPartialMatches: Bool { isGrouped ? groups.count != 0 : strategy.hasPartialMatch(slot: 0) }

    @inlinable
    mutating func showCount() {
        let held = strategy.heldCount
        guard held != shown else { return }
        shown = held
        gauge.set(held)
    }

    // MARK: What is needed next

    @inlinable
    var wantsPrefetch: Bool { isGrouped && groups.isLarge }

    /// Prefetches what an event will need.
    @inlinable
    func prefetch(for element: borrowing Element, isNear: Bool) {
        let key = key(element)
        if !isNear {
            groups.prefetchPlace(of: key)
        } else if let slot = groups.prefetchSlot(of: key) {
            strategy.prefetch(slot: slot)
        }
    }

    // MARK: Losses

    @inlinable
    @inline(never)
    mutating func noteLosses(with element: borrowing Element, _ time: Timestamp) {
        let failure = strategy.losses.failure
        sides.note(&strategy.losses, of: element, at: time)
        if let failure { end(.failed(failure)) }
    }

    @inlinable
    @inline(never)
    func turnAway(_ element: borrowing Element, _ time: Timestamp, isLate: Bool) {
        (isLate ? sides.late : sides.refused).send(copy element, at: time)
    }

    @inlinable
    mutating func failIfToldTo(_ limit: String) {
        if limits.policy == .fail { end(.failed(PatternFailure.limitReached(limit))) }
    }

    // MARK: Time

    @inlinable
    mutating func advance(to time: Timestamp) {
        if strategy.advance(to: time, into: &output) { settle() }
        if time >= nextShrinking { shrink(at: time) }
    }

    @inlinable
    @inline(never)
    mutating func settle() {
        strategy.forgetGroups(in: &groups)
        shrinkIfEmpty()
        // Moving time on gives nothing up.
        if let failure = strategy.losses.failure { end(.failed(failure)) }
    }

    @inlinable
    mutating func advance(toWatermark watermark: Timestamp) {
        guard !isFinished else { return }
        if watermark > self.watermark {
            self.watermark = watermark
            while let next = waiting.pop(before: watermark) { process(next.element, next.time) }
        }
        if !isFinished { advance(to: watermark) }
        guard !isFinished else { return }
        showCount()
        output.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        if case .finished = completion {
            while let next = waiting.pop() { process(next.element, next.time) }
            if !isFinished { advance(to: .distantFuture) }
        }
        if !isFinished { end(completion) }
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("pattern")
        try sides.exchangeState(&state)
        try state.exchange(&watermark)
        try state.exchange(&nextShrinking)
        try state.exchange(&isFinished)
        try state.exchange(&waiting.heap)
        try state.exchange(&waiting.arrivals)
        try groups.exchangeState(&state)
        try strategy.exchangeState(&state)
        if state.isRestoring { showCount() }
        try output.exchangeState(&state)
    }

    @inlinable
    mutating func end(_ completion: Completion) {
        isFinished = true
        showCount()
        sides.noteEnd(heldMatches: strategy.heldMatches, waitingEvents: waiting.heap.count)
        waiting = WaitingEvents()
        output.finish(completion)
    }

    /// Gives memory back where no window says when.
    @inlinable
    mutating func shrinkIfEmpty() {
        if groups.count == 0, within == nil, groups.isLarge { groups.shrink() }
    }

    /// Gives memory back, once for every two windows, so that it costs little for each event.
    @inlinable
    @inline(never)
    mutating func shrink(at time: Timestamp) {
        let within = within ?? 0
        nextShrinking = Timestamp(
            nanosecondsSinceEpoch: Nanoseconds.sum(Nanoseconds.sum(time.nanosecondsSinceEpoch, within), within)
        )
        groups.shrink()
        strategy.shrink(endOfSlots: groups.endOfSlots)
    }
}
