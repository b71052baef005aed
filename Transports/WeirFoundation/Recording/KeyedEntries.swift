internal import WeirCore
internal import WeirRecording

/// The keys of a keyed value, and where their values are.
final class KeyedEntries {
    private(set) var names: [String] = []
    private var offsets: [Int] = []
    private var nextIndex = 0

    init(_ decoder: BodyDecoder) throws {
        let content = try decoder.content(tag: BodyFormat.keyed)
        var cursor = ByteCursor(decoder.bytes, from: content.lowerBound, to: content.upperBound)
        while !cursor.isAtEnd {
            guard let id = cursor.variable() else { throw decoder.damaged("a key id is cut off") }
            if id == 0 {
                guard let name = cursor.text() else { throw decoder.damaged("a key is not text") }
                names.append(name)
            } else {
                guard id <= UInt64(decoder.keys.count) else { throw decoder.damaged("no key has the id \(id)") }
                names.append(decoder.keys[Int(id) - 1])
            }
            offsets.append(cursor.offset)
            cursor.offset = try decoder.end(ofValueAt: cursor.offset, within: content.upperBound)
        }
    }

    /// Where the value of a key is; nil when there is no such key.
    ///
    /// Values are mostly read in the order in which they were written, so the search goes on where the last one ended.
    func offset(of name: String) -> Int? {
        for step in 0..<names.count {
            let index = nextIndex + step < names.count ? nextIndex + step : nextIndex + step - names.count
            if names[index] == name {
                nextIndex = index
                return offsets[index]
            }
        }
        return nil
    }
}
