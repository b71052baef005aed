/// Splits a text of JSON into the elements of its array, or the values that stand one after the other, a line each.
///
/// What is in an element is left to who reads the lines; here it only has to be clear where it ends.
enum JSONElements {
    /// Finds the elements.
    ///
    /// - Parameters:
    ///   - text: An array; or values, with nothing but blanks between them.
    ///   - body: Called with each element. Its line breaks have become blanks, and it ends with a newline.
    /// - Throws: ``HTTPFlaw`` for brackets that do not match, a string that is not closed, or a break in one.
    static func split(_ text: [UInt8], _ body: (ArraySlice<UInt8>) -> Void) throws(HTTPFlaw) {
        var bytes = text
        var place = 0
        skipBlanks(bytes, &place)
        let isArray = place < bytes.count && bytes[place] == UInt8(ascii: "[")
        if isArray { place += 1 }
        var isFirst = true
        // An element takes the place of the byte behind it for its newline.
        bytes.append(UInt8(ascii: " "))
        let end = bytes.count - 1
        while true {
            skipBlanks(bytes, &place)
            guard place < end else {
                guard isArray else { return }
                throw flaw("the array is not closed", place)
            }
            if isArray {
                if bytes[place] == UInt8(ascii: "]") {
                    place += 1
                    skipBlanks(bytes, &place)
                    guard place >= end else { throw flaw("there is something behind the array", place) }
                    return
                }
                if !isFirst {
                    guard bytes[place] == UInt8(ascii: ",") else { throw flaw("expected ',' or ']'", place) }
                    place += 1
                    skipBlanks(bytes, &place)
                }
            }
            isFirst = false
            let start = place
            try pass(&bytes, &place, end)
            guard place > start else { throw flaw("expected a value", place) }
            let behind = exchange(&bytes[place], with: UInt8(ascii: "\n"))
            body(bytes[start...place])
            bytes[place] = behind
        }
    }

    /// Passes a value.
    private static func pass(_ bytes: inout [UInt8], _ place: inout Int, _ end: Int) throws(HTTPFlaw) {
        var open: [UInt8] = []
        while place < end {
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard open.count < 512 else { throw flaw("values are nested deeper than 512", place) }
                open.append(byte == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]"))
                place += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard !open.isEmpty else { return }
                guard open.popLast() == byte else { throw flaw("the brackets do not match", place) }
                place += 1
                if open.isEmpty { return }
            case UInt8(ascii: "\""):
                try passString(bytes, &place, end)
                if open.isEmpty { return }
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: " "), UInt8(ascii: "\t"):
                if open.isEmpty { return }
                bytes[place] = UInt8(ascii: " ")
                place += 1
            case UInt8(ascii: ",") where open.isEmpty: return
            default: place += 1
            }
        }
        guard open.isEmpty else { throw flaw("a value is not closed", place) }
    }

    private static func passString(_ bytes: [UInt8], _ place: inout Int, _ end: Int) throws(HTTPFlaw) {
        let start = place
        place += 1
        while place < end {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                place += 1
                return
            case UInt8(ascii: "\\"): place += 2
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): throw flaw("there is a line break in a string", place)
            default: place += 1
            }
        }
        throw flaw("a string is not closed", start)
    }

    private static func skipBlanks(_ bytes: [UInt8], _ place: inout Int) {
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): place += 1
            default: return
            }
        }
    }

    private static func flaw(_ what: String, _ place: Int) -> HTTPFlaw {
        HTTPFlaw(400, "the body is no JSON: \(what) at byte \(place + 1)")
    }
}
