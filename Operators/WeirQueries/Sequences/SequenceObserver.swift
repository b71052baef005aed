/// Why a pending match of a sequence ends.
enum SequenceEnd: Sendable, Hashable {
    /// All of its events are there, and nothing occurred that must not.
    case complete
    /// Its time is over.
    case maxSpan
    /// An event came that ends the pending matches of its keys.
    case until
    /// An event came behind its last one that satisfies the condition of a missing step.
    case missingStep(Int)
    /// All of its events are there, but something occurred between two of them that must not.
    case rejected
    /// All of its events are there, but something occurred before the first one that must not.
    case led
    /// There were more keys or events than the limit.
    case limit
}

/// Learns what becomes of the pending matches of a sequence, from the engine that decides it.
///
/// A pending match is known by the place of its key and by how many stages it has passed, of which there is one match each;
/// those that wait until nothing can follow any more, by the place and the deadline. The match *in hand* is the one that
/// began or passed last. The event is always the one that the engine is receiving.
protocol SequenceObserver: Sendable {
    /// A match begins, and is in hand: the event passes stage 0.
    mutating func begins(_ key: EventKey, at place: Int)
    /// The match that has passed some stages is in hand: the event passes the next one, or comes too late for it.
    mutating func passes(_ stage: Int, at place: Int)
    /// The match in hand waits for the next stage, in the place of the one that was there.
    mutating func waits(behind stage: Int, at place: Int)
    /// The match in hand has all of its events, and waits until nothing can follow any more that must not.
    mutating func waits(until deadline: Int64, at place: Int)
    /// The match in hand ends.
    mutating func ends(_ end: SequenceEnd)
    /// The match that has passed some stages ends.
    mutating func drops(_ passed: Int, at place: Int, _ end: SequenceEnd)
    /// All matches of a key end that wait until nothing can follow any more.
    mutating func endsWaiting(at place: Int, _ end: SequenceEnd)
    /// The match of a key that has waited longest until a deadline is complete.
    mutating func isCertain(at place: Int, _ deadline: Int64)
    /// The event must not occur behind the stages that a match has passed, so that it will not be complete.
    mutating func rejects(_ passed: Int, at place: Int, _ condition: Int)
    /// The event must not occur before the first stage of the matches of its key.
    mutating func leads(_ key: EventKey, at place: Int, _ condition: Int)
}

/// Learns nothing, and costs nothing.
struct NoSequenceObserver: SequenceObserver {
    @inline(__always) func begins(_ key: EventKey, at place: Int) {}
    @inline(__always) func passes(_ stage: Int, at place: Int) {}
    @inline(__always) func waits(behind stage: Int, at place: Int) {}
    @inline(__always) func waits(until deadline: Int64, at place: Int) {}
    @inline(__always) func ends(_ end: SequenceEnd) {}
    @inline(__always) func drops(_ passed: Int, at place: Int, _ end: SequenceEnd) {}
    @inline(__always) func endsWaiting(at place: Int, _ end: SequenceEnd) {}
    @inline(__always) func isCertain(at place: Int, _ deadline: Int64) {}
    @inline(__always) func rejects(_ passed: Int, at place: Int, _ condition: Int) {}
    @inline(__always) func leads(_ key: EventKey, at place: Int, _ condition: Int) {}
}
