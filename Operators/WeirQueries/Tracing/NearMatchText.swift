internal import WeirCore
internal import WeirRecords

/// What became of the partial matches of a rule, for people.
struct NearMatchText {
    typealias Near = NearMatch<[UInt8]>

    /// How long lines are that show what is in events.
    private static let width = 118

    let rule: QueryRule<QueryPlan>
    /// The names of the fields that events show.
    let shown: [String]
    let form: TimeForm
    let choice: KeyChoice

    private var plan: QueryPlan { rule.plan }

    /// The steps, the one behind them included that ends a sequence.
    private var steps: [QueryPlan.Step] { plan.situation.steps }

    private var span: Int64? { if case .sequence(let sequence) = plan.situation { sequence.maxSpan } else { nil } }

    func lines(_ result: RuleTrace<[UInt8]>.Result) -> [String] {
        guard choice.isAll || plan.hasKeys else {
            return ["\(rule.name): has no key; --near N explains what came closest"]
        }
        var lines: [String] = []
        for (key, list) in result.lists { lines += self.lines(key, list) }
        for texts in choice.unused(result.lists.map(\.key)) {
            let seen = result.seenKeys.map { $0.compactMap(\.written).joined(separator: ",") }
            let wanted = texts.joined(separator: ",")
            lines.append(
                "\(rule.name): no event has the key '\(wanted)'" + Suggestion.text(for: wanted, among: seen.sorted())
            )
        }
        if !plan.pipes.isEmpty, result.lists.contains(where: { $0.list.count(.complete) > 0 }) {
            lines.append("  the pipes of the query are left out: they may drop matches")
        }
        return lines.map { Excerpt.line($0) }
    }

    // MARK: Lists

    private func lines(_ key: [UInt8], _ list: NearList<[UInt8]>) -> [String] {
        var lines = [title(key, list)]
        for near in list.complete { lines.append("  match: \(events(of: near))") }
        let more = list.count(.complete) - UInt64(list.complete.count)
        if more > 0 { lines.append("  and \(more) more \(more == 1 ? "match" : "matches")") }
        // Those of a key are a story; of those of all keys, the closest matters most.
        var shown = list.shown
        if !choice.isAll { shown.sort { ($0.startTime, $0.endTime) < ($1.startTime, $1.endTime) } }
        for near in shown { lines += self.lines(near) }
        return lines
    }

    private func title(_ key: [UInt8], _ list: NearList<[UInt8]>) -> String {
        let matches = list.count(.complete)
        let name = choice.isAll ? rule.name : "\(rule.name), \(pairs(plan.keyNames, KeyEncoding.values(in: key)))"
        let matchCount = matches == 0 ? "no match" : matches == 1 ? "1 match" : "\(matches) matches"
        if case .event = plan.situation {
            let others = list.count - matches
            return "\(name): \(matchCount), \(others) other \(others == 1 ? "event" : "events")"
                + (others > list.shown.count ? ", the closest of them:" : "")
        }
        let reasons: [(NearList<[UInt8]>.Reason, String)] = [
            (.maxSpan, "out of time"), (.until, "ended by until"), (.replaced, "replaced by a newer one"),
            (.occurred, "rejected by a missing step"), (.limit, "given up"), (.endOfEvents, "pending at the end"),
        ]
        let partial = reasons.reduce(0) { $0 + list.count($1.0) }
        let ended = reasons.filter { list.count($0.0) > 0 }.map { "\(list.count($0.0)) \($0.1)" }
        if partial == 0, list.count(.notBegun) > 0 { return "\(name): \(matchCount), nothing began" }
        return "\(name): \(matchCount), \(partial) partial \(partial == 1 ? "match" : "matches")"
            + (ended.isEmpty ? "" : " (\(ended.joined(separator: ", ")))")
            + (partial > list.shown.count ? ", the closest of them:" : "")
    }

    private func events(of near: Near) -> String {
        let events = near.satisfied.map(\.event)
        let places = events.filter { $0.line > 0 }.map { "\($0.line)" }
        let lines = places.isEmpty ? "" : ", \(places.count == 1 ? "line" : "lines") \(places.joined(separator: " "))"
        let key = choice.isAll && !near.keys.isEmpty ? ", \(pairs(plan.keyNames, near.keys))" : ""
        let last = near.endTime == near.startTime ? "" : " to \(form.text(of: near.endTime))"
        return cut("\(form.text(of: near.startTime))\(last)\(key)\(lines)")
    }

    // MARK: Partial matches

    private func lines(_ near: Near) -> [String] {
        if case .event = plan.situation, let closest = near.missed.first?.closest {
            return ["", cut("  \(place(closest.event, since: nil)) \(words(closest.event))")] + failed(closest, "    ")
        }
        let key = choice.isAll && !near.keys.isEmpty ? "\(pairs(plan.keyNames, near.keys)): " : ""
        let start = near.satisfied.isEmpty ? "" : ", from \(form.text(of: near.startTime))"
        var lines = ["", "  \(key)\(near.satisfied.count) of \(near.eventCount) events\(start)"]
        let first = near.satisfied.isEmpty ? nil : near.startTime
        for step in near.satisfied {
            lines.append(
                cut("    \(name(step.step, step.run)): \(place(step.event, since: first)) \(words(step.event))")
            )
        }
        if let intruder = near.intruder {
            lines.append(
                cut(
                    "    \(name(intruder.step, 0)): must not occur, but \(place(intruder.event, since: first)) "
                        + "\(words(intruder.event))"
                )
            )
        }
        for missed in near.missed { lines += self.lines(missed, near) }
        if near.missed.isEmpty { lines.append(cut("    no match: \(ending(near))")) }
        return lines
    }

    private func lines(_ missed: Near.MissedStep, _ near: Near) -> [String] {
        let first = near.satisfied.isEmpty ? nil : near.startTime
        var lines = [
            "    \(name(missed.step, missed.run)): \(ending(near))",
            cut("      wanted: \(plan.condition(of: steps[missed.step]))"),
        ]
        if let closest = missed.closest {
            lines.append(cut("      closest: \(place(closest.event, since: first)) \(words(closest.event))"))
            lines += failed(closest, "        ")
        } else {
            let key = near.keys.isEmpty ? "" : " of this key"
            lines.append("      closest: no other event\(key) came\(near.satisfied.isEmpty ? "" : " meanwhile")")
        }
        if let late = missed.late {
            let delay = Self.duration((late.time - near.endTime).wholeNanoseconds)
            lines.append(cut("      too late by \(delay): \(place(late, since: first)) \(words(late))"))
        }
        if let early = missed.early {
            lines.append(cut("      too early: \(place(early, since: first)) \(words(early))"))
        }
        if missed.otherCount > 0 {
            var line = "      with other keys: \(missed.otherCount)"
            if let other = missed.other {
                line += ", such as \(place(other, since: first)) \(words(other, withKeys: true))"
            }
            lines.append(cut(line))
        }
        return lines
    }

    private func failed(_ candidate: Near.Candidate, _ margin: String) -> [String] {
        let more = candidate.failed.count - 4
        return candidate.failed.prefix(4).map { failed in
            let values = failed.values.map { "\($0.name) is \($0.value == .missing ? "missing" : "\($0.value)")" }
            return cut(
                "\(margin)fails: \(failed.condition)\(values.isEmpty ? "" : " -- \(values.joined(separator: ", "))")"
            )
        } + (more > 0 ? ["\(margin)and \(more) more \(more == 1 ? "part" : "parts") of the condition"] : [])
    }

    /// Why a partial match did not go on.
    private func ending(_ near: Near) -> String {
        let first = near.satisfied.isEmpty ? nil : near.startTime
        let end = form.text(of: near.endTime)
        switch near.ending {
        case .complete: return "complete at \(end)"
        case .maxSpan:
            let span = span.map { QueryPlan.time($0) } ?? ""
            return "nothing until \(end), the end of maxspan=\(span)"
        case .until(let event): return "ended by until: \(place(event, since: first)) \(words(event))"
        case .replaced(let event):
            return "replaced by a newer partial match: \(place(event, since: first)) \(words(event))"
        case .occurred(let step, let event):
            return "\(name(step, 0)) must not occur: \(place(event, since: first)) \(words(event))"
        case .limit: return "given up at \(end), because there were more keys or events than --max-pending"
        case .endOfEvents:
            return near.missed.isEmpty
                ? near.satisfied.count < near.eventCount || span == nil
                    ? "no other event followed"
                    : "the input ends before it is certain"
                : "nothing until the end of the input"
        case .notBegun: return "nothing"
        }
    }

    // MARK: Words

    private func name(_ step: Int, _ run: Int) -> String {
        if case .sequence(let sequence) = plan.situation, step == sequence.steps.count { return "until" }
        let runs = steps[step].runs
        return "step \(step + 1)\(runs > 1 ? " (\(run + 1) of \(runs))" : "")"
    }

    /// When and where an event is.
    private func place(_ event: Near.Event, since first: Timestamp?) -> String {
        let time =
            first.map { first in
                let span = (event.time - first).wholeNanoseconds
                return (span < 0 ? "-" : "+") + Self.duration(span)
            } ?? form.text(of: event.time)
        return time + (event.line > 0 ? ", line \(event.line):" : ":")
    }

    /// What is in an event.
    private func words(_ event: Near.Event, withKeys: Bool = false) -> String {
        let category = event.category.written.map { [$0] } ?? []
        // Where all steps have the same keys, they were said before.
        let known = withKeys || KeySets(plan).sets.count > 1 ? [] : plan.keyNames
        let pairs = zip(shown, event.values).filter { $0.1 != .missing && !known.contains($0.0) }.map { "\($0)=\($1)" }
        return (category + pairs).joined(separator: " ")
    }

    private func pairs(_ names: [String], _ values: [QueryValue]) -> String {
        zip(names, values).map { "\($0)=\($1)" }.joined(separator: " ")
    }

    private func cut(_ line: String) -> String {
        line.count > Self.width ? line.prefix(Self.width - 1) + "…" : line
    }

    /// A span of time in two units at most, without its sign.
    static func duration(_ nanoseconds: Int64) -> String {
        let span = Int64(clamping: nanoseconds.magnitude)
        let (seconds, rest) = span.quotientAndRemainder(dividingBy: 1_000_000_000)
        if seconds < 120 {
            if seconds == 0, rest > 0, rest < 1_000_000 { return "\(rest / 1_000)µs" }
            if seconds == 0, rest > 0 { return "\(rest / 1_000_000)ms" }
            let tenths = (rest + 50_000_000) / 100_000_000
            return tenths == 0 ? "\(seconds)s" : tenths == 10 ? "\(seconds + 1)s" : "\(seconds).\(tenths)s"
        }
        let minutes = seconds / 60
        if minutes < 120 { return seconds % 60 == 0 ? "\(minutes)m" : "\(minutes)m \(seconds % 60)s" }
        let hours = minutes / 60
        if hours < 48 { return minutes % 60 == 0 ? "\(hours)h" : "\(hours)h \(minutes % 60)m" }
        return hours % 24 == 0 ? "\(hours / 24)d" : "\(hours / 24)d \(hours % 24)h"
    }
}
