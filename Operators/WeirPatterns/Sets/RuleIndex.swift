/// Which patterns of a set an event concerns.
///
/// Equal conditions are one, evaluated once. A condition that can only hold where a field has a certain value is looked at
/// only where a hash table of that field's values leads to it, so that a thousand patterns that each want another symbol
/// cost one look-up. The ranges that conditions want of a field are looked up in its ``RangeTable``, among those that the
/// hash table leads to, or else among all.
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

    /// The ranges that conditions want of one field.
    @usableFromInline
    struct RangeColumn: Sendable {
        let field: AnyIdentity
        var members: [RangeMember<Element>] = []
    }

    /// The conditions that may hold for an event.
    @frozen
    @usableFromInline
    struct Candidates: Sendable {
        /// The conditions that are evaluated.
        @usableFromInline var unindexed: [Int] = []
        @usableFromInline var ranges: [RangeColumn] = []
        @usableFromInline var tables: [RangeTable<Element>] = []

        @usableFromInline
        init() {}
    }

    @usableFromInline var conditions: [Condition] = []
    @usableFromInline var columns: [Column] = []
    /// The first ones are those of every event, the others those of a value of a column.
    @usableFromInline var candidates = [Candidates()]
    @usableFromInline var known: [AnyIdentity: Int] = [:]
    @usableFromInline var columnsByField: [AnyIdentity: Int] = [:]

    @usableFromInline
    init() {}

    /// Adds the conditions of a pattern.
    @usableFromInline
    mutating func add(_ table: ConditionTable<Element>, _ count: Int, rule: Int) {
        for id in 0..<count {
            let condition = place(of: table, id)
            conditions[condition].uses.append(Use(rule: rule, bit: 1 << UInt64(id)))
        }
    }

    private mutating func place(of table: ConditionTable<Element>, _ id: ConditionID) -> Int {
        let hint = table.hints[id]
        if let hint, let condition = known[hint.identity] { return condition }
        let condition = conditions.count
        conditions.append(Condition(holds: table.unaryConditions[id].holds))
        guard let hint else {
            candidates[0].unindexed.append(condition)
            return condition
        }
        known[hint.identity] = condition
        let among = hint.equality.map { equality in place(of: equality) } ?? 0
        if let range = hint.range {
            let column = column(of: range, among: among)
            let member = RangeMember(condition: condition, range: range, isWhole: hint.isRange)
            candidates[among].ranges[column].members.append(member)
        } else {
            candidates[among].unindexed.append(condition)
        }
        return condition
    }

    private mutating func place(of equality: any FieldEquality<Element>) -> Int {
        let (column, hash) = (column(of: equality), equality.hashOfConstant)
        if let place = columns[column].candidates[hash] { return place }
        candidates.append(Candidates())
        columns[column].candidates[hash] = candidates.count - 1
        return candidates.count - 1
    }

    private mutating func column(of range: any FieldRange<Element>, among place: Int) -> Int {
        let identity = range.identity
        if let column = candidates[place].ranges.firstIndex(where: { $0.field == identity }) { return column }
        candidates[place].ranges.append(RangeColumn(field: identity))
        return candidates[place].ranges.count - 1
    }

    private mutating func column(of equality: any FieldEquality<Element>) -> Int {
        if let column = columnsByField[equality.field] { return column }
        columns.append(Column(hashOfField: equality.hashOfField))
        columnsByField[equality.field] = columns.count - 1
        return columns.count - 1
    }

    /// Below this number of conditions, to evaluate them is quicker than to look them up.
    private static var fewestForTable: Int { 4 }

    /// Makes the tables of the ranges, after the last pattern has been added.
    @usableFromInline
    mutating func makeTables() {
        for place in candidates.indices {
            for column in candidates[place].ranges {
                if column.members.count < Self.fewestForTable {
                    candidates[place].unindexed += column.members.map(\.condition)
                } else {
                    candidates[place].tables.append(column.members[0].range.table(of: column.members))
                }
            }
            candidates[place].ranges = []
        }
    }

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
