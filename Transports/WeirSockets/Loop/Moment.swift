internal import CWeirSockets

/// A time of the loop's own clock, which never goes back, in nanoseconds.
struct Moment: Comparable {
    let nanoseconds: Int64

    static var now: Moment { Moment(nanoseconds: cweir_net_now()) }

    static func < (one: Moment, other: Moment) -> Bool { one.nanoseconds < other.nanoseconds }

    static func + (moment: Moment, nanoseconds: Int64) -> Moment {
        Moment(nanoseconds: moment.nanoseconds.addingReportingOverflow(nanoseconds).partialValue)
    }

    /// How many milliseconds there are until then, rounded up; zero when it has come.
    var millisecondsFromNow: Int32 {
        let rest = nanoseconds - cweir_net_now()
        return rest <= 0 ? 0 : Int32(clamping: (rest - 1) / 1_000_000 + 1)
    }
}

extension Duration {
    /// The duration in nanoseconds, cut to what fits 146 years: it can still be added to a moment, and be doubled.
    var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max / 2 : min(min(product, .max / 2) + attoseconds / 1_000_000_000, .max / 2)
    }
}
