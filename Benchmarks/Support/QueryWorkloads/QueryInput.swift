internal import CommonStream
internal import WeirFormats
internal import WeirRecords

/// Events of the common stream in memory: as JSON Lines, and as columns, which is what the binary format holds.
struct QueryInput: Sendable {
    let eventCount: Int
    let jsonLines: [UInt8]
    let binary: [UInt8]

    init(eventCount: Int) {
        var lines: [UInt8] = []
        for event in CommonStream.events(eventCount) { lines += event.jsonLine.utf8 }
        self.eventCount = eventCount
        jsonLines = lines
        do {
            binary = try Self.columns(of: lines)
        } catch {
            preconditionFailure("the common stream cannot be written in the binary format: \(error)")
        }
    }

    private static func columns(of lines: [UInt8]) throws -> [UInt8] {
        let names = ["time", "key", "type", "value"]
        let format = JSONLinesFormat()
        let schema = OutputSchema(
            fields: names.map { OutputSchema.Field($0) },
            tellsTextFromNumbers: format.tellsTextFromNumbers
        )
        var encoder = BinaryEncoder(for: schema)
        var output: [UInt8] = []
        var reader = RecordReader(
            ByteSource(lines),
            format: format,
            schema: RecordSchema(fields: names.map { RecordSchema.Field($0) })
        )
        while try reader.next({ batch in
            for index in 0..<batch.count { encoder.encode(recordAt: index, of: &batch, into: &output) }
        }) {}
        encoder.finish(into: &output)
        return output
    }
}
