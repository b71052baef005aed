/// Sizes as people write them.
package enum ByteSize {
    /// Reads a size such as `4096`, `64KiB` or `1MB`.
    ///
    /// - Returns: The number of bytes; `nil` for anything else, or what does not fit.
    package static func parse(_ text: String) -> Int? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        guard let number = Int(digits), let unit = units[text.dropFirst(digits.count).lowercased()] else { return nil }
        let (size, overflow) = number.multipliedReportingOverflow(by: unit)
        return overflow ? nil : size
    }

    /// Writes a size in the largest unit that takes no fraction.
    ///
    /// - Parameter count: The number of bytes.
    /// - Returns: A text that ``parse(_:)`` reads.
    package static func text(_ count: Int) -> String {
        for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] where count != 0 && count % (1 << shift) == 0 {
            return "\(count >> shift)\(unit)"
        }
        return String(count)
    }

    private static let units = [
        "": 1, "b": 1,
        "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
        "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000,
    ]
}
