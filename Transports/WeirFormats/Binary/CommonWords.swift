internal import WeirCore
internal import WeirRecords

/// The different texts of a column of which there are few.
struct CommonWords {
    private var words: [ArraySlice<UInt8>] = []
    private var indexes: [UInt8] = []

    /// Finds the different texts; `nil` when they are too many for it to be worth it.
    init?(_ texts: [UInt8], _ ends: [Int]) {
        guard ends.count >= 8 else { return nil }
        var places: [ArraySlice<UInt8>: UInt8] = [:]
        var start = 0
        for end in ends {
            let word = texts[start..<end]
            start = end
            if let index = places[word] {
                indexes.append(index)
                continue
            }
            guard words.count < 256 else { return nil }
            let index = UInt8(words.count)
            places[word] = index
            words.append(word)
            indexes.append(index)
        }
        let length = words.reduce(8 + indexes.count) { $0 + 4 + $1.count }
        guard length < 4 * (ends.count + 1) + texts.count else { return nil }
    }

    /// Appends the values of a column; see ``BinaryFormat``.
    func write(to output: inout [UInt8]) {
        BinaryLayout.append(UInt32(words.count), to: &output)
        var end = 0
        BinaryLayout.append(UInt32(0), to: &output)
        for word in words {
            end += word.count
            BinaryLayout.append(UInt32(end), to: &output)
        }
        for word in words { output.append(contentsOf: word) }
        output.append(contentsOf: indexes)
    }
}
