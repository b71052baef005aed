/// The keys of an event, for each of the different keys of a rule.
typealias EventKeys = [[EventKey]]

/// A key of an event.
struct EventKey {
    /// The values, as ``KeyEncoding`` writes them.
    var bytes: [UInt8]
    /// Where it is in the table; negative where it is not.
    var place = -1

    /// How many combinations of the values of keys are looked at.
    static let mostCombinations = 1_000

    /// The keys of an event: a combination of the values of each field.
    ///
    /// - Parameters:
    ///   - set: The fields.
    ///   - value: The value of a field.
    /// - Returns: The keys, and how many combinations were left out; no keys where a value is missing that must not.
    static func keys(_ set: [QueryPlan.Key], _ value: (Int) -> QueryValue) -> (keys: [EventKey], leftOut: Int) {
        var (keys, leftOut): ([[UInt8]], Int) = ([[]], 0)
        for key in set {
            var values = value(key.field).elements
            if values.isEmpty, key.acceptsMissing { values = [.missing] }
            var next: [[UInt8]] = []
            for start in keys {
                for value in values {
                    guard next.count < mostCombinations else {
                        leftOut += 1
                        continue
                    }
                    var bytes = start
                    KeyEncoding.append(value, to: &bytes)
                    if values.count == 1 || !next.contains(bytes) { next.append(bytes) }
                }
            }
            keys = next
        }
        return (keys.map { EventKey(bytes: $0) }, leftOut)
    }
}

/// Finds sequences: one pending match for each stage and key, of which the newest stays.
///
/// An event first ends the pending matches of its key, where it is what ends them. Then it goes through the stages from the
/// last to the first, so that it may end one match and begin another one, but is never two events of the same match.
///
/// Memory: for an open key 24 bytes in the table, 16 for the order of keys, 12 for each stage behind the first, and what
/// leading missing steps take (8, and 8 for each stage). Nothing is allocated for an event once there is room.
struct SequenceEngine<Payload: Sendable>: Sendable {
    let shape: SequenceShape

    /// How many keys, and how many events of pending matches, are kept; beyond that the oldest key gives way.
    let limit: Int

    /// How many pending matches were given up for the limit.
    var givenUpCount: UInt64 = 0

    /// How many pending matches there are.
    var pendingCount: Int { openCount + waiting.count }

    var openCount = 0
    var table = KeyTable()
    var recent = RecentPlaces()
    var chains = EventChains<Payload>()
    var waiting = WaitingMatches()

    // By place, then by the number of stages that were passed, from 1: the events, and the time of the first.
    var pending: [Int32] = []
    var firsts: [Int64] = []
    // Whether something occurred between two of its events that must not.
    var rejected: [Bool] = []
    // The same for the last event of a leading missing step before the first event; of a place the last one at all.
    var leads: [Int64] = []
    var lastLeads: [Int64] = []

    var stride: Int { shape.stages.count - 1 }
    var maxSpan: Int64 { shape.maxSpan ?? .max }

    init(_ shape: SequenceShape, limit: Int) {
        self.shape = shape
        // One key with all of its events always fits.
        self.limit = max(limit, shape.stages.count * shape.stages.count)
    }

    /// Takes an event, which is not before the one before it.
    ///
    /// - Parameters:
    ///   - matched: For each condition of the rule, whether the event satisfies it.
    ///   - time: Its time.
    ///   - keys: Its keys, for each of the different keys of the rule; places are filled in.
    ///   - payload: What is kept of it.
    ///   - found: Matches are appended to it.
    mutating func receive(
        _ matched: [Bool],
        at time: Int64,
        keys: inout EventKeys,
        payload: () -> Payload,
        found: inout [FoundMatch<Payload>]
    ) {
        advance(to: time, found: &found)
        makeRoom()
        for set in keys.indices {
            for index in keys[set].indices { keys[set][index].place = table.place(of: keys[set][index].bytes) ?? -1 }
        }
        let count = shape.stages.count
        if let until = shape.until, matched[until.condition] {
            for key in keys[until.keys] where key.place >= 0 { dropAll(at: key.place) }
        }
        if shape.hasTrailing {
            for step in shape.missing[count] where matched[step.condition] {
                for key in keys[step.keys] where key.place >= 0 { endWaiting(at: key.place) }
            }
        }
        for stage in (0..<count).reversed() {
            let step = shape.stages[stage]
            if matched[step.condition] {
                for index in keys[step.keys].indices {
                    pass(stage, keys: &keys, step.keys, index, time, payload, &found)
                }
            }
            guard stage > 0, shape.hasInner else { continue }
            for step in shape.missing[stage] where matched[step.condition] {
                for key in keys[step.keys] where key.place >= 0 { reject(stage, at: key.place) }
            }
        }
        if shape.hasLeading {
            for step in shape.missing[0] where matched[step.condition] {
                for index in keys[step.keys].indices {
                    let place = open(&keys, step.keys, index, time)
                    lastLeads[place] = time
                }
            }
        }
        for set in keys.indices {
            for index in keys[set].indices where keys[set][index].place >= 0 { closeIfEmpty(keys[set][index].place) }
        }
    }

    /// Has an event pass a stage, where a pending match has come so far.
    private mutating func pass(
        _ stage: Int,
        keys: inout EventKeys,
        _ set: Int,
        _ index: Int,
        _ time: Int64,
        _ payload: () -> Payload,
        _ found: inout [FoundMatch<Payload>]
    ) {
        let isLast = stage == stride
        var place = keys[set][index].place
        var (chain, first, lead, isRejected) = (Int32(-1), time, Int64.min, false)
        if stage == 0 {
            if shape.hasLeading, place >= 0 { lead = lastLeads[place] }
            // A single event needs no place, but for what must not follow it.
            if !isLast || shape.hasTrailing { place = open(&keys, set, index, time) }
        } else {
            guard place >= 0, pending[place * stride + stage - 1] >= 0 else { return }
            let slot = place * stride + stage - 1
            (chain, first) = (pending[slot], firsts[slot])
            if shape.hasLeading { lead = leads[slot] }
            if shape.hasInner { isRejected = rejected[slot] }
            pending[slot] = -1
            openCount -= 1
            guard Self.distance(from: first, to: time) <= maxSpan else {
                chains.remove(chain)
                return
            }
        }
        chain = chains.append(payload(), to: chain)
        guard !isLast else {
            guard !isRejected else { return chains.remove(chain) }
            return complete(chain, keys[set][index].bytes, place, first, lead, time, &found)
        }
        let slot = place * stride + stage
        if pending[slot] >= 0 { chains.remove(pending[slot]) } else { openCount += 1 }
        (pending[slot], firsts[slot]) = (chain, first)
        if shape.hasLeading { leads[slot] = lead }
        if shape.hasInner { rejected[slot] = isRejected }
    }

    /// Notes that something occurred that must not.
    ///
    /// The match still takes the place of others until it would be complete, as in Elasticsearch, which looks for what is
    /// missing last.
    private mutating func reject(_ stage: Int, at place: Int) { rejected[place * stride + stage - 1] = true }

    /// Handles a match whose events are all there.
    private mutating func complete(
        _ chain: Int32,
        _ key: [UInt8],
        _ place: Int,
        _ first: Int64,
        _ lead: Int64,
        _ time: Int64,
        _ found: inout [FoundMatch<Payload>]
    ) {
        let isLed = shape.hasLeading && lead > .min && Self.distance(from: lead, to: time) <= maxSpan
        guard shape.hasTrailing else {
            if !isLed { emit(chain, key, time, &found) }
            return chains.remove(chain)
        }
        // With both, only two events that must not occur reject it, one before and one behind, within the span.
        guard !shape.hasLeading || isLed else {
            emit(chain, key, time, &found)
            return chains.remove(chain)
        }
        let (deadline, overflow) = (isLed ? lead : first).addingReportingOverflow(maxSpan)
        waiting.add(chain, at: place, until: overflow ? .max : deadline)
    }

    func emit(_ chain: Int32, _ key: [UInt8], _ time: Int64, _ found: inout [FoundMatch<Payload>]) {
        let events = chains.events(of: chain)
        found.append(FoundMatch(key: key, events: shape.places.map { $0.map { events[$0] } }, time: time))
    }

    /// The time between two times, or the longest there is.
    static func distance(from first: Int64, to last: Int64) -> Int64 {
        let (span, overflow) = last.subtractingReportingOverflow(first)
        return overflow ? (last > first ? .max : .min) : span
    }
}
