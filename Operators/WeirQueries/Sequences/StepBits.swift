/// A bit for each step of a rule: whether an event satisfies its condition.
struct StepBits: Sendable, Hashable {
    /// Those of the first 64 steps.
    var first: UInt64
    // Those of the steps behind the first 64, where there are any.
    private var others: [UInt64] = []

    /// Creates the bits of up to 64 steps.
    init(_ first: UInt64 = 0) { self.first = first }

    subscript(step: Int) -> Bool {
        get {
            if step < 64 { return first >> UInt64(step) & 1 != 0 }
            let word = step >> 6 - 1
            return word < others.count && others[word] >> UInt64(step & 63) & 1 != 0
        }
        set {
            let bit = 1 << UInt64(step & 63) as UInt64
            guard step >= 64 else {
                first = newValue ? first | bit : first & ~bit
                return
            }
            let word = step >> 6 - 1
            while others.count <= word { others.append(0) }
            others[word] = newValue ? others[word] | bit : others[word] & ~bit
        }
    }

    /// Sets the bits of an event.
    ///
    /// - Parameters:
    ///   - words: For each step a bit for each of 64 events.
    ///   - bit: Which of them.
    @inline(__always)
    mutating func set(_ words: [UInt64], _ bit: UInt64) {
        first = 0
        for step in 0..<min(64, words.count) { first |= (words[step] >> bit & 1) << UInt64(step) }
        guard words.count > 64 else { return }
        for step in 64..<words.count { self[step] = words[step] >> bit & 1 != 0 }
    }

    /// Whether there is none.
    var isEmpty: Bool { first == 0 && others.allSatisfy { $0 == 0 } }

    /// Adds those of some bits that are also others.
    mutating func add(_ bits: StepBits, in mask: StepBits) {
        first |= bits.first & mask.first
        for word in 0..<min(bits.others.count, mask.others.count) {
            while others.count <= word { others.append(0) }
            others[word] |= bits.others[word] & mask.others[word]
        }
    }
}
