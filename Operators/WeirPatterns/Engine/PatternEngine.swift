public import WeirCore

/// Evaluates a pattern with the runs strategy: finds the groups of events, and lets the strategy do the rest.
@frozen
@usableFromInline
struct PatternEngine<Element: Sendable, Key: Hashable & Sendable>: ~Copyable, Sendable {
    @usableFromInline let key: (@Sendable (borrowing Element) -> Key)?
    @usableFromInline let settings: PatternSettings
    @usableFromInline let sides: PatternSides<Element>
    @usableFromInline var runs: RunsStrategy<Element>
    @usableFromInline var groups = SlotTable<Key>()
    // How far time has come: an event that is older is late.
    @usableFromInline var now = Timestamp.distantPast
    // How many losses have been reported.
    @usableFromInline var givenUp = 0
    @usableFromInline var refusedByRuns = 0
    @usableFromInline var cutShort = 0
    @usableFromInline var failure: PatternFailure?
    @usableFromInline let gauge: PartialMatchGauge
    // What the gauge shows.
    @usableFromInline var shown = 0

    @usableFromInline
    init(
        _ plan: PatternPlan,
        _ conditions: ConditionTable<Element>,
        _ key: (@Sendable (borrowing Element) -> Key)?,
        _ settings: PatternSettings,
        _ sides: PatternSides<Element>
    ) {
        self.key = key
        self.settings = settings
        self.sides = sides
        runs = RunsStrategy(plan: plan, conditions: conditions, limits: settings.limits, isGrouped: key != nil)
        runs.trace = settings.tracer
        gauge = sides.partialMatches.makeGauge()
    }

    /// Takes an event as it arrives.
    @inlinable
    mutating func receive<Output: MatchReceiver>(
        _ element: borrowing Element,
        at time: Timestamp,
        into output: inout Output
    )
    where Output.Element == Element {
        guard time >= now else {
            sides.late.send(copy element, at: time)
            return
        }
        if time > now || runs.hasWaitingMatches {
            now = time
            advanceStrategy(to: time, into: &output)
            guard failure == nil else { return }
        }
        guard let key else {
            _ = runs.receive(element, at: time, slot: 0, into: &output)
            takeFailure()
            tellRefusal(of: element, time)
            return
        }
        processGrouped(element, key(element), at: time, into: &output)
        takeFailure()
        tellRefusal(of: element, time)
    }

    @inlinable
    mutating func processGrouped<Output: MatchReceiver>(
        _ element: borrowing Element,
        _ key: Key,
        at time: Timestamp,
        into output: inout Output
    ) where Output.Element == Element {
        if let slot = groups.slot(of: key) {
            if !runs.receive(element, at: time, slot: Int(slot), into: &output) { release(slot) }
            return
        }
        let slot = Int(groups.nextSlot)
        guard groups.count < settings.limits.groups else {
            refuse(element, time, "\(settings.limits.groups) groups")
            return
        }
        if settings.tracer != nil { runs.nameGroup(slot, "\(key)") }
        // Most events start nothing, and then their group needs no slot.
        if runs.receive(element, at: time, slot: slot, into: &output) { _ = groups.makeSlot(of: key) }
    }

    /// Takes a watermark: no event that is older will come.
    @inlinable
    mutating func advance<Output: MatchReceiver>(to watermark: Timestamp, into output: inout Output)
    where Output.Element == Element {
        guard failure == nil, watermark > now || (watermark == now && runs.hasWaitingMatches) else { return }
        now = watermark
        advanceStrategy(to: watermark, into: &output)
    }

    /// Moves time on to the end, if nothing has failed, and counts the matches that are still held back.
    @inlinable
    mutating func finish<Output: MatchReceiver>(_ completion: Completion, into output: inout Output)
    where Output.Element == Element {
        if case .finished = completion { advance(to: .distantFuture, into: &output) }
        sides.noteHeldBack(runs.heldMatches)
    }

    @inlinable
    mutating func advanceStrategy<Output: MatchReceiver>(to time: Timestamp, into output: inout Output)
    where Output.Element == Element {
        guard runs.nextDeadline <= time.nanosecondsSinceEpoch || !runs.emptied.isEmpty || runs.hasWaitingMatches else {
            return
        }
        var releasing = ReleasingOutput(output, [])
        runs.advance(to: time, into: &releasing)
        output = releasing.output
        for slot in releasing.released { release(UInt32(slot)) }
        takeFailure()
    }

    @inlinable
    mutating func release(_ slot: UInt32) {
        groups.remove(slot: slot)
        if groups.count == 0 { groups.shrink() }
    }

    @inlinable
    mutating func refuse(_ element: borrowing Element, _ time: Timestamp, _ what: String) {
        sides.refused.send(copy element, at: time)
        if settings.limits.policy == .fail { failure = failure ?? .limitReached(what) }
    }

    /// Offers an event that the limit on kept events left no room for.
    @inlinable
    mutating func tellRefusal(of element: borrowing Element, _ time: Timestamp) {
        guard runs.tallies.refusedEvents != refusedByRuns else { return }
        refusedByRuns = runs.tallies.refusedEvents
        sides.refused.send(copy element, at: time)
    }

    @inlinable
    mutating func takeFailure() {
        if let reason = runs.failure { failure = failure ?? reason }
        let total = runs.tallies.refusedPartialMatches + runs.tallies.droppedPartialMatches
        if total != givenUp {
            sides.noteGivenUp(total - givenUp)
            givenUp = total
        }
        if runs.tallies.eventsCutShort != cutShort {
            sides.noteCutShort(runs.tallies.eventsCutShort - cutShort)
            cutShort = runs.tallies.eventsCutShort
        }
        if runs.store.count != shown {
            shown = runs.store.count
            gauge.set(shown)
        }
    }
}

/// Notes the groups that have gone beside what it hands on.
@frozen
@usableFromInline
struct ReleasingOutput<Output: MatchReceiver>: MatchReceiver {
    @usableFromInline typealias Element = Output.Element

    @usableFromInline var output: Output
    @usableFromInline var released: [Int]

    @inlinable
    init(_ output: Output, _ released: [Int]) {
        self.output = output
        self.released = released
    }

    @inlinable
    var demand: MatchDemand { output.demand }

    @inlinable
    mutating func receive(_ match: borrowing FoundMatch<Element>, at time: Timestamp) -> Bool {
        output.receive(match, at: time)
    }

    @inlinable
    mutating func receive(count: Int, at time: Timestamp) {
        output.receive(count: count, at: time)
    }

    @inlinable
    mutating func receiveTimeout(_ match: borrowing FoundMatch<Element>, at time: Timestamp) {
        output.receiveTimeout(match, at: time)
    }

    @inlinable
    mutating func release(slot: Int) {
        released.append(slot)
    }
}
