internal import WeirCore
internal import WeirFormats
internal import WeirRecords

/// What the values of a field look like.
struct GuessedField {
    let name: String

    /// The type that keeps each of the values: that of numbers only where the same numbers come back.
    let type: FieldType

    /// Whether all values are numbers, whatever type keeps them.
    let isNumber: Bool

    /// Some value; empty where there is none.
    let example: String

    /// The unit of times that are bare numbers, as far as the values or the name tell.
    let unit: TimeUnit?

    /// How times that are text are written.
    let form: GuessedTime?

    /// The format that fits as well, with day and month the other way round; `nil` where none does.
    let otherFormat: String?

    /// Whether it is a time without a time of day.
    private(set) var isDate = false

    /// How sure it is that the field is a record's time; 0 where it is none.
    let timeRank: Int

    init(_ name: String, _ values: [String], isNested: Bool) {
        self.name = name
        example = values.first ?? ""
        let type = isNested ? .json : Self.type(of: values)
        form = type == .text || type == .time ? GuessedTime(values) : nil
        otherFormat = form?.otherFormat(of: values)
        isNumber = type == .integer || type == .float
        self.type = form != nil ? .time : isNumber ? Self.numberType(keeping: values) : type
        let words = Self.words(of: name)
        let isCalled = Self.isTimeName(words)
        switch self.type {
        case .time:
            unit = nil
            isDate = form?.isDate(values) ?? false
            timeRank = isDate ? isCalled ? 2 : 1 : isCalled ? 4 : 3
        case _ where isNumber:
            let numbers = values.compactMap { Double($0) }
            let ofValues = Self.unit(of: numbers)
            unit = words.lazy.compactMap { Self.units[$0] }.first ?? ofValues
            timeRank = isCalled ? 2 : ofValues != nil && numbers == numbers.sorted() ? 1 : 0
        default: (unit, timeRank) = (nil, 0)
        }
    }

    /// The type that all values look like.
    private static func type(of values: [String]) -> FieldType {
        let types = Set(values.map { FieldType(ofText: $0) })
        return types == [.integer, .float] ? .float : types.count == 1 ? types.first ?? .text : .text
    }

    /// The type of numbers that keeps all of them digit for digit, or else text.
    private static func numberType(keeping values: [String]) -> FieldType {
        // Blanks around them are passed over.
        let numbers = values.map { String($0.split { $0 == " " || $0 == "\t" }[0]) }
        // What begins with a plus may be the number of a telephone.
        if numbers.contains(where: { $0.hasPrefix("+") }) { return .text }
        if numbers.allSatisfy({ number in Int64(number).map { String($0) == number } ?? false }) { return .integer }
        let isFloat = numbers.allSatisfy { number in
            Double(number).map { digits(of: $0.description) == digits(of: number) } ?? false
        }
        if isFloat { return .float }
        return values.allSatisfy { PlainDecimal(ContiguousArray($0.utf8).span) != nil } ? .decimal : .text
    }

    /// The digits of a number, without zeros around them, and the power of ten of the first.
    ///
    /// They are the same for the same numbers.
    private static func digits(of number: String) -> [String] {
        let parts = number.lowercased().split(separator: "e")
        let wholeCount = parts[0].prefix { $0 != "." }.filter(\.isNumber).count
        let all = parts[0].filter(\.isNumber)
        var digits = all.drop { $0 == "0" }
        let power = wholeCount - (all.count - digits.count) + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        while digits.last == "0" { digits.removeLast() }
        return digits.isEmpty ? [] : [String(digits), String(power)]
    }

    /// Whether a value is neither text nor missing, so that it cannot be the name of a field.
    static func isData(_ value: String) -> Bool {
        isNumberOrTime(value) || value.contains(timeOfDay) || value.contains(addressOfIP)
    }

    /// Whether a value is a number or a time.
    static func isNumberOrTime(_ value: String) -> Bool {
        let type = type(of: [value])
        return [.integer, .float, .time].contains(type) || type == .text && GuessedTime([value]) != nil
    }

    private static var timeOfDay: Regex<Substring> { /[0-9]:[0-5][0-9]:[0-5][0-9]/ }

    private static var addressOfIP: Regex<Substring> { /^[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+/ }

    /// The words of a name, in lower case: they end at what is no letter and before the humps of camel case.
    private static func words(of name: String) -> [String] {
        let letters = Array(name)
        var words = [""]
        for (index, letter) in letters.enumerated() {
            let isAfterSmall = index > 0 && letters[index - 1].isLowercase
            let isBeforeSmall = index + 1 < letters.count && letters[index + 1].isLowercase
            if !letter.isLetter || letter.isUppercase && (isAfterSmall || isBeforeSmall) { words.append("") }
            if letter.isLetter { words[words.count - 1] += letter.lowercased() }
        }
        return words.filter { !$0.isEmpty }
    }

    private static func isTimeName(_ words: [String]) -> Bool {
        let words = words.filter { units[$0] == nil }
        return words.contains { ["time", "date", "stamp", "datetime", "timestamp", "ts"].contains($0) }
            || words.first == "t" || words.last == "at" || [["when"], ["rt"], ["epoch"]].contains(words)
    }

    /// The unit in which all numbers are times from 2001 to 2040.
    private static func unit(of numbers: [Double]) -> TimeUnit? {
        let units: [(TimeUnit, Double)] = [
            (.seconds, 1), (.milliseconds, 1e3), (.microseconds, 1e6), (.nanoseconds, 1e9),
        ]
        guard !numbers.isEmpty else { return nil }
        return units.first { _, count in numbers.allSatisfy { (1e9...2_208_988_800).contains($0 / count) } }?.0
    }

    /// The words of names that say what is counted.
    private static let units: [String: TimeUnit] = {
        let words: [(TimeUnit, [String])] = [
            (.seconds, ["s", "sec", "secs", "second", "seconds"]),
            (.milliseconds, ["ms", "msec", "milli", "millis", "millisecond", "milliseconds"]),
            (.microseconds, ["us", "µs", "μs", "usec", "micro", "micros", "microsecond", "microseconds"]),
            (.nanoseconds, ["ns", "nsec", "nano", "nanos", "nanosecond", "nanoseconds"]),
        ]
        return Dictionary(uniqueKeysWithValues: words.flatMap { unit, words in words.map { ($0, unit) } })
    }()
}
