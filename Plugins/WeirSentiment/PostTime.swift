internal import WeirCore

/// Reads the times of Twitter's interface in version 1.1, such as `Wed Oct 10 20:19:24 +0000 2018`.
enum PostTime {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The time that a text stands for, or `nil` where it has another form.
    static func timestamp(_ text: String) -> Timestamp? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, let month = months.firstIndex(of: String(parts[1])),
            let day = number(parts[2], digits: 1...2), let year = number(parts[5], digits: 4...4),
            let offset = offset(parts[4])
        else { return nil }
        let clock = parts[3].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = number(clock[0], digits: 2...2),
            let minute = number(clock[1], digits: 2...2),
            let second = number(clock[2], digits: 2...2),
            let local = Timestamp(
                year: year,
                month: month + 1,
                day: day,
                hour: hour,
                minute: minute,
                second: second
            )
        else { return nil }
        return local - .seconds(offset * 60)
    }

    /// The minutes of `+hhmm` or `-hhmm`.
    private static func offset(_ text: Substring) -> Int? {
        guard text.count == 5, let sign = text.first, sign == "+" || sign == "-",
            let value = number(text.dropFirst(), digits: 4...4), value % 100 < 60, value < 2_400
        else { return nil }
        let minutes = value / 100 * 60 + value % 100
        return sign == "-" ? -minutes : minutes
    }

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}
