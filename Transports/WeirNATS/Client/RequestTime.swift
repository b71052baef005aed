internal import WeirCore
internal import WeirSockets

/// How long a request may take, and until when its next answer has to come.
struct RequestTime {
    let total: Duration
    let limit: Moment

    /// For how many nanoseconds no answer may come.
    private var patience: Int64

    /// - Parameters:
    ///   - total: How long it may take; `nil` for as long as usual.
    ///   - usual: How long that is.
    ///   - repeats: Whether it is asked again where no answer comes.
    ///   - now: The time.
    init(_ total: Duration?, usually usual: Duration, repeats: Bool, _ now: Moment) {
        self.total = total ?? usual
        limit = now + self.total.inNanoseconds
        // An answer may get lost as well as a question, such as during an election; or the way is long.
        patience = repeats ? min(self.total, usual).inNanoseconds / 4 : self.total.inNanoseconds
    }

    /// Until when the next answer has to come, behind a question or an answer: what comes slowly is waited for.
    func deadline(behind now: Moment) -> Moment { min(limit, now + patience) }

    /// Has more patience, after no answer came.
    mutating func noteSilence() { patience *= 2 }
}
