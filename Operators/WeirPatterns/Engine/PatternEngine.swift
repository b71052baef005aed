public import WeirCore

/// Evaluates a pattern with the runs strategy: finds the groups of events, and lets the strategy do the rest.
@frozen
@usableFromInline
struct PatternEngine<Element: Sendable, Key: Hashable & Sendable>: Sendable {
    @usableFromInline let key: (@Sendable (borrowing Element) -> Key)?
    @usableFromInline let settings: PatternSettings
    @usableFromInline let sides: PatternSides<Element>
    @usableFromInline var runs: RunsStrategy<Element>
    @usableFromInline var groups = GroupTable<Key>()
    // How far time has come: an event that is older is late.
    @usableFromInline var now = Timestamp.distantPast
    @usableFromInline var refusedEvents = 0
    // What has been told of the runs that a limit left no room for.
    @usableFromInline var givenUp = 0
    @usableFromInline var refusedByRuns = 0
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
        runs = RunsStrategy(plan: plan, conditions: conditions, limits: settings.limits)
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
            if !runs.receive(element, at: time, slot: slot, into: &output) { groups.release(slot) }
            return
        }
        let slot = groups.nextFree
        guard groups.count < settings.limits.groups else {
            refuse(element, time, "\(settings.limits.groups) groups")
            return
        }
        if settings.tracer != nil { runs.nameGroup(slot, "\(key)") }
        // Most events start nothing, and then their group needs no slot.
        if runs.receive(element, at: time, slot: slot, into: &output) { groups.take(slot, for: key) }
    }

    /// Takes a watermark: no event that is older will come.
    @inlinable
    mutating func advance<Output: MatchReceiver>(to watermark: Timestamp, into output: inout Output)
    where Output.Element == Element {
        guard failure == nil, watermark > now || (watermark == now && runs.hasWaitingMatches) else { return }
        now = watermark
        advanceStrategy(to: watermark, into: &output)
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
        for slot in releasing.released { groups.release(slot) }
        takeFailure()
    }

    @inlinable
    mutating func refuse(_ element: borrowing Element, _ time: Timestamp, _ what: String) {
        refusedEvents += 1
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
        if runs.store.count != shown {
            shown = runs.store.count
            gauge.set(shown)
        }
    }

    /// What is held, and what has been given up.
    @usableFromInline
    var counts: PatternCounts {
        var counts = runs.counts
        counts.groups = key == nil ? 0 : groups.count
        counts.refusedEvents += refusedEvents
        return counts
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
