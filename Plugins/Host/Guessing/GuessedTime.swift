internal import WeirCore
internal import WeirRecords

/// How the texts of a field say a time.
enum GuessedTime: Hashable {
    /// In a form that is read as it is.
    case known

    /// So too, but for the zone.
    case withoutZone

    /// In another form.
    case format(String, hasZone: Bool)

    /// Whether an option has to say which zone is meant.
    var needsZone: Bool {
        switch self {
        case .known: false
        case .withoutZone: true
        case .format(_, let hasZone): !hasZone
        }
    }

    /// Looks at texts.
    ///
    /// The result is `nil` where they are no times, or not all in one form.
    init?(_ values: [String]) {
        guard let first = values.first else { return nil }
        let isPlain = values.allSatisfy { FieldType(ofText: $0) == .time || TimeText.isWithoutZone($0) }
        if isPlain {
            self = values.contains(where: TimeText.isWithoutZone) ? .withoutZone : .known
            return
        }
        // Few texts that are no times have so many digits.
        guard first.utf8.count <= 40, first.utf8.count(where: { (0x30...0x39).contains($0) }) >= 4,
            let found = Self.formats.first(where: { Self.fits($0.format, values) })
        else { return nil }
        self = .format(found.text, hasZone: found.format.hasZone)
    }

    /// Whether texts of that form say nothing of the time of day.
    func isDate(_ values: [String]) -> Bool {
        switch self {
        case .format(let text, _): !text.contains("%H") && !text.contains("%I")
        case .known, .withoutZone: values.allSatisfy { !$0.contains(":") && !$0.contains("T") }
        }
    }

    /// The format that fits texts as well, with the month in the place of the day, where no day is greater than 12.
    func otherFormat(of values: [String]) -> String? {
        guard case .format(let format, _) = self else { return nil }
        let other = String(format.map { $0 == "d" ? "m" : $0 == "m" ? "d" : $0 })
        guard other != format, let found = Self.formats.first(where: { $0.text == other }) else { return nil }
        return Self.fits(found.format, values) ? other : nil
    }

    private static func fits(_ format: TimeFormat, _ values: [String]) -> Bool {
        let times = InputTimes(unit: .milliseconds, zone: utc, format: format)
        return values.allSatisfy(times.isTime)
    }

    private static let utc = try? ZoneFolder.rules(of: "UTC")

    /// The forms that are tried, the likelier first: the day before the month, unless a clock of twelve hours follows.
    private static let formats: [(text: String, format: TimeFormat)] = {
        let dates = [
            "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y.%m.%d", "%d %b %Y", "%d-%b-%Y", "%d/%b/%Y",
            "%b %d %Y", "%b %d, %Y", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y",
        ]
        let clocks = ["", " %H:%M:%S", " %H:%M", " %H:%M:%S%.f", ", %H:%M:%S", ":%H:%M:%S"]
        let halves = [" %I:%M:%S %p", " %I:%M %p", ", %I:%M:%S %p", ", %I:%M %p"]
        let american = ["%m/%d/%Y", "%m/%d/%y", "%b %d %Y", "%b %d, %Y", "%d/%m/%Y", "%d.%m.%Y", "%Y-%m-%d"]
        var all: [String] = []
        for date in dates { all += clocks.map { clock in date + clock } }
        for date in american { all += halves.map { clock in date + clock } }
        all += [
            "%a %b %d %H:%M:%S %Y", "%a, %d %b %Y %H:%M:%S %z", "%a, %d %b %Y %H:%M:%S %Z", "%d %b %Y %H:%M:%S %z",
            "%Y%m%d %H%M%S", "%Y%m%dT%H%M%S%z",
        ]
        return all.compactMap { text in (try? TimeFormat(text)).map { (text, $0) } }
    }()

    /// The options that read such times; an input's own zone is not known, and UTC stands for it.
    var options: [String] {
        var words: [String] = []
        if case .format(let format, _) = self { words += ["--time-format", format] }
        return needsZone ? words + ["--time-zone", "UTC"] : words
    }

    /// What they are, in words that follow the field's name.
    var words: String {
        switch self {
        case .known: "as text"
        case .withoutZone: "as text without a time zone"
        case .format(let format, let hasZone): "as '\(format)'" + (hasZone ? "" : ", without a time zone")
        }
    }
}
