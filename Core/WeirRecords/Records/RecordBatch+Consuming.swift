package import WeirCore

/// What consumers of a batch use.
extension RecordBatch {
    /// Refuses a record: it joins the rejections.
    ///
    /// - Parameters:
    ///   - index: The record's index, below ``count``.
    ///   - error: What is wrong with it.
    public mutating func reject(recordAt index: Int, because error: FieldError) {
        reject(recordAt: index, reason: error.description(in: schema))
    }

    /// Refuses a record: it joins the rejections.
    ///
    /// - Parameters:
    ///   - index: The record's index, below ``count``.
    ///   - reason: What is wrong with it.
    package mutating func reject(recordAt index: Int, reason: String) {
        precondition(index >= 0 && index < count, "there are \(count) records, so none at \(index)")
        let row = row(at: index)
        rejections.append(
            Rejection(
                line: row.line,
                reason: reason,
                start: Int(row.start),
                length: Int(row.length),
                isContinuation: false,
                mayContinue: false
            )
        )
    }

    /// Refuses records by their times: they join the rejections, and those behind them move up.
    ///
    /// - Parameters:
    ///   - field: The index of the field with the time; records whose time cannot be read stay.
    ///   - reason: Says why a record of a time is refused; `nil` keeps it. Asked in order.
    /// - Complexity: O(*n*), where *n* is ``count``.
    package mutating func refuseRecords(byTime field: Int, _ reason: (Timestamp) -> String?) {
        var kept = 0
        for index in 0..<count {
            let row = row(at: index)
            if let time = time(ofField: field, inRecordAt: index), let reason = reason(time) {
                rejections.append(
                    Rejection(
                        line: row.line,
                        reason: reason,
                        start: Int(row.start),
                        length: Int(row.length),
                        isContinuation: false,
                        mayContinue: false
                    )
                )
                continue
            }
            if kept < index {
                unsafe rows[kept] = rows[index]
                for field in 0..<fieldCount {
                    unsafe slots[kept * fieldCount + field] = slots[index * fieldCount + field]
                }
            }
            kept += 1
        }
        recordCount = kept
        forgetValues()
    }

    /// Whether any record has a value in a field, which is neither empty nor null.
    ///
    /// - Returns: Whether there is one.
    /// - Complexity: O(*n*), where *n* is ``count``.
    package func hasValue(inField field: Int) -> Bool {
        precondition(field >= 0 && field < fieldCount, "there are \(fieldCount) fields, so none at \(field)")
        for index in 0..<count {
            let slot = fields(ofRecordAt: index).slot(field)
            if slot.encoding != .absent, slot.encoding != .null, slot.length > 0 { return true }
        }
        return false
    }

    /// The line that a record starts on.
    ///
    /// - Parameter index: The record's index, below ``count``.
    /// - Returns: The line's number in the input, counted from 1.
    public func line(ofRecordAt index: Int) -> UInt64 {
        precondition(index >= 0 && index < count, "there are \(count) records, so none at \(index)")
        return row(at: index).line
    }

    /// A view of a record for a decoder.
    ///
    /// - Parameters:
    ///   - index: The record's index, below ``count``.
    ///   - keys: The keys that the schema was made of.
    ///   - body: Called with the view.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    @inlinable
    public func withRecord<Key: FieldKey, Result, Failure: Error>(
        at index: Int,
        keyedBy keys: Key.Type,
        _ body: (borrowing FieldReader<Key>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(FieldReader(fields(ofRecordAt: index)))
    }

    /// Appends the text of a field, with quotes and escapes resolved, to some bytes.
    ///
    /// - Returns: What the field is.
    package func appendText(ofField field: Int, recordAt index: Int, to bytes: inout [UInt8]) -> FieldShape {
        precondition(index >= 0 && index < count, "there are \(count) records, so none at \(index)")
        precondition(field >= 0 && field < fieldCount, "there are \(fieldCount) fields, so none at \(field)")
        return fields(ofRecordAt: index).appendText(field, to: &bytes)
    }

    /// Where a record is: its line, counted from 1, and its bytes, counted from the start of the batch's bytes.
    ///
    /// - Parameter index: The record's index, below ``count``.
    /// - Returns: The line, the place of the first byte, and the number of bytes.
    public func place(ofRecordAt index: Int) -> (line: UInt64, start: Int, length: Int) {
        precondition(index >= 0 && index < count, "there are \(count) records, so none at \(index)")
        let row = row(at: index)
        return (row.line, Int(row.start), Int(row.length))
    }

    /// Where a field of a record is, counted from the start of the batch's bytes.
    ///
    /// - Parameters:
    ///   - field: The index of the field in the schema.
    ///   - index: The record's index, below ``count``.
    /// - Returns: The place of the first byte, the number of bytes, how they are to be read, and the scale of a decimal.
    public func place(ofField field: Int, inRecordAt index: Int) -> (
        start: Int, length: Int, encoding: FieldEncoding, scale: UInt8
    ) {
        precondition(index >= 0 && index < count, "there are \(count) records, so none at \(index)")
        precondition(field >= 0 && field < fieldCount, "there are \(fieldCount) fields, so none at \(field)")
        let slot = fields(ofRecordAt: index).slot(field)
        return (Int(slot.start), Int(slot.length), slot.encoding, slot.scale)
    }

    /// How the bytes of a field are to be read, for all records.
    ///
    /// - Parameters:
    ///   - field: The index of the field in the schema.
    ///   - encodings: Becomes the raw values of the encodings.
    /// - Returns: Whether they are all the same.
    package func readEncodings(ofField field: Int, into encodings: inout [UInt8]) -> Bool {
        precondition(field >= 0 && field < fieldCount, "there are \(fieldCount) fields, so none at \(field)")
        encodings.resize(to: count, filledWith: 0)
        guard count > 0 else { return true }
        if unsafe run(ofField: field) != nil {
            let encoding = fields(ofRecordAt: 0).slot(field).encoding.rawValue
            for index in 0..<count { encodings[index] = encoding }
            return true
        }
        var slot = unsafe slotPlaces + field
        let first = unsafe slot.pointee.encoding.rawValue
        var difference: UInt8 = 0
        for index in 0..<count {
            let encoding = unsafe slot.pointee.encoding.rawValue
            encodings[index] = encoding
            difference |= encoding ^ first
            unsafe slot += fieldCount
        }
        return difference == 0
    }

    /// Lends the bytes that the places count in.
    ///
    /// - Parameter body: Called with the bytes, which are valid only during the call.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try body(UnsafeRawBufferPointer(start: base, count: byteCount))
    }

    /// The raw bytes of a record, without the line's end.
    ///
    /// - Parameter index: The record's index, below ``count``.
    /// - Returns: The bytes, without the line's end.
    public func raw(recordAt index: Int) -> [UInt8] {
        precondition(index >= 0 && index < count, "there are \(count) records, so none at \(index)")
        let row = row(at: index)
        return unsafe [UInt8](UnsafeBufferPointer(start: base + Int(row.start), count: Int(row.length)))
    }

    /// The raw bytes of a rejection.
    ///
    /// - Parameter rejection: One of this batch's ``rejections``.
    /// - Returns: The bytes, without the line's end.
    public func raw(_ rejection: Rejection) -> [UInt8] {
        unsafe [UInt8](UnsafeBufferPointer(start: base + rejection.start, count: rejection.length))
    }
}
