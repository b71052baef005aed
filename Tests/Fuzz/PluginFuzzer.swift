import WeirCore
import WeirFormats
import WeirFraud
import WeirRecords
import WeirSentiment
import WeirShake
import WeirWalk

/// A plugin that gets records of strangers.
enum Subject: CaseIterable {
    case shake, sentiment, walk, fraud

    var plugin: any Plugin {
        switch self {
        case .shake: ShakePlugin()
        case .sentiment: SentimentPlugin()
        case .walk: WalkPlugin()
        case .fraud: FraudPlugin()
        }
    }

    var header: String {
        switch self {
        case .shake: "time,x,y,z,g"
        case .sentiment: "created_at,text,user.followers_count"
        case .walk: "time,steps,cadence,speed,latitude,longitude,accuracy,g"
        case .fraud: "time,card,amount,latitude,longitude,face-to-face"
        }
    }

    /// Options, chosen by bits.
    func options(_ choice: UInt8) -> [String: String] {
        let all: [(name: String, value: String)] =
            switch self {
            case .shake: [("by", "g"), ("max-groups", "2"), ("quiet-period", "0"), ("unit", "mg")]
            case .sentiment: [("window", "1h"), ("every", "1d"), ("retweets", "exclude"), ("window", "106751d")]
            case .walk: [("by", "g"), ("max-groups", "2"), ("steps", "ignored"), ("emit", "all"), ("cadence", "steps")]
            case .fraud: [("max-cards", "2"), ("within", "106751d"), ("trials", "1"), ("distance", "0")]
            }
        let given = all.enumerated().filter { choice >> $0.offset & 1 == 1 }.map { ($1.name, $1.value) }
        let unit = choice & 0x80 == 0 ? "ms" : "ns"
        return Dictionary(given + [("time-unit", unit)]) { _, last in last }
    }
}

/// One run of a plugin over a table.
private struct PluginRun: Equatable {
    struct Refused: Equatable {
        let line: UInt64
        let reason: String
    }

    var matches: [UInt8] = []
    var refused: [Refused] = []

    init(
        _ subject: Subject,
        _ options: [String: String],
        _ bytes: [UInt8],
        form: MatchForm = .lines,
        chunk: Int = 4096,
        capacity: Int = 512
    ) {
        let plugin = subject.plugin
        let output = MatchOutput(report: Report(), form: form, plugin: nil)
        do {
            let consumer = try plugin.start(OptionValues(plugin.options, given: options), output: output)
            var reader = RecordReader(
                ByteSource(bytes),
                format: CSVFormat(),
                schema: consumer.schema,
                chunkLength: chunk,
                batchCapacity: capacity
            )
            while try reader.next({ batch in
                consumer.receive(&batch)
                for rejection in batch.rejections where !rejection.isContinuation {
                    refused.append(Refused(line: rejection.line, reason: rejection.reason))
                }
            }) {}
            consumer.finish(.finished)
        } catch {
            fatalError("\(error)")
        }
        refused.sort { $0.line < $1.line }
        output.takeMatches { matches += $0 }
        for chart in output.report?.charts ?? [] { for line in chart.lines { _ = line.points(limit: 8) } }
    }
}

/// A plugin finds the same however its records arrive; what it refuses leaves no trace; and what it writes is JSON.
func checkPlugin(_ input: inout Input, _ subject: Subject) {
    let (choice, sizes) = (input.byte(), input.byte())
    let options = subject.options(choice)
    let bytes = Array((subject.header + "\n").utf8) + input.rest
    let run = PluginRun(subject, options, bytes)
    let pieces = PluginRun(subject, options, bytes, chunk: Int(sizes >> 2) + 1, capacity: Int(sizes & 3) + 1)
    require(run == pieces, "the cuts matter:\n\(run)\n\(pieces)")
    for refused in run.refused { requireLine(refused.reason) }
    checkStyles(run.matches, PluginRun(subject, options, bytes, form: .styled).matches)
    // Where there are no quotes, each line is a record.
    guard !bytes.contains(UInt8(ascii: "\"")) else { return }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let bad = Set(run.refused.map(\.line))
    let good = lines.enumerated().filter { !bad.contains(UInt64($0.offset) + 1) }.map(\.element)
    let rest = PluginRun(subject, options, Array(good.joined(separator: [UInt8(ascii: "\n")])))
    require(rest.refused.isEmpty, "what was taken is refused: \(rest.refused)")
    let (before, after) = (String(decoding: run.matches, as: UTF8.self), String(decoding: rest.matches, as: UTF8.self))
    require(before == after, "what was refused left a trace:\n\(before)\n\(after)")
}

/// Matches are JSON, and still the same when they are written in other styles.
private func checkStyles(_ matches: [UInt8], _ items: [UInt8]) {
    let lines = matches.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    var again: [UInt8] = []
    for (line, match) in zip(lines, FieldItems(in: items)) {
        guard let node = try? JSONNode.read(line) else {
            fatalError("no JSON: \(String(decoding: line, as: UTF8.self))")
        }
        match.appendLine(in: items, to: &again)
        var text: [UInt8] = []
        var styler = MatchStyle.pretty.makeStyler()
        styler.append(match, in: items, to: &text)
        guard let pretty = try? JSONNode.read(text) else { fatalError("no JSON for people") }
        require(Document(pretty) == Document(node), "people read something else: \(pretty)")
    }
    require(again == matches, "items make other lines: \(String(decoding: again, as: UTF8.self))")
    var styler = MatchStyle.csv.makeStyler()
    var table: [UInt8] = []
    styler.append(items, to: &table)
    guard !lines.isEmpty else { return }
    let fields = ["time"].map { RecordSchema.Field($0) }
    let transcript = Transcript(table, CSVFormat(), fields: fields)
    require(transcript.records.count == lines.count && transcript.rejections.isEmpty, "another table: \(transcript)")
}
