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
    static func value(in match: borrowing FoundMatch<Event>, _ slots: CaptureSlots, _ index: Int) -> Value

    /// Reads the capture of an earlier stage.
    static func value(in captures: borrowing Captures<Event>, _ slots: CaptureSlots, _ index: Int) -> Value

    /// Reads the capture of the stage whose event is looked at, as it will be with the event.
    static func value(
        adding event: borrowing Event,
        to captures: borrowing Captures<Event>,
        _ slots: CaptureSlots,
        _ index: Int
    ) -> Value

    /// Makes the row.
    static func row(
        _ slots: CaptureSlots,
        _ index: Int,
        _ scope: StageScope<Event>,
        isCurrent: Bool
    ) -> Row
}

/// A capture of a stage that `times` makes a loop.
public protocol RepeatableCapture: CaptureKind {}

/// A capture of a stage that `optional` lets be left out.
public protocol OptionalCapture: CaptureKind {}

/// A capture of a loop.
public protocol LoopCapture: CaptureKind {}

/// Where the captures of a list are.
@frozen
public struct CaptureSlots: Sendable {
    // The numbers of the captures of each stage, more than one for a group; apart from the names, so that they are read
    // without a count of references.
    @usableFromInline private(set) var captures: [Range<Int>] = []
    @usableFromInline private(set) var names: [[String]] = []

    @inlinable
    init() {}

    /// The slots of the first stages, and one more.
    @usableFromInline
    func adding(_ captures: Range<Int>, _ names: [String], behind count: Int) -> CaptureSlots {
        var slots = CaptureSlots()
        slots.captures = self.captures.prefix(count) + [captures]
        slots.names = self.names.prefix(count) + [names]
        return slots
    }

    /// The number of the capture of a stage, of a group the first.
    @inlinable
    func capture(_ index: Int) -> Int { captures[index].lowerBound }
}

/// The capture of a stage that matches once.
@frozen
public enum OneEvent<Event: Sendable>: RepeatableCapture, OptionalCapture {
    public typealias Repeated = ManyEvents<Event>
    public typealias Maybe = MaybeEvent<Event>

    @inlinable public static var looksBack: Bool { false }

    @inlinable
    public static func value(in match: borrowing FoundMatch<Event>, _ slots: CaptureSlots, _ index: Int) -> Event {
        for entry in match.entries where entry.capture == slots.capture(index) { return entry.element }
        preconditionFailure("a match has no event for a stage that must have one")
    }

    @inlinable
    public static func value(in captures: borrowing Captures<Event>, _ slots: CaptureSlots, _ index: Int) -> Event {
        guard let element = captures.last(slots.capture(index)) else {
            preconditionFailure("a condition looks at a stage that has captured nothing")
        }
        return element
    }

    @inlinable
    public static func value(
        adding event: borrowing Event,
        to captures: borrowing Captures<Event>,
        _ slots: CaptureSlots,
        _ index: Int
    ) -> Event {
        copy event
    }

    public static func row(
        _ slots: CaptureSlots,
        _ index: Int,
        _ scope: StageScope<Event>,
        isCurrent: Bool
    ) -> StageRow<Event> {
        StageRow(isCurrent ? .event : .last(slots.capture(index), slots.names[index][0]))
    }
}

/// The capture of a stage that can be left out.
@frozen
public enum MaybeEvent<Event: Sendable>: CaptureKind {
    public typealias Repeated = ManyEvents<Event>
    public typealias Maybe = MaybeEvent

    @inlinable public static var looksBack: Bool { false }

    @inlinable
    public static func value(in match: borrowing FoundMatch<Event>, _ slots: CaptureSlots, _ index: Int) -> Event? {
        for entry in match.entries where entry.capture == slots.capture(index) { return entry.element }
        return nil
    }

    @inlinable
    public static func value(in captures: borrowing Captures<Event>, _ slots: CaptureSlots, _ index: Int) -> Event? {
        captures.last(slots.capture(index))
    }

    @inlinable
    public static func value(
        adding event: borrowing Event,
        to captures: borrowing Captures<Event>,
        _ slots: CaptureSlots,
        _ index: Int
    ) -> Event? {
        copy event
    }

    public static func row(
        _ slots: CaptureSlots,
        _ index: Int,
        _ scope: StageScope<Event>,
        isCurrent: Bool
    ) -> StageRow<Event> {
        OneEvent.row(slots, index, scope, isCurrent: isCurrent)
    }
}

/// The capture of a loop.
@frozen
public enum ManyEvents<Event: Sendable>: OptionalCapture, LoopCapture {
    public typealias Repeated = ManyEvents
    public typealias Maybe = ManyEvents

    @inlinable public static var looksBack: Bool { true }

    @inlinable
    public static func value(in match: borrowing FoundMatch<Event>, _ slots: CaptureSlots, _ index: Int) -> [Event] {
        var elements: [Event] = []
        for entry in match.entries where entry.capture == slots.capture(index) { elements.append(entry.element) }
        return elements
    }

    @inlinable
    public static func value(in captures: borrowing Captures<Event>, _ slots: CaptureSlots, _ index: Int) -> [Event] {
        captures.all(slots.capture(index))
    }

    @inlinable
    public static func value(
        adding event: borrowing Event,
        to captures: borrowing Captures<Event>,
        _ slots: CaptureSlots,
        _ index: Int
    ) -> [Event] {
        captures.all(slots.capture(index)) + CollectionOfOne(copy event)
    }

    public static func row(
        _ slots: CaptureSlots,
        _ index: Int,
        _ scope: StageScope<Event>,
        isCurrent: Bool
    ) -> LoopRow<Event> {
        LoopRow(slots.capture(index), slots.names[index][0], scope, isCurrent: isCurrent)
    }
}

/// The capture of a stage that forbids: nothing.
@frozen
public enum NoEvent<Event: Sendable>: CaptureKind {
    public typealias Repeated = NoEvent
    public typealias Maybe = NoEvent

    @inlinable public static var looksBack: Bool { false }

    @inlinable
    public static func value(in match: borrowing FoundMatch<Event>, _ slots: CaptureSlots, _ index: Int) {}

    @inlinable
    public static func value(in captures: borrowing Captures<Event>, _ slots: CaptureSlots, _ index: Int) {}

    @inlinable
    public static func value(
        adding event: borrowing Event,
        to captures: borrowing Captures<Event>,
        _ slots: CaptureSlots,
        _ index: Int
    ) {}

    public static func row(
        _ slots: CaptureSlots,
        _ index: Int,
        _ scope: StageScope<Event>,
        isCurrent: Bool
    ) {}
}
