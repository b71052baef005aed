/// Finds sequences: one pending match for each stage and key, of which the newest stays.
///
/// An event first ends the pending matches of its key, where it is what ends them. Then it goes through the stages from the
/// last to the first, so that it may end one match and begin another one, but is never two events of the same match.
///
/// Memory: for an open key 24 to 32 bytes in the table, 16 for the order of keys, 16 for each stage behind the first, 8 for
/// each event that is kept, and what leading missing steps take (8, and 8 for each stage). Nothing is allocated for an event
/// once there is room.
struct SequenceEngine<Observer: SequenceObserver>: EventEngine, Sendable {
    let shape: SequenceShape

    /// Learns what becomes of the pending matches.
    var observer: Observer

    /// How many keys, and how many events of pending matches, are kept; beyond that the oldest key gives way.
    let limit: Int

    /// How many pending matches were given up for the limit.
    var givenUpCount: UInt64 = 0

    /// How many pending matches there are.
    var pendingCount: Int { openCount + waiting.count }

    var openCount = 0
    var table = KeyTable()
    var recent = RecentPlaces()
    var chains = EventChains()
    var waiting = WaitingMatches()

    // By place, then by the number of stages that were passed, from 1.
    var slots: [SequenceSlot] = []
    // The same: the time of the last event of a leading missing step before the first event; of a place the last one at all.
    var leads: [Int64] = []
    var lastLeads: [Int64] = []

    let stride: Int
    let maxSpan: Int64

    init(_ shape: SequenceShape, limit: Int, observer: Observer) {
        self.shape = shape
        self.observer = observer
        stride = shape.stages.count - 1
        maxSpan = shape.maxSpan ?? .max
        // One key with all of its events always fits.
        self.limit = max(limit, shape.stages.count * shape.stages.count)
    }

    @inline(__always)
    mutating func begin(at time: Int64, found: inout FoundMatches) {
        advance(to: time, found: &found)
        makeRoom()
    }

    mutating func receive(
        _ satisfied: StepBits,
        at time: Int64,
        key: EventKey,
        event: inout UInt32,
        keep: (UInt32) -> UInt32,
        found: inout FoundMatches
    ) {
        var place = table.place(of: key)
        guard !shape.isPlain else {
            // What begins nothing can only go on with what is pending.
            var rest = place < 0 ? satisfied.first & 1 : satisfied.first
            guard rest != 0 else { return }
            let before = openCount
            while rest != 0 {
                let stage = 63 - rest.leadingZeroBitCount
                rest &= ~(1 << UInt64(stage))
                pass(stage, key, &place, time, &event, keep, &found)
            }
            // What begins something stays, and what has changed nothing too.
            if place >= 0, satisfied.first & 1 == 0 || stride == 0, openCount < before { closeIfEmpty(place) }
            return
        }
        if let until = shape.until, place >= 0, satisfied[until.condition] { dropAll(at: place, .until) }
        if shape.hasTrailing, place >= 0 {
            for step in shape.missing[shape.stages.count] where satisfied[step.condition] {
                endWaiting(at: place, .missingStep(step.condition))
            }
        }
        var stage = stride
        while stage >= 0 {
            if satisfied[shape.stages[stage].condition] { pass(stage, key, &place, time, &event, keep, &found) }
            if stage > 0, shape.hasInner, place >= 0 {
                for step in shape.missing[stage] where satisfied[step.condition] {
                    reject(stage, at: place, step.condition)
                }
            }
            stage -= 1
        }
        if shape.hasLeading {
            for step in shape.missing[0] where satisfied[step.condition] {
                place = open(key, place, time)
                lastLeads[place] = time
                observer.leads(key, at: place, step.condition)
            }
        }
        if place >= 0 { closeIfEmpty(place) }
    }

    /// Has an event pass a stage, where a pending match has come so far.
    private mutating func pass(
        _ stage: Int,
        _ key: EventKey,
        _ place: inout Int,
        _ time: Int64,
        _ event: inout UInt32,
        _ keep: (UInt32) -> UInt32,
        _ found: inout FoundMatches
    ) {
        let isLast = stage == stride
        var (chain, first, lead, isRejected) = (Int32(-1), time, Int64.min, false)
        if stage == 0 {
            if shape.hasLeading, place >= 0 { lead = lastLeads[place] }
            // A single event needs no place, but for what must not follow it.
            if !isLast || shape.hasTrailing { place = open(key, place, time) }
            observer.begins(key, at: place)
        } else {
            guard place >= 0 else { return }
            let index = place * stride + stage - 1
            let slot = slots[index]
            guard slot.chain >= 0 else { return }
            (chain, first, isRejected) = (slot.chain, slot.first, slot.isRejected)
            if shape.hasLeading { lead = leads[index] }
            slots[index].chain = -1
            openCount -= 1
            observer.passes(stage, at: place)
            guard SequenceShape.distance(from: first, to: time) <= maxSpan else {
                observer.ends(.maxSpan)
                return chains.remove(chain)
            }
        }
        guard !isLast else {
            return complete(chain, isRejected, key, place, first, lead, time, &event, keep, &found)
        }
        event = keep(event)
        chain = chains.append(event, to: chain)
        let index = place * stride + stage
        // The newer match takes the place of the one before it.
        if slots[index].chain >= 0 { chains.remove(slots[index].chain) } else { openCount += 1 }
        observer.waits(behind: stage, at: place)
        slots[index] = SequenceSlot(first: first, chain: chain, isRejected: isRejected)
        if shape.hasLeading { leads[index] = lead }
    }

    /// Notes that something occurred that must not.
    ///
    /// The match still takes the place of others until it would be complete, as in Elasticsearch, which looks for what is
    /// missing last.
    private mutating func reject(_ stage: Int, at place: Int, _ condition: Int) {
        slots[place * stride + stage - 1].isRejected = true
        observer.rejects(stage, at: place, condition)
    }

    /// Handles a match whose events are all there: those of a chain, and the one at hand.
    private mutating func complete(
        _ chain: Int32,
        _ isRejected: Bool,
        _ key: EventKey,
        _ place: Int,
        _ first: Int64,
        _ lead: Int64,
        _ time: Int64,
        _ event: inout UInt32,
        _ keep: (UInt32) -> UInt32,
        _ found: inout FoundMatches
    ) {
        guard !isRejected else {
            observer.ends(.rejected)
            return chains.remove(chain)
        }
        let isLed = shape.hasLeading && lead > .min && SequenceShape.distance(from: lead, to: time) <= maxSpan
        // With both, only two events that must not occur reject it, one before and one behind, within the span.
        guard shape.hasTrailing, !shape.hasLeading || isLed else {
            guard shape.hasTrailing || !isLed else {
                observer.ends(.led)
                return chains.remove(chain)
            }
            observer.ends(.complete)
            emit(chain, FoundMatches.current, key, time, &found)
            return
        }
        event = keep(event)
        let (deadline, overflow) = (isLed ? lead : first).addingReportingOverflow(maxSpan)
        waiting.add(chains.append(event, to: chain), at: place, until: overflow ? .max : deadline)
        observer.waits(until: overflow ? .max : deadline, at: place)
    }

    /// Brings a match.
    ///
    /// - Parameters:
    ///   - chain: Its events, or all but the last one.
    ///   - last: The last one, where it is not in the chain.
    ///   - key: The values that its events share.
    ///   - time: When it was certain.
    ///   - found: It is appended to it.
    mutating func emit(
        _ chain: Int32,
        _ last: UInt32?,
        _ key: EventKey,
        _ time: Int64,
        _ found: inout FoundMatches
    ) {
        found.append(key, at: time, count: shape.places.count)
        let places = shape.placesOfStages
        var stage = stride
        if let last {
            found.setEvent(places[stage], last)
            stage -= 1
        }
        chains.take(chain) { event in
            found.setEvent(places[stage], event)
            stage -= 1
        }
    }
}

/// The pending match of a stage.
struct SequenceSlot: Sendable {
    /// The time of its first event.
    var first: Int64 = 0
    /// Its events; negative where there is none.
    var chain: Int32 = -1
    /// Whether something occurred between two of its events that must not.
    var isRejected = false
}
