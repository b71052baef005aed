internal import WeirCore

/// The texts of a ``SymbolTable``: a hash table, and lists of them in the order in which they last came.
///
/// A text that is idle for the event that wants its place cannot be forgotten as long as its own events are on their way. It
/// is *expired* until then, and the new text takes another place.
struct SymbolTableState {
    private struct Entry {
        var name: String
        var generation: UInt32 = 0
        var isExpired = false
        /// The latest time that it came with, in nanoseconds since the epoch.
        var lastUse = Int64.min
        /// The number of advances when it last came.
        var lastAdvance: UInt64 = 0
        /// Its neighbours in its list; -1 for none.
        var older: Int32 = -1
        var newer: Int32 = -1
    }

    /// Entries in the order in which they last came.
    private struct Order {
        var oldest: Int32 = -1
        var newest: Int32 = -1
        var count = 0
    }

    private var entries: [Entry] = []
    // Open addressing with linear probing, at most half full; -1 marks a free place. The hash is Swift's own, which
    // is seeded anew in each process: an attacker cannot choose texts that collide.
    private var places: [Int32] = Array(repeating: -1, count: 64)
    private var live = Order()
    private var expired = Order()
    // The entries whose text has been forgotten.
    private var free: [Int] = []
    private var clock = Int64.min
    private var advances: UInt64 = 0

    init() {}

    var count: Int { entries.count - free.count }

    // MARK: Saving

    /// What there is, as plain lists.
    var saved: Saved {
        // From both ends: which memory is next is known only once that before it was read, so two ways take half the time.
        func indexes(of order: Order) -> [Int] {
            var indexes = [Int](repeating: 0, count: order.count)
            var (older, newer) = (order.oldest, order.newest)
            var (low, high) = (0, order.count - 1)
            while low <= high {
                indexes[low] = Int(older)
                indexes[high] = Int(newer)
                older = entries[Int(older)].newer
                newer = entries[Int(newer)].older
                (low, high) = (low + 1, high - 1)
            }
            return indexes
        }
        return Saved(
            names: entries.map(\.name),
            generations: entries.map(\.generation),
            lastUses: entries.map(\.lastUse),
            lastAdvances: entries.map(\.lastAdvance),
            live: indexes(of: live),
            expired: indexes(of: expired),
            free: free,
            clock: clock,
            advances: advances
        )
    }

    /// The texts that were saved; `nil` where the lists do not fit one another.
    init?(_ saved: Saved) {
        guard saved.isConsistent else { return nil }
        for index in saved.names.indices {
            var entry = Entry(name: saved.names[index], generation: saved.generations[index])
            (entry.lastUse, entry.lastAdvance) = (saved.lastUses[index], saved.lastAdvances[index])
            entries.append(entry)
        }
        for index in saved.live { Self.append(index, to: &live, of: &entries) }
        for index in saved.expired {
            entries[index].isExpired = true
            Self.append(index, to: &expired, of: &entries)
        }
        (free, clock, advances) = (saved.free, saved.clock, saved.advances)
        var size = places.count
        while count * 2 > size { size *= 2 }
        fillPlaces(size)
    }

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
    mutating func add(_ name: String, _ hash: Int, at time: Int64 = .min, idle: Int64? = nil) -> Int {
        let index: Int
        if canReuse(at: time, idle), let place = free.popLast() {
            index = place
            entries[index] = Entry(name: name, generation: entries[index].generation &+ 1)
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
        fillPlaces(places.count * 2)
    }

    private mutating func fillPlaces(_ size: Int) {
        places = Array(repeating: -1, count: size)
        let forgotten = Set(free)
        for index in entries.indices where !forgotten.contains(index) { put(index, hash(of: index)) }
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

    /// Puts a new text into the list.
    mutating func link(_ index: Int, _ time: Int64) {
        entries[index].lastUse = time
        entries[index].lastAdvance = advances
        Self.append(index, to: &live, of: &entries)
    }

    /// Makes a text the one that came last.
    mutating func touch(_ index: Int, _ time: Int64) {
        entries[index].lastUse = max(entries[index].lastUse, time)
        entries[index].lastAdvance = advances
        guard live.newest != Int32(index) else { return }
        unlink(index)
        Self.append(index, to: &live, of: &entries)
    }

    /// Makes room for a new text by forgetting what has been idle for long enough; false if there is none.
    ///
    /// At most `limit` texts are live then, and there are at most `capacity` with those that are expired.
    mutating func makeRoom(at time: Int64, limit: Int, capacity: Int, idle: Int64?) -> Bool {
        guard let idle else { return count < limit }
        while expired.count > 0, canForget(expired.oldest, idle) { forget(expired.oldest) }
        while live.count >= limit {
            let oldest = live.oldest
            guard Nanoseconds.sum(entries[Int(oldest)].lastUse, idle) <= time else { return false }
            if canForget(oldest, idle) {
                forget(oldest)
            } else if count < capacity {
                unlink(Int(oldest))
                entries[Int(oldest)].isExpired = true
                Self.append(Int(oldest), to: &expired, of: &entries)
            } else {
                return false
            }
        }
        return entries.count < capacity || canReuse(at: time, idle)
    }

    /// Whether a text has been idle for long enough for all events that have been dealt with, its own among them.
    private func canForget(_ index: Int32, _ idle: Int64) -> Bool {
        let entry = entries[Int(index)]
        return entry.lastAdvance < advances && Nanoseconds.sum(entry.lastUse, idle) <= clock
    }

    /// Whether a place is free for a text of a time: what remembers its last text by the place is done with it by then.
    private func canReuse(at time: Int64, _ idle: Int64?) -> Bool {
        guard let place = free.last, let idle else { return false }
        return Nanoseconds.sum(entries[place].lastUse, idle) <= time
    }

    private mutating func forget(_ index: Int32) {
        remove(Int(index))
        unlink(Int(index))
        free.append(Int(index))
    }

    private static func append(_ index: Int, to order: inout Order, of entries: inout [Entry]) {
        entries[index].older = order.newest
        entries[index].newer = -1
        if order.newest >= 0 { entries[Int(order.newest)].newer = Int32(index) } else { order.oldest = Int32(index) }
        order.newest = Int32(index)
        order.count += 1
    }

    /// Takes an entry out of its list.
    private mutating func unlink(_ index: Int) {
        if entries[index].isExpired {
            entries[index].isExpired = false
            Self.unlink(index, from: &expired, of: &entries)
        } else {
            Self.unlink(index, from: &live, of: &entries)
        }
    }

    private static func unlink(_ index: Int, from order: inout Order, of entries: inout [Entry]) {
        let (older, newer) = (entries[index].older, entries[index].newer)
        if older >= 0 { entries[Int(older)].newer = newer } else { order.oldest = newer }
        if newer >= 0 { entries[Int(newer)].older = older } else { order.newest = older }
        order.count -= 1
    }
}
