internal import WeirRecords

/// Collects the names of fields that nothing was known of.
extension JSONLinesDecoder {
    /// Collects a name, unless that was done before.
    mutating func collect(_ base: UnsafePointer<UInt8>, _ name: JSONCursor.Text, position: Int) {
        let bytes = unsafe UnsafeBufferPointer(start: base + name.start, count: name.end - name.start)
        // Lines of one program have their names in one order.
        if !name.hasEscapes, position < collectedOrder.count, collectedOrder[position] >= 0,
            unsafe collected[collectedOrder[position]].elementsEqual(bytes)
        {
            return
        }
        guard
            let text = unsafe name.hasEscapes
                ? QuotedText.resolvingEscapes(bytes) : String(validating: bytes, as: UTF8.self)
        else { return }
        let resolved = Array(text.utf8)
        var index = collected.firstIndex(of: resolved)
        if index == nil, collected.count < Self.collectedLimit {
            index = collected.count
            collected.append(resolved)
            collectedNames.append(text)
        }
        while collectedOrder.count <= position, position < Self.collectedLimit { collectedOrder.append(-1) }
        if let index, position < collectedOrder.count { collectedOrder[position] = index }
    }
}
