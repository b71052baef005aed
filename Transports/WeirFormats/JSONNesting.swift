/// A bit for each level that values may be nested in.
struct JSONNesting {
    private var words = [8 of UInt64](repeating: 0)

    subscript(level: Int) -> Bool {
        get { words[level >> 6] >> UInt64(level & 63) & 1 != 0 }
        set {
            let bit: UInt64 = 1 << UInt64(level & 63)
            words[level >> 6] = newValue ? words[level >> 6] | bit : words[level >> 6] & ~bit
        }
    }
}
