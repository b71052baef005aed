/// The partial matches that came closest, and how many others there were.
struct NearList<Root: Sendable>: Sendable {
    typealias Near = NearMatch<Root>

    /// Why partial matches end, in the order in which people read how many there were.
    enum Reason: Int, Sendable, CaseIterable {
        case complete, maxSpan, until, replaced, occurred, limit, endOfEvents, notBegun
    }

    /// How many are kept.
    private let limit: Int

    /// Those that came closest, the closest first.
    private(set) var closest: [Near] = []

    /// The first ones that are complete.
    private(set) var complete: [Near] = []

    /// How many there were, by why they ended.
    private(set) var counts = [UInt64](repeating: 0, count: Reason.allCases.count)

    init(limit: Int) { self.limit = limit }

    /// How many there were.
    var count: UInt64 { counts.reduce(0, +) }

    /// Those of the closest that people want to see: where something began, what did not begin is of no interest.
    var shown: [Near] {
        let begun = closest.filter { !$0.satisfied.isEmpty }
        return begun.isEmpty && complete.isEmpty || closest.first?.eventCount == 1 ? closest : begun
    }

    func count(_ reason: Reason) -> UInt64 { counts[reason.rawValue] }

    mutating func add(_ near: Near) {
        counts[near.reason.rawValue] += 1
        if near.isComplete {
            if complete.count < limit { complete.append(near) }
            closest.removeAll { $0.isWithin(near) }
            return
        }
        // What another one has all events of says nothing more.
        guard !closest.contains(where: { near.isWithin($0) }), !complete.contains(where: { near.isWithin($0) })
        else { return }
        closest.removeAll { $0.isWithin(near) }
        if closest.count == limit {
            guard let last = closest.last, near.isCloser(than: last) else { return }
            closest.removeLast()
        }
        var (low, high) = (0, closest.count)
        while low < high {
            let middle = (low + high) / 2
            if near.isCloser(than: closest[middle]) { high = middle } else { low = middle + 1 }
        }
        closest.insert(near, at: low)
    }

    /// Counts a partial match that is not kept, because a match has all of its events.
    mutating func count(_ near: Near) { counts[near.reason.rawValue] += 1 }

    /// Whether any event that begins nothing can be among the closest.
    var hasRoomForEvents: Bool { closest.count < limit || closest.last?.satisfied.isEmpty ?? true }

    /// Whether an event that begins nothing is among the closest; it counts where it is not.
    ///
    /// - Parameter failedCount: How many parts of the condition fail.
    /// - Returns: Whether it is to be added.
    mutating func takes(_ failedCount: Int) -> Bool {
        guard closest.count == limit, let last = closest.last else { return true }
        if last.satisfied.isEmpty, last.missed[0].closest?.failed.count ?? .max > failedCount { return true }
        counts[Reason.notBegun.rawValue] += 1
        return false
    }
}

extension NearMatch {
    var reason: NearList<Root>.Reason {
        switch ending {
        case .complete: .complete
        case .maxSpan: .maxSpan
        case .until: .until
        case .replaced: .replaced
        case .occurred: .occurred
        case .limit: .limit
        case .endOfEvents: .endOfEvents
        case .notBegun: .notBegun
        }
    }
}
