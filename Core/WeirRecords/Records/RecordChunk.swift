package import WeirCore

/// Records that left the bytes they were found in: a copy that another thread can read.
///
/// A reader hands out batches that are valid only for a moment. A chunk keeps some of their records, with all their
/// fields and their raw bytes, and lends them as a batch again.
///
/// Thread safety: a value.
package struct RecordChunk: Sendable {
    /// What is wanted of each record.
    package let schema: RecordSchema

    var bytes: [UInt8] = []
    var slots: [RecordBatch.Slot] = []
    var rows: [RecordBatch.Row] = []

    // Whether there are records that tell text from numbers, and others.
    private var hasTyped = false
    private var hasUntyped = false

    /// Creates a chunk without records.
    package init(schema: RecordSchema) {
        self.schema = schema
    }

    /// How many records there are.
    package var count: Int { rows.count }

    /// How much memory the records take, about.
    package var byteCount: Int {
        bytes.count + rows.count * MemoryLayout<RecordBatch.Row>.stride
            + slots.count * MemoryLayout<RecordBatch.Slot>.stride
    }

    /// How much memory a record takes, about.
    package func byteCount(ofRecordAt index: Int) -> Int {
        let end = index + 1 < rows.count ? Int(rows[index + 1].start) : bytes.count
        return end - Int(rows[index].start) + MemoryLayout<RecordBatch.Row>.stride
            + schema.fields.count * MemoryLayout<RecordBatch.Slot>.stride
    }

    /// The line that a record starts on.
    package func line(ofRecordAt index: Int) -> UInt64 { rows[index].line }

    /// Copies a record.
    ///
    /// - Returns: Whether there was room: a chunk takes up to 1 GiB.
    /// - Complexity: O(*n*) for *n* bytes.
    package mutating func append(recordAt index: Int, of batch: borrowing RecordBatch) -> Bool {
        precondition(index >= 0 && index < batch.count, "there are \(batch.count) records, so none at \(index)")
        let row = batch.row(at: index)
        let first = index * batch.fieldCount
        guard bytes.count + Int(row.length) < 1 << 30 else { return false }
        let start = bytes.count
        let (rowStart, rowEnd) = (row.start, row.start &+ row.length)
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: batch.base + Int(rowStart), count: Int(row.length)))
        for field in 0..<batch.fieldCount {
            var slot = unsafe batch.slots[first + field]
            if slot.start >= rowStart, slot.start &+ slot.length <= rowEnd {
                slot.start = slot.start &- rowStart &+ UInt32(start)
            } else {
                // A format of columns keeps the fields of a record apart from one another.
                let place = UInt32(bytes.count)
                unsafe bytes.append(
                    contentsOf: UnsafeBufferPointer(start: batch.base + Int(slot.start), count: Int(slot.length))
                )
                slot.start = place
            }
            slots.append(slot)
        }
        var copy = row
        copy.start = UInt32(start)
        append(copy)
        return true
    }

    /// Copies the record of another chunk of the same schema.
    package mutating func append(recordAt index: Int, of chunk: RecordChunk) {
        let fieldCount = schema.fields.count
        let row = chunk.rows[index]
        let end = index + 1 < chunk.rows.count ? Int(chunk.rows[index + 1].start) : chunk.bytes.count
        let shift = UInt32(bytes.count) &- row.start
        bytes.append(contentsOf: chunk.bytes[Int(row.start)..<end])
        for field in 0..<fieldCount {
            var slot = chunk.slots[index * fieldCount + field]
            slot.start = slot.start &+ shift
            slots.append(slot)
        }
        var copy = row
        copy.start = row.start &+ shift
        append(copy)
    }

    /// Adds a record whose bytes and fields were added.
    private mutating func append(_ row: RecordBatch.Row) {
        let text = bytes[Int(row.start)..<Int(row.start) + Int(row.length)]
        if text.isEmpty || RecordBatch.isObject(text) { hasTyped = true } else { hasUntyped = true }
        rows.append(row)
    }

    /// Lends records as a batch.
    ///
    /// - Parameters:
    ///   - records: The indexes of the records; not more than fit into the batch.
    ///   - batch: A batch of the same schema, which is overwritten.
    ///   - body: Called with the batch, which is valid only during the call.
    /// - Throws: What `body` throws.
    package func lend<Failure: Error>(
        _ records: Range<Int>,
        in batch: inout RecordBatch,
        _ body: (inout RecordBatch) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(batch.fieldCount == schema.fields.count, "the batch has another schema than the chunk")
        precondition(records.count <= batch.capacity, "\(records.count) records do not fit into the batch")
        // The bytes are those of the array, which lives until the call is over.
        unsafe try bytes.withUnsafeBufferPointer { (bytes) throws(Failure) in
            unsafe batch.begin(in: UnsafeRawBufferPointer(bytes))
            batch.mayMixKinds = hasTyped && hasUntyped
            for index in records { batch.append(rows[index], slots[(index * batch.fieldCount)...]) }
            try body(&batch)
        }
    }
}

extension RecordBatch {
    fileprivate mutating func append(_ row: Row, _ fields: ArraySlice<Slot>) {
        let first = recordCount * fieldCount
        for field in 0..<fieldCount { unsafe slots[first + field] = fields[fields.startIndex + field] }
        unsafe rows[recordCount] = row
        recordCount += 1
    }

    /// Shows records of another batch with some of their fields: nothing is copied but the places.
    ///
    /// - Parameters:
    ///   - other: A batch whose bytes must be valid as long as this one is read.
    ///   - records: The indexes of the records, not more than fit; `nil` for all.
    ///   - fields: For each field of this batch's schema, its index in the other one's.
    package mutating func show(_ other: borrowing RecordBatch, records: Range<Int>? = nil, fields: [Int]) {
        let records = records ?? 0..<other.count
        precondition(fields.count == fieldCount, "\(fields.count) fields were named, the schema has \(fieldCount)")
        precondition(records.count <= capacity, "\(records.count) records do not fit into the batch")
        precondition(records.upperBound <= other.count, "there are \(other.count) records, so not \(records)")
        unsafe other.withBytes { unsafe begin(in: $0) }
        mayMixKinds = other.mayMixKinds
        for (index, record) in records.enumerated() {
            for field in 0..<fieldCount {
                unsafe slots[index * fieldCount + field] = other.slots[record * other.fieldCount + fields[field]]
            }
            unsafe rows[index] = other.row(at: record)
        }
        recordCount = records.count
    }

    /// Whether a record tells text from numbers: it is a JSON object, or a format of columns keeps no text of it.
    package func tellsTextFromNumbers(inRecordAt index: Int) -> Bool {
        let text = raw(recordAt: index)
        return text.isEmpty || Self.isObject(text[...])
    }

    /// Whether the text of a record is a JSON object.
    fileprivate static func isObject(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.last == UInt8(ascii: "}"), text.first == UInt8(ascii: "{") else { return false }
        let next = text.dropFirst().first {
            $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\t")
        }
        return next == UInt8(ascii: "\"") || next == UInt8(ascii: "}")
    }

    /// Hands out the records that tell text from numbers apart from the others, in their order.
    ///
    /// - Parameter body: Takes a stretch of records, and may refuse them; mostly all of them at once.
    package mutating func withEachKind(_ body: (inout RecordBatch) -> Void) {
        guard mayMixKinds else { return body(&self) }
        var part = RecordBatch(schema: schema, capacity: capacity)
        let fields = Array(0..<fieldCount)
        var start = 0
        while start < count {
            let kind = tellsTextFromNumbers(inRecordAt: start)
            let end = (start + 1..<count).first { tellsTextFromNumbers(inRecordAt: $0) != kind } ?? count
            part.show(self, records: start..<end, fields: fields)
            body(&part)
            rejections += part.rejections
            start = end
        }
    }

    /// A number that records with the same text or the same number in a field share, in every process and version.
    ///
    /// FNV-1a with 64 bits (Fowler, Noll and Vo), over the text without quotes and escapes, or the bytes of the number: 1,
    /// 1.0 and 1e0 are the same key to those who read numbers.
    ///
    /// - Returns: The same number for all records whose field is missing or cannot be read.
    package func stableHash(ofField field: Int, inRecordAt index: Int) -> UInt64 {
        let record = fields(ofRecordAt: index)
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        // What is absent, or cannot be read, is all of one kind.
        _ = try? record.withText(field) { text in
            let first = text.isEmpty ? 0 : text[0]
            if first >= UInt8(ascii: "+"), first <= UInt8(ascii: "9"),
                let number = unsafe text.withUnsafeBufferPointer({ unsafe DecimalText.double($0) })
            {
                // Zero has two signs. Whole numbers that share a double may share a place too.
                let bits = number == 0 ? 0 : number.bitPattern
                for shift in stride(from: UInt64(0), to: 64, by: 8) {
                    hash = (hash ^ (bits >> shift & 0xFF)) &* 0x0000_0100_0000_01B3
                }
                return
            }
            for place in text.indices { hash = (hash ^ UInt64(text[place])) &* 0x0000_0100_0000_01B3 }
        }
        return hash
    }

    /// Whether a field has a list of values in place of one.
    package func isList(field: Int, inRecordAt index: Int) -> Bool {
        let slot = fields(ofRecordAt: index).slot(field)
        return unsafe slot.encoding == .nested && slot.length > 0 && base[Int(slot.start)] == UInt8(ascii: "[")
    }

    /// The time in a field, where it can be read.
    package func time(ofField field: Int, inRecordAt index: Int) -> Timestamp? {
        guard (0..<fieldCount).contains(field), (0..<count).contains(index) else { return nil }
        return try? fields(ofRecordAt: index).timestamp(field, isCounted: false)
    }

    /// Reads times in the order of the records until one has shown how the input writes them.
    ///
    /// A host may look at the last record first, or hand records to several threads, of which any may be the fastest.
    func noteFirstTime() {
        guard let times = schema.times, let field = schema.timeField else { return }
        for index in 0..<count {
            if times.knowsForm { return }
            _ = time(ofField: field, inRecordAt: index)
        }
    }

    /// The time in a field, which counts where the clocks of its zone do not show it once.
    ///
    /// - Throws: ``FieldError`` when it cannot be read.
    package func countedTime(ofField field: Int, inRecordAt index: Int) throws(FieldError) -> Timestamp {
        precondition((0..<fieldCount).contains(field) && (0..<count).contains(index), "there is no such field")
        return try fields(ofRecordAt: index).timestamp(field, isCounted: true)
    }
}

extension RecordChunk {
    /// The index of the record whose raw bytes start at a place, as a rejection of a lent batch says it.
    package func index(ofRecordStartingAt start: Int) -> Int? {
        rows.firstIndex { $0.start == UInt32(truncatingIfNeeded: start) }
    }
}
