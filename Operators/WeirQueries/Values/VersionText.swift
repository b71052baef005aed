/// A version such as `1.11.3-beta`: numbers that are compared one by one, then what comes before the release.
///
/// A text that is no version is greater than all versions.
struct VersionText {
    private let numbers: [Substring]
    private let prerelease: [Substring]?
    private let text: String

    init(_ text: String) {
        self.text = text
        let release = text.prefix { $0 != "+" }
        let cut = release.firstIndex(of: "-")
        let numbers = release[..<(cut ?? release.endIndex)].split(separator: ".", omittingEmptySubsequences: false)
        let isVersion = numbers.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.isDigit) }
        self.numbers = isVersion ? numbers : []
        prerelease =
            isVersion
            ? cut.map { release[release.index(after: $0)...].split(separator: ".", omittingEmptySubsequences: false) }
            : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    func order(to other: VersionText) -> QueryValue.Order {
        switch (numbers.isEmpty, other.numbers.isEmpty) {
        case (true, true): return Self.order(text[...], other.text[...])
        case (true, false): return .after
        case (false, true): return .before
        case (false, false): break
        }
        for (left, right) in zip(numbers, other.numbers) {
            let order = Self.orderOfNumbers(left, right)
            if order != .same { return order }
        }
        if numbers.count != other.numbers.count { return numbers.count < other.numbers.count ? .before : .after }
        switch (prerelease, other.prerelease) {
        case (nil, nil): return .same
        case (nil, _): return .after
        case (_, nil): return .before
        case (let left?, let right?): return Self.orderOfPrereleases(left, right)
        }
    }

    private static func orderOfPrereleases(_ left: [Substring], _ right: [Substring]) -> QueryValue.Order {
        for (left, right) in zip(left, right) {
            let areNumbers = (left.utf8.allSatisfy(isDigit), right.utf8.allSatisfy(isDigit))
            let order: QueryValue.Order =
                switch areNumbers {
                case (true, true): orderOfNumbers(left, right)
                case (true, false): .before
                case (false, true): .after
                case (false, false): order(left, right)
                }
            if order != .same { return order }
        }
        return left.count == right.count ? .same : left.count < right.count ? .before : .after
    }

    /// By their digits, so that no number is too long.
    private static func orderOfNumbers(_ left: Substring, _ right: Substring) -> QueryValue.Order {
        let (left, right) = (left.drop { $0 == "0" }, right.drop { $0 == "0" })
        if left.utf8.count != right.utf8.count { return left.utf8.count < right.utf8.count ? .before : .after }
        return order(left, right)
    }

    private static func order(_ left: Substring, _ right: Substring) -> QueryValue.Order {
        left.utf8.elementsEqual(right.utf8)
            ? .same : left.utf8.lexicographicallyPrecedes(right.utf8) ? .before : .after
    }
}
