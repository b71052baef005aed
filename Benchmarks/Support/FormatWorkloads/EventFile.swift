internal import CommonStream
internal import WeirFormats
internal import WeirRecords

/// Events of the common stream, written in a format.
struct EventFile: Sendable {
    let format: any Format
    let bytes: [UInt8]
    let eventCount: Int

    /// The events that have a value above one half, and the sum of these.
    let matches: Tally

    var matchCount: Int { matches.count }

    /// Makes the files of some events: JSON Lines of about 60 bytes, and the same as CSV and in the binary format.
    static func makeAll(eventCount: Int) throws -> (jsonLines: EventFile, csv: EventFile, binary: EventFile) {
        var lines: [UInt8] = []
        var matches = Tally()
        for event in CommonStream.events(eventCount) {
            lines += event.jsonLine.utf8
            if event.value > 0.5 { matches.add(event.value) }
        }
        let jsonLines = EventFile(
            format: JSONLinesFormat(),
            bytes: lines,
            eventCount: eventCount,
            matches: matches
        )
        return (jsonLines, try jsonLines.converted(to: CSVFormat()), try jsonLines.converted(to: BinaryFormat()))
    }

    func converted(to target: some Format) throws -> EventFile {
        let names = ["time", "key", "type", "value"]
        let schema = OutputSchema(
            fields: names.map { OutputSchema.Field($0) },
            tellsTextFromNumbers: format.tellsTextFromNumbers
        )
        guard var encoder = target.makeEncoder(for: schema) else {
            preconditionFailure("the format \(target.name) cannot be written")
        }
        var output: [UInt8] = []
        var reader = RecordReader(
            ByteSource(bytes),
            format: format,
            schema: RecordSchema(fields: names.map { RecordSchema.Field($0) })
        )
        while try reader.next({ batch in
            for index in 0..<batch.count { encoder.encode(recordAt: index, of: &batch, into: &output) }
        }) {}
        encoder.finish(into: &output)
        return EventFile(format: target, bytes: output, eventCount: eventCount, matches: matches)
    }
}
