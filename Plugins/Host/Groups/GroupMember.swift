internal import WeirCore
internal import WeirDispatch
internal import WeirGroups
internal import WeirRecords
internal import WeirSystem

/// Keeps a member in its group, on a thread of its own: what one commit or one record takes delays no lease.
///
/// Thread safety: any thread.
final class GroupMember: Sendable {
    /// What the thread and the one that works tell each other.
    private struct Exchange {
        var share = GroupShare()
        var released: Set<Int> = []
        var prepared: Set<Int> = []
        var isLeaving = false
        var hasLeft = false
        var members = 0
        var status: [UInt8] = []
        var last: [Int: UInt64] = [:]
        var foreignSubjects = 0
        var trouble: String?
        var failure: GroupError?
        var hasCommitted = false
        var isEnding = false
        var hasEnded = false
    }

    private final class Shared: Sendable {
        let exchange = Locked(Exchange())
    }

    private let shared = Shared()
    private let arrival = Parker()
    private let end = Parker()

    /// How often the group is looked at, in nanoseconds: a part of the lease, which decides how soon others take over.
    private static let interval: Int64 = 200_000_000

    /// How often it is looked at while partitions are about to change hands, which pause until then, in nanoseconds.
    private static let shortInterval: Int64 = 10_000_000

    /// How long that goes on where nothing changes, in nanoseconds: a member that does not get ready is not waited for so.
    private static let longestHurry: Int64 = 2_000_000_000

    /// How often the numbers of this member are published, in nanoseconds.
    private static let statusInterval: Int64 = 2_000_000_000

    /// Joins a group.
    ///
    /// - Parameters:
    ///   - name: What the member is called.
    ///   - settings: Those of the group.
    ///   - backend: Where it is kept.
    ///   - console: Says what keeps the member from its group.
    /// - Throws: ``HostError`` when the system has no threads left.
    init(
        _ name: String,
        _ settings: GroupSettings,
        in backend: any GroupBackend,
        _ console: Console
    ) throws(HostError) {
        let isStarted = SystemThread.start("weir.group") { [shared, arrival, end] in
            Self.run(name, settings, backend, console, shared, arrival)
            shared.exchange.withLock { $0.hasEnded = true }
            end.unpark()
        }
        guard isStarted else { throw HostError(.internalError, "the system has no threads left") }
    }

    /// The partitions of this member.
    ///
    /// - Throws: ``GroupError`` where it can be no member.
    func share() throws(GroupError) -> GroupShare {
        let (share, failure) = shared.exchange.withLock { ($0.share, $0.failure) }
        if let failure { throw failure }
        return share
    }

    /// How many members there are, the last messages of partitions, and how many subjects are of none.
    var view: (members: Int, last: [Int: UInt64], foreignSubjects: Int) {
        shared.exchange.withLock { ($0.members, $0.last, $0.foreignSubjects) }
    }

    /// Says which partitions others can have now, and for which that are to come this member is ready.
    func tell(released: [Int], prepared: Set<Int>) {
        let isNew = shared.exchange.withLock { state in
            defer { state.prepared = prepared }
            state.released.formUnion(released)
            return !released.isEmpty || state.prepared != prepared
        }
        if isNew { arrival.unpark() }
    }

    /// Says that all partitions are to be handed over, before the end.
    ///
    /// - Returns: Whether that is done, as far as there are others.
    func handOverAll() -> Bool {
        let (isNew, hasLeft) = shared.exchange.withLock { state in
            defer { state.isLeaving = true }
            return (!state.isLeaving, state.hasLeft)
        }
        if isNew { arrival.unpark() }
        return hasLeft
    }

    /// Says what others can read of this member.
    func show(_ status: [UInt8]) { shared.exchange.withLock { $0.status = status } }

    /// Says that something was committed.
    func noteCommits() { shared.exchange.withLock { $0.hasCommitted = true } }

    /// Leaves the group; the partitions were let go.
    func leave() {
        shared.exchange.withLock { $0.isEnding = true }
        arrival.unpark()
        while !shared.exchange.withLock({ $0.hasEnded }) { end.park() }
    }

    private static func run(
        _ name: String,
        _ settings: GroupSettings,
        _ backend: any GroupBackend,
        _ console: Console,
        _ shared: Shared,
        _ arrival: Parker
    ) {
        let clock = MonotonicClock()
        var membership: GroupMembership?
        var values: (any SharedValues)?
        var lastStatus: Timestamp?
        var (lastShare, lastPrepared, lastChange) = (GroupShare(), Set<Int>(), clock.now())
        var hasBegun = false
        while !shared.exchange.withLock({ $0.isEnding }) {
            let (released, prepared, isLeaving) = shared.exchange.withLock { state in
                (exchanged(&state.released), state.prepared, state.isLeaving)
            }
            var wait = interval
            do throws(GroupError) {
                let known = if let values { values } else { try backend.makeValues() }
                values = known
                var member = membership ?? GroupMembership(name, settings, in: known)
                // What was let go is told again where this fails.
                membership = member
                let share = try member.step(
                    clock.now(),
                    released: released.sorted(),
                    prepared: prepared,
                    isLeaving: isLeaving
                )
                membership = member
                // To make ready for a large state may take longer than a hurry.
                if share != lastShare || prepared != lastPrepared {
                    (lastShare, lastPrepared, lastChange) = (share, prepared, clock.now())
                }
                let isHurried = (clock.now() - lastChange).wholeNanoseconds < longestHurry
                if share.isChanging && isHurried || isLeaving { wait = shortInterval }
                let wasReached = shared.exchange.withLock { state in
                    state.share = share
                    state.hasLeft = isLeaving && (member.heirs.isEmpty || share == GroupShare())
                    state.members = member.members.count
                    defer { state.trouble = nil }
                    return state.trouble == nil
                }
                if !wasReached { console.writeLine("the group is reached again") }
                if !hasBegun, shared.exchange.withLock({ $0.hasCommitted }) {
                    try known.put(GroupMembership.begunKey, [])
                    hasBegun = true
                }
                let now = clock.now()
                if lastStatus.map({ (now - $0).wholeNanoseconds >= statusInterval }) ?? true {
                    lastStatus = now
                    // Only for people: nothing depends on it.
                    let last = try? known.lastMessages()
                    let status = shared.exchange.withLock { state in
                        state.last = last ?? state.last
                        state.foreignSubjects = known.foreignSubjectCount
                        return state.status
                    }
                    if !status.isEmpty { try known.put(GroupMembership.statusKey + name, status) }
                }
            } catch {
                let isNew = shared.exchange.withLock { state in
                    state.released.formUnion(released)
                    if error.kind == .refused { state.failure = error }
                    defer { state.trouble = error.reason }
                    return state.trouble == nil && error.kind == .unreachable
                }
                if isNew { console.writeLine("the group cannot be reached: \(error.reason); it is tried again") }
                if error.kind == .refused { break }
            }
            _ = arrival.park(until: clock.now().shifted(byNanoseconds: wait))
        }
        try? membership?.leave()
    }

    private static func exchanged(_ released: inout Set<Int>) -> Set<Int> {
        defer { released = [] }
        return released
    }
}
