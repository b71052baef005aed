import WeirQueries

/// The meaning of plans, computed in the plainest way from all events at once.
///
/// Shares nothing with the engine: terms are walked for each event, sequences are searched for in whole streams, and what
/// must not occur is looked for afterwards.
struct NaiveQuery {
    struct Event {
        var time: Int64
        var category: QueryValue
        var values: [QueryValue]
    }

    struct Match: Equatable, CustomStringConvertible {
        var time: Int64
        var events: [Int?]
        var description: String { "\(events.map { $0.map(String.init) ?? "-" }.joined(separator: " ")) at \(time)" }
    }

    let plan: QueryPlan
    let events: [Event]

    func matches() -> [Match] {
        var matches: [Match]
        switch plan.situation {
        case .event(let step):
            matches = events.indices.filter { satisfies($0, step) }.map { Match(time: events[$0].time, events: [$0]) }
        case .sequence(let sequence): matches = self.matches(of: sequence)
        case .sample: preconditionFailure("samples are checked by what they have to be")
        }
        for pipe in plan.pipes {
            switch pipe {
            case .head(let count): matches = Array(matches.prefix(count))
            case .tail(let count): matches = Array(matches.suffix(count))
            default: preconditionFailure("not tried")
            }
        }
        return matches
    }

    func satisfies(_ index: Int, _ step: QueryPlan.Step) -> Bool {
        let event = events[index]
        if let category = step.category {
            guard all(event.category).contains(.text(category)) else { return false }
        }
        guard let condition = step.condition else { return true }
        return truth(value(condition, event)) == true
    }

    /// All keys of an event for a step.
    func keys(_ index: Int, _ step: QueryPlan.Step) -> [[QueryValue]] {
        var keys: [[QueryValue]] = [[]]
        for key in step.keys {
            var values: [QueryValue] = []
            for value in all(events[index].values[key.field]) where !values.contains(value) { values.append(value) }
            if values.isEmpty, key.acceptsMissing { values = [.missing] }
            keys = keys.flatMap { start in values.map { start + [$0] } }
        }
        return keys
    }

    func has(_ index: Int, _ step: QueryPlan.Step, _ key: [QueryValue]) -> Bool {
        satisfies(index, step) && keys(index, step).contains(key)
    }

    // MARK: Sequences

    private func matches(of sequence: QueryPlan.Sequence) -> [Match] {
        let positive = sequence.steps.filter { !$0.isMissing }.flatMap { Array(repeating: $0, count: $0.runs) }
        struct Slot: Hashable {
            let key: [QueryValue]
            let count: Int
        }
        var pending: [Slot: [Int]] = [:]
        var found: [(time: Int64, waits: Int, order: Int, match: Match)] = []
        for index in events.indices {
            if let until = sequence.until, satisfies(index, until) {
                for key in keys(index, until) { pending = pending.filter { $0.key.key != key } }
            }
            for count in positive.indices.reversed() where satisfies(index, positive[count]) {
                for key in keys(index, positive[count]) {
                    var chain: [Int] = []
                    if count > 0 {
                        guard let before = pending.removeValue(forKey: Slot(key: key, count: count)) else { continue }
                        if let span = sequence.maxSpan, events[index].time - events[before[0]].time > span { continue }
                        chain = before
                    }
                    chain.append(index)
                    guard count + 1 == positive.count else {
                        pending[Slot(key: key, count: count + 1)] = chain
                        continue
                    }
                    if let (time, waits) = certainTime(of: chain, key, sequence) {
                        let match = Match(time: time, events: laidOut(chain, sequence))
                        found.append((time, waits ? 1 : 0, found.count, match))
                    }
                }
            }
        }
        // What waits is certain only when a later event comes.
        return found.sorted { ($0.time, $0.waits, $0.order) < ($1.time, $1.waits, $1.order) }.map(\.match)
    }

    /// When a match is certain, and whether that is behind its last event; `nil` where something occurs that must not.
    private func certainTime(
        of chain: [Int],
        _ key: [QueryValue],
        _ sequence: QueryPlan.Sequence
    ) -> (time: Int64, waits: Bool)? {
        let span = sequence.maxSpan ?? .max
        var position = 0
        var (leading, trailing): ([QueryPlan.Step], [QueryPlan.Step]) = ([], [])
        for step in sequence.steps {
            guard step.isMissing else {
                position += step.runs
                continue
            }
            if position == 0 {
                leading.append(step)
            } else if position == chain.count {
                trailing.append(step)
            } else {
                for index in chain[position - 1] + 1..<max(chain[position - 1] + 1, chain[position])
                where has(index, step, key) { return nil }
            }
        }
        let (first, last) = (chain[0], chain[chain.count - 1])
        let before = events.indices.last { index in index < first && leading.contains { has(index, $0, key) } }
        let behind = events.indices.first { index in index > last && trailing.contains { has(index, $0, key) } }
        let end = events[last].time
        switch (leading.isEmpty, trailing.isEmpty) {
        case (true, true): return (end, false)
        case (false, true): return before.map { end - events[$0].time <= span } ?? false ? nil : (end, false)
        case (true, false):
            let deadline = events[first].time + span
            return behind.map { events[$0].time <= deadline } ?? false ? nil : (deadline, true)
        case (false, false):
            guard let before, end - events[before].time <= span else { return (end, false) }
            let deadline = events[before].time + span
            return behind.map { events[$0].time <= deadline } ?? false ? nil : (deadline, true)
        }
    }

    private func laidOut(_ chain: [Int], _ sequence: QueryPlan.Sequence) -> [Int?] {
        var rest = chain[...]
        return sequence.steps.flatMap { step in (0..<step.runs).map { _ in step.isMissing ? nil : rest.popFirst() } }
    }

    // MARK: Terms

    func all(_ value: QueryValue) -> [QueryValue] {
        switch value {
        case .missing: []
        case .list(let values): values.flatMap(all)
        default: [value]
        }
    }

    func truth(_ value: QueryValue) -> Bool? {
        let flags = all(value).compactMap { if case .boolean(let flag) = $0 { flag } else { Bool?.none } }
        return flags.isEmpty ? nil : flags.contains(true)
    }

    func value(_ truth: Bool?) -> QueryValue { truth.map(QueryValue.boolean) ?? .missing }

    func value(_ term: QueryTerm, _ event: Event) -> QueryValue {
        switch term {
        case .constant(let value): return value
        case .field(let index): return event.values[index]
        case .not(let term): return value(truth(value(term, event)).map { !$0 })
        case .isMissing(let term): return .boolean(all(value(term, event)).isEmpty)
        case .isAny(let term, let constants, _):
            let values = all(value(term, event))
            return values.isEmpty
                ? .missing : .boolean(values.contains { value in constants.contains { equal(value, $0) } })
        case .binary(.and, let left, let right):
            let (left, right) = (truth(value(left, event)), truth(value(right, event)))
            return value(left == false || right == false ? false : left == nil || right == nil ? nil : true)
        case .binary(.or, let left, let right):
            let (left, right) = (truth(value(left, event)), truth(value(right, event)))
            return value(left == true || right == true ? true : left == nil || right == nil ? nil : false)
        case .binary(.notEqual, let left, let right):
            return value(truth(value(.binary(.equal, left, right), event)).map { !$0 })
        case .binary(let operation, let left, let right):
            let lefts = all(value(left, event))
            let rights = all(value(right, event))
            let results = lefts.flatMap { left in rights.map { result(operation, left, $0) } }
            return results.count == 1 ? results[0] : results.isEmpty ? .missing : .list(results)
        default: preconditionFailure("not tried")
        }
    }

    private func number(_ value: QueryValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }

    private func equal(_ left: QueryValue, _ right: QueryValue) -> Bool {
        if let left = number(left), let right = number(right) { return left == right }
        return left == right
    }

    private func result(_ operation: QueryTerm.Operation, _ left: QueryValue, _ right: QueryValue) -> QueryValue {
        if operation == .equal { return .boolean(equal(left, right)) }
        if case .text(let left) = left, case .text(let right) = right {
            switch operation {
            case .less: return .boolean(left < right)
            case .lessOrEqual: return .boolean(left <= right)
            case .greater: return .boolean(left > right)
            case .greaterOrEqual: return .boolean(left >= right)
            default: return .missing
            }
        }
        guard let one = number(left), let other = number(right) else { return .missing }
        switch operation {
        case .less: return .boolean(one < other)
        case .lessOrEqual: return .boolean(one <= other)
        case .greater: return .boolean(one > other)
        case .greaterOrEqual: return .boolean(one >= other)
        case .sum: return .real(one + other)
        case .difference: return .real(one - other)
        case .product: return .real(one * other)
        default: return .missing
        }
    }
}
