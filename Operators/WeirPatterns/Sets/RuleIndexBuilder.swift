/// Makes a ``RuleIndex``, and changes it rule by rule.
///
/// The index is copied on the first change after it has been handed out; what a change costs beside that depends on the
/// rule and on the conditions that it shares places with, not on the number of rules.
struct RuleIndexBuilder<Element: Sendable>: Sendable {
    typealias Condition = RuleIndex<Element>.Condition

    /// The ranges that conditions want of one field.
    private struct RangeColumn: Sendable {
        let field: AnyIdentity
        var members: [RangeMember<Element>] = []
        var table: RangeTable<Element>?
        var isStale = true
    }

    /// What the candidates of a place are made of.
    private struct Source: Sendable {
        /// The column and the hash that lead to the place; `nil` for the first one.
        var origin: (field: AnyIdentity, hash: Int)?
        var unindexed: [Int] = []
        var ranges: [RangeColumn] = []
    }

    /// Where a condition is found.
    private struct Location: Sendable {
        var identity: AnyIdentity?
        var place = 0
        var rangeField: AnyIdentity?
    }

    /// The index; complete after ``makeTables()``.
    private(set) var index = RuleIndex<Element>()
    private var locations: [Location] = []
    private var sources = [Source()]
    private var known: [AnyIdentity: Int] = [:]
    private var columnsByField: [AnyIdentity: Int] = [:]
    private var freeConditions: [Int] = []
    private var freePlaces: [Int] = []
    // Places whose candidates have changed since the tables were made.
    private var stalePlaces: Set<Int> = []

    /// Below this number of conditions, to evaluate them is quicker than to look them up.
    private static var fewestForTable: Int { 4 }

    // MARK: Adding

    /// Adds conditions of a rule.
    ///
    /// - Parameters:
    ///   - table: The conditions.
    ///   - ids: Those of them that look at the event alone.
    ///   - rule: The number of the rule.
    /// - Returns: The places of the conditions, for ``remove(_:of:)``.
    mutating func add(_ table: ConditionTable<Element>, _ ids: [ConditionID], rule: Int) -> Set<Int> {
        var conditions: Set<Int> = []
        for id in ids {
            let condition = condition(of: table, id)
            index.conditions[condition].uses.append(RuleIndex.Use(rule: rule, bit: 1 << UInt64(id)))
            conditions.insert(condition)
        }
        return conditions
    }

    private mutating func condition(of table: ConditionTable<Element>, _ id: ConditionID) -> Int {
        let hint = table.hints[id]
        if let hint, let condition = known[hint.identity] { return condition }
        let condition = append(Condition(holds: table.unaryConditions[id].holds))
        var location = Location(identity: hint?.identity)
        if let hint {
            known[hint.identity] = condition
            if let equality = hint.equality { location.place = place(of: equality) }
        }
        stalePlaces.insert(location.place)
        if let hint, let range = hint.range {
            location.rangeField = range.identity
            let member = RangeMember(condition: condition, range: range, isWhole: hint.isRange)
            add(member, range.identity, to: location.place)
        } else {
            sources[location.place].unindexed.append(condition)
        }
        locations[condition] = location
        return condition
    }

    private mutating func append(_ condition: Condition) -> Int {
        if let free = freeConditions.popLast() {
            index.conditions[free] = condition
            return free
        }
        index.conditions.append(condition)
        locations.append(Location())
        return index.conditions.count - 1
    }

    private mutating func add(_ member: RangeMember<Element>, _ field: AnyIdentity, to place: Int) {
        if let column = sources[place].ranges.firstIndex(where: { $0.field == field }) {
            sources[place].ranges[column].members.append(member)
            sources[place].ranges[column].isStale = true
        } else {
            sources[place].ranges.append(RangeColumn(field: field, members: [member]))
        }
    }

    private mutating func place(of equality: any FieldEquality<Element>) -> Int {
        let (column, hash) = (column(of: equality), equality.hashOfConstant)
        if let place = index.columns[column].candidates[hash] { return place }
        let place: Int
        if let free = freePlaces.popLast() {
            place = free
        } else {
            place = sources.count
            sources.append(Source())
            index.candidates.append(RuleIndex.Candidates())
        }
        sources[place].origin = (equality.field, hash)
        index.columns[column].candidates[hash] = place
        return place
    }

    private mutating func column(of equality: any FieldEquality<Element>) -> Int {
        if let column = columnsByField[equality.field] { return column }
        index.columns.append(RuleIndex.Column(hashOfField: equality.hashOfField))
        columnsByField[equality.field] = index.columns.count - 1
        return index.columns.count - 1
    }

    // MARK: Removing

    /// Removes the conditions of a rule.
    ///
    /// - Parameters:
    ///   - conditions: What ``add(_:_:rule:)`` has returned.
    ///   - rule: The number of the rule.
    /// - Returns: The conditions that no rule uses any more, to be released where no lock is held.
    mutating func remove(_ conditions: Set<Int>, of rule: Int) -> [Condition] {
        var unused: [Condition] = []
        // In order: the places that become free are taken again, and say in which order rules look at an event.
        for condition in conditions.sorted() {
            index.conditions[condition].uses.removeAll { $0.rule == rule }
            guard index.conditions[condition].uses.isEmpty else { continue }
            unused.append(index.conditions[condition])
            index.conditions[condition] = Condition { _ in false }
            freeConditions.append(condition)
            forget(condition)
        }
        return unused
    }

    private mutating func forget(_ condition: Int) {
        let location = locations[condition]
        locations[condition] = Location()
        if let identity = location.identity { known[identity] = nil }
        let place = location.place
        stalePlaces.insert(place)
        if let field = location.rangeField {
            guard let column = sources[place].ranges.firstIndex(where: { $0.field == field }) else { return }
            sources[place].ranges[column].members.removeAll { $0.condition == condition }
            sources[place].ranges[column].isStale = true
            if sources[place].ranges[column].members.isEmpty { sources[place].ranges.remove(at: column) }
        } else {
            sources[place].unindexed.removeAll { $0 == condition }
        }
        if sources[place].unindexed.isEmpty, sources[place].ranges.isEmpty { forget(place: place) }
    }

    private mutating func forget(place: Int) {
        guard let (field, hash) = sources[place].origin, let column = columnsByField[field] else { return }
        sources[place] = Source()
        freePlaces.append(place)
        index.columns[column].candidates[hash] = nil
        guard index.columns[column].candidates.isEmpty else { return }
        index.columns.remove(at: column)
        columnsByField[field] = nil
        for (field, other) in columnsByField where other > column { columnsByField[field] = other - 1 }
    }

    // MARK: Tables

    /// Makes the tables of the places that have changed since the last time.
    ///
    /// - Complexity: O(*m* log *m*) for *m* conditions on the ranges of the fields that changes concern.
    mutating func makeTables() {
        for place in stalePlaces {
            var candidates = RuleIndex<Element>.Candidates()
            candidates.unindexed = sources[place].unindexed
            for column in sources[place].ranges.indices {
                let members = sources[place].ranges[column].members
                if sources[place].ranges[column].isStale {
                    let isLarge = members.count >= Self.fewestForTable
                    sources[place].ranges[column].table = isLarge ? members[0].range.table(of: members) : nil
                    sources[place].ranges[column].isStale = false
                }
                if let table = sources[place].ranges[column].table {
                    candidates.tables.append(table)
                } else {
                    candidates.unindexed += members.map(\.condition)
                }
            }
            index.candidates[place] = candidates
        }
        stalePlaces = []
    }
}
