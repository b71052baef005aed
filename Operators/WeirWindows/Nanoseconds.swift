public import WeirCore

/// Arithmetic of nanoseconds that stops at the ends of time instead of trapping there.
@usableFromInline
enum Nanoseconds {
    @inlinable
    static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? (right > 0 ? .max : .min) : sum
    }

    @inlinable
    static func difference(_ left: Int64, _ right: Int64) -> Int64 {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return overflow ? (right > 0 ? .min : .max) : difference
    }

    /// The greatest multiple of `step` that is not above `value`, also below zero.
    @inlinable
    static func floor(_ value: Int64, to step: Int64) -> Int64 {
        let remainder = value % step
        return difference(value, remainder < 0 ? remainder + step : remainder)
    }

    /// The number of nanoseconds of a duration that must be positive.
    @inlinable
    static func positive(_ duration: Duration, _ what: StaticString) -> Int64 {
        let nanoseconds = duration.wholeNanoseconds
        precondition(nanoseconds > 0, "\(what) must be at least a nanosecond, not \(duration)")
        return nanoseconds
    }
}

extension Timestamp {
    @inlinable
    init(_ nanoseconds: Int64) {
        self.init(nanosecondsSinceEpoch: nanoseconds)
    }
}
