/// The captures of a pattern, as a type.
///
/// It gives matches the type of a plain tuple, and closures and expressions the right parameters.
public protocol CaptureList<Event>: Sendable {
    /// The events.
    associatedtype Event: Sendable

    /// What a match is: the captures in their order.
    associatedtype Tuple: Sendable

    /// The capture of the last stage.
    associatedtype Last: CaptureKind where Last.Event == Event

    /// A closure that takes the captures, and returns whether the last one fits.
    associatedtype Test

    /// A closure that takes rows that stand for the captures, and returns a condition of the last one.
    associatedtype Where

    /// The captures with what has been forbidden left out: what the next stage is added to.
    associatedtype Open: CaptureList = Self where Open.Event == Event

    /// The captures with one more.
    associatedtype WithEvent: CaptureList where WithEvent.Event == Event

    /// The captures once the last stage is a loop.
    associatedtype Repeated: CaptureList where Repeated.Event == Event

    /// The captures once the last stage can be left out.
    associatedtype Maybe: CaptureList where Maybe.Event == Event

    /// The captures once the last stage is a group.
    associatedtype Group: CaptureList where Group.Event == Event

    /// How many captures a match has.
    static var count: Int { get }

    /// Reads a match.
    static func tuple(_ match: borrowing FoundMatch<Event>, _ slots: CaptureSlots) -> Tuple

    /// The condition that a closure is.
    static func condition(_ test: Test, _ slots: CaptureSlots) -> StageCondition<Event>

    /// The condition that a closure returns for rows.
    static func condition(_ test: Where, _ slots: CaptureSlots, _ scope: StageScope<Event>) -> StageCondition<Event>
}

/// Captures that a match can consist of.
public protocol AtMostEightStages: CaptureList {}

/// The captures of a pattern whose last stage forbids.
@frozen
public enum Forbidding<List: CaptureList>: CaptureList {
    public typealias Event = List.Event
    public typealias Tuple = List.Tuple
    public typealias Last = NoEvent<List.Event>
    public typealias Test = List.WithEvent.Test
    public typealias Where = List.WithEvent.Where
    public typealias Open = List
    public typealias WithEvent = List.WithEvent
    public typealias Repeated = Forbidding
    public typealias Maybe = Forbidding
    public typealias Group = Forbidding

    @inlinable public static var count: Int { List.count }

    @inlinable
    public static func tuple(_ match: borrowing FoundMatch<Event>, _ slots: CaptureSlots) -> Tuple {
        List.tuple(match, slots)
    }

    @inlinable
    public static func condition(_ test: Test, _ slots: CaptureSlots) -> StageCondition<Event> {
        List.WithEvent.condition(test, slots)
    }

    @inlinable
    public static func condition(
        _ test: Where,
        _ slots: CaptureSlots,
        _ scope: StageScope<Event>
    ) -> StageCondition<Event> {
        List.WithEvent.condition(test, slots, scope)
    }
}

extension Forbidding: AtMostEightStages where List: AtMostEightStages {}

/// The captures of a pattern with more than eight, which nothing can look for: make some of its stages a group.
@frozen
public enum TooManyStages<Event: Sendable>: CaptureList {
    public typealias Tuple = Void
    public typealias Last = OneEvent<Event>
    public typealias Test = Never
    public typealias Where = Never
    public typealias WithEvent = TooManyStages
    public typealias Repeated = TooManyStages
    public typealias Maybe = TooManyStages
    public typealias Group = TooManyStages

    @inlinable public static var count: Int { 9 }

    @inlinable
    public static func tuple(_ match: borrowing FoundMatch<Event>, _ slots: CaptureSlots) {}

    @inlinable
    public static func condition(_ test: Never, _ slots: CaptureSlots) -> StageCondition<Event> {}

    @inlinable
    public static func condition(
        _ test: Never,
        _ slots: CaptureSlots,
        _ scope: StageScope<Event>
    ) -> StageCondition<Event> {}
}
