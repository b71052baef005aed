internal import WeirCore
public import WeirRecords

/// Runs of a plugin over one input that are interrupted behind each of its records, and go on in another consumer.
public enum RestoreRun {
    /// Compares the runs with one that is not interrupted.
    ///
    /// - Parameters:
    ///   - plugin: The plugin.
    ///   - given: Its options.
    ///   - format: The format of the input.
    ///   - text: The input.
    ///   - capacity: How many records are read together, where the run is not interrupted; no record may then be rejected.
    ///   - mayBeEmpty: Whether the plugin need not find anything.
    /// - Returns: What differs first; `nil` when nothing does.
    /// - Throws: What the plugin or the input throws.
    public static func difference(
        of plugin: some Plugin,
        _ given: [String: String],
        format: some Format,
        _ text: String,
        capacity: Int = 1,
        mayBeEmpty: Bool = false
    ) throws -> String? {
        func started() throws -> Started {
            let output = MatchOutput()
            return Started(
                consumer: try plugin.start(OptionValues(plugin.options, given: given), output: output),
                output: output
            )
        }
        func reader(for started: Started, capacity: Int = 1) -> RecordReader {
            RecordReader(
                ByteSource(Array(text.utf8)),
                format: format,
                schema: started.consumer.schema,
                batchCapacity: capacity
            )
        }
        let whole = try started()
        var wholeReader = reader(for: whole, capacity: capacity)
        while try whole.takeNext(of: &wholeReader) {}
        whole.consumer.finish(.finished)
        let expected = whole.lines()

        let first = try started()
        var firstReader = reader(for: first)
        var before = 0
        var position = 0
        repeat {
            before += first.lines().count
            guard let bytes = try first.consumer.state?.save() else { return "it has no state" }
            let second = try started()
            _ = try second.consumer.state?.restore(bytes[...], false)
            guard try second.consumer.state?.save() == bytes else {
                return "position \(position): what was restored is saved in another way"
            }
            // The rest in larger batches, where one of them begins here.
            let size = position % capacity == 0 ? capacity : 1
            var secondReader = reader(for: second, capacity: size)
            for _ in 0..<position / size { _ = try secondReader.next { _ in } }
            while try second.takeNext(of: &secondReader) {}
            second.consumer.finish(.finished)
            let found = second.lines()
            guard found == Array(expected.dropFirst(before)) else {
                return "position \(position): \(found) instead of \(Array(expected.dropFirst(before)))"
            }
            guard second.consumer.order?() == whole.consumer.order?() else {
                return "position \(position): the order is another"
            }
            position += 1
        } while try first.takeNext(of: &firstReader)
        return expected.isEmpty && !mayBeEmpty ? "nothing was found" : nil
    }

    private struct Started {
        let consumer: RecordConsumer
        let output: MatchOutput

        func takeNext(of reader: inout RecordReader) throws -> Bool {
            try reader.next { batch in consumer.receive(&batch) }
        }

        func lines() -> [Substring] {
            var bytes: [UInt8] = []
            output.take { span in for index in span.indices { bytes.append(span[index]) } }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        }
    }
}
