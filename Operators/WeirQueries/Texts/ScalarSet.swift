/// A set of characters.
struct ScalarSet: Hashable, Sendable {
    /// The last character there can be.
    private static let last: UInt32 = 0x10FFFF

    /// All characters.
    static let all = ScalarSet([0...last])

    /// The ranges, in order and with gaps between them.
    let ranges: [ClosedRange<UInt32>]

    init(_ ranges: [ClosedRange<UInt32>]) {
        var merged: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let end = merged.last?.upperBound, range.lowerBound <= end + 1 {
                merged[merged.count - 1] = merged[merged.count - 1].lowerBound...max(end, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        self.ranges = merged
    }

    init(_ scalar: Unicode.Scalar) { ranges = [scalar.value...scalar.value] }

    /// The characters that are not in the set.
    var inverted: ScalarSet {
        var gaps: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { gaps.append(next...(range.lowerBound - 1)) }
            next = range.upperBound + 1
        }
        if next <= Self.last { gaps.append(next...Self.last) }
        return ScalarSet(gaps)
    }

    /// The characters of the set in lower case.
    var folded: ScalarSet {
        // Behind the letters of Adlam no character has a lower case.
        let lastLetter: UInt32 = 0x1E943
        var lower: [ClosedRange<UInt32>] = []
        for range in ranges {
            for value in range.prefix(while: { $0 <= lastLetter }) {
                guard let scalar = Unicode.Scalar(value) else { continue }
                let other = Letters.lower(scalar).value
                if other != value { lower.append(other...other) }
            }
        }
        return ScalarSet(ranges + lower)
    }

    func contains(_ value: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(value)
    }

    func union(_ other: ScalarSet) -> ScalarSet { ScalarSet(ranges + other.ranges) }
}
