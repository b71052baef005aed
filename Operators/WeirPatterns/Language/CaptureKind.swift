/// What a stage captures: an event, or several, or perhaps none.
public protocol CaptureKind<Event>: Sendable {
    /// The events.
    associatedtype Event: Sendable

    /// What a match has of the stage, and a closure takes.
    associatedtype Value: Sendable

    /// What stands for it where an expression is written.
    associatedtype Row

    /// What the stage captures once it is a loop.
    associatedtype Repeated: CaptureKind where Repeated.Event == Event

    /// What the stage captures once it can be left out.
    associatedtype Maybe: CaptureKind where Maybe.Event == Event

    /// Whether a condition of the stage itself looks at what it has captured before.
    static var looksBack: Bool { get }

    /// Reads the capture of a match.
    static func value(in match: borrowing FoundMatch<Event>, _ slot: CaptureSlot) -> Value

    /// Reads the capture of an earlier stage.
    static func value(in captures: borrowing Captures<Event>, _ slot: CaptureSlot) -> Value

    /// Reads the capture of the stage whose event is looked at, as it will be with the event.
    static func value(
        adding event: borrowing Event,
        to captures: borrowing Captures<Event>,
        _ slot: CaptureSlot
    ) -> Value

    /// Makes the row.
    static func row(_ slot: CaptureSlot, _ scope: StageScope<Event>, isCurrent: Bool) -> Row
}

/// A capture of a stage whose conditions can look at captures.
public protocol ConditionedCapture: CaptureKind {}

/// A capture of a stage that `times` makes a loop.
public protocol RepeatableCapture: CaptureKind {}

/// A capture of a stage that `optional` lets be left out.
public protocol OptionalCapture: CaptureKind {}

/// A capture of a loop.
public protocol LoopCapture: CaptureKind {}

/// Where a stage's captures are.
@frozen
public struct CaptureSlot: Sendable {
    // More than one for a group.
    @usableFromInline let captures: Range<Int>
    @usableFromInline let names: [String]

    @inlinable
    init(_ captures: Range<Int>, _ names: [String]) {
        self.captures = captures
        self.names = names
    }

    @inlinable var capture: Int { captures.lowerBound }
}

/// The capture of a stage that matches once.
@frozen
public enum OneEvent<Event: Sendable>: ConditionedCapture, RepeatableCapture, OptionalCapture {
    public typealias Repeated = ManyEvents<Event>
    public typealias Maybe = MaybeEvent<Event>

    @inlinable public static var looksBack: Bool { false }

    @inlinable
    public static func value(in match: borrowing FoundMatch<Event>, _ slot: CaptureSlot) -> Event {
        for entry in match.entries where entry.capture == slot.capture { return entry.element }
        preconditionFailure("a match has no event for a stage that must have one")
    }

    @inlinable
    public static func value(in captures: borrowing Captures<Event>, _ slot: CaptureSlot) -> Event {
        guard let element = captures.last(slot.capture) else {
            preconditionFailure("a condition looks at a stage that has captured nothing")
        }
        return element
    }

    @inlinable
    public static func value(
        adding event: borrowing Event,
        to captures: borrowing Captures<Event>,
        _ slot: CaptureSlot
    ) -> Event {
        copy event
    }

    public static func row(_ slot: CaptureSlot, _ scope: StageScope<Event>, isCurrent: Bool) -> StageRow<Event> {
        StageRow(isCurrent ? .event : .last(slot.capture, slot.names[0]))
    }
}

/// The capture of a stage that can be left out.
@frozen
public enum MaybeEvent<Event: Sendable>: ConditionedCapture {
    public typealias Repeated = ManyEvents<Event>
    public typealias Maybe = MaybeEvent

    @inlinable public static var looksBack: Bool { false }

    @inlinable
    public static func value(in match: borrowing FoundMatch<Event>, _ slot: CaptureSlot) -> Event? {
        for entry in match.entries where entry.capture == slot.capture { return entry.element }
        return nil
    }

    @inlinable
    public static func value(in captures: borrowing Captures<Event>, _ slot: CaptureSlot) -> Event? {
        captures.last(slot.capture)
    }

    @inlinable
    public static func value(
        adding event: borrowing Event,
        to captures: borrowing Captures<Event>,
        _ slot: CaptureSlot
    ) -> Event? {
        copy event
    }

    public static func row(_ slot: CaptureSlot, _ scope: StageScope<Event>, isCurrent: Bool) -> StageRow<Event> {
        OneEvent.row(slot, scope, isCurrent: isCurrent)
    }
}

/// The capture of a loop.
@frozen
public enum ManyEvents<Event: Sendable>: ConditionedCapture, OptionalCapture, LoopCapture {
    public typealias Repeated = ManyEvents
    public typealias Maybe = ManyEvents

    @inlinable public static var looksBack: Bool { true }

    @inlinable
    public static func value(in match: borrowing FoundMatch<Event>, _ slot: CaptureSlot) -> [Event] {
        var elements: [Event] = []
        for entry in match.entries where entry.capture == slot.capture { elements.append(entry.element) }
        return elements
    }

    @inlinable
    public static func value(in captures: borrowing Captures<Event>, _ slot: CaptureSlot) -> [Event] {
        captures.all(slot.capture)
    }

    @inlinable
    public static func value(
        adding event: borrowing Event,
        to captures: borrowing Captures<Event>,
        _ slot: CaptureSlot
    ) -> [Event] {
        captures.all(slot.capture) + CollectionOfOne(copy event)
    }

    public static func row(_ slot: CaptureSlot, _ scope: StageScope<Event>, isCurrent: Bool) -> LoopRow<Event> {
        LoopRow(slot.capture, slot.names[0], scope, isCurrent: isCurrent)
    }
}

/// The capture of a stage that forbids: nothing.
@frozen
public enum NoEvent<Event: Sendable>: ConditionedCapture {
    public typealias Repeated = NoEvent
    public typealias Maybe = NoEvent

    @inlinable public static var looksBack: Bool { false }

    @inlinable
    public static func value(in match: borrowing FoundMatch<Event>, _ slot: CaptureSlot) {}

    @inlinable
    public static func value(in captures: borrowing Captures<Event>, _ slot: CaptureSlot) {}

    @inlinable
    public static func value(
        adding event: borrowing Event,
        to captures: borrowing Captures<Event>,
        _ slot: CaptureSlot
    ) {}

    public static func row(_ slot: CaptureSlot, _ scope: StageScope<Event>, isCurrent: Bool) {}
}
