internal import WeirCore

/// The rows of a block that have the same text, for a field with few texts: many conditions on it are then decided text by
/// text and not row by row.
struct CodeRows: Sendable {
    /// How many texts are few.
    static var mostTexts: Int { 16 }

    /// The batch that it is of, and the first row of the block.
    private(set) var stamp = -1
    private(set) var start = 0

    /// Whether a row has a text without a number.
    private(set) var hasOthers = false

    /// The codes that occur.
    private(set) var codes: [Int32] = []

    // By the code and the word: a bit for each row.
    private var words: [UInt64] = []

    /// Reads a block.
    ///
    /// - Parameters:
    ///   - codes: By row: the number of the text, times 4, and its kind; negative where it has none.
    ///   - stamp: Tells the batch from others.
    mutating func read(_ codes: ArraySlice<Int32>, _ stamp: Int) {
        self.stamp = stamp
        start = codes.startIndex
        for code in self.codes {
            for word in 0..<8 { words[Int(code) << 3 + word] = 0 }
        }
        self.codes.removeAll(keepingCapacity: true)
        if words.isEmpty { words = Array(repeating: 0, count: Self.mostTexts << 5) }
        var words = exchange(&self.words, with: [])
        var row: UInt64 = 0
        var least: Int32 = 0
        for code in codes {
            least = min(least, code)
            if code >= 0 { words[Int(code) << 3 + Int(row >> 6)] |= 1 << (row & 63) }
            row += 1
        }
        self.words = words
        hasOthers = least < -1
        for code in 0..<Int32(Self.mostTexts << 2) where !self[code].isEmpty { self.codes.append(code) }
    }

    /// The rows of a code.
    subscript(code: Int32) -> RowBits {
        var bits = RowBits.zero
        for word in 0..<8 { bits[word] = words[Int(code) << 3 + word] }
        return bits
    }
}
