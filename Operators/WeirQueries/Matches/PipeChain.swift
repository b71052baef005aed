internal import WeirCore

/// What is done with the matches of a rule, pipe after pipe.
///
/// Memory: `tail` keeps its matches, `sort` and `count` keep up to a limit, `unique` remembers up to a limit.
struct PipeChain<Content: Sendable>: Sendable {
    typealias Finding = QueryFinding<Content>

    private enum Stage: Sendable {
        case head(rest: Int)
        case tail(limit: Int, kept: [Finding], first: Int)
        case count(counts: [[QueryValue]: UInt64])
        case unique(seen: Set<[UInt8]>, order: [[UInt8]], next: Int)
        case sort(kept: [Finding])
    }

    private var stages: [Stage]
    private let limit: Int

    /// How many matches were given up for the limit, or may have come twice for it.
    private(set) var givenUpCount: UInt64 = 0

    init(_ pipes: [QueryPlan.Pipe], limit: Int) {
        self.limit = limit
        stages = pipes.map { pipe in
            switch pipe {
            case .head(let count): .head(rest: count)
            case .tail(let count): .tail(limit: min(count, limit), kept: [], first: 0)
            case .count: .count(counts: [:])
            case .unique: .unique(seen: [], order: [], next: 0)
            case .sort: .sort(kept: [])
            }
        }
    }

    /// Whether nothing more can leave before the end, and at the end what is kept.
    var isExhausted: Bool {
        stages.contains { if case .head(let rest) = $0 { rest <= 0 } else { false } }
    }

    /// Takes a match.
    mutating func receive(_ match: FoundMatch<KeptEvent<Content>>, into results: inout [Finding]) {
        receive(.match(match), from: 0, into: &results)
    }

    /// Ends the pipes: what they keep leaves.
    mutating func finish(into results: inout [Finding]) {
        for index in stages.indices {
            var kept: [Finding] = []
            switch stages[index] {
            case .head, .unique: continue
            case .tail(_, let ring, let first): kept = Array(ring[first...] + ring[..<first])
            case .sort(let matches): kept = sorted(matches, index)
            case .count(let counts): kept = Self.tallies(counts).map(Finding.count)
            }
            for finding in kept { receive(finding, from: index + 1, into: &results) }
        }
    }

    private mutating func receive(_ finding: Finding, from start: Int, into results: inout [Finding]) {
        for index in start..<stages.count where !pass(finding, index) { return }
        results.append(finding)
    }

    /// Takes a finding into a stage.
    ///
    /// - Returns: Whether it goes on to the next one.
    private mutating func pass(_ finding: Finding, _ index: Int) -> Bool {
        let stage = exchange(&stages[index], with: .head(rest: 0))
        // Consumed, so that what it keeps changes in place.
        switch consume stage {
        case .head(let rest):
            stages[index] = .head(rest: rest - 1 < 0 ? 0 : rest - 1)
            return rest > 0
        case .tail(let limit, var kept, var first):
            if kept.count < limit {
                kept.append(finding)
            } else if limit > 0 {
                kept[first] = finding
                first = (first + 1) % limit
            }
            stages[index] = .tail(limit: limit, kept: kept, first: first)
        case .count(var counts):
            let values = values(of: finding, index)
            if counts[values] != nil || counts.count < limit {
                counts[values, default: 0] += 1
            } else {
                givenUpCount += 1
            }
            stages[index] = .count(counts: counts)
        case .unique(var seen, var order, var next):
            var key: [UInt8] = []
            for value in values(of: finding, index) { KeyEncoding.append(value, to: &key) }
            let isNew = seen.insert(key).inserted
            if isNew, order.count < limit {
                order.append(key)
            } else if isNew {
                // The value that came first is forgotten, and may pass again.
                seen.remove(order[next])
                order[next] = key
                next = (next + 1) % limit
                givenUpCount += 1
            }
            stages[index] = .unique(seen: seen, order: order, next: next)
            return isNew
        case .sort(var kept):
            kept.append(finding)
            if kept.count >= 2 * limit {
                kept = sorted(kept, index)
                givenUpCount += UInt64(kept.count - limit)
                kept.removeLast(kept.count - limit)
            }
            stages[index] = .sort(kept: kept)
        }
        return false
    }

    /// Saves what the pipes keep, or gives it back.
    ///
    /// - Parameters:
    ///   - state: Takes the fields.
    ///   - pack: What is saved of an event.
    ///   - unpack: The event of it.
    /// - Throws: `StateError`.
    mutating func exchangeState<Kept>(
        _ state: inout StateExchange,
        pack: (Content) -> Kept,
        unpack: (Kept) -> Content
    ) throws(StateError) {
        for index in stages.indices {
            switch stages[index] {
            case .head(var rest):
                try state.exchange(&rest)
                stages[index] = .head(rest: rest)
            case .tail(let limit, let kept, let first):
                let restored = try Self.exchangeFindings(kept[first...] + kept[..<first], &state, pack, unpack)
                if let restored { stages[index] = .tail(limit: limit, kept: restored.suffix(limit), first: 0) }
            case .count(var counts):
                try state.exchange(&counts)
                stages[index] = .count(counts: counts)
            case .unique(_, let order, let next):
                var kept = (order[next...] + order[..<next]).map { SavedBytes($0) }
                try state.exchange(&kept)
                guard state.isRestoring else { continue }
                let keys = kept.suffix(limit).map(\.bytes)
                stages[index] = .unique(seen: Set(keys), order: keys, next: 0)
            case .sort(let kept):
                let restored = try Self.exchangeFindings(kept[...], &state, pack, unpack)
                if let restored { stages[index] = .sort(kept: restored) }
            }
        }
    }

    /// Exchanges findings.
    ///
    /// - Returns: Those that were saved, when they are being restored.
    private static func exchangeFindings<Kept>(
        _ findings: ArraySlice<Finding>,
        _ state: inout StateExchange,
        _ pack: (Content) -> Kept,
        _ unpack: (Kept) -> Content
    ) throws(StateError) -> [Finding]? {
        var kept = findings.map { SavedFinding($0, pack) }
        try state.exchange(&kept)
        return state.isRestoring ? kept.map { $0.finding(unpack) } : nil
    }

    private func values(of finding: Finding, _ index: Int) -> [QueryValue] {
        switch finding {
        case .count(let tally): return tally.values
        case .match(let match):
            let event = match.events.lazy.compactMap(\.self).first
            return event.flatMap { index < $0.values.count ? $0.values[index] : nil } ?? []
        }
    }

    /// In the order of the values, missing ones first; matches with the same values stay in their order.
    private func sorted(_ findings: [Finding], _ index: Int) -> [Finding] {
        findings.map { (values: values(of: $0, index), finding: $0) }.enumerated()
            .sorted { left, right in
                let order = Self.order(left.element.values, right.element.values)
                return order == .same ? left.offset < right.offset : order == .before
            }
            .map(\.element.finding)
    }

    /// Seldom ones first, then in the order of their values.
    private static func tallies(_ counts: [[QueryValue]: UInt64]) -> [Tally] {
        let total = Double(counts.values.reduce(0, +))
        return counts.sorted { left, right in
            left.value == right.value ? order(left.key, right.key) == .before : left.value < right.value
        }
        .map { Tally(values: $0.key, count: $0.value, share: Double($0.value) / total) }
    }

    private static func order(_ left: [QueryValue], _ right: [QueryValue]) -> QueryValue.Order {
        for (left, right) in zip(left, right) {
            let order = order(left, right)
            if order != .same { return order }
        }
        return .same
    }

    /// Missing values before flags, numbers and texts.
    private static func order(_ left: QueryValue, _ right: QueryValue) -> QueryValue.Order {
        if case .list(let left) = left, case .list(let right) = right {
            let order = order(left, right)
            guard order == .same, left.count != right.count else { return order }
            return left.count < right.count ? .before : .after
        }
        if let order = left.order(to: right) { return order }
        let (first, second) = (rank(left), rank(right))
        return first == second ? .same : first < second ? .before : .after
    }

    private static func rank(_ value: QueryValue) -> Int {
        switch value {
        case .missing: 0
        case .boolean(let flag): flag ? 2 : 1
        case .integer, .real: 3
        case .text: 4
        case .list: 5
        }
    }
}
