internal import CWeirSockets

/// A time of the loop's own clock, which never goes back, in nanoseconds.
package struct Moment: Comparable, Sendable {
    package let nanoseconds: Int64

    package static var now: Moment { Moment(nanoseconds: cweir_net_now()) }

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static func < (one: Moment, other: Moment) -> Bool { one.nanoseconds < other.nanoseconds }

    package static func + (moment: Moment, nanoseconds: Int64) -> Moment {
        Moment(nanoseconds: moment.nanoseconds.addingReportingOverflow(nanoseconds).partialValue)
    }

    /// How many milliseconds there are until then, rounded up; zero when it has come.
    package var millisecondsFromNow: Int32 {
        let rest = nanoseconds - cweir_net_now()
        return rest <= 0 ? 0 : Int32(clamping: (rest - 1) / 1_000_000 + 1)
    }
}

extension Duration {
    /// The duration in nanoseconds, cut to what fits 146 years: it can still be added to a moment, and be doubled.
    package var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max / 2 : min(min(product, .max / 2) + attoseconds / 1_000_000_000, .max / 2)
    }
}
