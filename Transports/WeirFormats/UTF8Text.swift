/// Checks UTF-8 in place.
enum UTF8Text {
    /// Whether the bytes from `start` to `end` are valid UTF-8.
    ///
    /// - Complexity: O(*n*), no allocation.
    static func isValid(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Bool {
        var index = start
        while index < end {
            if end &- index >= 8, unsafe ByteSearch.word(at: base + index) & ByteSearch.highBits == 0 {
                index &+= 8
                continue
            }
            let length = unsafe sequenceLength(base, at: index, to: end)
            if length == 0 { return false }
            index &+= length
        }
        return true
    }

    /// The length of the scalar at `index`, or zero when there is none; the table is that of the Unicode standard.
    private static func sequenceLength(_ base: UnsafePointer<UInt8>, at index: Int, to end: Int) -> Int {
        let length: Int
        let second: ClosedRange<UInt8>
        switch unsafe base[index] {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard end &- index >= length, unsafe second.contains(base[index &+ 1]) else { return 0 }
        for offset in 2..<max(2, length) where unsafe base[index &+ offset] & 0xC0 != 0x80 { return 0 }
        return length
    }
}
