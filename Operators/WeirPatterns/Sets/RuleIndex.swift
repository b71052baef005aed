/// Which rules of a set an event concerns.
///
/// Equal conditions are one, evaluated once. A condition that can only hold where a field has a certain value is looked at
/// only where a hash table of that field's values leads to it, so that a thousand patterns that each want another symbol
/// cost one look-up. The ranges that conditions want of a field are looked up in its ``RangeTable``, among those that the
/// hash table leads to, or else among all.
///
/// Made and changed by a ``RuleIndexBuilder``.
@frozen
@usableFromInline
struct RuleIndex<Element: Sendable>: Sendable {
    /// A place where a condition is used.
    @frozen
    @usableFromInline
    struct Use: Sendable {
        @usableFromInline var rule: Int
        @usableFromInline var bit: UInt64
    }

    /// A condition of one or more patterns.
    @frozen
    @usableFromInline
    struct Condition: Sendable {
        @usableFromInline var holds: ConditionTable<Element>.Unary
        @usableFromInline var uses: [Use] = []
    }

    /// The conditions on one field, by the hash of the value that it must have.
    @frozen
    @usableFromInline
    struct Column: Sendable {
        @usableFromInline var hashOfField: @Sendable (borrowing Element) -> Int
        /// The places of the candidates.
        @usableFromInline var candidates: [Int: Int] = [:]
    }

    /// The conditions that may hold for an event.
    @frozen
    @usableFromInline
    struct Candidates: Sendable {
        /// The conditions that are evaluated.
        @usableFromInline var unindexed: [Int] = []
        @usableFromInline var tables: [RangeTable<Element>] = []

        @usableFromInline
        init() {}
    }

    @usableFromInline var conditions: [Condition] = []
    @usableFromInline var columns: [Column] = []
    /// The first ones are those of every event, the others those of a value of a column.
    @usableFromInline var candidates = [Candidates()]

    @usableFromInline
    init() {}

    /// Calls `body` for each use of each condition that holds for an event.
    @inlinable
    func forEachUse(for element: borrowing Element, _ body: (Use) -> Void) {
        forEachUse(for: element, among: candidates[0], body)
        for column in columns {
            guard let place = column.candidates[column.hashOfField(element)] else { continue }
            // The hash may be that of another value, so none of these conditions is decided by a range.
            forEachUse(for: element, among: candidates[place], body)
        }
    }

    @inlinable
    func forEachUse(for element: borrowing Element, among candidates: Candidates, _ body: (Use) -> Void) {
        for condition in candidates.unindexed where conditions[condition].holds(element) {
            for use in conditions[condition].uses { body(use) }
        }
        for table in candidates.tables {
            for condition in table.unplaced where conditions[condition].holds(element) {
                for use in conditions[condition].uses { body(use) }
            }
            guard var node = table.leaf(of: element) else {
                for condition in table.unordered where conditions[condition].holds(element) {
                    for use in conditions[condition].uses { body(use) }
                }
                continue
            }
            while node > 0 {
                for index in table.starts[node]..<table.starts[node + 1] {
                    let entry = table.entries[index]
                    if !entry.isDecided, !conditions[entry.condition].holds(element) { continue }
                    for use in conditions[entry.condition].uses { body(use) }
                }
                node >>= 1
            }
        }
    }
}
