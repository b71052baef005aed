internal import WeirCore
public import WeirFormats
public import WeirRecords

/// One run of a plugin over an input from memory, as the host would run it.
public struct PluginRun {
    /// What the plugin wrote, line by line.
    public private(set) var lines: [String] = []

    /// The lines of the input that were rejected, in order.
    public private(set) var rejections: [UInt64] = []

    /// Why, in the same order.
    public private(set) var reasons: [String] = []

    /// What the plugin counted beside its matches, by name.
    public private(set) var counts: [String: UInt64] = [:]

    /// How many partial matches the plugin held at the end, where it says so.
    public private(set) var partialMatches: Int?

    /// What stands behind `"time":` in each match, without quotes.
    public var times: [String] { values(of: "time") }

    /// What stands behind a name in each line that has it, without quotes.
    public func values(of name: String) -> [String] {
        lines.compactMap { line in
            guard let range = line.firstRange(of: "\"\(name)\":") else { return nil }
            let rest = line[range.upperBound...]
            if rest.first == "\"" { return String(rest.dropFirst().prefix { $0 != "\"" }) }
            return String(rest.prefix { $0 != "," && $0 != "}" })
        }
    }

    public init(_ plugin: some Plugin, _ given: [String: String] = [:], csv: String) throws {
        try self.init(plugin, given, format: CSVFormat(), source: ByteSource(Array(csv.utf8)))
    }

    public init(_ plugin: some Plugin, _ given: [String: String] = [:], jsonLines: String) throws {
        try self.init(plugin, given, format: JSONLinesFormat(), source: ByteSource(Array(jsonLines.utf8)))
    }

    public init(
        _ plugin: some Plugin,
        _ given: [String: String] = [:],
        format: some Format = CSVFormat(),
        source: any TransportSource
    ) throws {
        let output = MatchOutput()
        let consumer = try plugin.start(OptionValues(plugin.options, given: given), output: output)
        var reader = RecordReader(source, format: format, schema: consumer.schema)
        var rejected: [(UInt64, String)] = []
        while try reader.next({ batch in
            consumer.receive(&batch)
            rejected += batch.rejections.map { ($0.line, $0.reason) }
        }) {}
        consumer.finish(.finished)
        rejected.sort { $0.0 < $1.0 }
        rejections = rejected.map(\.0)
        reasons = rejected.map(\.1)
        for count in output.counts { counts[count.name] = count.value }
        partialMatches = output.partialMatches
        var bytes: [UInt8] = []
        output.take { span in for index in span.indices { bytes.append(span[index]) } }
        lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
