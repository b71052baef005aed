internal import WeirRecords

/// A decoder that can collect the names of fields that nothing was known of.
protocol CollectingDecoder: RecordDecoder {
    /// The names that were collected, in the order of their first appearance.
    var collectedNames: [String] { get }
}

/// Finds the names in all records.
struct CollectingFieldFinder<Decoder: CollectingDecoder>: FieldFinder {
    private var decoder: Decoder

    /// Creates a finder.
    ///
    /// - Parameter decoder: Collects names, and wants no field.
    init(_ decoder: Decoder) {
        self.decoder = decoder
    }

    var names: [String] { decoder.collectedNames }

    var isComplete: Bool { false }

    mutating func find(in bytes: UnsafeRawBufferPointer, isFinal: Bool) throws(FormatError) -> Int {
        var batch = RecordBatch(schema: RecordSchema(fields: []))
        var start = 0
        while true {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
            unsafe batch.begin(in: rest)
            start += unsafe try decoder.decode(rest, isFinal: isFinal, into: &batch)
            guard batch.isFull else { return start }
        }
    }
}
