internal import WeirCore

/// How a pattern is evaluated, to read or to draw.
///
///     import Foundation
///
///     print(try fraud.explain())
///     try fraud.explain().dot.write(toFile: "fraud.dot", atomically: true, encoding: .utf8)
public struct PatternExplanation: Sendable, CustomStringConvertible {
    /// The strategy that is used.
    public let strategy: StrategyChoice

    /// Why it is not the compact strategy; `nil` if it is.
    public let obstacle: String?

    let plan: PatternPlan
    let automaton: Automaton
    let limits: PatternLimits

    init(_ plan: PatternPlan, _ settings: PatternSettings) throws(PatternError) {
        self.plan = plan
        automaton = AutomatonBuilder(plan).automaton
        limits = settings.limits
        strategy = try settings.choice(for: plan)
        obstacle = strategy == .compact ? nil : settings.obstacle(for: plan) ?? "runs were asked for"
    }

    private var texts: [String] { plan.conditions.map(\.text) }

    // MARK: As text

    /// The stages, the strategy, the bounds, and the automaton.
    public var description: String {
        var lines = ["pattern"]
        lines += Self.lines(plan.stages, texts, indent: "  ")
        lines += bounds.map { "  \($0)" }
        lines.append("strategy: \(strategy.rawValue)" + (obstacle.map { ", because \($0)" } ?? ""))
        let equalities = plan.conditions.filter { $0.equality != nil }.map(\.text)
        if strategy == .runs, !equalities.isEmpty {
            lines.append("equalities: \(equalities.joined(separator: "; "))")
        }
        lines.append("automaton")
        for state in reached {
            lines.append("  \(name(state))\(note(state))")
            for edge in automaton.states[state].edges {
                lines.append("    \(label(edge)) -> \(name(edge.target))")
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func lines(_ stages: [PlanStage], _ texts: [String], indent: String) -> [String] {
        stages.flatMap { stage in
            var line = "\(indent)\(stage.contiguity.rawValue) \(stage.name)\(stage.quantifier.words)"
            var inner: [String] = []
            switch stage.content {
            case .event(_, let conditions):
                if !conditions.isEmpty { line += " where \(conditions.map { texts[$0] }.joined(separator: " and "))" }
            case .group(let stages): inner = lines(stages, texts, indent: indent + "  ")
            case .either(let alternatives):
                line += " either"
                inner = alternatives.flatMap { ["\(indent)  one of"] + lines($0, texts, indent: indent + "    ") }
            case .allOf(let stages):
                line += " in any order"
                inner = lines(stages, texts, indent: indent + "  ")
            }
            if let until = stage.until { line += " until \(texts[until])" }
            if stage.hasDuration {
                line +=
                    stage.gap.map { " for \(Duration.nanoseconds($0)) after the event before" } ?? " until its schedule"
            } else if let gap = stage.gap {
                line += " within \(Duration.nanoseconds(gap)) of the event before"
            }
            return [line] + inner
        }
    }

    private var bounds: [String] {
        Self.bounds(of: plan) + [
            "at most \(limits.partialMatches) partial matches, \(limits.events) events, then \(limits.policy.rawValue)"
        ]
    }

    /// What a pattern says, without the limits of its evaluation.
    static func program(of plan: PatternPlan) -> String {
        (lines(plan.stages, plan.conditions.map(\.text), indent: "") + bounds(of: plan)).joined(separator: "\n")
    }

    private static func bounds(of plan: PatternPlan) -> [String] {
        var bounds: [String] = []
        if let within = plan.within { bounds.append("within \(Duration.nanoseconds(within))") }
        if let gap = plan.neighbours { bounds.append("within \(Duration.nanoseconds(gap)) between neighbours") }
        if let quiet = plan.quiet {
            let condition = quiet.condition.map { plan.conditions[$0].text } ?? "the first event of another match"
            let time = quiet.duration == .max ? "at any time" : "within \(Duration.nanoseconds(quiet.duration))"
            bounds.append("not \(time) after \(condition)")
        }
        switch plan.afterMatch {
        case .noSkip: break
        case .skipToNext: bounds.append("after a match skip to the next start")
        case .skipPastLast: bounds.append("after a match skip past its last event")
        case .skipToFirst(let capture, _): bounds.append("after a match skip to the first \(plan.captures[capture])")
        case .skipToLast(let capture, _): bounds.append("after a match skip to the last \(plan.captures[capture])")
        }
        if plan.selection != .all { bounds.append("select \(plan.selection)") }
        return bounds
    }

    // MARK: As graphs

    /// The automaton in the language of Graphviz.
    public var dot: String {
        var lines = ["digraph pattern {", "  rankdir=LR;"]
        for state in reached {
            let shape = automaton.states[state].kind == .final ? "doublecircle" : "circle"
            lines.append("  s\(state) [shape=\(shape), label=\"\(Self.escaped(name(state)))\"];")
        }
        for state in reached {
            for edge in automaton.states[state].edges {
                lines.append("  s\(state) -> s\(edge.target) [label=\"\(Self.escaped(label(edge)))\"];")
            }
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    /// The automaton as a Mermaid flowchart.
    public var mermaid: String {
        var lines = ["flowchart LR"]
        for state in reached {
            let text = "\"\(Self.entities(name(state)))\""
            lines.append(
                automaton.states[state].kind == .final ? "  s\(state)(((\(text))))" : "  s\(state)((\(text)))"
            )
        }
        for state in reached {
            for edge in automaton.states[state].edges {
                lines.append("  s\(state) -->|\"\(Self.entities(label(edge)))\"| s\(edge.target)")
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func escaped(_ text: String) -> String {
        text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : $0 == "\n" ? "\\n" : "\($0)" }.joined()
    }

    private static func entities(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\"": "#quot;"
            case "<": "#lt;"
            case ">": "#gt;"
            case "#": "#35;"
            case "|": "#124;"
            case "\n": " "
            default: "\(character)"
            }
        }.joined()
    }

    // MARK: States

    /// The states that can be reached, in the order in which they are.
    private var reached: [Int] {
        var found = [automaton.start]
        var isFound = Array(repeating: false, count: automaton.states.count)
        isFound[automaton.start] = true
        var next = 0
        while next < found.count {
            for edge in automaton.states[found[next]].edges where !isFound[edge.target] {
                isFound[edge.target] = true
                found.append(edge.target)
            }
            next += 1
        }
        return found
    }

    private func name(_ state: Int) -> String {
        let described = automaton.states[state]
        switch described.kind {
        case .final: return "match"
        case .stop: return "stopped by \(plan.captures[described.capture])"
        case .normal, .pending:
            let stage = described.capture >= 0 ? plan.captures[described.capture] : "round"
            return "\(state) \(stage)"
        }
    }

    private func note(_ state: Int) -> String {
        let described = automaton.states[state]
        var notes: [String] = []
        if state == automaton.start { notes.append("start") }
        if described.kind == .pending { notes.append("a match when its time is over") }
        if automaton.schedules[state] != nil { notes.append("by a schedule") }
        if described.gap > 0 { notes.append("within \(Duration.nanoseconds(described.gap))") }
        return notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
    }

    private func label(_ edge: Automaton.Edge) -> String {
        let condition = edge.condition == .always ? "" : " if \(edge.condition.description(texts))"
        switch edge.action {
        case .take: return "take\(condition)"
        case .ignore: return "pass over\(condition)"
        case .proceed: return "look ahead\(condition)"
        }
    }
}

extension PlanQuantifier {
    /// How often, in words; empty for once.
    fileprivate var words: String {
        var words = ""
        if !isSingle {
            words =
                most.map { $0 == least ? " \(least) times" : " \(least) to \($0) times" } ?? " \(least) times or more"
            if inner != .relaxed { words += ", \(inner.rawValue)" }
        }
        if isGreedy { words += ", greedy" }
        if isOptional { words += ", optional" }
        return words
    }
}
