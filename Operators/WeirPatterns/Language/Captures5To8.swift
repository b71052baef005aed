/// The captures of a pattern with five.
@frozen
public enum Captures5<K0: CaptureKind, K1: CaptureKind, K2: CaptureKind, K3: CaptureKind, K4: CaptureKind>:
    AtMostEightStages
where K1.Event == K0.Event, K2.Event == K0.Event, K3.Event == K0.Event, K4.Event == K0.Event {
    public typealias Event = K0.Event
    public typealias Tuple = (K0.Value, K1.Value, K2.Value, K3.Value, K4.Value)
    public typealias Last = K4
    public typealias Test = @Sendable (K0.Value, K1.Value, K2.Value, K3.Value, K4.Value) -> Bool
    public typealias Where = (K0.Row, K1.Row, K2.Row, K3.Row, K4.Row) -> StageCondition<K0.Event>
    public typealias WithEvent = Captures6<K0, K1, K2, K3, K4, OneEvent<K0.Event>>
    public typealias Repeated = Captures5<K0, K1, K2, K3, K4.Repeated>
    public typealias Maybe = Captures5<K0, K1, K2, K3, K4.Maybe>
    public typealias Group = Captures5<K0, K1, K2, K3, StageGroup<K0.Event>>

    @inlinable public static var count: Int { 5 }

    @inlinable
    public static func tuple(_ match: borrowing FoundMatch<Event>, _ slots: CaptureSlots) -> Tuple {
        (
            K0.value(in: match, slots, 0),
            K1.value(in: match, slots, 1),
            K2.value(in: match, slots, 2),
            K3.value(in: match, slots, 3),
            K4.value(in: match, slots, 4)
        )
    }

    @inlinable
    public static func condition(_ test: @escaping Test, _ slots: CaptureSlots) -> StageCondition<Event> {
        StageCondition(Last.self, slots) { event, captures in
            test(
                K0.value(in: captures, slots, 0),
                K1.value(in: captures, slots, 1),
                K2.value(in: captures, slots, 2),
                K3.value(in: captures, slots, 3),
                K4.value(adding: event, to: captures, slots, 4)
            )
        }
    }

    @inlinable
    public static func condition(
        _ test: Where,
        _ slots: CaptureSlots,
        _ scope: StageScope<Event>
    ) -> StageCondition<Event> {
        test(
            K0.row(slots, 0, scope, isCurrent: false),
            K1.row(slots, 1, scope, isCurrent: false),
            K2.row(slots, 2, scope, isCurrent: false),
            K3.row(slots, 3, scope, isCurrent: false),
            K4.row(slots, 4, scope, isCurrent: true)
        )
    }
}

/// The captures of a pattern with six.
@frozen
public enum Captures6<
    K0: CaptureKind,
    K1: CaptureKind,
    K2: CaptureKind,
    K3: CaptureKind,
    K4: CaptureKind,
    K5: CaptureKind
>: AtMostEightStages
where K1.Event == K0.Event, K2.Event == K0.Event, K3.Event == K0.Event, K4.Event == K0.Event, K5.Event == K0.Event {
    public typealias Event = K0.Event
    public typealias Tuple = (K0.Value, K1.Value, K2.Value, K3.Value, K4.Value, K5.Value)
    public typealias Last = K5
    public typealias Test = @Sendable (K0.Value, K1.Value, K2.Value, K3.Value, K4.Value, K5.Value) -> Bool
    public typealias Where = (K0.Row, K1.Row, K2.Row, K3.Row, K4.Row, K5.Row) -> StageCondition<K0.Event>
    public typealias WithEvent = Captures7<K0, K1, K2, K3, K4, K5, OneEvent<K0.Event>>
    public typealias Repeated = Captures6<K0, K1, K2, K3, K4, K5.Repeated>
    public typealias Maybe = Captures6<K0, K1, K2, K3, K4, K5.Maybe>
    public typealias Group = Captures6<K0, K1, K2, K3, K4, StageGroup<K0.Event>>

    @inlinable public static var count: Int { 6 }

    @inlinable
    public static func tuple(_ match: borrowing FoundMatch<Event>, _ slots: CaptureSlots) -> Tuple {
        (
            K0.value(in: match, slots, 0),
            K1.value(in: match, slots, 1),
            K2.value(in: match, slots, 2),
            K3.value(in: match, slots, 3),
            K4.value(in: match, slots, 4),
            K5.value(in: match, slots, 5)
        )
    }

    @inlinable
    public static func condition(_ test: @escaping Test, _ slots: CaptureSlots) -> StageCondition<Event> {
        StageCondition(Last.self, slots) { event, captures in
            test(
                K0.value(in: captures, slots, 0),
                K1.value(in: captures, slots, 1),
                K2.value(in: captures, slots, 2),
                K3.value(in: captures, slots, 3),
                K4.value(in: captures, slots, 4),
                K5.value(adding: event, to: captures, slots, 5)
            )
        }
    }

    @inlinable
    public static func condition(
        _ test: Where,
        _ slots: CaptureSlots,
        _ scope: StageScope<Event>
    ) -> StageCondition<Event> {
        test(
            K0.row(slots, 0, scope, isCurrent: false),
            K1.row(slots, 1, scope, isCurrent: false),
            K2.row(slots, 2, scope, isCurrent: false),
            K3.row(slots, 3, scope, isCurrent: false),
            K4.row(slots, 4, scope, isCurrent: false),
            K5.row(slots, 5, scope, isCurrent: true)
        )
    }
}

/// The captures of a pattern with seven.
@frozen
public enum Captures7<
    K0: CaptureKind,
    K1: CaptureKind,
    K2: CaptureKind,
    K3: CaptureKind,
    K4: CaptureKind,
    K5: CaptureKind,
    K6: CaptureKind
>: AtMostEightStages
where
    K1.Event == K0.Event, K2.Event == K0.Event, K3.Event == K0.Event, K4.Event == K0.Event, K5.Event == K0.Event,
    K6.Event == K0.Event
{
    public typealias Event = K0.Event
    public typealias Tuple = (K0.Value, K1.Value, K2.Value, K3.Value, K4.Value, K5.Value, K6.Value)
    public typealias Last = K6
    public typealias Test = @Sendable (K0.Value, K1.Value, K2.Value, K3.Value, K4.Value, K5.Value, K6.Value) -> Bool
    public typealias Where = (K0.Row, K1.Row, K2.Row, K3.Row, K4.Row, K5.Row, K6.Row) -> StageCondition<K0.Event>
    public typealias WithEvent = Captures8<K0, K1, K2, K3, K4, K5, K6, OneEvent<K0.Event>>
    public typealias Repeated = Captures7<K0, K1, K2, K3, K4, K5, K6.Repeated>
    public typealias Maybe = Captures7<K0, K1, K2, K3, K4, K5, K6.Maybe>
    public typealias Group = Captures7<K0, K1, K2, K3, K4, K5, StageGroup<K0.Event>>

    @inlinable public static var count: Int { 7 }

    @inlinable
    public static func tuple(_ match: borrowing FoundMatch<Event>, _ slots: CaptureSlots) -> Tuple {
        (
            K0.value(in: match, slots, 0),
            K1.value(in: match, slots, 1),
            K2.value(in: match, slots, 2),
            K3.value(in: match, slots, 3),
            K4.value(in: match, slots, 4),
            K5.value(in: match, slots, 5),
            K6.value(in: match, slots, 6)
        )
    }

    @inlinable
    public static func condition(_ test: @escaping Test, _ slots: CaptureSlots) -> StageCondition<Event> {
        StageCondition(Last.self, slots) { event, captures in
            test(
                K0.value(in: captures, slots, 0),
                K1.value(in: captures, slots, 1),
                K2.value(in: captures, slots, 2),
                K3.value(in: captures, slots, 3),
                K4.value(in: captures, slots, 4),
                K5.value(in: captures, slots, 5),
                K6.value(adding: event, to: captures, slots, 6)
            )
        }
    }

    @inlinable
    public static func condition(
        _ test: Where,
        _ slots: CaptureSlots,
        _ scope: StageScope<Event>
    ) -> StageCondition<Event> {
        test(
            K0.row(slots, 0, scope, isCurrent: false),
            K1.row(slots, 1, scope, isCurrent: false),
            K2.row(slots, 2, scope, isCurrent: false),
            K3.row(slots, 3, scope, isCurrent: false),
            K4.row(slots, 4, scope, isCurrent: false),
            K5.row(slots, 5, scope, isCurrent: false),
            K6.row(slots, 6, scope, isCurrent: true)
        )
    }
}

/// The captures of a pattern with eight.
@frozen
public enum Captures8<
    K0: CaptureKind,
    K1: CaptureKind,
    K2: CaptureKind,
    K3: CaptureKind,
    K4: CaptureKind,
    K5: CaptureKind,
    K6: CaptureKind,
    K7: CaptureKind
>: AtMostEightStages
where
    K1.Event == K0.Event, K2.Event == K0.Event, K3.Event == K0.Event, K4.Event == K0.Event, K5.Event == K0.Event,
    K6.Event == K0.Event, K7.Event == K0.Event
{
    public typealias Event = K0.Event
    public typealias Tuple = (K0.Value, K1.Value, K2.Value, K3.Value, K4.Value, K5.Value, K6.Value, K7.Value)
    public typealias Last = K7
    public typealias Test =
        @Sendable (K0.Value, K1.Value, K2.Value, K3.Value, K4.Value, K5.Value, K6.Value, K7.Value) -> Bool
    public typealias Where = (K0.Row, K1.Row, K2.Row, K3.Row, K4.Row, K5.Row, K6.Row, K7.Row) -> StageCondition<
        K0.Event
    >
    public typealias WithEvent = TooManyStages<K0.Event>
    public typealias Repeated = Captures8<K0, K1, K2, K3, K4, K5, K6, K7.Repeated>
    public typealias Maybe = Captures8<K0, K1, K2, K3, K4, K5, K6, K7.Maybe>
    public typealias Group = Captures8<K0, K1, K2, K3, K4, K5, K6, StageGroup<K0.Event>>

    @inlinable public static var count: Int { 8 }

    @inlinable
    public static func tuple(_ match: borrowing FoundMatch<Event>, _ slots: CaptureSlots) -> Tuple {
        (
            K0.value(in: match, slots, 0),
            K1.value(in: match, slots, 1),
            K2.value(in: match, slots, 2),
            K3.value(in: match, slots, 3),
            K4.value(in: match, slots, 4),
            K5.value(in: match, slots, 5),
            K6.value(in: match, slots, 6),
            K7.value(in: match, slots, 7)
        )
    }

    @inlinable
    public static func condition(_ test: @escaping Test, _ slots: CaptureSlots) -> StageCondition<Event> {
        StageCondition(Last.self, slots) { event, captures in
            test(
                K0.value(in: captures, slots, 0),
                K1.value(in: captures, slots, 1),
                K2.value(in: captures, slots, 2),
                K3.value(in: captures, slots, 3),
                K4.value(in: captures, slots, 4),
                K5.value(in: captures, slots, 5),
                K6.value(in: captures, slots, 6),
                K7.value(adding: event, to: captures, slots, 7)
            )
        }
    }

    @inlinable
    public static func condition(
        _ test: Where,
        _ slots: CaptureSlots,
        _ scope: StageScope<Event>
    ) -> StageCondition<Event> {
        test(
            K0.row(slots, 0, scope, isCurrent: false),
            K1.row(slots, 1, scope, isCurrent: false),
            K2.row(slots, 2, scope, isCurrent: false),
            K3.row(slots, 3, scope, isCurrent: false),
            K4.row(slots, 4, scope, isCurrent: false),
            K5.row(slots, 5, scope, isCurrent: false),
            K6.row(slots, 6, scope, isCurrent: false),
            K7.row(slots, 7, scope, isCurrent: true)
        )
    }
}
