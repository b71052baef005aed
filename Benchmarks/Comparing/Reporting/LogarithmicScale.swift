internal import Foundation

/// Places along an axis where each factor of ten takes the same room.
struct LogarithmicScale {
    private let least: Double
    private let greatest: Double
    private let start: Double
    private let end: Double

    /// Creates a scale.
    ///
    /// - Parameters:
    ///   - values: What must have a place; positive, and at least one.
    ///   - widens: Whether the ends are powers of ten.
    ///   - start: The place of the least.
    ///   - end: The place of the greatest.
    init(_ values: [Double], widenedToPowersOfTen widens: Bool = false, from start: Double, to end: Double) {
        let logarithms = values.map { log10($0) }
        var (least, greatest) = (logarithms.min() ?? 0, logarithms.max() ?? 0)
        if widens { (least, greatest) = (least.rounded(.down), greatest.rounded(.up)) }
        // One value has a place, too.
        if greatest - least < 0.1 { (least, greatest) = (least - 0.5, greatest + 0.5) }
        (self.least, self.greatest, self.start, self.end) = (least, greatest, start, end)
    }

    /// The exponents of the powers of ten that lie on the scale.
    var powers: ClosedRange<Int> {
        let first = Int((least - 1e-9).rounded(.up))
        return first...max(first, Int((greatest + 1e-9).rounded(.down)))
    }

    /// Where a positive value is.
    func place(_ value: Double) -> Double {
        start + (log10(value) - least) / (greatest - least) * (end - start)
    }
}

/// A coordinate, to a tenth.
func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths.isMultiple(of: 10) ? String(tenths / 10) : String(format: "%.1f", Double(tenths) / 10)
}

/// A text in which nothing is taken for markup.
func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        .replacing("\"", with: "&quot;")
}
