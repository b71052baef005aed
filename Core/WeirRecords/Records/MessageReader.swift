/// Reads messages that are whole records, such as some lines each.
///
/// It is a reader for those who have the bytes already; ``RecordReader`` waits for them. One reader serves any number of
/// senders, for nothing is left over between two messages.
package struct MessageReader: ~Copyable {
    private let format: any Format
    private let limits: FormatLimits
    private let schema: RecordSchema
    private var decoder: any RecordDecoder
    private var batch: RecordBatch

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - format: How records are written; none whose first line says what the others mean.
    ///   - schema: What is wanted of each record.
    ///   - limits: What a message that cannot be trusted may take.
    ///   - batchCapacity: How many records to hand out at a time; at least one.
    package init(format: any Format, schema: RecordSchema, limits: FormatLimits, batchCapacity: Int) {
        self.format = format
        self.limits = limits
        self.schema = schema
        decoder = format.makeDecoder(for: schema, limits: limits)
        batch = RecordBatch(schema: schema, capacity: batchCapacity)
    }

    /// Hands out the next records of some bytes.
    ///
    /// - Parameters:
    ///   - bytes: Whole records.
    ///   - start: Where the next one begins; moved behind those that are handed out.
    ///   - body: Called once with a batch that is not empty, unless there is nothing more; it is valid only during the call.
    /// - Returns: Whether `body` was called.
    /// - Throws: ``FormatError`` when the bytes cannot be read, and what `body` throws.
    package mutating func next(
        of bytes: [UInt8],
        from start: inout Int,
        _ body: (inout RecordBatch) throws -> Void
    ) throws -> Bool {
        while start < bytes.count {
            let wasRead = unsafe try bytes[start...].withUnsafeBytes { rest in
                unsafe batch.begin(in: rest)
                var count = unsafe try decoder.decode(rest, isFinal: false, into: &batch)
                if count == 0 {
                    // Half a record, and nothing comes behind it.
                    unsafe batch.rejectUnread(rest, with: &decoder, line: 0)
                    decoder = format.makeDecoder(for: schema, limits: limits)
                    count = rest.count
                }
                start += count
                guard !batch.isEmpty else { return false }
                batch.noteFirstTime()
                try body(&batch)
                return true
            }
            if wasRead { return true }
        }
        return false
    }
}
