internal import WeirCore

extension TimeFormat {
    /// What a text says, part by part.
    struct Reading {
        var clock = ClockReading(year: 0, month: 1, day: 1)
        /// From 1 to 366, where the text has it.
        var dayOfYear: Int64?
        var isAfternoon: Bool?
        /// The seconds since the epoch without their sign, where the text has them.
        var epoch: Int64?
        var isBeforeEpoch = false
        /// Where the name of the time zone is in the text.
        var zoneName: Range<Int>?
    }

    /// Reads a text of this format.
    ///
    /// - Parameter text: The text, without blanks around it.
    /// - Returns: What it says; `nil` where it has another form. Its parts may still be out of their ranges.
    /// - Complexity: O(*n*) for *n* bytes; no allocation.
    func reading(_ text: UnsafeBufferPointer<UInt8>) -> Reading? {
        var reading = Reading()
        var rest = unsafe Rest(text)
        for item in items {
            switch item {
            case .byte(let byte): guard unsafe rest.take(byte) else { return nil }
            case .blank: guard unsafe rest.takeBlanks() else { return nil }
            case .field(let field, let padding):
                guard unsafe Self.read(field, padding, &rest, into: &reading) else { return nil }
            }
        }
        guard unsafe rest.isEmpty else { return nil }
        if let isAfternoon = reading.isAfternoon {
            guard (1...12).contains(reading.clock.hour) else { return nil }
            reading.clock.hour = reading.clock.hour % 12 + (isAfternoon ? 12 : 0)
        }
        if let number = reading.dayOfYear {
            let newYear = GregorianCalendar.daysSinceEpoch(reading.clock.year, 1, 1)
            let (year, month, day) = GregorianCalendar.date(daysSinceEpoch: newYear + number - 1)
            guard year == reading.clock.year else { return nil }
            (reading.clock.month, reading.clock.day) = (month, day)
        }
        return reading
    }

    @inline(__always)
    private static func read(
        _ field: Field,
        _ padding: Padding,
        _ rest: inout Rest,
        into reading: inout Reading
    ) -> Bool {
        switch field {
        case .year: return unsafe rest.readNumber(4...4, into: &reading.clock.year)
        case .shortYear:
            guard unsafe rest.readNumber(2...2, into: &reading.clock.year) else { return false }
            reading.clock.year += reading.clock.year < 69 ? 2000 : 1900
            return true
        case .month: return unsafe rest.readNumber(1...2, into: &reading.clock.month)
        case .day:
            if padding == .blank { _ = unsafe rest.takeBlanks() }
            return unsafe rest.readNumber(1...2, into: &reading.clock.day)
        case .hour, .halfHour: return unsafe rest.readNumber(1...2, into: &reading.clock.hour)
        case .minute: return unsafe rest.readNumber(1...2, into: &reading.clock.minute)
        case .second: return unsafe rest.readNumber(1...2, into: &reading.clock.second)
        case .fraction(let digits): return unsafe rest.readFraction(digits, into: &reading.clock.nanosecond)
        case .pointAndFraction:
            guard unsafe rest.take(UInt8(ascii: ".")) else { return true }
            return unsafe rest.readFraction(0, into: &reading.clock.nanosecond)
        case .dayOfYear:
            var number: Int64 = 0
            guard unsafe rest.readNumber(1...3, into: &number), (1...366).contains(number) else { return false }
            reading.dayOfYear = number
            return true
        case .monthName:
            guard let index = unsafe rest.takeName(of: EnglishDates.months) else { return false }
            reading.clock.month = Int64(index + 1)
            return true
        case .weekday: return unsafe rest.takeName(of: EnglishDates.weekdays) != nil
        case .half:
            guard let index = unsafe rest.takeWord(["AM", "PM"]) else { return false }
            reading.isAfternoon = index == 1
            return true
        case .epoch:
            reading.isBeforeEpoch = unsafe rest.take(UInt8(ascii: "-"))
            var seconds: Int64 = 0
            // More digits than a time can have, and fewer than a number.
            guard unsafe rest.readNumber(1...15, into: &seconds) else { return false }
            reading.epoch = seconds
            return true
        case .offset:
            guard let offset = unsafe rest.takeOffset() else { return false }
            reading.clock.offset = offset
            return true
        case .zoneName:
            guard let name = unsafe rest.takeZoneName() else { return false }
            reading.zoneName = name
            return true
        }
    }

    /// What was not read yet.
    @unsafe
    private struct Rest {
        private let text: UnsafeBufferPointer<UInt8>
        private var place = 0

        init(_ text: UnsafeBufferPointer<UInt8>) {
            unsafe self.text = text
        }

        var isEmpty: Bool { unsafe place == text.count }

        private var first: UInt8? { unsafe place < text.count ? text[place] : nil }

        mutating func take(_ byte: UInt8) -> Bool {
            guard unsafe first == byte else { return false }
            unsafe place += 1
            return true
        }

        mutating func takeBlanks() -> Bool {
            let start = unsafe place
            while let byte = unsafe first, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { unsafe place += 1 }
            return unsafe place > start
        }

        /// Reads a number with as many digits as there are within the range.
        @inline(__always)
        mutating func readNumber(_ digits: ClosedRange<Int>, into number: inout Int64) -> Bool {
            var value: Int64 = 0
            var count = 0
            while count < digits.upperBound, let byte = unsafe first, byte &- UInt8(ascii: "0") < 10 {
                value = value &* 10 &+ Int64(byte &- UInt8(ascii: "0"))
                unsafe place += 1
                count += 1
            }
            number = value
            return count >= digits.lowerBound
        }

        /// Reads the digits of a fraction of a second: `count` of them, or as many as there are where it is zero.
        mutating func readFraction(_ count: Int, into nanoseconds: inout Int64) -> Bool {
            var value: Int64 = 0
            var digits = 0
            while count == 0 || digits < count, let byte = unsafe first, byte &- UInt8(ascii: "0") < 10 {
                if digits < 9 { value = value * 10 + Int64(byte &- UInt8(ascii: "0")) }
                unsafe place += 1
                digits += 1
            }
            guard digits > 0, count == 0 || digits == count else { return false }
            for _ in min(digits, 9)..<9 { value *= 10 }
            nanoseconds = value
            return true
        }

        /// Takes one of the words, in capital or small letters.
        mutating func takeWord(_ words: [String]) -> Int? {
            words.firstIndex { unsafe takes($0.utf8.count, of: $0) }
        }

        /// Takes one of the names, whole or its first three letters.
        mutating func takeName(of names: [String]) -> Int? {
            names.firstIndex { unsafe takes($0.utf8.count, of: $0) || takes(3, of: $0) }
        }

        private mutating func takes(_ count: Int, of word: String) -> Bool {
            guard unsafe text.count - place >= count else { return false }
            var index = unsafe place
            for byte in word.utf8.prefix(count) {
                guard unsafe (text[index] | 0x20) == byte | 0x20 else { return false }
                index += 1
            }
            unsafe place = index
            return true
        }

        /// The seconds of `Z`, `+02`, `+0200` or `+02:00`.
        mutating func takeOffset() -> Int64? {
            if unsafe take(UInt8(ascii: "Z")) { return 0 }
            let isWest = unsafe take(UInt8(ascii: "-"))
            guard unsafe isWest || take(UInt8(ascii: "+")) else { return nil }
            var (hours, minutes): (Int64, Int64) = (0, 0)
            guard unsafe readNumber(2...2, into: &hours), hours < 24 else { return nil }
            let hasColon = unsafe take(UInt8(ascii: ":"))
            if unsafe hasColon || (first.map { $0 &- UInt8(ascii: "0") < 10 } ?? false) {
                guard unsafe readNumber(2...2, into: &minutes), minutes < 60 else { return nil }
            }
            return (hours * 60 + minutes) * (isWest ? -60 : 60)
        }

        /// Where a name of letters is, or of digits and signs, such as `CEST` and `+03`.
        mutating func takeZoneName() -> Range<Int>? {
            let start = unsafe place
            while let byte = unsafe first, TimeFormat.isPartOfName(byte) { unsafe place += 1 }
            return unsafe place > start ? start..<place : nil
        }
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
