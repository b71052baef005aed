import WeirCore
import WeirFormats
import WeirShake

/// One run of the plugin over an input from memory.
struct Run {
    private(set) var lines: [String] = []
    private(set) var rejections: [UInt64] = []
    private(set) var reasons: [String] = []

    /// What stands behind `"time":` in each match.
    var times: [String] {
        lines.map { String($0.dropFirst(8).prefix { $0 != "," }) }
    }

    init(_ given: [String: String], csv: String) throws {
        try self.init(given, format: CSVFormat(), source: ByteSource(Array(csv.utf8)))
    }

    init(_ given: [String: String], jsonLines: String) throws {
        try self.init(given, format: JSONLinesFormat(), source: ByteSource(Array(jsonLines.utf8)))
    }

    init(_ given: [String: String], format: some Format = CSVFormat(), source: any TransportSource) throws {
        let plugin = ShakePlugin()
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
        var bytes: [UInt8] = []
        output.take { span in for index in span.indices { bytes.append(span[index]) } }
        lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
