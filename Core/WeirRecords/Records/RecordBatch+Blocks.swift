/// For decoders of formats that keep the values of a field together: they add records first and then fill field by field.
extension RecordBatch {
    /// Adds records without bytes of their own, whose fields are all absent, for a decoder that fills field by field.
    ///
    /// - Parameters:
    ///   - count: How many; at most as many as there is room for.
    ///   - line: The number of the first one in the input; the others count on from it.
    ///   - start: Where they come from, counted from ``origin``.
    /// - Returns: The index of the first one.
    @inlinable
    public mutating func appendRecords(_ count: Int, line: UInt64, start: Int) -> Int {
        let first = recordCount
        precondition(count >= 0 && count <= capacity - first, "a batch takes no more records than it has room for")
        let row = Row(line: line, start: UInt32(truncatingIfNeeded: start &+ origin), length: 0)
        guard first > 0 else {
            // Nothing is written: the places of all records follow from those of the first one.
            recordCount = count
            beginRuns(row)
            return first
        }
        let rows = unsafe rows
        for index in 0..<count {
            unsafe rows[first &+ index] = row
            unsafe rows[first &+ index].line &+= UInt64(index)
        }
        for index in first * fieldCount..<(first + count) * fieldCount {
            unsafe slots[index] = Slot(start: 0, length: 0, encoding: .absent)
        }
        recordCount += count
        return first
    }

    /// Sets where a field is of a record that was added with ``appendRecords(_:line:start:)``.
    ///
    /// - Parameters:
    ///   - field: The index of the field in the schema.
    ///   - index: The index of the record.
    ///   - start: Where its bytes start, counted from ``origin``.
    ///   - length: How many bytes it has.
    ///   - encoding: How they are to be read.
    ///   - scale: Of a decimal, how many digits stand after the point, from 0 to 127; 128 more make it minus zero.
    @inlinable
    public mutating func setField(
        _ field: Int,
        ofRecordAt index: Int,
        start: Int,
        length: Int,
        encoding: FieldEncoding,
        scale: UInt8 = 0
    ) {
        assert(field >= 0 && field < fieldCount && index >= 0 && index < recordCount)
        if unsafe frame.pointee.isUnwritten && !frame.pointee.runs[field].isWritten { writeRun(field) }
        unsafe slotPlaces[index &* fieldCount &+ field] = Slot(
            start: UInt32(truncatingIfNeeded: start &+ origin),
            length: UInt32(truncatingIfNeeded: length),
            encoding: encoding,
            scale: scale
        )
    }

    /// Sets where a field is of some records that were added with ``appendRecords(_:line:start:)``: values of one width, side
    /// by side.
    ///
    /// - Parameters:
    ///   - field: The index of the field in the schema.
    ///   - first: The index of the first record.
    ///   - count: How many records.
    ///   - start: Where the first value starts, counted from ``origin``.
    ///   - width: How many bytes a value has.
    ///   - encoding: How they are to be read.
    ///   - scale: As for ``setField(_:ofRecordAt:start:length:encoding:scale:)``.
    package mutating func setFields(
        _ field: Int,
        ofRecordsFrom first: Int,
        count: Int,
        start: Int,
        width: Int,
        encoding: FieldEncoding,
        scale: UInt8
    ) {
        precondition(field >= 0 && field < fieldCount && first >= 0 && count >= 0 && first + count <= recordCount)
        var head = Slot(
            start: UInt32(truncatingIfNeeded: start &+ origin),
            length: UInt32(truncatingIfNeeded: width),
            encoding: encoding,
            scale: scale
        )
        if count == recordCount, unsafe frame.pointee.isUnwritten {
            var run = FieldRun()
            run.head = head
            unsafe frame.pointee.runs[field] = run
            return
        }
        var slot = unsafe slots + (first * fieldCount + field)
        for _ in 0..<count {
            unsafe slot.pointee = head
            head.start &+= head.length
            unsafe slot += fieldCount
        }
    }
}
