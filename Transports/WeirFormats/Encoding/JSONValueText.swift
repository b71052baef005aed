internal import WeirCore
internal import WeirRecords

/// A JSON value that fills a stretch of bytes, and how a field of it is to be read.
struct JSONValueText {
    /// Where the value's bytes start and end: a string's between its quotes.
    let start: Int
    let end: Int
    let encoding: FieldEncoding

    /// Checks the value from `start` to `end`: nothing may stand before or after it, or there is none.
    ///
    /// - Parameters:
    ///   - base: What places are counted from.
    ///   - start: Where the value starts.
    ///   - end: Where it ends.
    init?(_ base: UnsafePointer<UInt8>?, from start: Int, to end: Int) {
        guard let base = unsafe base, start < end else { return nil }
        var cursor = unsafe JSONCursor(base, from: start, to: end)
        do throws(JSONFlaw) {
            switch unsafe cursor.byte {
            case UInt8(ascii: "\""):
                let text = unsafe try cursor.string()
                (self.start, self.end) = (text.start, text.end)
                encoding = text.hasEscapes ? .escaped : .plain
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                // One level less than allowed, for the object that the value may be written into.
                unsafe try cursor.nested(depth: 1)
                (self.start, self.end) = (start, end)
                encoding = .nested
            case UInt8(ascii: "n"):
                unsafe try cursor.word("null")
                (self.start, self.end) = (start, end)
                encoding = .null
            default:
                unsafe try cursor.scalar()
                (self.start, self.end) = (start, end)
                encoding = .bare
            }
        } catch {
            return nil
        }
        guard unsafe cursor.place == end else { return nil }
    }

    /// Whether a text is a JSON number, `true` or `false`: where an input does not tell text from numbers, that is one.
    static func isNumberOrFlag(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = unsafe text.first else { return false }
        switch first {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "t"), UInt8(ascii: "f"):
            return unsafe JSONValueText(text.baseAddress, from: 0, to: text.count) != nil
        default: return false
        }
    }
}
