/// The events that a group of stages captured, by the stages' names.
public struct GroupCapture<Element: Sendable>: Sendable {
    /// The events of all stages; of a match, in the order in which they came.
    public let events: [Element]

    // Beside the events, which of the names each belongs to.
    private let stages: [Int]
    private let names: [String]

    @usableFromInline
    init(_ entries: [(stage: Int, element: Element)], _ names: [String]) {
        events = entries.map(\.element)
        stages = entries.map(\.stage)
        self.names = names
    }

    /// The events that a stage captured, in the order in which they came.
    ///
    /// - Parameter stage: The name of the stage.
    public subscript(stage: String) -> [Element] {
        zip(stages, events).compactMap { names[$0] == stage ? $1 : nil }
    }

    /// Whether there is no event.
    public var isEmpty: Bool { events.isEmpty }
}

extension GroupCapture: Equatable where Element: Equatable {}
extension GroupCapture: Hashable where Element: Hashable {}

extension GroupCapture: CustomStringConvertible {
    /// The events, each with the name of its stage.
    public var description: String {
        "[\(zip(stages, events).map { "\(names[$0]): \($1)" }.joined(separator: ", "))]"
    }
}

/// The capture of a group of stages.
@frozen
public enum StageGroup<Event: Sendable>: RepeatableCapture, OptionalCapture {
    public typealias Repeated = StageGroups<Event>
    public typealias Maybe = StageGroup

    @inlinable public static var looksBack: Bool { true }

    public static func value(in match: borrowing FoundMatch<Event>, _ slots: CaptureSlots, _ index: Int)
        -> GroupCapture<Event>
    {
        let entries = match.entries.filter { slots.captures[index].contains($0.capture) }
        return GroupCapture(entries.map { ($0.capture - slots.capture(index), $0.element) }, slots.names[index])
    }

    public static func value(in captures: borrowing Captures<Event>, _ slots: CaptureSlots, _ index: Int)
        -> GroupCapture<Event>
    {
        var entries: [(Int, Event)] = []
        for (stage, capture) in slots.captures[index].enumerated() {
            for element in captures.all(capture) { entries.append((stage, element)) }
        }
        return GroupCapture(entries, slots.names[index])
    }

    public static func value(
        adding event: borrowing Event,
        to captures: borrowing Captures<Event>,
        _ slots: CaptureSlots,
        _ index: Int
    ) -> GroupCapture<Event> {
        value(in: captures, slots, index)
    }

    public static func row(
        _ slots: CaptureSlots,
        _ index: Int,
        _ scope: StageScope<Event>,
        isCurrent: Bool
    ) -> GroupRow<Event> {
        GroupRow(slots, index, scope)
    }
}

/// The capture of a group of stages that is repeated.
@frozen
public enum StageGroups<Event: Sendable>: OptionalCapture, LoopCapture {
    public typealias Repeated = StageGroups
    public typealias Maybe = StageGroups

    @inlinable public static var looksBack: Bool { true }

    public static func value(in match: borrowing FoundMatch<Event>, _ slots: CaptureSlots, _ index: Int)
        -> GroupCapture<Event>
    {
        StageGroup.value(in: match, slots, index)
    }

    public static func value(in captures: borrowing Captures<Event>, _ slots: CaptureSlots, _ index: Int)
        -> GroupCapture<Event>
    {
        StageGroup.value(in: captures, slots, index)
    }

    public static func value(
        adding event: borrowing Event,
        to captures: borrowing Captures<Event>,
        _ slots: CaptureSlots,
        _ index: Int
    ) -> GroupCapture<Event> {
        StageGroup.value(in: captures, slots, index)
    }

    public static func row(
        _ slots: CaptureSlots,
        _ index: Int,
        _ scope: StageScope<Event>,
        isCurrent: Bool
    ) -> GroupRow<Event> {
        GroupRow(slots, index, scope)
    }
}
