internal import WeirCore
internal import WeirRecords

/// Writes what rules bring: lines of JSON, of many matches in one piece where the output takes them so.
struct MatchLines {
    private struct Rule {
        let name: String
        /// What each line begins with, up to the time.
        let start: [UInt8]
        /// The names of the keys as JSON, with their colons.
        let keyNames: [[UInt8]]
    }

    private static let keys = Array(",\"keys\":{".utf8)
    private static let events = Array("},\"events\":[".utf8)

    private let rules: [Rule]
    private let timeForm: TimeForm
    private let writesEvents: Bool
    private let keepsLines: Bool
    private var writer = FieldWriter()
    private var lines: [UInt8] = []
    private var lineCount: UInt64 = 0
    let output: MatchOutput

    init(_ rules: [QueryRule<QueryPlan>], timeForm: TimeForm, writesEvents: Bool, output: MatchOutput) {
        self.rules = rules.map { rule in
            let severity = rule.severity.map { ",\"severity\":" + JSONWriter.quoted($0) } ?? ""
            return Rule(
                name: rule.name,
                start: Array("{\"rule\":\(JSONWriter.quoted(rule.name))\(severity),\"time\":".utf8),
                keyNames: rule.plan.keyNames.map { Array((JSONWriter.quoted($0) + ":").utf8) }
            )
        }
        self.timeForm = timeForm
        self.writesEvents = writesEvents
        self.output = output
        keepsLines = output.keepsLines
    }

    /// Writes a match.
    ///
    /// - Parameters:
    ///   - rule: The index of its rule.
    ///   - key: The values that its events share.
    ///   - time: When it was certain.
    ///   - events: The indices of its events.
    ///   - isMissing: Whether an event is missing.
    ///   - append: Appends an event as JSON.
    @inline(__always)
    mutating func write(
        _ rule: Int,
        _ key: EventKey,
        at time: Int64,
        _ events: Range<Int>,
        isMissing: (Int) -> Bool,
        _ append: (Int, inout [UInt8]) -> Void
    ) {
        let time = Timestamp(nanosecondsSinceEpoch: time)
        guard !writesEvents else {
            for event in events where !isMissing(event) {
                append(event, &lines)
                endLine(at: time)
            }
            return
        }
        lines.append(contentsOf: rules[rule].start)
        timeForm.appendJSON(time, to: &lines)
        lines.append(contentsOf: Self.keys)
        KeyEncoding.appendMembers(key, rules[rule].keyNames, to: &lines)
        lines.append(contentsOf: Self.events)
        for event in events {
            if event > events.lowerBound { lines.append(UInt8(ascii: ",")) }
            if isMissing(event) { lines.append(contentsOf: "null".utf8) } else { append(event, &lines) }
        }
        lines.append(UInt8(ascii: "]"))
        lines.append(UInt8(ascii: "}"))
        endLine(at: time)
    }

    /// Writes what pipes let through.
    mutating func write(_ rule: Int, _ finding: QueryFinding<[UInt8]>) {
        switch finding {
        case .match(let match):
            write(rule, match.key, at: match.time, match.events.indices) {
                match.events[$0] == nil
            } _: { index, json in
                if let event = match.events[index] { json.append(contentsOf: event.content) }
            }
        case .count(let tally):
            writer.removeAll()
            writer.writeLine(TallyLine(rule: rules[rule].name, tally: tally))
            lines.append(contentsOf: writer.bytes.dropLast())
            endLine(at: nil)
        }
    }

    private mutating func endLine(at time: Timestamp?) {
        guard keepsLines else {
            output.write(line: lines, at: time)
            return lines.removeAll(keepingCapacity: true)
        }
        lines.append(UInt8(ascii: "\n"))
        lineCount += 1
    }

    /// Hands over what was written.
    mutating func flush() {
        guard lineCount > 0 else { return }
        output.write(keptLines: lines, count: lineCount)
        lines.removeAll(keepingCapacity: true)
        lineCount = 0
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
