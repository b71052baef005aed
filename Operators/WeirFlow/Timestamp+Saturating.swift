public import WeirCore

extension Timestamp {
    /// The timestamp moved by nanoseconds, or the farthest there is.
    @inlinable
    func moved(by nanoseconds: Int64) -> Timestamp {
        let (sum, overflow) = nanosecondsSinceEpoch.addingReportingOverflow(nanoseconds)
        guard overflow else { return Timestamp(nanosecondsSinceEpoch: sum) }
        return nanoseconds < 0 ? .distantPast : .distantFuture
    }

    /// The last multiple of a positive length, counted from the epoch, that is not after the timestamp.
    @inlinable
    func roundedDown(to length: Int64) -> Timestamp {
        let remainder = nanosecondsSinceEpoch % length
        return moved(by: remainder < 0 ? -(remainder + length) : -remainder)
    }
}
