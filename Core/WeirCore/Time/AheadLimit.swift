/// A bound on how far an event may run ahead in event time.
///
/// One event with a time far in the future would make all that follow late. A limit tells such an event by a reference:
///
///     var limit = AheadLimit.ofClock(.seconds(600))
///     if limit.admits(event.timestamp) { handle(event) } else { reject(event) }
///
/// - For live sources the reference is a clock, see ``ofClock(_:_:)``.
/// - For recordings it is what most of the recent elements say, see ``ofRecent(_:)``.
///
/// Elements that are behind the reference are always admitted: being late is judged elsewhere.
@frozen
public struct AheadLimit: Sendable {
    /// How far an event may run ahead of the reference.
    public let bound: Duration

    @usableFromInline let boundNanoseconds: Int64
    // `nil` where the reference is the recent times.
    @usableFromInline let clock: EventClock?
    // The reference plus the bound, as of the last look at the reference: no look is needed up to here.
    @usableFromInline var horizon = Int64.min
    @usableFromInline var recent = RecentTimes()

    @usableFromInline
    init(_ bound: Duration, _ clock: EventClock?) {
        precondition(bound >= .zero, "an event cannot run ahead by at most \(bound)")
        self.bound = bound
        boundNanoseconds = bound.wholeNanoseconds
        self.clock = clock
    }

    /// A bound on how far event time may be ahead of a clock.
    ///
    /// - Parameters:
    ///   - bound: How far; not negative. It has to cover the difference between the clocks of sender and receiver.
    ///   - clock: The clock, which must not go back.
    /// - Returns: The limit.
    public static func ofClock(_ bound: Duration, _ clock: EventClock = EventClock()) -> AheadLimit {
        AheadLimit(bound, clock)
    }

    /// A bound on how far event time may be ahead of the recent elements.
    ///
    /// The reference is the latest of the last 31 times that is connected with their median by steps no longer than the
    /// bound. So a minority of wrong times, whatever they are, moves it by at most fifteen bounds and for at most 62
    /// elements. Rejected times count, too: after a pause that is longer than the bound up to 15 elements are rejected
    /// before the reference follows. The bound must be longer than the usual distance of neighbouring elements.
    ///
    /// - Parameter bound: How far; not negative.
    /// - Returns: The limit.
    public static func ofRecent(_ bound: Duration) -> AheadLimit {
        AheadLimit(bound, nil)
    }

    /// Decides on an element.
    ///
    /// - Parameter time: The element's event time.
    /// - Returns: `false` when the element runs too far ahead.
    /// - Complexity: O(1): a comparison as a rule. Allocates once, for the recent times.
    @inlinable
    public mutating func admits(_ time: Timestamp) -> Bool {
        if clock == nil { note(time) }
        return allows(time)
    }

    /// Decides on an element by a time that was read from the clock, for a batch perhaps.
    ///
    /// - Parameters:
    ///   - time: The element's event time.
    ///   - now: The reference, instead of the limit's own.
    /// - Returns: `false` when the element runs too far ahead.
    @inlinable
    public func admits(_ time: Timestamp, now: Timestamp) -> Bool {
        time <= now.shifted(byNanoseconds: boundNanoseconds)
    }

    /// Whether enough is known to decide: a first element has nothing to be compared with.
    @inlinable
    package var isSettled: Bool { clock != nil || recent.count >= RecentTimes.minimum }

    /// Counts a time in, without deciding on it.
    @inlinable
    package mutating func note(_ time: Timestamp) {
        // A reference that was too high comes down at the latest when all times have been replaced.
        if recent.note(time.nanosecondsSinceEpoch) { renew() }
    }

    /// Decides on a time that was counted in before.
    @inlinable
    package mutating func allows(_ time: Timestamp) -> Bool {
        if time.nanosecondsSinceEpoch <= horizon { return true }
        renew()
        return time.nanosecondsSinceEpoch <= horizon
    }

    /// Saves what was learned of the recent times, or gives it back.
    ///
    /// - Parameter state: Takes the fields, in the section that is open.
    /// - Throws: ``StateError``.
    public mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&horizon)
        try state.exchange(&recent)
    }

    @usableFromInline
    mutating func renew() {
        let reference =
            if let clock { clock.now().nanosecondsSinceEpoch } else {
                recent.reference(linkedWithin: boundNanoseconds)
            }
        horizon = Nanoseconds.sum(reference, boundNanoseconds)
    }
}

/// The last times of a stream, in the order of arrival.
@frozen
@usableFromInline
struct RecentTimes: Sendable {
    // Odd, so that there is a median. A share of a tenth of wrong times has the majority once in 10⁷ windows.
    @inlinable static var capacity: Int { 31 }

    /// How many times make a majority that can be relied on.
    @inlinable static var minimum: Int { 7 }

    @usableFromInline var times: ContiguousArray<Int64> = []
    @usableFromInline var sorted: ContiguousArray<Int64> = []
    @usableFromInline var place = 0

    @inlinable
    init() {}

    @inlinable var count: Int { times.count }

    /// Keeps a time in place of the oldest; returns whether the reference should be renewed.
    @inlinable
    mutating func note(_ time: Int64) -> Bool {
        guard times.count == Self.capacity else {
            append(time)
            return true
        }
        times[place] = time
        place += 1
        guard place == Self.capacity else { return false }
        place = 0
        return true
    }

    @usableFromInline
    @inline(never)
    mutating func append(_ time: Int64) {
        times.reserveCapacity(Self.capacity)
        sorted.reserveCapacity(Self.capacity)
        times.append(time)
        sorted.append(time)
    }

    /// The latest time that is connected with the median by steps of at most `step`.
    @usableFromInline
    mutating func reference(linkedWithin step: Int64) -> Int64 {
        guard !times.isEmpty else { return .max }
        // By insertion: so few are sorted soonest that way, and without memory.
        for index in times.indices {
            let time = times[index]
            var place = index
            while place > 0, sorted[place - 1] > time {
                sorted[place] = sorted[place - 1]
                place -= 1
            }
            sorted[place] = time
        }
        var place = (sorted.count - 1) / 2
        while place + 1 < sorted.count, Nanoseconds.difference(sorted[place + 1], sorted[place]) <= step { place += 1 }
        return sorted[place]
    }
}
