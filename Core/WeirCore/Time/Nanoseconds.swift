/// Arithmetic of nanoseconds that stops at the ends of time instead of trapping there.
///
/// For times that come from outside, and may be any: what operators add to them must not end the program.
@usableFromInline
package enum Nanoseconds {
    @inlinable
    package static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? (right > 0 ? .max : .min) : sum
    }

    @inlinable
    package static func difference(_ left: Int64, _ right: Int64) -> Int64 {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return overflow ? (right > 0 ? .min : .max) : difference
    }

    @inlinable
    package static func product(_ left: Int64, _ right: Int64) -> Int64 {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? ((left < 0) == (right < 0) ? .max : .min) : product
    }

    /// The greatest multiple of `step` that is not above `value`, also below zero.
    @inlinable
    package static func floor(_ value: Int64, to step: Int64) -> Int64 {
        let remainder = value % step
        return difference(value, remainder < 0 ? remainder + step : remainder)
    }

    /// The greatest multiple of `step`, counted from `origin`, that is not above `value`.
    @inlinable
    package static func floor(_ value: Int64, to step: Int64, from origin: Int64) -> Int64 {
        // By the remainders, because the difference of two times may overflow.
        var (remainder, shift) = (value % step, origin % step)
        if remainder < 0 { remainder += step }
        if shift < 0 { shift += step }
        return difference(value, remainder < shift ? remainder - shift + step : remainder - shift)
    }

    /// The number of nanoseconds of a duration that must be positive.
    @inlinable
    package static func positive(_ duration: Duration, _ what: StaticString) -> Int64 {
        let nanoseconds = duration.wholeNanoseconds
        precondition(nanoseconds > 0, "\(what) must be at least a nanosecond, not \(duration)")
        return nanoseconds
    }
}

extension Timestamp {
    /// The timestamp `nanoseconds` later, or ``distantFuture`` or ``distantPast`` where the range ends.
    @inlinable
    public func shifted(byNanoseconds nanoseconds: Int64) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: Nanoseconds.sum(nanosecondsSinceEpoch, nanoseconds))
    }

    /// The last multiple of a positive number of nanoseconds, counted from the epoch, that is not after the timestamp.
    @inlinable
    package func roundedDown(toNanoseconds step: Int64) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: Nanoseconds.floor(nanosecondsSinceEpoch, to: step))
    }
}

extension Duration {
    /// The duration in nanoseconds; fractions are cut, and what is beyond ±292 years is taken for that.
    @inlinable
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return Nanoseconds.sum(Nanoseconds.product(seconds, 1_000_000_000), attoseconds / 1_000_000_000)
    }
}
