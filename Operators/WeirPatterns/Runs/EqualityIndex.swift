/// The runs of a state by the value that the next event must have, where a condition wants it to equal a captured one.
///
/// An event visits the runs that want its value, and no others. Runs of one value are a doubly linked list.
@frozen
@usableFromInline
struct EqualityIndex: Sendable {
    @frozen
    @usableFromInline
    struct Key: Hashable, Sendable {
        @usableFromInline let slot: Int32
        @usableFromInline let state: Int32
        // The hashed value; the condition itself tells values apart whose hashes are equal.
        @usableFromInline let value: UInt64

        @inlinable
        init(_ slot: Int32, _ state: Int32, _ value: UInt64) {
            self.slot = slot
            self.state = state
            self.value = value
        }
    }

    @frozen
    @usableFromInline
    struct Links: Sendable {
        @usableFromInline var key: Key?
        @usableFromInline var next: Int32
        @usableFromInline var previous: Int32

        @inlinable
        init(_ key: Key?, _ next: Int32, _ previous: Int32) {
            self.key = key
            self.next = next
            self.previous = previous
        }
    }

    @usableFromInline var heads: [Key: Int32] = [:]
    // For each place of a run.
    @usableFromInline var links: [Links] = []

    @inlinable
    init() {}

    @inlinable
    func first(_ key: Key) -> Int32 { heads[key] ?? -1 }

    @inlinable
    mutating func insert(_ run: Int32, _ key: Key) {
        while links.count <= run { links.append(Links(nil, -1, -1)) }
        let head = heads.updateValue(run, forKey: key) ?? -1
        links[Int(run)] = Links(key, head, -1)
        if head >= 0 { links[Int(head)].previous = run }
    }

    @inlinable
    mutating func remove(_ run: Int32) {
        guard run < links.count, let key = links[Int(run)].key else { return }
        let (next, previous) = (links[Int(run)].next, links[Int(run)].previous)
        if next >= 0 { links[Int(next)].previous = previous }
        if previous >= 0 {
            links[Int(previous)].next = next
        } else {
            heads[key] = next >= 0 ? next : nil
        }
        links[Int(run)].key = nil
    }
}

extension RunsStrategy {
    /// The equality by which the runs of each state are found; -1 for none.
    static func indexes(_ automaton: Automaton, _ plan: PatternPlan, _ table: StepTable) -> [Int] {
        automaton.states.indices.map { state in
            plan.conditions.indices.first { id in
                plan.conditions[id].equality != nil && table.relevant[state] & 1 << UInt64(id) != 0
            } ?? -1
        }
    }

    /// Puts a run where an event finds it by value.
    @inlinable
    mutating func enterIndex(_ index: Int32) {
        if let key = equalityKey(of: index) { equalities.insert(index, key) }
    }

    /// What a run is found by; `nil` if it is in a state without an index.
    @inlinable
    func equalityKey(of index: Int32) -> EqualityIndex.Key? {
        let run = store.runs[Int(index)]
        let id = indexOfState[Int(run.state)]
        guard id >= 0, let equality = plan.conditions[id].equality, let key = conditions.keyOfCapture[id] else {
            return nil
        }
        // A run that has captured nothing to compare with is found by no event, and moved by none.
        guard let captured = Captures(paths, run.node, at: now).last(equality.capture) else { return nil }
        let slot = store.families[Int(run.family)].slot
        return EqualityIndex.Key(slot, run.state, key(captured))
    }

    /// The first of the runs of a state that want the event's value; -1 if there is none.
    @inlinable
    func firstEqual(_ element: borrowing Element, _ state: Int, _ slot: Int) -> Int32 {
        guard let key = conditions.keyOfEvent[indexOfState[state]] else { return -1 }
        return equalities.first(EqualityIndex.Key(Int32(slot), Int32(state), key(element)))
    }
}
