/// Looks at eight bytes at a time, in an ordinary register.
enum ByteSearch {
    /// The high bit of each byte.
    static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// A word with `byte` in each place.
    static func filled(with byte: UInt8) -> UInt64 {
        UInt64(byte) &* 0x0101_0101_0101_0101
    }

    /// The eight bytes at `place`, the first one lowest.
    static func word(at place: UnsafePointer<UInt8>) -> UInt64 {
        unsafe UInt64(littleEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt64.self))
    }

    /// The `count` bytes at `place`, fewer than eight, the first one lowest, and zeros after them.
    static func partialWord(at place: UnsafePointer<UInt8>, count: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<count {
            unsafe word |= UInt64(place[index]) &<< UInt64(index &* 8)
        }
        return word
    }

    /// The high bit of each byte of `word` that is not zero; exact, no carry reaches a neighbour.
    static func nonZero(_ word: UInt64) -> UInt64 {
        ((word & ~highBits) &+ ~highBits | word) & highBits
    }

    /// The index of the first `byte` from `start` on, or `end` when there is none.
    static func index(of byte: UInt8, in base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
        let pattern = filled(with: byte)
        var index = start
        while end &- index >= 8 {
            let found = unsafe nonZero(word(at: base + index) ^ pattern) ^ highBits
            if found != 0 { return index &+ found.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < end, unsafe base[index] != byte { index &+= 1 }
        return index
    }
}
