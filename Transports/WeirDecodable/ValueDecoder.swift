internal import WeirRecords

/// Finds records and makes values of them, in one format.
protocol ValueDecoder {
    /// Finds records as a `RecordDecoder` does.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int

    /// Makes a value of a record.
    func value<Value: Decodable>(
        _ type: Value.Type,
        ofRecordAt index: Int,
        in batch: borrowing RecordBatch
    ) throws -> Value
}
