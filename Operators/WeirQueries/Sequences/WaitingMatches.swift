/// Matches that wait until nothing can occur any more that must not follow them.
struct WaitingMatches: Sendable {
    /// A match that waits.
    struct Entry: Sendable {
        /// The last time at which it can be ended.
        let deadline: Int64
        /// Its number, in the order in which they began to wait.
        let serial: UInt64
        /// Its events; negative when it was ended.
        var chain: Int32
        /// The place of its key.
        let place: Int32
        /// The next one of the key; negative for none.
        var next: Int32

        fileprivate func isBefore(_ other: Entry) -> Bool { (deadline, serial) < (other.deadline, other.serial) }
    }

    private var entries: [Entry] = []
    private var free: [Int32] = []
    private var heap: [Int32] = []
    private var firstOfPlace: [Int32] = []
    private var serial: UInt64 = 0

    /// How many matches wait.
    private(set) var count = 0

    /// Whether a match of a key waits.
    func hasEntry(at place: Int) -> Bool { place < firstOfPlace.count && firstOfPlace[place] >= 0 }

    /// Adds a match.
    mutating func add(_ chain: Int32, at place: Int, until deadline: Int64) {
        while firstOfPlace.count <= place { firstOfPlace.append(-1) }
        let entry = Entry(
            deadline: deadline,
            serial: serial,
            chain: chain,
            place: Int32(place),
            next: firstOfPlace[place]
        )
        serial += 1
        count += 1
        let index: Int32
        if let old = free.popLast() {
            index = old
            entries[Int(index)] = entry
        } else {
            index = Int32(entries.count)
            entries.append(entry)
        }
        firstOfPlace[place] = index
        heap.append(index)
        siftUp(heap.count - 1)
    }

    /// Ends the matches of a key.
    ///
    /// - Returns: Their events.
    mutating func end(at place: Int) -> [Int32] {
        guard hasEntry(at: place) else { return [] }
        var chains: [Int32] = []
        var index = firstOfPlace[place]
        while index >= 0 {
            chains.append(entries[Int(index)].chain)
            entries[Int(index)].chain = -1
            index = entries[Int(index)].next
        }
        firstOfPlace[place] = -1
        count -= chains.count
        if heap.count > 2 * count + 1_024 { removeEnded() }
        return chains
    }

    /// Those that wait, in the order in which they began to.
    var all: [Entry] {
        heap.map { entries[Int($0)] }.filter { $0.chain >= 0 }.sorted { $0.serial < $1.serial }
    }

    /// The earliest deadline of a match that waits.
    mutating func earliestDeadline() -> Int64? {
        while let first = heap.first, entries[Int(first)].chain < 0 { removeFirst() }
        return heap.first.map { entries[Int($0)].deadline }
    }

    /// Takes the match with the earliest deadline; there must be one.
    mutating func takeFirst() -> Entry {
        let entry = entries[Int(heap[0])]
        // It is the first of its key to end, but may have been added late.
        var before: Int32 = -1
        var index = firstOfPlace[Int(entry.place)]
        while index != heap[0] { (before, index) = (index, entries[Int(index)].next) }
        if before < 0 { firstOfPlace[Int(entry.place)] = entry.next } else { entries[Int(before)].next = entry.next }
        count -= 1
        removeFirst()
        return entry
    }

    private mutating func removeEnded() {
        for index in heap where entries[Int(index)].chain < 0 { free.append(index) }
        heap.removeAll { entries[Int($0)].chain < 0 }
        for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
    }

    private mutating func removeFirst() {
        free.append(heap[0])
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        siftDown(0)
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[Int(heap[child])].isBefore(entries[Int(heap[parent])]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            var first = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if entries[Int(heap[child])].isBefore(entries[Int(heap[first])]) { first = child }
            }
            guard first != parent else { return }
            heap.swapAt(parent, first)
            parent = first
        }
    }
}
