public import WeirCore

/// The partial matches of all groups, as runs through an automaton.
///
/// A run is in two lists: that of its group and state, so that an event visits only the runs that it can move; and that of
/// its family, the runs that started with the same event, so that they expire together without a search.
@frozen
@usableFromInline
struct RunStore: Sendable {
    /// A partial match.
    @frozen
    @usableFromInline
    struct Run: Sendable {
        // The last event that was taken.
        @usableFromInline var node: Int32
        @usableFromInline var family: Int32
        // -1 for a complete match that waits for earlier ones, -2 for a free place.
        @usableFromInline var state: Int32
        // In the list of the group and state; of a free place the next free one.
        @usableFromInline var next: Int32 = -1
        @usableFromInline var previous: Int32 = -1
        @usableFromInline var nextOfFamily: Int32 = -1
        @usableFromInline var previousOfFamily: Int32 = -1
        // Distinguishes runs in the same place.
        @usableFromInline var generation: UInt32

        @inlinable
        init(_ node: Int32, _ family: Int32, _ state: Int32, _ generation: UInt32) {
            self.node = node
            self.family = family
            self.state = state
            self.generation = generation
        }
    }

    /// The runs that started with the same event.
    @frozen
    @usableFromInline
    struct Family: Sendable {
        @usableFromInline var start: Timestamp
        @usableFromInline var sequence: UInt64
        @usableFromInline var slot: Int32
        @usableFromInline var firstRun: Int32 = -1
        // How many runs there are, and are about to be.
        @usableFromInline var count: Int32 = 0
        // The families that started before and after; of a free place the next free one.
        @usableFromInline var older: Int32
        @usableFromInline var newer: Int32 = -1

        @inlinable
        init(_ start: Timestamp, _ sequence: UInt64, _ slot: Int32, _ older: Int32) {
            self.start = start
            self.sequence = sequence
            self.slot = slot
            self.older = older
        }
    }

    @usableFromInline let stateCount: Int
    @usableFromInline var runs: [Run] = []
    @usableFromInline var families: [Family] = []
    // For each group and state the first run; -1 for none.
    @usableFromInline var heads: [Int32] = []
    // For each group how many runs it has, and which states (modulo 64) may have some.
    @usableFromInline var counts: [Int32] = []
    @usableFromInline var occupied: [UInt64] = []
    @usableFromInline var freeRun: Int32 = -1
    @usableFromInline var freeFamily: Int32 = -1
    @usableFromInline var oldest: Int32 = -1
    @usableFromInline var newest: Int32 = -1
    @usableFromInline var count = 0
    @usableFromInline var generation: UInt32 = 0

    @inlinable
    init(_ stateCount: Int) {
        self.stateCount = stateCount
    }

    /// Makes room for a group.
    @inlinable
    mutating func reach(_ slot: Int) {
        while counts.count <= slot {
            counts.append(0)
            occupied.append(0)
            heads.append(contentsOf: repeatElement(-1, count: stateCount))
        }
    }

    // MARK: Families

    /// Makes the family of an event that partial matches start with; the latest of all.
    @inlinable
    mutating func makeFamily(_ start: Timestamp, _ sequence: UInt64, _ slot: Int) -> Int32 {
        let family = Family(start, sequence, Int32(slot), newest)
        let index: Int32
        if freeFamily >= 0 {
            index = freeFamily
            freeFamily = families[Int(index)].newer
            families[Int(index)] = family
        } else {
            families.append(family)
            index = Int32(families.count - 1)
        }
        if newest >= 0 { families[Int(newest)].newer = index } else { oldest = index }
        newest = index
        return index
    }

    /// Counts a run that is about to join.
    @inlinable
    mutating func join(_ family: Int32) {
        families[Int(family)].count += 1
    }

    /// Counts a run that is no more, and forgets the family with its last run.
    @inlinable
    mutating func leave(_ family: Int32) {
        families[Int(family)].count -= 1
        guard families[Int(family)].count == 0 else { return }
        let (older, newer) = (families[Int(family)].older, families[Int(family)].newer)
        if older >= 0 { families[Int(older)].newer = newer } else { oldest = newer }
        if newer >= 0 { families[Int(newer)].older = older } else { newest = older }
        families[Int(family)].newer = freeFamily
        freeFamily = family
    }

    // MARK: Runs

    /// Puts a run into its family, which has counted it already.
    @inlinable
    mutating func makeRun(_ node: Int32, _ family: Int32, _ state: Int32) -> Int32 {
        generation &+= 1
        var run = Run(node, family, state, generation)
        run.nextOfFamily = families[Int(family)].firstRun
        let index: Int32
        if freeRun >= 0 {
            index = freeRun
            freeRun = runs[Int(index)].next
            runs[Int(index)] = run
        } else {
            runs.append(run)
            index = Int32(runs.count - 1)
        }
        if run.nextOfFamily >= 0 { runs[Int(run.nextOfFamily)].previousOfFamily = index }
        families[Int(family)].firstRun = index
        counts[Int(families[Int(family)].slot)] += 1
        count += 1
        return index
    }

    /// Takes a run out of its family; it must not be in the list of a state any more.
    @inlinable
    mutating func removeRun(_ index: Int32) {
        let run = runs[Int(index)]
        if run.nextOfFamily >= 0 { runs[Int(run.nextOfFamily)].previousOfFamily = run.previousOfFamily }
        if run.previousOfFamily >= 0 {
            runs[Int(run.previousOfFamily)].nextOfFamily = run.nextOfFamily
        } else {
            families[Int(run.family)].firstRun = run.nextOfFamily
        }
        runs[Int(index)].state = -2
        runs[Int(index)].next = freeRun
        freeRun = index
        counts[Int(families[Int(run.family)].slot)] -= 1
        count -= 1
        leave(run.family)
    }

    /// Puts a run into the list of its group and state.
    @inlinable
    mutating func link(_ index: Int32) {
        let (slot, state) = (Int(families[Int(runs[Int(index)].family)].slot), Int(runs[Int(index)].state))
        let head = heads[slot * stateCount + state]
        runs[Int(index)].next = head
        runs[Int(index)].previous = -1
        if head >= 0 { runs[Int(head)].previous = index }
        heads[slot * stateCount + state] = index
        occupied[slot] |= 1 << UInt64(state & 63)
    }

    /// Takes a run out of the list of its group and state.
    @inlinable
    mutating func unlink(_ index: Int32) {
        let run = runs[Int(index)]
        if run.next >= 0 { runs[Int(run.next)].previous = run.previous }
        if run.previous >= 0 {
            runs[Int(run.previous)].next = run.next
            return
        }
        let slot = Int(families[Int(run.family)].slot)
        heads[slot * stateCount + Int(run.state)] = run.next
        if run.next < 0, stateCount <= 64 { occupied[slot] &= ~(1 << UInt64(run.state)) }
    }

    /// Gives memory back when there are no runs but were many.
    @inlinable
    mutating func shrink() {
        guard count == 0, oldest < 0, runs.capacity > 4096 || counts.capacity > 4096 else { return }
        self = RunStore(stateCount)
    }
}
