internal import WeirCore

/// Reads one message of syslog from left to right.
///
/// Places are counted from `base`.
@unsafe
struct SyslogText {
    let base: UnsafePointer<UInt8>
    let end: Int

    /// The place of the next byte.
    var place: Int

    /// Creates a text from `start` to `end`.
    init(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) {
        unsafe self.base = base
        unsafe self.end = end
        unsafe place = start
    }

    /// The byte at a place, or zero behind the end.
    private func byte(_ place: Int) -> UInt8 { unsafe place < end ? base[place] : 0 }

    /// Passes some text, when it is what follows.
    mutating func take(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard unsafe end - place >= count else { return false }
        for index in 0..<count where unsafe base[place + index] != word.utf8Start[index] { return false }
        unsafe place += count
        return true
    }

    /// Passes what stands before the next blank, or the end.
    mutating func word() -> Range<Int> {
        let start = unsafe place
        while unsafe place < end, unsafe base[place] != UInt8(ascii: " ") { unsafe place += 1 }
        return unsafe start..<place
    }

    /// Whether a word is the one for nothing.
    func isNil(_ word: Range<Int>) -> Bool {
        unsafe word.count == 1 && base[word.lowerBound] == UInt8(ascii: "-")
    }

    /// Passes `<PRI>`.
    ///
    /// - Returns: Its number; `nil` where the message does not begin with it.
    /// - Throws: ``SyslogFlaw`` for another number than 0 to 191.
    mutating func priority() throws(SyslogFlaw) -> Int? {
        guard unsafe take("<") else { return nil }
        var number = 0
        var digits = 0
        while digits < 4, case let digit = unsafe byte(place) &- 0x30, digit < 10 {
            number = number * 10 + Int(digit)
            digits += 1
            unsafe place += 1
        }
        guard (1...3).contains(digits), number < 192, unsafe take(">") else {
            throw SyslogFlaw("the priority is not a number from 0 to 191 between '<' and '>'")
        }
        return number
    }

    // MARK: Times

    /// A time of RFC 3164, which has no year.
    struct OldTime {
        let month: Int64
        let day: Int64

        /// Of the day.
        let second: Int64
    }

    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Passes a time such as `Oct 11 22:14:15` or `Oct  1 22:14:15`, when it is what follows.
    mutating func oldTime() -> OldTime? {
        let start = unsafe place
        guard unsafe end - place >= 15 else { return nil }
        var month: Int64?
        for (index, name) in unsafe Self.months.enumerated() where unsafe take(name) { month = Int64(index) + 1 }
        let at = start
        guard let month, unsafe byte(at + 3) == 0x20, unsafe byte(at + 6) == 0x20, unsafe byte(at + 9) == 0x3a,
            unsafe byte(at + 12) == 0x3a, unsafe at + 15 == end || byte(at + 15) == 0x20,
            let day = unsafe number(at + 4), let hour = unsafe number(at + 7), let minute = unsafe number(at + 10),
            let second = unsafe number(at + 13), day > 0, hour < 24, minute < 60, second <= 60
        else {
            unsafe place = start
            return nil
        }
        unsafe place = start + 15
        return OldTime(month: month, day: day, second: hour * 3600 + minute * 60 + second)
    }

    /// A number of two digits, the first of which may be a blank.
    private func number(_ place: Int) -> Int64? {
        let high = unsafe byte(place) == 0x20 ? 0 : unsafe byte(place) &- 0x30
        let low = unsafe byte(place + 1) &- 0x30
        return high < 10 && low < 10 ? Int64(high) * 10 + Int64(low) : nil
    }

    /// Passes a word that begins like a time of RFC 3339, when it is what follows.
    mutating func internetTime() -> Range<Int>? {
        let start = unsafe place
        let word = unsafe word()
        guard word.count >= 20, unsafe byte(start + 4) == UInt8(ascii: "-"),
            unsafe byte(start + 7) == UInt8(ascii: "-"),
            unsafe byte(start + 10) == UInt8(ascii: "T"), unsafe byte(start) &- 0x30 < 10
        else {
            unsafe place = start
            return nil
        }
        return word
    }

    // MARK: Tags

    /// A program and its number, as in `sshd[4711]:`.
    struct Tag {
        let name: Range<Int>
        let number: Range<Int>?

        /// The place behind it.
        let end: Int
    }

    /// The tag that follows, where there is one; it is not passed.
    func tag() -> Tag? {
        let start = unsafe place
        var at = start
        while unsafe at < end, case let byte = unsafe base[at], byte != 0x20, byte != UInt8(ascii: ":"),
            byte != UInt8(ascii: "[")
        {
            at += 1
        }
        let name = start..<at
        guard !name.isEmpty, unsafe at < end else { return nil }
        guard unsafe base[at] == UInt8(ascii: "[") else {
            // An address of IPv6 has colons too.
            let isLast = unsafe at + 1 == end || base[at + 1] == 0x20
            return unsafe base[at] == UInt8(ascii: ":") && isLast ? Tag(name: name, number: nil, end: at + 1) : nil
        }
        let first = at + 1
        while unsafe at < end, unsafe base[at] != UInt8(ascii: "]"), unsafe base[at] != 0x20 { at += 1 }
        guard unsafe byte(at) == UInt8(ascii: "]") else { return nil }
        let number = first..<at
        at += 1
        if unsafe byte(at) == UInt8(ascii: ":") { at += 1 }
        return Tag(name: name, number: number.isEmpty ? nil : number, end: at)
    }

    // MARK: Structured data

    /// Finds the values of structured data, which is not passed.
    ///
    /// - Parameter body: Called with the places of each value's element, name, and itself with its escapes.
    /// - Returns: Where all of it is, and the place behind it.
    /// - Throws: ``SyslogFlaw`` where it is none.
    func structuredData(
        _ body: (_ id: Range<Int>, _ name: Range<Int>, _ value: Range<Int>) -> Void
    ) throws(SyslogFlaw) -> (range: Range<Int>, end: Int) {
        let start = unsafe place
        var at = start
        func flaw() -> SyslogFlaw { SyslogFlaw("the structured data is none at byte \(at - start + 1) of it") }
        guard unsafe byte(at) == UInt8(ascii: "[") else { throw flaw() }
        while unsafe byte(at) == UInt8(ascii: "[") {
            at += 1
            let id = unsafe name(&at)
            guard !id.isEmpty else { throw flaw() }
            while unsafe byte(at) == UInt8(ascii: " ") {
                at += 1
                let name = unsafe name(&at)
                guard !name.isEmpty, unsafe byte(at) == UInt8(ascii: "="), unsafe byte(at + 1) == UInt8(ascii: "\"")
                else {
                    throw flaw()
                }
                at += 2
                let first = at
                while unsafe at < end, unsafe base[at] != UInt8(ascii: "\"") {
                    guard unsafe base[at] != UInt8(ascii: "]") else { throw flaw() }
                    at += unsafe base[at] == UInt8(ascii: "\\") ? 2 : 1
                }
                guard unsafe at < end else { throw flaw() }
                body(id, name, first..<at)
                at += 1
            }
            guard unsafe byte(at) == UInt8(ascii: "]") else { throw flaw() }
            at += 1
        }
        return (start..<at, at)
    }

    /// Passes a name: letters of ASCII without `=`, `]`, `"` and blanks.
    private func name(_ at: inout Int) -> Range<Int> {
        let start = at
        while unsafe at < end, case let byte = unsafe base[at], byte > 0x20, byte < 0x7f, byte != UInt8(ascii: "="),
            byte != UInt8(ascii: "]"), byte != UInt8(ascii: "\"")
        {
            at += 1
        }
        return start..<at
    }

    /// Whether an element and a name, with a point between them, are a wanted name.
    func has(_ id: Range<Int>, _ name: Range<Int>, named wanted: [UInt8]) -> Bool {
        guard wanted.count == id.count + 1 + name.count, wanted[id.count] == UInt8(ascii: ".") else { return false }
        for index in 0..<id.count where unsafe base[id.lowerBound + index] != wanted[index] { return false }
        for index in 0..<name.count where unsafe base[name.lowerBound + index] != wanted[id.count + 1 + index] {
            return false
        }
        return true
    }

    /// Whether a value has a backslash.
    func hasEscapes(_ value: Range<Int>) -> Bool {
        for at in value where unsafe base[at] == UInt8(ascii: "\\") { return true }
        return false
    }

    /// Calls a function with the bytes of a value; a backslash before a quote, a bracket or a backslash is none of them.
    func forEachUnescaped(_ value: Range<Int>, _ body: (UInt8) -> Void) {
        var at = value.lowerBound
        while at < value.upperBound {
            if unsafe base[at] == UInt8(ascii: "\\"), at + 1 < value.upperBound {
                switch unsafe base[at + 1] {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "]"): at += 1
                default: break
                }
            }
            unsafe body(base[at])
            at += 1
        }
    }
}
