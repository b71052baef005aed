/// Reads times of the calendar: RFC 3339 and what is often written in its place, the form of posts, and that of access
/// logs.
///
/// Every form is told from the others by its text alone; what could be read in two ways, such as `01/02/2024`, is none.
package enum CalendarText {
    /// The nanoseconds since the epoch that a text stands for; malformed where it does not say how far it is from UTC.
    package static func nanoseconds(_ text: UnsafeBufferPointer<UInt8>) -> ParsedInteger {
        var form = CalendarForm(.dateFirst)
        guard let reading = unsafe reading(text, &form) else { return .malformed }
        return nanoseconds(of: reading)
    }

    /// The nanoseconds since the epoch that a text of RFC 3339 stands for.
    static func internetNanoseconds(_ text: UnsafeBufferPointer<UInt8>) -> ParsedInteger {
        var form = CalendarForm(.dateFirst)
        guard let reading = unsafe reading(text, &form), form.isInternetTime else { return .malformed }
        return nanoseconds(of: reading)
    }

    /// Whether a text is a time that lacks nothing but how far its clock is from UTC.
    package static func isWithoutZone(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var form = CalendarForm(.dateFirst)
        guard let reading = unsafe reading(text, &form) else { return false }
        return reading.offset == nil && reading.localSeconds != nil
    }

    private static func nanoseconds(of reading: ClockReading) -> ParsedInteger {
        guard let local = reading.localSeconds, let offset = reading.offset else { return .malformed }
        return reading.nanoseconds(local: local, offset: offset)
    }

    /// Reads a text in any of the forms.
    ///
    /// - Parameters:
    ///   - text: The text, without blanks around it.
    ///   - form: Becomes the form of the text.
    /// - Returns: What the text says; `nil` when it has none of the forms. Its parts may still be out of their ranges.
    /// - Complexity: O(1), but for the digits of the fraction; no allocation.
    @inline(__always)
    package static func reading(_ text: UnsafeBufferPointer<UInt8>, _ form: inout CalendarForm) -> ClockReading? {
        // What is shorter than a date is no time. The fifth character of others tells the form.
        guard text.count >= 10, var rest = unsafe CalendarScanner(text) else { return nil }
        switch unsafe rest[4] {
        case UInt8(ascii: "-"), UInt8(ascii: "/"): return unsafe dateFirst(&rest, &form)
        default: return unsafe dayFirst(rest, &form)
        }
    }

    /// RFC 3339, such as `2018-10-10T20:19:24.5+02:00`; also with slashes, a space before the zone, `+0200`, and without
    /// seconds, time of day, or zone.
    @inline(__always)
    private static func dateFirst(_ rest: inout CalendarScanner, _ form: inout CalendarForm) -> ClockReading? {
        let dash = unsafe rest[4]
        form = CalendarForm(.dateFirst)
        if dash == UInt8(ascii: "/") { form.hasSlashes = true }
        guard let century = unsafe rest.twoDigits(at: 0), let year = unsafe rest.twoDigits(at: 2),
            let month = unsafe rest.twoDigits(at: 5), unsafe rest[7] == dash, let day = unsafe rest.twoDigits(at: 8)
        else { return nil }
        var reading = ClockReading(year: century * 100 + year, month: month, day: day)
        unsafe rest.skip(10)
        if unsafe !rest.isEmpty {
            switch unsafe rest[0] {
            case UInt8(ascii: "T"): form.separator = .letter
            case UInt8(ascii: " "): form.separator = .blank
            case UInt8(ascii: "t"): form.separator = .smallLetter
            default: return nil
            }
            unsafe rest.skip(1)
            guard unsafe rest.readClock(&reading, &form) else { return nil }
            guard unsafe rest.isEmpty || rest.readZone(&reading, &form) else { return nil }
        }
        return unsafe rest.isEmpty ? reading : nil
    }

    @inline(never)
    private static func dayFirst(_ rest: CalendarScanner, _ form: inout CalendarForm) -> ClockReading? {
        unsafe rest[2] == UInt8(ascii: "/") ? log(rest, &form) : post(rest, &form)
    }

    /// The form of access logs, such as `10/Oct/2018:20:19:24 +0200`.
    private static func log(_ text: CalendarScanner, _ form: inout CalendarForm) -> ClockReading? {
        var rest = unsafe text
        form = CalendarForm(.log)
        guard let day = unsafe rest.twoDigits(at: 0) else { return nil }
        unsafe rest.skip(3)
        guard let month = unsafe rest.takeMonth(), unsafe rest.take("/"), let year = unsafe rest.takeYear(),
            unsafe rest.take(":")
        else { return nil }
        var reading = ClockReading(year: year, month: month, day: day)
        guard unsafe rest.readClock(&reading, &form), !form.lacksSeconds else { return nil }
        guard unsafe rest.isEmpty || rest.readZone(&reading, &form) else { return nil }
        return unsafe rest.isEmpty ? reading : nil
    }

    /// The form of posts in version 1.1 of Twitter's interface, such as `Wed Oct 10 20:19:24 +0000 2018`, and without the
    /// zone that of C; the name of the day is not looked at.
    private static func post(_ text: CalendarScanner, _ form: inout CalendarForm) -> ClockReading? {
        var rest = unsafe text
        form = CalendarForm(.post)
        unsafe rest.skip(3)
        guard unsafe rest.takeBlanks(), let month = unsafe rest.takeMonth(), unsafe rest.takeBlanks(),
            let day = unsafe rest.takeDay(), unsafe rest.takeBlanks()
        else { return nil }
        var reading = ClockReading(year: 0, month: month, day: day)
        guard unsafe rest.readClock(&reading, &form), !form.lacksSeconds, unsafe rest.takeBlanks() else { return nil }
        if unsafe rest.isSign {
            guard unsafe rest.readZone(&reading, &form), form.zone == .digits, unsafe rest.takeBlanks() else {
                return nil
            }
        }
        guard let year = unsafe rest.takeYear(), unsafe rest.isEmpty else { return nil }
        reading.year = year
        return reading
    }
}
