/// A regular expression, as a tree.
indirect enum RegularExpression: Sendable {
    /// One character of a set.
    case character(ScalarSet)
    /// One after the other; without any, the empty text.
    case sequence([RegularExpression])
    /// One of them; without any, no text at all.
    case either([RegularExpression])
    /// One several times.
    case repeated(RegularExpression, least: Int, most: Int?)
    /// All texts that it does not match.
    case not(RegularExpression)
    /// The texts that both match.
    case both(RegularExpression, RegularExpression)

    /// Any text.
    ///
    /// Not stored: the sanitizer of the fuzzer does not see the pointer of a stored one, and takes it for a leak.
    static var anything: RegularExpression { .repeated(.character(.all), least: 0, most: nil) }

    /// Numbers from one to another, in decimal.
    ///
    /// - Parameters:
    ///   - first: The digits of the first number.
    ///   - last: The digits of the last number. Where both have as many digits, the numbers have as many; otherwise they
    ///     may have zeros before them.
    /// - Returns: The expression.
    static func numbers(from first: [UInt8], to last: [UInt8]) -> RegularExpression {
        if first.count == last.count { return numbers(first[...], last[...]) }
        let low = Array(first.dropLast().drop { $0 == 0 } + first.suffix(1))
        let high = Array(last.dropLast().drop { $0 == 0 } + last.suffix(1))
        var lengths: [RegularExpression] = []
        for length in low.count...max(low.count, high.count) {
            let least = length == low.count ? low : [1] + [UInt8](repeating: 0, count: length - 1)
            let most = length == high.count ? high : [UInt8](repeating: 9, count: length)
            lengths.append(numbers(least[...], most[...]))
        }
        return .sequence([.repeated(digits(0, 0), least: 0, most: nil), .either(lengths)])
    }

    /// Numbers with as many digits as both ends.
    private static func numbers(_ first: ArraySlice<UInt8>, _ last: ArraySlice<UInt8>) -> RegularExpression {
        // From the last digit to the first: what is between both ends, from the first on, and up to the last.
        var between = RegularExpression.sequence([])
        var fromFirst = between
        var upToLast = between
        var anything = between
        for (low, high) in zip(first.reversed(), last.reversed()) {
            let above = low < 9 ? RegularExpression.sequence([digits(low + 1, 9), anything]) : .either([])
            let below = high > 0 ? RegularExpression.sequence([digits(0, high - 1), anything]) : .either([])
            let inner =
                high > low + 1 ? RegularExpression.sequence([digits(low + 1, high - 1), anything]) : .either([])
            between =
                low == high
                ? .sequence([digits(low, low), between])
                : low < high
                    ? .either([
                        .sequence([digits(low, low), fromFirst]), inner, .sequence([digits(high, high), upToLast]),
                    ])
                    : .either([])
            fromFirst = .either([.sequence([digits(low, low), fromFirst]), above])
            upToLast = .either([.sequence([digits(high, high), upToLast]), below])
            anything = .sequence([digits(0, 9), anything])
        }
        return between
    }

    private static func digits(_ first: UInt8, _ last: UInt8) -> RegularExpression {
        .character(ScalarSet([(UInt32(first) + 0x30)...(UInt32(last) + 0x30)]))
    }
}
