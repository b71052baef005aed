internal import WeirRecords

/// Elements of arrays that are wanted by their index.
extension JSONLinesDecoder {
    /// Passes the rest of an array, behind its bracket, and notes the elements that are wanted.
    mutating func readArray(
        _ cursor: inout JSONCursor,
        level: Int,
        depth: Int,
        into batch: inout RecordBatch
    ) throws(JSONFlaw) {
        unsafe cursor.skipBlanks()
        if unsafe cursor.take("]") { return }
        var index = 0
        while true {
            let entry = tree.entry(ofElement: index, level: level)
            unsafe try readValue(&cursor, of: entry, depth: depth, into: &batch)
            unsafe cursor.skipBlanks()
            index &+= 1
            if unsafe cursor.take("]") { return }
            guard unsafe cursor.take(",") else { throw unsafe cursor.flaw("expected ',' or ']'") }
            unsafe cursor.skipBlanks()
        }
    }

    /// Forgets the values of the fields that are wanted from a level.
    func forget(level: Int, in batch: inout RecordBatch) {
        for entry in tree.entries(of: level) {
            var field = entry.field
            while field >= 0 {
                batch.setField(field, start: 0, length: 0, encoding: .absent)
                field = tree.nextFields[field]
            }
            if entry.level >= 0 { forget(level: entry.level, in: &batch) }
        }
    }
}
