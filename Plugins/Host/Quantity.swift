/// Numbers as people read them.
enum Quantity {
    /// A number with its digits in groups of three, such as `1,234,567`.
    static func grouped(_ number: UInt64) -> String {
        var digits = Array(String(number))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return String(digits)
    }

    /// A number of things, such as `1 match` or `2 matches`.
    static func counted(_ number: UInt64, _ one: String, _ many: String) -> String {
        "\(grouped(number)) \(number == 1 ? one : many)"
    }

    /// Seconds with three decimals, such as `0.120`.
    static func seconds(_ nanoseconds: Int64) -> String {
        let milliseconds = (nanoseconds + 500_000) / 1_000_000
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    /// A rate in whole numbers a second.
    static func rate(_ count: UInt64, in nanoseconds: Int64) -> String {
        grouped(UInt64(Double(count) / (Double(max(1, nanoseconds)) / 1e9)))
    }
}
