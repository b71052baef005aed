/// Finds samples: for each key the first different events that satisfy the steps, in any order of time.
///
/// Memory: as many events for each step and key as there are steps, until the key has its sample; then the key alone, so
/// that it gets no second one.
struct SampleEngine: EventEngine, Sendable {
    private struct Candidate: Sendable {
        let serial: UInt64
        let event: UInt32
    }

    private let steps: [SequenceShape.Step]
    private let limit: Int

    // By step; nil for a key that has its sample.
    private var candidates: [EventKey: [[Candidate]]?] = [:]
    private var order: [EventKey] = []
    private var firstInOrder = 0
    private var serial: UInt64 = 0

    /// How many keys were given up for the limit.
    private(set) var givenUpCount: UInt64 = 0

    /// How many keys wait for events.
    private(set) var pendingCount = 0

    /// The events that are no longer kept: each of them has one holder less.
    private(set) var released: [UInt32] = []

    /// The keys that were given up, where something takes them from here; otherwise `nil`.
    var givenUpKeys: [EventKey]?

    /// Creates the engine.
    ///
    /// - Parameters:
    ///   - steps: The steps.
    ///   - limit: How many keys are kept, those that have their sample included; beyond that the oldest gives way.
    init(_ steps: [SequenceShape.Step], limit: Int) {
        self.steps = steps
        self.limit = limit
    }

    mutating func begin(at time: Int64, found: inout FoundMatches) { serial += 1 }

    mutating func receive(
        _ satisfied: StepBits,
        at time: Int64,
        key: EventKey,
        event: inout UInt32,
        keep: (UInt32) -> UInt32,
        found: inout FoundMatches
    ) {
        var isChanged = false
        for (index, step) in steps.enumerated() where satisfied[step.condition] {
            if candidates[key] == nil { open(key) }
            guard var kept = candidates[key] ?? nil, kept[index].count < steps.count else { continue }
            // The dictionary lets go of the arrays, so that they are changed in place.
            candidates[key] = .some(nil)
            event = keep(event)
            kept[index].append(Candidate(serial: serial, event: event))
            candidates[key] = kept
            isChanged = true
        }
        guard isChanged, let kept = candidates[key] ?? nil, let choice = Self.choice(of: kept) else { return }
        candidates[key] = .some(nil)
        pendingCount -= 1
        found.append(key, at: time, count: steps.count)
        for (step, chosen) in choice.enumerated() {
            for (index, candidate) in kept[step].enumerated() {
                if index == chosen { found.setEvent(step, candidate.event) } else { released.append(candidate.event) }
            }
        }
    }

    /// Forgets the events that were released.
    mutating func forgetReleased() { released.removeAll(keepingCapacity: true) }

    private mutating func open(_ key: EventKey) {
        if candidates.count >= limit {
            let oldest = order[firstInOrder]
            firstInOrder += 1
            if let state = candidates.removeValue(forKey: oldest), let kept = state {
                pendingCount -= 1
                for candidate in kept.joined() { released.append(candidate.event) }
            }
            givenUpCount += 1
            givenUpKeys?.append(oldest)
            if firstInOrder * 2 > order.count {
                order.removeFirst(firstInOrder)
                firstInOrder = 0
            }
        }
        candidates[key] = Array(repeating: [], count: steps.count)
        order.append(key)
        pendingCount += 1
    }

    /// What it keeps.
    func saved(_ numbers: inout EventNumbers) -> SavedRule {
        var saved = SavedRule()
        saved.eventCount = serial
        for key in order[firstInOrder...] {
            guard let state = candidates[key] else { continue }
            var savedKey = SavedKey(key)
            savedKey.isDone = state == nil
            for (step, kept) in (state ?? []).enumerated() {
                for candidate in kept {
                    saved.candidates.append(
                        SavedCandidate(
                            serial: candidate.serial,
                            key: UInt32(saved.keys.count),
                            step: UInt32(step),
                            event: numbers.number(of: candidate.event)
                        )
                    )
                }
            }
            saved.keys.append(savedKey)
        }
        return saved
    }

    /// Gets what was saved; it has kept nothing yet.
    ///
    /// - Parameters:
    ///   - saved: What was saved.
    ///   - events: The events of the checkpoint.
    ///   - retain: Called with each event that has one holder more.
    /// - Returns: Whether what was saved makes sense.
    mutating func restore(_ saved: SavedRule, _ events: RestoredEvents, _ retain: (UInt32) -> Void) -> Bool {
        // It is counted on.
        guard saved.eventCount < UInt64(Int64.max) else { return false }
        serial = saved.eventCount
        var lists = Array(repeating: [[Candidate]](repeating: [], count: steps.count), count: saved.keys.count)
        for candidate in saved.candidates {
            let (key, step) = (Int(candidate.key), Int(candidate.step))
            guard key < lists.count, step < steps.count, !saved.keys[key].isDone, candidate.serial <= serial,
                let event = events.take(candidate.event, retain)
            else { return false }
            lists[key][step].append(Candidate(serial: candidate.serial, event: event))
        }
        for (key, list) in zip(saved.keys, lists) {
            guard candidates[key.key] == nil else { return false }
            candidates[key.key] = key.isDone ? .some(nil) : list
            order.append(key.key)
            if !key.isDone { pendingCount += 1 }
        }
        return true
    }

    /// A different event for each step, where there is one: a step takes an event from another one that has a choice.
    ///
    /// - Returns: For each step the index of its event among the candidates.
    private static func choice(of candidates: [[Candidate]]) -> [Int]? {
        var chosen = [Int](repeating: 0, count: candidates.count)
        var takenBy: [UInt64: Int] = [:]
        func place(_ step: Int, _ tried: inout Set<UInt64>) -> Bool {
            if let index = candidates[step].firstIndex(where: { takenBy[$0.serial] == nil }) {
                takenBy[candidates[step][index].serial] = step
                chosen[step] = index
                return true
            }
            for (index, candidate) in candidates[step].enumerated() where tried.insert(candidate.serial).inserted {
                if let other = takenBy[candidate.serial], !place(other, &tried) { continue }
                takenBy[candidate.serial] = step
                chosen[step] = index
                return true
            }
            return false
        }
        guard candidates.allSatisfy({ !$0.isEmpty }) else { return nil }
        for step in candidates.indices {
            var tried: Set<UInt64> = []
            guard place(step, &tried) else { return nil }
        }
        return chosen
    }
}
