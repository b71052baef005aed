extension Duration {
    /// Reads a duration such as `250ms`, `5m`, `1h30m` or `1.5s`.
    ///
    /// Units are `ns`, `us`, `ms`, `s`, `m`, `h` and `d`, each at most once, from large to small. A bare `0` is the
    /// only number that needs none. There are no negative durations.
    ///
    /// The result is `nil` when the text is anything else, or longer than 292 years.
    ///
    /// - Parameter text: The text, without spaces.
    public init?(text: String) {
        if text == "0" {
            self = .zero
            return
        }
        let units = Self.units
        var rest = text[...]
        var total: Int64 = 0
        var nextUnit = 0
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let number = rest.prefix { $0 == "." || $0.isASCII && ("0"..."9").contains($0) }
            rest = rest.dropFirst(number.count)
            let name = rest.prefix { ("a"..."z").contains($0) }
            rest = rest.dropFirst(name.count)
            guard let unit = units[nextUnit...].firstIndex(where: { $0.name == name }) else { return nil }
            nextUnit = unit + 1
            guard let nanoseconds = Self.product(number, units[unit].nanoseconds) else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(nanoseconds)
            guard !overflow else { return nil }
            total = sum
        }
        self = .nanoseconds(total)
    }

    /// A number of digits, with a point anywhere among them, times `scale`, rounded down; `nil` where it does not fit.
    private static func product(_ number: Substring, _ scale: Int64) -> Int64? {
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? parts[1] : ""
        guard parts.contains(where: { !$0.isEmpty }), !fraction.contains(".") else { return nil }
        guard let whole = parts[0].isEmpty ? 0 : Int64(parts[0]) else { return nil }
        // From the last digit to the first: rounding down at each division by ten gives the same as rounding down once.
        let rest = fraction.utf8.reversed().reduce(0) { (Int64($1 - UInt8(ascii: "0")) * scale + $0) / 10 }
        let (product, overflow) = whole.multipliedReportingOverflow(by: scale)
        let (sum, carry) = product.addingReportingOverflow(rest)
        return overflow || carry ? nil : sum
    }

    /// The duration as options take it, such as `1h30m`.
    package var text: String {
        var rest = wholeNanoseconds
        var text = ""
        for unit in Self.units {
            let (count, remainder) = rest.quotientAndRemainder(dividingBy: unit.nanoseconds)
            if count > 0 { text += "\(count)\(unit.name)" }
            rest = remainder
        }
        return text.isEmpty ? "0" : text
    }

    /// The units of such texts, from large to small.
    package static var units: [(name: String, nanoseconds: Int64)] {
        [
            ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
            ("ms", 1_000_000), ("us", 1_000), ("ns", 1),
        ]
    }
}
