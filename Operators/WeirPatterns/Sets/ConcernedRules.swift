public import WeirCore

/// The rules of a set that an event concerns, with the truth values of their conditions.
@frozen
@usableFromInline
struct ConcernedRules: ~Copyable, Sendable {
    /// What is known of a rule.
    @frozen
    @usableFromInline
    struct Mark: BitwiseCopyable, Sendable {
        /// The conditions that hold for the event.
        @usableFromInline var truths: UInt64 = 0
        /// The conditions of which one must hold for an event to matter while there are no partial matches.
        @usableFromInline var beginning: UInt64 = 0
        /// The place in the order of the rules.
        @usableFromInline var rank = 0
        @usableFromInline var isTouched = false
        /// Whether any event may matter: there are partial matches, or it can begin one.
        @usableFromInline var isAlert = false

        @inlinable
        init() {}
    }

    @usableFromInline var marks = PositionRing(capacity: 1, filler: Mark())
    @usableFromInline var touched: [UInt32] = []

    @inlinable
    init() {}

    /// Makes room for rules, and keeps the marks of those that there are.
    @usableFromInline
    mutating func reserve(_ count: Int, keeping known: Int) {
        if count > marks.capacity { marks.resize(to: count, keeping: 0, to: UInt32(known), filler: Mark()) }
        touched.reserveCapacity(count)
    }

    @inlinable
    mutating func note(_ rule: Int, _ bit: UInt64) {
        let rule = UInt32(truncatingIfNeeded: rule)
        var mark = marks[rule]
        if !mark.isTouched { touched.append(rule) }
        mark.truths |= bit
        mark.isTouched = true
        marks[rule] = mark
    }

    /// Leaves the rules to which the event matters, in their order.
    @inlinable
    mutating func settle() {
        var kept = 0
        var (last, isInOrder) = (Int.min, true)
        for index in touched.indices {
            let rule = touched[index]
            let mark = marks[rule]
            marks[rule].isTouched = false
            guard mark.isAlert || mark.truths & mark.beginning != 0 else {
                marks[rule].truths = 0
                continue
            }
            touched[kept] = rule
            kept += 1
            if mark.rank < last { isInOrder = false }
            last = mark.rank
        }
        touched.removeLast(touched.count - kept)
        if !isInOrder { sort() }
    }

    @inlinable
    @inline(never)
    mutating func sort() { touched.sort { marks[$0].rank < marks[$1].rank } }

    /// The truth values of a rule's conditions, which are forgotten.
    @inlinable
    mutating func takeTruths(of rule: UInt32) -> UInt64 {
        let truths = marks[rule].truths
        marks[rule].truths = 0
        return truths
    }
}
