/// Which patterns of a set an event concerns.
///
/// Equal conditions are one, evaluated once. A condition that can only hold where a field has a certain value is looked at
/// only where a hash table of that field's values leads to it, so that a thousand patterns that each want another symbol
/// cost one look-up.
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
        @usableFromInline var conditions: [Int: [Int]] = [:]
    }

    @usableFromInline var conditions: [Condition] = []
    @usableFromInline var columns: [Column] = []
    /// The conditions that are evaluated for every event.
    @usableFromInline var unindexed: [Int] = []
    @usableFromInline var known: [AnyIdentity: Int] = [:]
    @usableFromInline var columnsByField: [AnyIdentity: Int] = [:]

    @usableFromInline
    init() {}

    /// Adds the conditions of a pattern.
    ///
    /// - Parameters:
    ///   - table: The conditions.
    ///   - count: How many there are.
    ///   - rule: The number of the pattern.
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
            unindexed.append(condition)
            return condition
        }
        known[hint.identity] = condition
        guard let equality = hint.equality else {
            unindexed.append(condition)
            return condition
        }
        let column = column(of: equality)
        columns[column].conditions[equality.hashOfConstant, default: []].append(condition)
        return condition
    }

    private mutating func column(of equality: any FieldEquality<Element>) -> Int {
        if let column = columnsByField[equality.field] { return column }
        columns.append(Column(hashOfField: equality.hashOfField))
        columnsByField[equality.field] = columns.count - 1
        return columns.count - 1
    }

    /// Calls `body` for each use of each condition that holds for an event.
    @inlinable
    func forEachUse(for element: borrowing Element, _ body: (Use) -> Void) {
        for condition in unindexed where conditions[condition].holds(element) {
            for use in conditions[condition].uses { body(use) }
        }
        for column in columns {
            guard let candidates = column.conditions[column.hashOfField(element)] else { continue }
            // The hash may be that of another value.
            for condition in candidates where conditions[condition].holds(element) {
                for use in conditions[condition].uses { body(use) }
            }
        }
    }
}
