/// The captures of a pattern with one.
@frozen
public enum Captures1<K0: CaptureKind>: AtMostEightStages {
    public typealias Event = K0.Event
    public typealias Tuple = (K0.Value)
    public typealias Last = K0
    public typealias Test = @Sendable (K0.Value) -> Bool
    public typealias Where = (K0.Row) -> StageCondition<K0.Event>
    public typealias WithEvent = Captures2<K0, OneEvent<K0.Event>>
    public typealias Repeated = Captures1<K0.Repeated>
    public typealias Maybe = Captures1<K0.Maybe>
    public typealias Group = Captures1<StageGroup<K0.Event>>

    @inlinable public static var count: Int { 1 }

    @inlinable
    public static func tuple(_ match: borrowing FoundMatch<Event>, _ slots: CaptureSlots) -> Tuple {
        K0.value(in: match, slots, 0)
    }

    @inlinable
    public static func condition(_ test: @escaping Test, _ slots: CaptureSlots) -> StageCondition<Event> {
        StageCondition(Last.self, slots) { event, captures in
            test(K0.value(adding: event, to: captures, slots, 0))
        }
    }

    @inlinable
    public static func condition(
        _ test: Where,
        _ slots: CaptureSlots,
        _ scope: StageScope<Event>
    ) -> StageCondition<Event> {
        test(K0.row(slots, 0, scope, isCurrent: true))
    }
}

/// The captures of a pattern with two.
@frozen
public enum Captures2<K0: CaptureKind, K1: CaptureKind>: AtMostEightStages where K1.Event == K0.Event {
    public typealias Event = K0.Event
    public typealias Tuple = (K0.Value, K1.Value)
    public typealias Last = K1
    public typealias Test = @Sendable (K0.Value, K1.Value) -> Bool
    public typealias Where = (K0.Row, K1.Row) -> StageCondition<K0.Event>
    public typealias WithEvent = Captures3<K0, K1, OneEvent<K0.Event>>
    public typealias Repeated = Captures2<K0, K1.Repeated>
    public typealias Maybe = Captures2<K0, K1.Maybe>
    public typealias Group = Captures2<K0, StageGroup<K0.Event>>

    @inlinable public static var count: Int { 2 }

    @inlinable
    public static func tuple(_ match: borrowing FoundMatch<Event>, _ slots: CaptureSlots) -> Tuple {
        (
            K0.value(in: match, slots, 0),
            K1.value(in: match, slots, 1)
        )
    }

    @inlinable
    public static func condition(_ test: @escaping Test, _ slots: CaptureSlots) -> StageCondition<Event> {
        StageCondition(Last.self, slots) { event, captures in
            test(
                K0.value(in: captures, slots, 0),
                K1.value(adding: event, to: captures, slots, 1)
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
            K1.row(slots, 1, scope, isCurrent: true)
        )
    }
}

/// The captures of a pattern with three.
@frozen
public enum Captures3<K0: CaptureKind, K1: CaptureKind, K2: CaptureKind>: AtMostEightStages
where K1.Event == K0.Event, K2.Event == K0.Event {
    public typealias Event = K0.Event
    public typealias Tuple = (K0.Value, K1.Value, K2.Value)
    public typealias Last = K2
    public typealias Test = @Sendable (K0.Value, K1.Value, K2.Value) -> Bool
    public typealias Where = (K0.Row, K1.Row, K2.Row) -> StageCondition<K0.Event>
    public typealias WithEvent = Captures4<K0, K1, K2, OneEvent<K0.Event>>
    public typealias Repeated = Captures3<K0, K1, K2.Repeated>
    public typealias Maybe = Captures3<K0, K1, K2.Maybe>
    public typealias Group = Captures3<K0, K1, StageGroup<K0.Event>>

    @inlinable public static var count: Int { 3 }

    @inlinable
    public static func tuple(_ match: borrowing FoundMatch<Event>, _ slots: CaptureSlots) -> Tuple {
        (
            K0.value(in: match, slots, 0),
            K1.value(in: match, slots, 1),
            K2.value(in: match, slots, 2)
        )
    }

    @inlinable
    public static func condition(_ test: @escaping Test, _ slots: CaptureSlots) -> StageCondition<Event> {
        StageCondition(Last.self, slots) { event, captures in
            test(
                K0.value(in: captures, slots, 0),
                K1.value(in: captures, slots, 1),
                K2.value(adding: event, to: captures, slots, 2)
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
            K2.row(slots, 2, scope, isCurrent: true)
        )
    }
}

/// The captures of a pattern with four.
@frozen
public enum Captures4<K0: CaptureKind, K1: CaptureKind, K2: CaptureKind, K3: CaptureKind>: AtMostEightStages
where K1.Event == K0.Event, K2.Event == K0.Event, K3.Event == K0.Event {
    public typealias Event = K0.Event
    public typealias Tuple = (K0.Value, K1.Value, K2.Value, K3.Value)
    public typealias Last = K3
    public typealias Test = @Sendable (K0.Value, K1.Value, K2.Value, K3.Value) -> Bool
    public typealias Where = (K0.Row, K1.Row, K2.Row, K3.Row) -> StageCondition<K0.Event>
    public typealias WithEvent = Captures5<K0, K1, K2, K3, OneEvent<K0.Event>>
    public typealias Repeated = Captures4<K0, K1, K2, K3.Repeated>
    public typealias Maybe = Captures4<K0, K1, K2, K3.Maybe>
    public typealias Group = Captures4<K0, K1, K2, StageGroup<K0.Event>>

    @inlinable public static var count: Int { 4 }

    @inlinable
    public static func tuple(_ match: borrowing FoundMatch<Event>, _ slots: CaptureSlots) -> Tuple {
        (
            K0.value(in: match, slots, 0),
            K1.value(in: match, slots, 1),
            K2.value(in: match, slots, 2),
            K3.value(in: match, slots, 3)
        )
    }

    @inlinable
    public static func condition(_ test: @escaping Test, _ slots: CaptureSlots) -> StageCondition<Event> {
        StageCondition(Last.self, slots) { event, captures in
            test(
                K0.value(in: captures, slots, 0),
                K1.value(in: captures, slots, 1),
                K2.value(in: captures, slots, 2),
                K3.value(adding: event, to: captures, slots, 3)
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
            K3.row(slots, 3, scope, isCurrent: true)
        )
    }
}
