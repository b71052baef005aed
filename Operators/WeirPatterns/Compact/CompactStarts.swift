public import WeirCore

/// When partial matches began, in the order of time: what is looked at when windows close.
///
/// Where it matters which partial match ends when (negations at the end, reported timeouts) every start is noted; else only
/// one for each group that has partial matches, so that the group is looked at again when they may have expired.
@frozen
@usableFromInline
struct CompactStarts: ~Copyable, Sendable {
    /// A start.
    @frozen
    @usableFromInline
    struct Start: BitwiseCopyable, Sendable {
        @usableFromInline var time: Int64
        @usableFromInline var slot: UInt32

        @inlinable
        init(_ time: Int64, _ slot: UInt32) {
            self.time = time
            self.slot = slot
        }
    }

    /// What is known of a slot.
    @frozen
    @usableFromInline
    struct Flags: BitwiseCopyable, Sendable {
        /// Whether the group has, or had when it was last looked at, partial matches.
        @usableFromInline var isOccupied = false
        /// Whether a start of the slot is noted.
        @usableFromInline var isNoted = false

        @inlinable
        init() {}
    }

    @usableFromInline let isNeeded: Bool
    @usableFromInline let isExact: Bool
    @usableFromInline let reportsTimeouts: Bool
    @usableFromInline let isGrouped: Bool
    @usableFromInline var starts = PositionRing(capacity: 16, filler: Start(0, 0))
    @usableFromInline var first: UInt32 = 0
    @usableFromInline var end: UInt32 = 0
    /// When the window of the first start closes.
    @usableFromInline var nextClosing = Int64.max
    @usableFromInline var flags = PositionRing(capacity: 1, filler: Flags())

    /// For each slot the time of the last start that is noted; only where every start is.
    @usableFromInline var lastTimes = PositionRing<Int64>(capacity: 1, filler: .min)
    /// The slots of groups that have no partial match any more, since time has moved on.
    @usableFromInline var released = PositionRing<UInt32>(capacity: 16, filler: 0)
    @usableFromInline var releasedCount: UInt32 = 0

    @usableFromInline
    init(isNeeded: Bool, isExact: Bool, reportsTimeouts: Bool, isGrouped: Bool) {
        self.isNeeded = isNeeded
        self.isExact = isExact
        self.reportsTimeouts = reportsTimeouts
        self.isGrouped = isGrouped
    }

    @usableFromInline var bytes: Int {
        starts.capacity * MemoryLayout<Start>.stride + flags.capacity * MemoryLayout<Flags>.stride
            + lastTimes.capacity * 8 + released.capacity * 4
    }

    @inlinable
    mutating func updateNextClosing(_ within: Int64) {
        let (closing, isTooLate) = starts[first].time.addingReportingOverflow(within)
        nextClosing = first == end || isTooLate ? .max : closing
    }

    @inlinable
    mutating func append(_ time: Int64, _ slot: UInt32) {
        if Int(end &- first) == starts.capacity { grow() }
        starts[end] = Start(time, slot)
        end &+= 1
    }

    @usableFromInline
    @inline(never)
    mutating func grow() {
        starts.resize(to: starts.capacity * 2, keeping: first, to: end, filler: Start(0, 0))
    }

    /// Gives back what is not needed.
    ///
    /// - Parameter endOfSlots: One more than the greatest slot in use.
    @usableFromInline
    mutating func shrink(endOfSlots: UInt32) {
        let count = Int(end &- first)
        if starts.capacity > 16, count * 8 < starts.capacity {
            starts.resize(to: max(16, count * 2), keeping: first, to: end, filler: Start(0, 0))
        }
        if releasedCount == 0, released.capacity > 16 { released = PositionRing(capacity: 16, filler: 0) }
        // A start that is noted may still have the flags of a slot that is not in use any more.
        guard first == end, Int(endOfSlots) * 8 < flags.capacity else { return }
        let slots = max(1, endOfSlots)
        flags.resize(to: Int(slots), keeping: 0, to: slots, filler: Flags())
        if isExact { lastTimes.resize(to: Int(slots), keeping: 0, to: slots, filler: .min) }
    }

    @usableFromInline
    @inline(never)
    mutating func addSlots(through slot: UInt32) {
        flags.resize(to: Int(slot) + 1, keeping: 0, to: UInt32(flags.capacity), filler: Flags())
        if isExact { lastTimes.resize(to: flags.capacity, keeping: 0, to: UInt32(lastTimes.capacity), filler: .min) }
    }

    @usableFromInline
    mutating func release(_ slot: UInt32) {
        flags[slot].isOccupied = false
        // Without groups there is none to forget.
        guard isGrouped else { return }
        if Int(releasedCount) == released.capacity {
            released.resize(to: released.capacity * 2, keeping: 0, to: releasedCount, filler: 0)
        }
        released[releasedCount] = slot
        releasedCount += 1
    }

    /// Notes that an event has begun partial matches, or moved them on.
    ///
    /// - Parameters:
    ///   - time: The time of the event.
    ///   - within: How long a match may last.
    ///   - slot: The group.
    ///   - begins: Whether it may have begun some.
    ///   - isOccupied: Whether the group has partial matches now.
    @inlinable
    mutating func note(_ time: Int64, within: Int64, slot: UInt32, begins: Bool, isOccupied: Bool) {
        if Int(slot) >= flags.capacity { addSlots(through: slot) }
        var known = flags[slot]
        known.isOccupied = isOccupied
        if isExact {
            // Starts of one time are looked at together, also those of a group that had the slot before.
            if isOccupied, begins, lastTimes[slot] != time || !known.isNoted {
                append(time, slot)
                lastTimes[slot] = time
                known.isNoted = true
            }
        } else if isOccupied, !known.isNoted {
            append(time, slot)
            known.isNoted = true
        }
        flags[slot] = known
        if first &+ 1 == end { updateNextClosing(within) }
    }
}
