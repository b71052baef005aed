/// Notices that event time goes on and no watermark comes, for a sink that emits or forgets at watermarks.
///
/// The elements tell how far event time is. A look at one costs a comparison.
@frozen
@usableFromInline
package struct StallWatch: Sendable {
    @usableFromInline let stalls: SideOutput<WatermarkStall>
    // In nanoseconds: when the first emission or removal is due, and the time after which its delay is a stall.
    @usableFromInline var due = Int64.max
    @usableFromInline var last = Int64.max
    @usableFromInline var isOver = false

    /// Creates a watch that expects nothing yet.
    @inlinable
    package init(_ stalls: SideOutput<WatermarkStall>) {
        self.stalls = stalls
    }

    /// Notes when something is due; the earliest of several counts.
    ///
    /// - Parameters:
    ///   - time: When a watermark should cause it.
    ///   - span: How much later an element has to be to make it a stall, in nanoseconds: as a rule the span of time that
    ///     the operator works on, so that elements out of order are no reason.
    @inlinable
    package mutating func expect(at time: Timestamp, within span: Int64) {
        guard !isOver, time.nanosecondsSinceEpoch < due else { return }
        due = time.nanosecondsSinceEpoch
        last = Nanoseconds.sum(due, span)
    }

    /// Takes the time of an element.
    @inlinable
    package mutating func look(at time: Timestamp) {
        if time.nanosecondsSinceEpoch > last { tell(time) }
    }

    /// Forgets what was due, because it is no longer.
    @inlinable
    package mutating func reset() {
        (due, last) = (.max, .max)
    }

    /// Ends the watch: a watermark has come.
    @inlinable
    package mutating func end() {
        isOver = true
        reset()
    }

    /// Saves what is due, or gives it back.
    @usableFromInline
    package mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(stalls)
        try state.exchange(&due)
        try state.exchange(&last)
        try state.exchange(&isOver)
    }

    @usableFromInline
    @inline(never)
    mutating func tell(_ now: Timestamp) {
        let since = Timestamp(nanosecondsSinceEpoch: due)
        end()
        stalls.sendFirst(WatermarkStall(since: since, until: now), at: now)
    }
}

extension SideOutput<WatermarkStall> {
    /// Puts a stall here, unless another sink of the stream was first.
    @usableFromInline
    package func sendFirst(_ stall: WatermarkStall, at time: Timestamp) {
        if count == 0 { send(stall, at: time) }
    }
}
