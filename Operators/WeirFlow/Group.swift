public import WeirCore

/// The elements of one key, to build the pipeline of a group on.
///
///     readings.grouped(by: \.station) { group in
///         let station = group.key
///         return group.pairwise().filter { $0.1.celsius > $0.0.celsius + 5 }.map { (station, $0.1.celsius) }
///     }
///
/// A pipeline that is built without the key represents every group: each gets a copy of it. One that is built with the key
/// is built for each group.
///
/// Thread safety: for the pipeline alone, on the thread that runs it.
public final class Group<Element: Sendable, Key: Hashable & Sendable>: GroupableStream {
    /// How far a group has been built.
    @frozen
    @usableFromInline
    struct Building: Sendable {
        // While the pipeline is built, and afterwards if it has asked.
        @usableFromInline var key: Key?
        @usableFromInline var hasAsked = false
        @usableFromInline var isBuilding = true
        @usableFromInline var isUsed = false
        // While the pipeline is built: the sinks may hold the group.
        @usableFromInline var bank: SinkBank<Element>?
        // The index of the group whose sink is at work.
        @usableFromInline var current: SharedCell<Int>?

        @inlinable
        init(_ key: Key, _ bank: SinkBank<Element>?) {
            self.key = key
            self.bank = bank
            current = bank?.current
        }
    }

    /// Where the pipelines may put the elements that come too late for them: `windows.late.forward(to: group.late)`.
    ///
    /// All groups have one, which is ``Grouped/late``.
    public let late: SideOutput<Element>

    /// Where the pipelines may put the elements that they have no room for.
    ///
    /// All groups have one, which is ``Grouped/dropped``.
    public let dropped: SideOutput<Element>

    /// Where the pipelines may put the elements for which a grouping inside them has no room.
    ///
    /// All groups have one, which is ``Grouped/refused``.
    public let refused: SideOutput<Element>

    /// Where the pipelines may tell that their windows wait for watermarks.
    ///
    /// All groups have one, which is ``Grouped/stalls``.
    public let stalls: SideOutput<WatermarkStall>

    @usableFromInline let groups: SharedCell<GroupSlots<Key>>
    @usableFromInline let watermark: Timestamp
    @usableFromInline let building: SharedCell<Building>

    @usableFromInline
    init(
        _ key: Key,
        _ groups: SharedCell<GroupSlots<Key>>,
        _ sides: GroupSides<Element>,
        _ bank: SinkBank<Element>?,
        _ watermark: Timestamp
    ) {
        self.groups = groups
        self.watermark = watermark
        late = sides.late
        dropped = sides.dropped
        refused = sides.refused
        stalls = sides.stalls
        building = SharedCell(driven: Building(key, bank))
    }

    /// The key of the group.
    ///
    /// Read while the pipeline is built, it is a constant, at the cost of a pipeline for each group. The closures of the
    /// pipeline may also read it when they run, and then get the key of the group that they work for: that takes some
    /// nanoseconds each time, and all groups share one pipeline.
    @inlinable
    public var key: Key {
        if let key = building.value.key {
            if building.value.isBuilding { building.value.hasAsked = true }
            return key
        }
        guard let current = building.value.current else { preconditionFailure("a group without a pipeline has no key") }
        return groups.value.slots[current.value].key
    }

    /// Sets the sink of the group.
    ///
    /// - Parameter sink: Copied for each group, if the pipeline is built without the key.
    /// - Returns: A handle without effect: a group lives as long as the stream.
    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let isSecond = building.withValue { building in
            defer { building.isUsed = true }
            return building.isUsed
        }
        precondition(!isSecond, "a group's pipeline must use the group once, for each group gets one copy of it")
        if let bank = building.value.bank {
            bank.append(sink, watermark)
        } else {
            let bank = SinkBank(sink)
            building.value.bank = bank
            building.value.current = bank.current
            bank.append(watermark)
        }
        return Subscription()
    }

    /// Ends the building of the pipeline.
    ///
    /// - Returns: The sinks of all groups, this one's the last, and whether the next group needs a pipeline of its own.
    @usableFromInline
    func finishBuilding() -> (bank: SinkBank<Element>, isForThisKey: Bool) {
        building.withValue { building in
            guard building.isUsed, let bank = building.bank.take() else {
                preconditionFailure("a group's pipeline must start at the group that it was given")
            }
            building.isBuilding = false
            if !building.hasAsked { building.key = nil }
            return (bank, building.hasAsked)
        }
    }
}

/// The groups that there are.
@frozen
@usableFromInline
struct GroupSlots<Key: Hashable & Sendable>: Sendable {
    /// The group of a key.
    @frozen
    @usableFromInline
    struct Slot: Sendable {
        @usableFromInline let key: Key
        @usableFromInline var youngest: Timestamp

        @inlinable
        init(_ key: Key, _ youngest: Timestamp) {
            self.key = key
            self.youngest = youngest
        }
    }

    // In the order of their first elements, so that the output at a watermark depends on the input alone.
    @usableFromInline var slots: [Slot] = []

    @inlinable
    init() {}
}

/// The side outputs of all groups.
@frozen
@usableFromInline
struct GroupSides<Element: Sendable>: Sendable {
    @usableFromInline let refused = SideOutput<Element>()
    @usableFromInline let late = SideOutput<Element>()
    @usableFromInline let dropped = SideOutput<Element>()
    @usableFromInline let stalls = SideOutput<WatermarkStall>()

    @usableFromInline
    init() {}
}
