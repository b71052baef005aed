internal import WeirCore

/// The keys that have a place, which is a small number; places are used again.
///
/// Memory: 24 to 32 bytes for a key of up to 15 bytes, and what a longer one takes. Where keys are whole numbers that are
/// small, another 4 bytes for each number up to the greatest of them: 4 KiB, or up to 64 bytes for each key.
struct KeyTable: Sendable {
    private typealias Words = SIMD2<UInt64>

    private var words: [Words] = []
    // By the number of a key that is a small whole number: its place, or -1. These keys are not among the entries; whole
    // numbers beyond are.
    private var numbers: [Int32] = []
    private var long: [Int32: [UInt8]] = [:]
    private var free: [Int32] = []

    // Open addressing with linear steps; a place, or -1. A power of two of entries, at most half of them used.
    private var entries = ContiguousArray<Int32>(repeating: -1, count: 16)
    private let seed: UInt64
    // How many of them are used.
    private var usedCount = 0
    // The entry that was looked up last.
    private var missed = 0

    /// How many keys there are.
    private(set) var count = 0

    /// How many whole numbers may be small, and how many are for a table with few keys.
    private static var mostNumbers: UInt64 { 1 << 16 }
    private static var fewNumbers: Int { 1 << 10 }

    init() {
        // So that nobody can make keys collide.
        seed = .random(in: .min ... .max)
    }

    /// How many places were ever used together.
    var capacity: Int { words.count }

    /// Makes room for keys at once, of which it has none yet.
    mutating func reserve(_ keyCount: Int) {
        precondition(count == 0, "there are keys")
        words = Array(roomFor: keyCount)
        var size = entries.count
        while size < keyCount * 2 { size *= 2 }
        entries = ContiguousArray(tableOf: -1, count: size)
    }

    /// The place of a key; negative where it has none.
    @inline(__always)
    mutating func place(of key: EventKey) -> Int {
        if let number = Self.number(key.words), number < numbers.count { return Int(numbers[number]) }
        let entry = entry(of: key)
        missed = entry
        return Int(entries[entry])
    }

    /// Prefetches what ``place(of:)`` looks at, for a key that comes a little later.
    func prefetch(_ key: EventKey) { entries.prefetch(Int(truncatingIfNeeded: hash(key.words)) & (entries.count - 1)) }

    /// Gives a place to the key that was looked up last and had none.
    mutating func add(_ key: EventKey) -> Int {
        let place: Int32
        if let old = free.popLast() {
            place = old
            words[Int(place)] = key.words
        } else {
            place = Int32(words.count)
            words.append(key.words)
        }
        count += 1
        if let number = Self.number(key.words), makeRoom(for: number) {
            numbers[number] = place
            return Int(place)
        }
        if let bytes = key.long { long[place] = bytes }
        if (usedCount + 1) * 2 > entries.count {
            rebuild(entries.count * 2)
            missed = entry(of: key)
        }
        entries[missed] = place
        usedCount += 1
        return Int(place)
    }

    /// The number of a key that is a small whole number.
    @inline(__always)
    private static func number(_ words: Words) -> Int? {
        let high = words.x &- UInt64(KeyEncoding.Tag.integer.rawValue) << 56
        guard high < mostNumbers >> 8, words.y << 8 == 9 << 8 else { return nil }
        return Int(truncatingIfNeeded: high << 8 | words.y >> 56)
    }

    /// Whether a number is small, for as many keys as there are.
    private mutating func makeRoom(for number: Int) -> Bool {
        if number < numbers.count { return true }
        guard number < max(Self.fewNumbers, count * 8) else { return false }
        var size = Self.fewNumbers
        while size <= number { size *= 2 }
        numbers += repeatElement(-1, count: size - numbers.count)
        // The keys that have become small move over.
        rebuild(entries.count)
        return true
    }

    /// The key of a place.
    func key(at place: Int) -> EventKey {
        EventKey(words[place], long: words[place].y == .max ? long[Int32(place)] : nil)
    }

    /// Takes the place from its key.
    mutating func remove(at place: Int) {
        free.append(Int32(place))
        count -= 1
        if let number = Self.number(words[place]), number < numbers.count {
            numbers[number] = -1
            return
        }
        var hole = entry(ofPlace: place)
        entries[hole] = -1
        usedCount -= 1
        if words[place].y == .max { long[Int32(place)] = nil }
        // What comes behind moves up where the hole would hide it.
        let mask = entries.count - 1
        var next = (hole + 1) & mask
        while entries[next] >= 0 {
            let home = Int(truncatingIfNeeded: hash(words[Int(entries[next])])) & mask
            if (next - home) & mask >= (next - hole) & mask {
                entries[hole] = entries[next]
                entries[next] = -1
                hole = next
            }
            next = (next + 1) & mask
        }
    }

    /// Makes another number of entries of those that there are, without the numbers that are small.
    private mutating func rebuild(_ entryCount: Int) {
        let places = entries
        entries = ContiguousArray(tableOf: -1, count: entryCount)
        let mask = entryCount - 1
        for place in places where place >= 0 {
            if let number = Self.number(words[Int(place)]), number < numbers.count {
                numbers[number] = place
                usedCount -= 1
                continue
            }
            var entry = Int(truncatingIfNeeded: hash(words[Int(place)])) & mask
            while entries[entry] >= 0 { entry = (entry + 1) & mask }
            entries[entry] = place
        }
    }

    private func hash(_ words: Words) -> UInt64 {
        // Two multiplications that keep the upper half: every bit of both words and of the seed matters.
        let first = (words.x ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        let mixed = first.high ^ first.low
        let second = (mixed ^ words.y).multipliedFullWidth(by: 0xC2B2_AE3D_27D4_EB4F &+ seed << 1)
        return second.high ^ second.low
    }

    /// Where the place of a key is, or would be.
    private func entry(of key: EventKey) -> Int {
        let mask = entries.count - 1
        var entry = Int(truncatingIfNeeded: hash(key.words)) & mask
        while true {
            let place = entries[entry]
            if place < 0 { return entry }
            if words[Int(place)] == key.words, key.words.y != .max || long[place] == key.long { return entry }
            entry = (entry + 1) & mask
        }
    }

    private func entry(ofPlace place: Int) -> Int {
        let mask = entries.count - 1
        var entry = Int(truncatingIfNeeded: hash(words[place])) & mask
        while entries[entry] != Int32(place) { entry = (entry + 1) & mask }
        return entry
    }
}
