/// Texts of several bytes.
extension ByteSearch {
    /// Whether a text stands at a place, before `end`.
    static func has(_ text: [UInt8], in base: UnsafePointer<UInt8>, at place: Int, to end: Int) -> Bool {
        guard end - place >= text.count else { return false }
        for index in 0..<text.count where unsafe base[place &+ index] != text[index] { return false }
        return true
    }

    /// Where a text comes first from `start` on, or `end` when there is none.
    ///
    /// - Complexity: O(*n* × *m*) for *n* bytes and a text of *m* bytes; O(*n*) where its first byte is rare.
    static func index(ofText text: [UInt8], in base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
        var place = start
        while true {
            place = unsafe index(of: text[0], in: base, from: place, to: end)
            if unsafe place == end || has(text, in: base, at: place, to: end) { return place }
            place += 1
        }
    }
}
