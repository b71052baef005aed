/// Numbers as people read them.
enum Quantity {
    /// A number with its digits in groups of three, such as `1,234,567`.
    static func grouped(_ number: UInt64) -> String {
        var digits = Array(String(number))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return String(digits)
    }

    /// A number with its noun, such as `1 match` or `2 matches`.
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

    /// A duration in a unit that suits it, such as `12.3 µs`.
    static func duration(_ nanoseconds: Int64) -> String {
        let units: [(name: String, size: Int64)] = [("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1000)]
        guard let unit = units.first(where: { nanoseconds >= $0.size }) else { return "\(nanoseconds) ns" }
        let tenths = nanoseconds / (unit.size / 10)
        return tenths >= 1000 ? "\(tenths / 10) \(unit.name)" : "\(tenths / 10).\(tenths % 10) \(unit.name)"
    }

    /// A number in five characters or so, such as `1.2M`.
    static func short(_ number: Double) -> String {
        let units: [(name: String, size: Double)] = [("G", 1e9), ("M", 1e6), ("k", 1e3)]
        guard let unit = units.first(where: { number >= $0.size }) else {
            return number < 10 && number != number.rounded()
                ? "\((number * 10).rounded() / 10)" : "\(Int64(number.rounded()))"
        }
        let scaled = number / unit.size
        return scaled >= 100 ? "\(Int64(scaled.rounded()))\(unit.name)" : "\((scaled * 10).rounded() / 10)\(unit.name)"
    }
}
