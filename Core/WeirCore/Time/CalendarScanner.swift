/// What was not read yet of a time of the calendar.
@unsafe
struct CalendarScanner {
    private var next: UnsafePointer<UInt8>
    private(set) var count: Int

    @inline(__always)
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let first = bytes.baseAddress else { return nil }
        unsafe next = first
        unsafe count = bytes.count
    }

    var isEmpty: Bool { unsafe count == 0 }

    var isSign: Bool { unsafe count > 0 && (self[0] == UInt8(ascii: "+") || self[0] == UInt8(ascii: "-")) }

    /// A byte that is there.
    subscript(index: Int) -> UInt8 {
        @inline(__always) get {
            unsafe assert(index < count)
            return unsafe next[index]
        }
    }

    @inline(__always)
    mutating func skip(_ length: Int) {
        unsafe assert(length <= count)
        unsafe next += length
        unsafe count -= length
    }

    /// The number of two digits that are there.
    @inline(__always)
    func twoDigits(at index: Int) -> Int64? {
        let (tens, ones) = unsafe (self[index] &- UInt8(ascii: "0"), self[index + 1] &- UInt8(ascii: "0"))
        return tens < 10 && ones < 10 ? Int64(tens) * 10 + Int64(ones) : nil
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard unsafe count > 0, unsafe self[0] == UInt8(ascii: character) else { return false }
        unsafe skip(1)
        return true
    }

    mutating func takeBlanks() -> Bool {
        guard unsafe take(" ") else { return false }
        while unsafe take(" ") {}
        return true
    }

    mutating func takeYear() -> Int64? {
        guard unsafe count >= 4, let century = unsafe twoDigits(at: 0), let year = unsafe twoDigits(at: 2) else {
            return nil
        }
        unsafe skip(4)
        return century * 100 + year
    }

    /// The number of a month, of the first three letters of its name.
    mutating func takeMonth() -> Int64? {
        guard unsafe count >= 3 else { return nil }
        let letters = unsafe UInt32(self[0]) << 16 | UInt32(self[1]) << 8 | UInt32(self[2])
        guard let index = EnglishDates.monthLetters.firstIndex(of: letters) else { return nil }
        unsafe skip(3)
        return Int64(index + 1)
    }

    /// A number of one or two digits.
    mutating func takeDay() -> Int64? {
        guard let first = unsafe digit(at: 0) else { return nil }
        guard let second = unsafe digit(at: 1) else {
            unsafe skip(1)
            return first
        }
        unsafe skip(2)
        return first * 10 + second
    }

    /// Reads hours, minutes, and perhaps seconds with a fraction.
    @inline(__always)
    mutating func readClock(_ reading: inout ClockReading, _ form: inout CalendarForm) -> Bool {
        guard unsafe count >= 5, let hour = unsafe twoDigits(at: 0), unsafe self[2] == UInt8(ascii: ":"),
            let minute = unsafe twoDigits(at: 3)
        else { return false }
        (reading.hour, reading.minute) = (hour, minute)
        guard unsafe count >= 8, unsafe self[5] == UInt8(ascii: ":") else {
            unsafe skip(5)
            form.lacksSeconds = true
            return true
        }
        guard let second = unsafe twoDigits(at: 6) else { return false }
        reading.second = second
        unsafe skip(8)
        guard unsafe count > 0 else { return true }
        let point = unsafe self[0]
        guard point == UInt8(ascii: ".") || point == UInt8(ascii: ",") else { return true }
        if point == UInt8(ascii: ",") { form.hasComma = true }
        unsafe skip(1)
        guard let fraction = unsafe takeFraction() else { return false }
        reading.nanosecond = fraction
        return true
    }

    /// The nanoseconds of a fraction of a second; further digits are cut.
    @inline(__always)
    private mutating func takeFraction() -> Int64? {
        var value: Int64 = 0
        var length = 0
        while let digit = unsafe digit(at: length) {
            if length < 9 { value = value &* 10 &+ digit }
            length += 1
        }
        guard length > 0 else { return nil }
        unsafe skip(length)
        var missing = length
        while missing < 9 {
            value = value &* 10
            missing += 1
        }
        return value
    }

    /// Reads how far the clock is ahead of UTC.
    @inline(__always)
    mutating func readZone(_ reading: inout ClockReading, _ form: inout CalendarForm) -> Bool {
        if unsafe self[0] == UInt8(ascii: "Z") {
            unsafe skip(1)
            form.zone = .letter
            reading.offset = 0
            form.offset = 0
            return true
        }
        return unsafe readOffset(&reading, &form)
    }

    private mutating func readOffset(_ reading: inout ClockReading, _ form: inout CalendarForm) -> Bool {
        if unsafe take(" ") {
            form.hasBlankBeforeZone = true
            guard unsafe !isEmpty else { return false }
        }
        reading.offset = 0
        form.offset = 0
        if unsafe take("z") {
            form.zone = .smallLetter
            return true
        }
        if unsafe take("Z") {
            form.zone = .letter
            return true
        }
        if unsafe count == 3, unsafe take("U"), unsafe take("T"), unsafe take("C") {
            form.zone = .word
            return true
        }
        guard unsafe isSign, unsafe count >= 3, let hours = unsafe twoDigits(at: 1), hours < 24 else { return false }
        let isWest = unsafe self[0] == UInt8(ascii: "-")
        unsafe skip(3)
        var minutes: Int64 = 0
        if unsafe take(":") {
            guard unsafe count >= 2, let value = unsafe twoDigits(at: 0) else { return false }
            (minutes, form.zone) = (value, .colon)
            unsafe skip(2)
        } else if unsafe digit(at: 0) != nil {
            guard unsafe count >= 2, let value = unsafe twoDigits(at: 0) else { return false }
            (minutes, form.zone) = (value, .digits)
            unsafe skip(2)
        } else {
            form.zone = .hours
        }
        guard minutes < 60 else { return false }
        let offset = (hours * 60 + minutes) * (isWest ? -60 : 60)
        reading.offset = offset
        form.offset = offset
        return true
    }

    @inline(__always)
    private func digit(at index: Int) -> Int64? {
        guard unsafe index < count else { return nil }
        let value = unsafe next[index] &- UInt8(ascii: "0")
        return value < 10 ? Int64(value) : nil
    }
}

extension EnglishDates {
    /// The first three letters of the months, as numbers.
    fileprivate static let monthLetters: [UInt32] = months.map { name in
        name.utf8.prefix(3).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
