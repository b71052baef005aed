public import Foundation
public import WeirCore

/// The seconds from the Unix epoch to the reference date of `Date`, 2001-01-01T00:00:00Z.
private let referenceSeconds: Int64 = 978_307_200

extension Timestamp {
    /// The time of a date, to the nearest nanosecond.
    ///
    /// A date counts seconds in a `Double`, today with steps of 0.1 microseconds. The date of the result is the same date
    /// again where its steps are not finer than a nanosecond: a hundred days or more from 2001-01-01.
    ///
    /// - Parameter date: A date beyond the years 1677 to 2262 gives `Timestamp.distantPast` or
    ///   `Timestamp.distantFuture`.
    public init(_ date: Date) {
        let interval = date.timeIntervalSinceReferenceDate
        let whole = interval.rounded(.down)
        // So that the seconds fit in a number; all timestamps are nearer.
        guard whole > -1e11 else {
            self = .distantPast
            return
        }
        guard whole < 1e11 else {
            self = .distantFuture
            return
        }
        var seconds = Int64(whole) + referenceSeconds
        var nanoseconds = Int64(((interval - whole) * 1e9).rounded())
        // Before the epoch the seconds alone may be too many although the sum fits.
        if seconds < 0 {
            seconds += 1
            nanoseconds -= 1_000_000_000
        }
        self.init(
            nanosecondsSinceEpoch: Nanoseconds.sum(Nanoseconds.product(seconds, 1_000_000_000), nanoseconds)
        )
    }
}

extension Date {
    /// The date of a time, to the nearest step of a date: today 0.1 microseconds.
    ///
    /// - Parameter timestamp: Any time.
    public init(_ timestamp: Timestamp) {
        let (seconds, rest) = timestamp.nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(timeIntervalSinceReferenceDate: Double(seconds - referenceSeconds) + Double(rest) / 1e9)
    }
}
