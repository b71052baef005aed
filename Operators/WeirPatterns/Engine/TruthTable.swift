/// Evaluates the unary conditions of a plan for an event, one bit each.
///
/// Conditions are closures; they are put together by fours into one closure, since a closure that is captured by another
/// one is called without counting references, unlike one in an array.
@frozen
@usableFromInline
struct TruthTable<Element: Sendable>: Sendable {
    @usableFromInline let truths: @Sendable (borrowing Element) -> UInt64

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - conditions: The conditions of a plan.
    ///   - count: How many there are, at most 64; the number of a condition is that of its bit.
    @inlinable
    init(_ conditions: ConditionTable<Element>, _ count: Int) {
        precondition(count <= 64, "\(count) conditions do not fit into 64 bits")
        let used = Array(0..<count)
        var truths = Self.group(conditions, used.prefix(4))
        var index = 4
        while index < used.count {
            let (before, shift) = (truths, UInt64(index))
            let group = Self.group(conditions, used[index..<min(index + 4, used.count)])
            truths = { element in before(element) | group(element) &<< shift }
            index += 4
        }
        self.truths = truths
    }

    @inlinable
    static func group(
        _ conditions: ConditionTable<Element>,
        _ used: ArraySlice<ConditionID>
    ) -> @Sendable (borrowing Element) -> UInt64 {
        let conditions = used.map { conditions.unaryConditions[$0] }
        switch conditions.count {
        case 0:
            return { _ in 0 }
        case 1:
            let a = conditions[0]
            return { element in a.holds(element) ? 1 : 0 }
        case 2:
            let (a, b) = (conditions[0], conditions[1])
            return { element in (a.holds(element) ? 1 : 0) | (b.holds(element) ? 2 : 0) }
        case 3:
            let (a, b, c) = (conditions[0], conditions[1], conditions[2])
            return { element in
                (a.holds(element) ? 1 : 0) | (b.holds(element) ? 2 : 0) | (c.holds(element) ? 4 : 0)
            }
        default:
            let (a, b, c, d) = (conditions[0], conditions[1], conditions[2], conditions[3])
            return { element in
                (a.holds(element) ? 1 : 0) | (b.holds(element) ? 2 : 0) | (c.holds(element) ? 4 : 0)
                    | (d.holds(element) ? 8 : 0)
            }
        }
    }
}
