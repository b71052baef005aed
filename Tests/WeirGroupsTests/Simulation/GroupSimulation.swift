import WeirCore
import WeirGroups

/// A group at work while things go wrong, all by one seed.
///
/// At first there is a time of faults, then one in which all is well: by its end, everything has to be committed, and be what
/// one run that nothing interrupts finds.
final class GroupSimulation {
    private enum Event {
        case join, leave, interrupt, kill, sleep, jump, cutOff, election
        /// 1, then 4, then 2 members.
        case grow, shrink
    }

    private let broker: SimulatedBroker
    private let partitionCount: Int
    private let settings: GroupSettings
    private let work: GroupWorker.Settings
    private var members: [SimulatedMember] = []
    private var memberCount = 0
    private var events: [(time: Int64, event: Event)] = []
    private var depth = 0
    private let calm: Int64
    /// Whether there are never two that think they own a partition.
    private let isOrderly: Bool

    /// Whether nobody is lost either: then a partition that is handed over stands still for a moment alone.
    private let isPeaceful: Bool

    /// How much happened, so that a test can tell whether anything did.
    private(set) var stepCount = 0
    var counts: (commits: Int, refused: Int, late: Int) {
        (broker.applied.count, broker.refusedCommits, broker.lateCommits)
    }

    /// How long after the faults all was done, in nanoseconds.
    private(set) var drainTime: Int64 = 0

    /// The time in which all has to be done once nothing goes wrong any more.
    ///
    /// Some sleep for 6 s, or wait for 4 s, from then
    /// on, and their partitions are not free before the lease is over. The slowest of 100,000 seeds took 13 s.
    static let limit: Int64 = 20_000_000_000

    /// How long a partition that is handed over may stand still in peace.
    ///
    /// Its owner changes the map, which it looks at every 30 ms at least while partitions change hands, and once more where
    /// another one has changed it at the same time; the next one sees that within 30 ms, and its worker, whose turn comes within
    /// 140 ms, takes the partition.
    static let standLimit: Int64 = 400_000_000

    var handovers: (count: Int, longestStand: Int64) {
        isPeaceful ? (broker.handoverCount, broker.longestStand) : (0, 0)
    }

    init(seed: UInt64, defect: BrokerDefect? = nil, onNote: ((String) -> Void)? = nil) {
        var random = SeededGenerator(seed: seed ^ 0x5EED)
        func pick(_ limit: Int) -> Int { Int(truncatingIfNeeded: random.next() % UInt64(limit)) }
        let second: Int64 = 1_000_000_000
        let calm = Int64(3 + pick(4)) * second
        self.calm = calm
        let partitionCount = 1 + pick(5)
        self.partitionCount = partitionCount
        // Some partitions get more than others, and some nothing.
        let spread = 1 + pick(partitionCount * 2)
        let times = (0..<(30 + pick(31))).map { _ in Int64(pick(Int(calm))) }.sorted()
        let messages = times.enumerated().map { index, time in
            let partition = min(pick(spread), pick(partitionCount))
            return SimulatedMessage(
                number: UInt64(index + 1),
                partition: partition,
                payload: (0...pick(2)).map { _ in UInt8(truncatingIfNeeded: pick(256)) },
                time: time
            )
        }
        broker = SimulatedBroker(seed: seed, partitionCount: partitionCount, messages: messages)
        broker.defect = defect
        broker.onNote = onNote
        settings = GroupSettings([.init("query", "count")], partitionCount: partitionCount)
        var work = GroupWorker.Settings()
        work.interval = Int64(100 + pick(500)) * SimulatedBroker.millisecond
        work.idleInterval = Int64(400 + pick(1_000)) * SimulatedBroker.millisecond
        work.pause = Int64(50 + pick(150)) * SimulatedBroker.millisecond
        if pick(3) == 0 { work.outputByteCount = 1 + pick(100) }
        work.handoverByteCount = [1, 32, 1 << 20][pick(3)]
        self.work = work
        let isPeaceful = pick(8) == 0
        self.isPeaceful = isPeaceful
        let level = isPeaceful ? 0 : [0, 15, 60, 200][pick(4)]
        func often() -> Int { pick(3) == 0 ? 0 : pick(level + 1) }
        broker.faults = SimulatedFaults(
            lost: often(),
            answerLost: often(),
            late: often(),
            twice: often(),
            delayed: often() / 2,
            stale: often() * 3,
            gap: often(),
            again: often()
        )
        var kinds: [Event] = [.join, .leave]
        if !isPeaceful { kinds += [.interrupt, .kill, .kill, .sleep, .sleep, .jump, .cutOff, .election] }
        for _ in 0..<pick(12) { events.append((Int64(pick(Int(calm))), kinds[pick(kinds.count)])) }
        let first = pick(3)
        if first == 0, !isPeaceful {
            let (one, other) = (Int64(pick(Int(calm))), Int64(pick(Int(calm))))
            events += [(min(one, other), .grow), (max(one, other), .shrink)]
        }
        events.sort { $0.time < $1.time }
        isOrderly = level == 0 && events.allSatisfy { [.join, .leave, .kill, .grow, .shrink].contains($0.event) }
        broker.onDelay = { [unowned self] in others(than: $0) }
        for _ in 0...first { join() }
    }

    private var live: [SimulatedMember] { members.filter { !$0.isGone } }

    // MARK: Time

    /// - Returns: What went wrong; `nil` where nothing did.
    func run() -> String? {
        advance(to: calm)
        broker.faults = SimulatedFaults()
        broker.isDownUntil = 0
        for member in members {
            member.connection.isDownUntil = 0
            member.connection.nextError = nil
        }
        if live.allSatisfy(\.isLeaving) { join() }
        broker.note("from now on all is well")
        while broker.failure == nil, !isDone {
            guard broker.now < calm + Self.limit else {
                broker.fail(
                    "not done in time: \(broker.kept.map { $0.place?.position ?? 0 }) of \(broker.references.map(\.lastNumber)), "
                        + "by \(live.map { "\($0.name): \($0.worker.partitions.sorted())" })"
                )
                break
            }
            advance(to: broker.now + 250 * SimulatedBroker.millisecond)
        }
        drainTime = broker.now - calm
        for (partition, (kept, reference)) in zip(broker.kept, broker.references).enumerated()
        where kept.outputs != reference.outputs {
            broker.fail("partition \(partition) has other outputs in the end")
        }
        if isOrderly, broker.refusedCommits > 0 {
            broker.fail("commits were refused though each partition was one member's")
        }
        if handovers.longestStand > Self.standLimit {
            let stand = broker.longestStand / SimulatedBroker.millisecond
            broker.fail("a partition stood for \(stand) ms while it changed hands")
        }
        return broker.failure
    }

    /// Whether everything is committed, and each partition is one member's.
    private var isDone: Bool {
        guard broker.isDone else { return false }
        let live = live
        let owned = live.reduce(0) { $0 + $1.worker.partitions.count }
        let all = live.reduce(into: Set<Int>()) { $0.formUnion($1.worker.partitions) }
        return owned == partitionCount && all.count == partitionCount
            && live.allSatisfy { !$0.share.isChanging && $0.share.kept == $0.worker.partitions }
    }

    /// Goes on up to a time, one thing after the other.
    private func advance(to end: Int64) {
        while broker.failure == nil {
            var next = end
            let event = events.first?.time ?? .max
            let late = broker.nextLate ?? .max
            next = min(next, event, late)
            var turn: SimulatedMember?
            for member in members where !member.isBusy && !member.isGone && member.next < next {
                next = member.next
                turn = member
            }
            // Time does not go back where a member that waited was faster.
            broker.now = max(broker.now, next)
            if let turn {
                stepCount += 1
                turn.step()
            } else if late == next {
                broker.applyLate()
            } else if event == next {
                happen(events.removeFirst().event)
            } else {
                return
            }
        }
    }

    /// Lets all others go on for a while, sometimes for longer than a lease, while a request is under way.
    private func others(than connection: SimulatedConnection) {
        guard depth < 3 else { return }
        depth += 1
        let time = broker.pick(8) == 0 ? broker.pick(2_000...4_000) : broker.pick(1...300)
        broker.note("\(connection.member) waits for \(time / SimulatedBroker.millisecond) ms")
        advance(to: broker.now + time)
        depth -= 1
    }

    // MARK: What happens

    private func join() {
        // Not in the order of the names, which decides who proposes.
        let name = "m\(broker.pick(10))\(memberCount)"
        memberCount += 1
        broker.note("\(name) joins")
        members.removeAll { $0.isGone && !$0.isBusy }
        members.append(SimulatedMember(name, settings, work, in: broker))
    }

    private func happen(_ event: Event) {
        let live = live
        guard let one = live.isEmpty ? nil : live[broker.pick(live.count)] else { return join() }
        switch event {
        case .join where live.count < 5: join()
        case .join: break
        case .grow: while self.live.count < 4 { join() }
        case .shrink: for member in live.dropFirst(2) { end(member, isKilled: broker.pick(2) == 0) }
        case .kill, .leave:
            end(one, isKilled: event == .kill)
            if broker.pick(3) > 0 { join() }
        case .interrupt: one.connection.nextError = SimulatedConnection.end
        case .sleep:
            let time = broker.pick(300...6_000)
            broker.note("\(one.name) sleeps for \(time / SimulatedBroker.millisecond) ms")
            one.sleep(until: broker.now + time)
        case .jump:
            let time = broker.pick(500...30_000)
            broker.note("\(one.name)'s clock jumps by \(time / SimulatedBroker.millisecond) ms")
            one.jump(time)
        case .cutOff: one.connection.isDownUntil = broker.now + broker.pick(200...4_000)
        case .election: broker.isDownUntil = broker.now + broker.pick(200...1_500)
        }
    }

    private func end(_ member: SimulatedMember, isKilled: Bool) {
        // In peace somebody stays, who takes what is let go.
        if isPeaceful, !live.contains(where: { $0 !== member && !$0.isLeaving }) { return }
        broker.note("\(member.name) \(isKilled || member.isBusy ? "is killed" : "leaves")")
        // One that waits for an answer cannot leave meanwhile.
        guard !isKilled, !member.isBusy else { return member.kill() }
        // Who ends at once leaves what others have just let go for it.
        !isPeaceful && broker.pick(3) == 0 ? member.leave() : member.handOver()
    }
}
