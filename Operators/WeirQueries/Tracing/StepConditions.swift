internal import WeirCore
internal import WeirRecords

/// The condition of a step, taken apart as the engine does it, to find out which parts fail for an event.
struct StepConditions: Sendable {
    /// A part of the condition, and whether it has to be true or false.
    private struct Part: Sendable {
        let atom: Int
        let isWanted: Bool
    }

    /// Parts of which one would have to be different.
    private typealias Alternatives = [Part]

    private let plan: QueryPlan
    private let condition: Condition
    private let atoms: [ConditionAtom]
    private let programs: [TermProgram?]

    init(_ step: QueryPlan.Step, of plan: QueryPlan) {
        self.plan = plan
        var set = ConditionSet(over: plan.fields)
        condition = set.add(step)
        atoms = set.atoms
        programs = set.atoms.map { atom in
            if case .term(let term) = atom.subject { TermProgram(term, over: plan.fields) } else { nil }
        }
    }

    /// The fewest parts of the condition that would have to be different for an event to satisfy it.
    ///
    /// - Parameters:
    ///   - values: The values of all fields of the plan.
    ///   - category: The category of the event.
    ///   - type: What it is an event of.
    /// - Returns: The parts; none where the event satisfies the condition.
    func failed<Root>(
        _ values: [QueryValue],
        _ category: QueryValue,
        _ type: Root.Type
    ) -> [NearMatch<Root>.FailedCondition] {
        let truths = atoms.indices.map { truth($0, values, category) }
        return failed(condition, isWanted: true, truths).map { parts in
            var named: [NearMatch<Root>.NamedValue] = []
            for part in parts {
                for value in self.values(part.atom, values, category, Root.self) where !named.contains(value) {
                    named.append(value)
                }
            }
            return NearMatch<Root>.FailedCondition(condition: text(parts), values: named)
        }
    }

    private func truth(_ atom: Int, _ values: [QueryValue], _ category: QueryValue) -> Truth {
        if let program = programs[atom] { return Truth(program.value(of: values)) }
        guard case .category(let name) = atoms[atom].subject else { return .unknown }
        return category.elements.contains { $0.written == name } ? .yes : .no
    }

    private func failed(_ condition: Condition, isWanted: Bool, _ truths: [Truth]) -> [Alternatives] {
        switch condition {
        case .always: return isWanted ? [] : [[]]
        case .atom(let atom):
            return truths[atom] == (isWanted ? .yes : .no) ? [] : [[Part(atom: atom, isWanted: isWanted)]]
        case .not(let condition): return failed(condition, isWanted: !isWanted, truths)
        case .and(let parts) where isWanted, .or(let parts) where !isWanted:
            return parts.flatMap { failed($0, isWanted: isWanted, truths) }
        case .and(let parts), .or(let parts):
            // One of them is enough: where several are as near, each of these is one.
            let all = parts.map { failed($0, isWanted: isWanted, truths) }
            let fewest = all.map(\.count).min() ?? 0
            guard fewest == 1 else { return all.first { $0.count == fewest } ?? [] }
            return [all.filter { $0.count == 1 }.flatMap { $0[0] }]
        }
    }

    private func text(_ parts: Alternatives) -> String {
        let texts = parts.map { part in
            switch atoms[part.atom].subject {
            case .term(let term): plan.text(of: part.isWanted ? term : .not(term))
            case .category(let name):
                "category \(part.isWanted ? "==" : "!=") \(QueryValue.text(name))"
            }
        }
        return texts.isEmpty ? "not true" : texts.joined(separator: " or ")
    }

    private func values<Root>(
        _ atom: Int,
        _ values: [QueryValue],
        _ category: QueryValue,
        _ type: Root.Type
    ) -> [NearMatch<Root>.NamedValue] {
        guard let program = programs[atom] else { return [NearMatch.NamedValue(name: "category", value: category)] }
        return program.fields.map { NearMatch.NamedValue(name: plan.fields[$0].name, value: values[$0]) }
    }
}
