internal import WeirCore

/// The texts of a ``SymbolTable``: a hash table, and a list of them in the order in which they last came.
struct SymbolTableState {
    private struct Entry {
        var name: String
        var generation: UInt32 = 0
        /// The latest time that it came with, in nanoseconds since the epoch.
        var lastUse = Int64.min
        /// The number of advances when it last came.
        var lastAdvance: UInt64 = 0
        /// Its neighbours in the list; -1 for none.
        var older: Int32 = -1
        var newer: Int32 = -1
    }

    private var entries: [Entry] = []
    // Open addressing with linear probing, at most half full; -1 marks a free place. The hash is Swift's own, which
    // is seeded anew in each process: an attacker cannot choose texts that collide.
    private var places: [Int32] = Array(repeating: -1, count: 64)
    private var oldest: Int32 = -1
    private var newest: Int32 = -1
    // The one place whose text has been forgotten, until the next text takes it.
    private var free: Int?
    private var clock = Int64.min
    private var advances: UInt64 = 0

    var count: Int { entries.count - (free == nil ? 0 : 1) }

    func name(of index: Int) -> String { entries[index].name }

    func symbol(_ index: Int) -> Symbol { Symbol(index: index, generation: entries[index].generation) }

    // MARK: The hash table

    func index(of text: Span<UInt8>, _ hash: Int) -> Int? {
        var place = hash & (places.count - 1)
        while places[place] >= 0 {
            if isEqual(text, entries[Int(places[place])].name) { return Int(places[place]) }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }

    /// Adds a text that is not there.
    mutating func add(_ name: String, _ hash: Int) -> Int {
        let index: Int
        if let free {
            index = free
            entries[index] = Entry(name: name, generation: entries[index].generation &+ 1)
            self.free = nil
        } else {
            index = entries.count
            entries.append(Entry(name: name))
        }
        put(index, hash)
        if count * 2 > places.count { grow() }
        return index
    }

    private mutating func put(_ index: Int, _ hash: Int) {
        var place = hash & (places.count - 1)
        while places[place] >= 0 { place = (place + 1) & (places.count - 1) }
        places[place] = Int32(index)
    }

    private mutating func grow() {
        places = Array(repeating: -1, count: places.count * 2)
        for index in entries.indices { put(index, hash(of: index)) }
    }

    private func hash(of index: Int) -> Int {
        var name = entries[index].name
        return name.withUTF8 { unsafe Self.hash(UnsafeRawBufferPointer($0)) }
    }

    static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        unsafe hasher.combine(bytes: bytes)
        return hasher.finalize()
    }

    private func isEqual(_ text: Span<UInt8>, _ name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            guard bytes.count == text.count else { return false }
            for index in text.indices where unsafe bytes[index] != text[index] { return false }
            return true
        }
    }

    private mutating func remove(_ index: Int) {
        let mask = places.count - 1
        var hole = hash(of: index) & mask
        while places[hole] != Int32(index) { hole = (hole + 1) & mask }
        // Those behind move up, as long as that brings none before its home.
        var place = hole
        while true {
            place = (place + 1) & mask
            guard places[place] >= 0 else { break }
            let home = hash(of: Int(places[place])) & mask
            if (place - home) & mask >= (place - hole) & mask {
                places[hole] = places[place]
                hole = place
            }
        }
        places[hole] = -1
    }

    // MARK: Forgetting

    mutating func advance(to time: Int64) {
        clock = max(clock, time)
        advances += 1
    }

    /// Makes a text the one that came last.
    mutating func touch(_ index: Int, _ time: Int64) {
        entries[index].lastUse = max(entries[index].lastUse, time)
        entries[index].lastAdvance = advances
        guard newest != Int32(index) else { return }
        unlink(index)
        entries[index].older = newest
        if newest >= 0 { entries[Int(newest)].newer = Int32(index) } else { oldest = Int32(index) }
        newest = Int32(index)
    }

    private mutating func unlink(_ index: Int) {
        let (older, newer) = (entries[index].older, entries[index].newer)
        if older >= 0 {
            entries[Int(older)].newer = newer
        } else if oldest == Int32(index) {
            oldest = newer
        }
        if newer >= 0 {
            entries[Int(newer)].older = older
        } else if newest == Int32(index) {
            newest = older
        }
        (entries[index].older, entries[index].newer) = (-1, -1)
    }

    /// Whether the text that has not come for longest has been idle for long enough, for all events that have been dealt
    /// with and for the one that wants its place.
    func canForget(at time: Int64, _ idle: Int64?) -> Bool {
        guard let idle, oldest >= 0 else { return false }
        let entry = entries[Int(oldest)]
        return entry.lastAdvance < advances && Nanoseconds.sum(entry.lastUse, idle) <= min(clock, time)
    }

    /// Forgets the text that has not come for longest.
    mutating func forgetOldest() {
        let index = Int(oldest)
        remove(index)
        unlink(index)
        free = index
    }
}
