/// The constants that conditions compare a field with, in order, each once.
///
/// Where a value lies among them says which of the comparisons hold. There is a place for each constant and one for each
/// gap between them: of *n* constants, constant *i* is place 2 *i* + 1, and the place 2 *i* is below it.
struct Thresholds<Value: Comparable & Sendable>: Sendable {
    let values: [Value]

    /// Sorts constants; those without an order are left out.
    init(_ values: [Value]) {
        var distinct: [Value] = []
        for value in values.filter(Self.isOrdered).sorted() {
            // Not by `==`: which comparisons hold is a matter of the order alone, for which 0 and -0 are one.
            if let last = distinct.last, !(last < value) { continue }
            distinct.append(value)
        }
        self.values = distinct
    }

    var placeCount: Int { 2 * values.count + 1 }

    /// Whether a value is like any other, and not one as NaN.
    static func isOrdered(_ value: Value) -> Bool { value == value }

    /// Whether all comparisons with a value that has no order are false, as those of numbers are.
    ///
    /// Another type may have its `<=` as the opposite of `>`, which then holds.
    static var refusesUnordered: Bool { Value.self is any FloatingPoint.Type }

    /// Finds where a value lies.
    ///
    /// - Returns: Its place; `nil` if it has no order.
    /// - Complexity: O(log *n*) comparisons.
    func place(of value: Value) -> Int? {
        guard Self.isOrdered(value) else { return nil }
        var (start, count) = (0, values.count)
        while count > 0 {
            let half = count / 2
            if values[start + half] < value {
                start += half + 1
                count -= half + 1
            } else {
                count = half
            }
        }
        guard start < values.count, !(value < values[start]) else { return 2 * start }
        return 2 * start + 1
    }

    /// Finds the places that all of some bounds allow.
    ///
    /// - Returns: The places; an empty range if the bounds exclude each other.
    func places(for bounds: [Bound<Value>]) -> Range<Int> {
        var (lower, upper) = (0, placeCount)
        for bound in bounds {
            guard let place = place(of: bound.value) else { return 0..<0 }
            switch bound.side {
            case .below: upper = min(upper, place)
            case .atMost: upper = min(upper, place + 1)
            case .atLeast: lower = max(lower, place)
            case .above: lower = max(lower, place + 1)
            }
        }
        return lower < upper ? lower..<upper : 0..<0
    }
}
