internal import WeirCore
internal import WeirRecords

/// A match as a line of JSON.
struct MatchLine: FieldEncodable {
    let rule: String
    let severity: String?
    let time: Timestamp
    let timeForm: TimeForm
    let keyNames: [String]
    let match: FoundMatch<KeptRecord>

    func encode(to writer: inout FieldWriter) {
        writer.write("rule", rule)
        if let severity { writer.write("severity", severity) }
        writer.write("time", time, as: timeForm)
        var keys = JSONWriter()
        keys.object { json in
            for (name, value) in zip(keyNames, KeyEncoding.values(in: match.key)) {
                json.name(name)
                json.value(value)
            }
        }
        writer.write("keys", json: keys.bytes)
        var events: [UInt8] = []
        for event in match.events {
            events.append(UInt8(ascii: events.isEmpty ? "[" : ","))
            if let event { events += event.content } else { events += "null".utf8 }
        }
        events.append(UInt8(ascii: "]"))
        writer.write("events", json: events)
    }
}

/// A count as a line of JSON.
struct TallyLine: FieldEncodable {
    let rule: String
    let tally: Tally

    func encode(to writer: inout FieldWriter) {
        writer.write("rule", rule)
        var key = JSONWriter()
        key.array(tally.values) { json, value in json.value(value) }
        writer.write("key", json: key.bytes)
        writer.write("count", tally.count)
        writer.write("percent", tally.share)
    }
}

extension JSONWriter {
    mutating func value(_ value: QueryValue) {
        switch value {
        case .missing: self.value(json: "null".utf8)
        case .boolean(let flag): self.value(flag)
        case .integer(let number): self.value(number)
        case .real(let number): self.value(number)
        case .text(let text): self.value(text)
        case .list(let values): array(values) { json, value in json.value(value) }
        }
    }
}
