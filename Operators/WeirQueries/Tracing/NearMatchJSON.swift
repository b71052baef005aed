internal import WeirCore
internal import WeirRecords

/// What became of the partial matches of a rule, as lines of JSON.
struct NearMatchJSON {
    typealias Near = NearMatch<[UInt8]>

    let rule: QueryRule<QueryPlan>
    let form: TimeForm
    let choice: KeyChoice

    private var plan: QueryPlan { rule.plan }

    func lines(_ result: RuleTrace<[UInt8]>.Result) -> [(json: [UInt8], time: Timestamp?)] {
        var lines: [(json: [UInt8], time: Timestamp?)] = []
        for (_, list) in result.lists {
            for near in list.complete + list.shown { lines.append((line(near), near.endTime)) }
        }
        guard plan.hasKeys else { return lines }
        for texts in choice.unused(result.lists.map(\.key)) {
            var json = JSONWriter()
            json.object { json in
                json.member("rule", rule.name)
                json.member("ending", "no event")
                json.member("key", texts) { json, text in json.value(text) }
            }
            lines.append((json.bytes, nil))
        }
        return lines
    }

    private func line(_ near: Near) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("rule", rule.name)
            if let severity = rule.severity { json.member("severity", severity) }
            json.name("time")
            time(near.endTime, &json)
            json.name("keys")
            values(zip(plan.keyNames, near.keys).map { (name: $0, value: $1) }, &json)
            json.member("ending", word(near.ending))
            json.member("satisfied", near.satisfied.count)
            json.member("wanted", near.eventCount)
            json.member("events", near.satisfied) { json, step in
                json.object { json in
                    json.member("step", step.step + 1)
                    if plan.situation.steps[step.step].runs > 1 { json.member("run", step.run + 1) }
                    members(step.event, &json)
                }
            }
            json.member("missed", near.missed) { json, missed in self.missed(missed, &json) }
            if let intruder = near.intruder { member("intruder", intruder.event, step: intruder.step, &json) }
            switch near.ending {
            case .until(let event), .replaced(let event): member("by", event, &json)
            case .occurred(let step, let event): member("by", event, step: step, &json)
            default: break
            }
        }
        return json.bytes
    }

    private func missed(_ missed: Near.MissedStep, _ json: inout JSONWriter) {
        json.object { json in
            let step = plan.situation.steps[missed.step]
            json.member("step", missed.step + 1)
            if step.runs > 1 { json.member("run", missed.run + 1) }
            json.member("condition", plan.condition(of: step))
            if let closest = missed.closest {
                json.name("closest")
                json.object { json in
                    members(closest.event, &json)
                    json.member("failed", closest.failed) { json, failed in
                        json.object { json in
                            json.member("condition", failed.condition)
                            json.name("values")
                            values(failed.values.map { (name: $0.name, value: $0.value) }, &json)
                        }
                    }
                }
            }
            if let early = missed.early { member("early", early, &json) }
            if let late = missed.late { member("late", late, &json) }
            if missed.otherCount > 0 {
                json.member("others", missed.otherCount)
                if let other = missed.other { member("other", other, &json) }
            }
        }
    }

    private func member(_ name: String, _ event: Near.Event, step: Int? = nil, _ json: inout JSONWriter) {
        json.name(name)
        json.object { json in
            if let step { json.member("step", step + 1) }
            members(event, &json)
        }
    }

    private func members(_ event: Near.Event, _ json: inout JSONWriter) {
        if event.line > 0 { json.member("line", event.line) }
        json.name("time")
        time(event.time, &json)
        json.member("event", json: event.element)
    }

    private func time(_ time: Timestamp, _ json: inout JSONWriter) {
        let text = form.text(of: time)
        if QueryValue(number: text)?.written == text { json.value(json: text.utf8) } else { json.value(text) }
    }

    private func values(_ values: [(name: String, value: QueryValue)], _ json: inout JSONWriter) {
        json.object { json in
            for (name, value) in values {
                json.name(name)
                json.value(value)
            }
        }
    }

    private func word(_ ending: Near.Ending) -> String {
        switch ending {
        case .complete: "complete"
        case .maxSpan: "maxspan"
        case .until: "until"
        case .replaced: "replaced"
        case .occurred: "occurred"
        case .limit: "limit"
        case .endOfEvents: "end of input"
        case .notBegun: "not begun"
        }
    }
}
