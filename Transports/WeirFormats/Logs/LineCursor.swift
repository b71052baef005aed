internal import WeirCore
internal import WeirRecords

/// Reads a line from left to right.
///
/// Each method expects one thing at the place where the last one stopped. Places are counted from `base`.
@unsafe
struct LineCursor {
    let base: UnsafePointer<UInt8>
    let start: Int
    let end: Int

    /// The place of the next byte.
    var place: Int

    /// Creates a cursor at the start of the line from `start` to `end`.
    init(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) {
        unsafe self.base = base
        unsafe self.start = start
        unsafe self.end = end
        unsafe self.place = start
    }

    var isAtEnd: Bool { unsafe place == end }

    /// A flaw at the next byte.
    func flaw(_ what: String) -> LineFlaw {
        unsafe LineFlaw(what, at: place - start)
    }

    /// Whether a character is the next one.
    func isAt(_ character: Unicode.Scalar) -> Bool {
        unsafe place < end && base[place] == UInt8(ascii: character)
    }

    /// Passes a character.
    mutating func take(_ character: Unicode.Scalar) throws(LineFlaw) {
        guard unsafe isAt(character) else { throw unsafe flaw("expected '\(character)'") }
        unsafe place &+= 1
    }

    /// Passes everything up to a byte, or to the end.
    mutating func text(upTo byte: UInt8) -> Range<Int> {
        let first = unsafe place
        unsafe place = unsafe ByteSearch.index(of: byte, in: base, from: first, to: end)
        return unsafe first..<place
    }

    /// Passes a text, behind its quote, and the quote that ends it; a backslash takes its meaning from the next byte.
    mutating func quotedText() throws(LineFlaw) -> (text: Range<Int>, hasEscapes: Bool) {
        let first = unsafe place
        var hasEscapes = false
        while unsafe place < end {
            switch unsafe base[place] {
            case UInt8(ascii: "\""):
                unsafe place &+= 1
                return unsafe (first..<place - 1, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                unsafe place = min(place &+ 2, end)
            default: unsafe place &+= 1
            }
        }
        unsafe place = first
        throw unsafe flaw("a quote is not closed; its text starts")
    }
}
