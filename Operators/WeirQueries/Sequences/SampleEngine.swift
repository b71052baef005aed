/// Finds samples: for each key the first different events that satisfy the steps, in any order of time.
///
/// Memory: as many events for each step and key as there are steps, until the key has its sample; then the key alone, so
/// that it gets no second one.
struct SampleEngine<Payload: Sendable>: Sendable {
    private struct Candidate: Sendable {
        let serial: UInt64
        let payload: Payload
    }

    private let steps: [SequenceShape.Step]
    private let limit: Int

    // By step; nil for a key that has its sample.
    private var candidates: [[UInt8]: [[Candidate]]?] = [:]
    private var order: [[UInt8]] = []
    private var firstInOrder = 0
    private var serial: UInt64 = 0

    /// How many keys were given up for the limit.
    private(set) var givenUpCount: UInt64 = 0

    /// How many keys wait for events.
    private(set) var pendingCount = 0

    /// Creates the engine.
    ///
    /// - Parameters:
    ///   - steps: The steps.
    ///   - limit: How many keys are kept, those that have their sample included; beyond that the oldest gives way.
    init(_ steps: [SequenceShape.Step], limit: Int) {
        self.steps = steps
        self.limit = limit
    }

    /// Takes an event, as `SequenceEngine` does.
    mutating func receive(
        _ matched: [Bool],
        at time: Int64,
        keys: EventKeys,
        payload: () -> Payload,
        found: inout [FoundMatch<Payload>]
    ) {
        serial += 1
        var changed: [[UInt8]] = []
        for (index, step) in steps.enumerated() where matched[step.condition] {
            for key in keys[step.keys] {
                if candidates[key.bytes] == nil { open(key.bytes) }
                guard var kept = candidates[key.bytes] ?? nil, kept[index].count < steps.count else { continue }
                // The dictionary lets go of the arrays, so that they are changed in place.
                candidates[key.bytes] = .some(nil)
                kept[index].append(Candidate(serial: serial, payload: payload()))
                candidates[key.bytes] = kept
                if !changed.contains(key.bytes) { changed.append(key.bytes) }
            }
        }
        for key in changed {
            guard let kept = candidates[key] ?? nil, let events = Self.choice(of: kept) else { continue }
            candidates[key] = .some(nil)
            pendingCount -= 1
            found.append(FoundMatch(key: key, events: events, time: time))
        }
    }

    private mutating func open(_ key: [UInt8]) {
        if candidates.count >= limit {
            let oldest = order[firstInOrder]
            firstInOrder += 1
            if let state = candidates.removeValue(forKey: oldest), state != nil { pendingCount -= 1 }
            givenUpCount += 1
            if firstInOrder * 2 > order.count {
                order.removeFirst(firstInOrder)
                firstInOrder = 0
            }
        }
        candidates[key] = Array(repeating: [], count: steps.count)
        order.append(key)
        pendingCount += 1
    }

    /// A different event for each step, where there is one: a step takes an event from another one that has a choice.
    private static func choice(of candidates: [[Candidate]]) -> [Payload?]? {
        var chosen = [Int?](repeating: nil, count: candidates.count)
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
        return chosen.enumerated().map { step, index in index.map { candidates[step][$0].payload } }
    }
}
