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
        /// A clock goes back, or at another speed from then on.
        case jumpBack, changeSpeed
        /// What is to come, as the broker has said, does not come for a while.
        case stall
    }

    /// A group, and what keeps it; the second one reads what the first one finds.
    private final class Stage {
        let broker: SimulatedBroker
        let settings: GroupSettings
        let work: GroupWorker.Settings
        let limit: Int
        var members: [SimulatedMember] = []
        var live: [SimulatedMember] { members.filter { !$0.isGone } }

        init(_ broker: SimulatedBroker, _ work: GroupWorker.Settings, memberLimit: Int) {
            (self.broker, self.work, limit) = (broker, work, memberLimit)
            settings = GroupSettings([.init("query", "count")], partitionCount: broker.references.count)
        }

        /// Whether everything is committed, and each partition is one member's.
        var isDone: Bool {
            guard broker.isDone else { return false }
            let live = live
            let owned = live.reduce(0) { $0 + $1.worker.partitions.count }
            let all = live.reduce(into: Set<Int>()) { $0.formUnion($1.worker.partitions) }
            return owned == settings.partitionCount && all.count == owned
                && live.allSatisfy { !$0.share.isChanging && $0.share.kept == $0.worker.partitions }
        }
    }

    private let stages: [Stage]
    private var broker: SimulatedBroker { stages[0].broker }
    private var now: Int64 = 0
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
        stages.map(\.broker).reduce((0, 0, 0)) {
            ($0.0 + $1.applied.count, $0.1 + $1.refusedCommits, $0.2 + $1.lateCommits)
        }
    }

    /// How long after the faults all was done, in nanoseconds.
    private(set) var drainTime: Int64 = 0

    /// The time in which all has to be done once nothing goes wrong any more.
    ///
    /// Some sleep for 6 s, or wait for 4 s, from then
    /// on, and their partitions are not free before the lease is over. The slowest of 100,000 seeds took 13 s. A second group
    /// waits for parts of its input until they are idle, and as long again for each that begins anew meanwhile.
    private var limit: Int64 { stages.count == 1 ? 20_000_000_000 : 60_000_000_000 }

    /// How long a partition that is handed over may stand still in peace.
    ///
    /// Its owner changes the map, which it looks at every 30 ms at least while partitions change hands, and once more where
    /// another one has changed it at the same time; the next one sees that within 30 ms, and its worker, whose turn comes within
    /// 140 ms, takes the partition.
    static let standLimit: Int64 = 400_000_000

    var handovers: (count: Int, longestStand: Int64) {
        guard isPeaceful else { return (0, 0) }
        return stages.map(\.broker).reduce((0, 0)) { ($0.0 + $1.handoverCount, max($0.1, $1.longestStand)) }
    }

    /// Makes a group, and what will happen to it.
    ///
    /// - Parameters:
    ///   - seed: What all is made of.
    ///   - merges: Whether a second group reads the outputs of the first one.
    ///   - defect: What the broker does wrong.
    ///   - onNote: Gets what happens, as text.
    init(seed: UInt64, merges: Bool = false, defect: BrokerDefect? = nil, onNote: ((String) -> Void)? = nil) {
        var random = SeededGenerator(seed: seed ^ 0x5EED)
        func pick(_ limit: Int) -> Int { Int(truncatingIfNeeded: random.next() % UInt64(limit)) }
        let second: Int64 = 1_000_000_000
        let calm = Int64(3 + pick(4)) * second
        self.calm = calm
        let partitionCount = 1 + pick(5)
        // Some partitions get more than others, and some nothing.
        let spread = 1 + pick(partitionCount * 2)
        let times = (0..<(30 + pick(31))).map { _ in Int64(pick(Int(calm))) }.sorted()
        let messages = times.enumerated().map { index, time in
            let partition = min(pick(spread), pick(partitionCount))
            var payload: [UInt8] = []
            // In the order in which they come: what is late then was made so.
            if merges { SimulatedBytes.append(UInt64(index + 1), to: &payload) }
            for _ in 0...pick(2) { payload.append(UInt8(truncatingIfNeeded: pick(256))) }
            return SimulatedMessage(number: UInt64(index + 1), partition: partition, payload: payload, time: time)
        }
        let broker = SimulatedBroker(
            seed: seed,
            partitionCount: partitionCount,
            messages: messages,
            tellsTime: merges
        )
        broker.defect = defect
        var work = GroupWorker.Settings()
        work.interval = Int64(100 + pick(500)) * SimulatedBroker.millisecond
        work.idleInterval = Int64(400 + pick(1_000)) * SimulatedBroker.millisecond
        work.pause = Int64(50 + pick(150)) * SimulatedBroker.millisecond
        if pick(3) == 0 { work.outputByteCount = 1 + pick(100) }
        work.handoverByteCount = [1, 32, 1 << 20][pick(3)]
        let isPeaceful = pick(8) == 0
        self.isPeaceful = isPeaceful
        let level = isPeaceful ? 0 : [0, 15, 60, 200][pick(4)]
        func often() -> Int { pick(3) == 0 ? 0 : pick(level + 1) }
        func faults() -> SimulatedFaults {
            SimulatedFaults(
                lost: often(),
                answerLost: often(),
                late: often(),
                twice: often(),
                delayed: often() / 2,
                stale: often() * 3,
                gap: often(),
                again: often()
            )
        }
        broker.faults = faults()
        var kinds: [Event] = [.join, .leave]
        if !isPeaceful { kinds += [.interrupt, .kill, .kill, .sleep, .sleep, .jump, .cutOff, .election] }
        if merges {
            broker.faults.silent = often()
            if !isPeaceful { kinds += [.jumpBack, .changeSpeed, .stall] }
            // By the fastest clock no part is idle while something comes: else it might be late in peace too.
            work.idleInterval = calm + calm / 2
            let second = SimulatedBroker(seed: ~seed, merging: broker)
            second.faults = faults()
            second.faults.silent = often()
            stages = [
                Stage(broker, work, memberLimit: 5),
                Stage(second, work, memberLimit: 3),
            ]
        } else {
            stages = [Stage(broker, work, memberLimit: 5)]
        }
        for _ in 0..<pick(12) { events.append((Int64(pick(Int(calm))), kinds[pick(kinds.count)])) }
        let first = pick(3)
        if first == 0, !isPeaceful {
            let (one, other) = (Int64(pick(Int(calm))), Int64(pick(Int(calm))))
            events += [(min(one, other), .grow), (max(one, other), .shrink)]
        }
        events.sort { $0.time < $1.time }
        isOrderly = level == 0 && events.allSatisfy { [.join, .leave, .kill, .grow, .shrink].contains($0.event) }
        for stage in stages {
            stage.broker.onNote = onNote
            stage.broker.onDelay = { [unowned self] in others(than: $0, stage.broker) }
        }
        for _ in 0...first { join(stages[0]) }
        if merges { for _ in 0...pick(2) { join(stages[1]) } }
    }

    // MARK: Time

    /// - Returns: What went wrong; `nil` where nothing did.
    func run() -> String? {
        advance(to: calm)
        for stage in stages {
            stage.broker.faults = SimulatedFaults()
            stage.broker.isDownUntil = 0
            for member in stage.members {
                member.connection.isDownUntil = 0
                member.connection.nextError = nil
            }
            if stage.live.allSatisfy(\.isLeaving) { join(stage) }
        }
        broker.note("from now on all is well")
        while failure == nil, let stage = stages.first(where: { !$0.isDone }) {
            guard now < calm + limit else {
                stage.broker.fail(
                    "not done in time: \(stage.broker.kept.map { $0.place?.position ?? 0 }) of "
                        + "\(stage.broker.references.map(\.lastNumber)), "
                        + "by \(stage.live.map { "\($0.name): \($0.worker.partitions.sorted())" })"
                )
                break
            }
            advance(to: now + 250 * SimulatedBroker.millisecond)
        }
        drainTime = now - calm
        if let failure { return failure }
        for stage in stages {
            for (partition, (kept, reference)) in zip(stage.broker.kept, stage.broker.references).enumerated()
            where kept.outputs != reference.outputs {
                stage.broker.fail("partition \(partition) has other outputs in the end")
            }
            if isOrderly, stage.broker.refusedCommits > 0 {
                stage.broker.fail("commits were refused though each partition was one member's")
            }
        }
        for stage in stages where isPeaceful && stage.broker.longestStand > Self.standLimit {
            let stand = stage.broker.longestStand / SimulatedBroker.millisecond
            stage.broker.fail("a partition stood for \(stand) ms while it changed hands")
        }
        return failure
    }

    /// What went wrong first, in the first stage where something did.
    private var failure: String? { stages.lazy.compactMap(\.broker.failure).first }

    /// Goes on up to a time, one thing after the other.
    private func advance(to end: Int64) {
        while failure == nil {
            var next = end
            let event = events.first?.time ?? .max
            let late = stages.compactMap(\.broker.nextLate).min() ?? .max
            next = min(next, event, late)
            var turn: SimulatedMember?
            for stage in stages {
                for member in stage.members where !member.isBusy && !member.isGone && member.next < next {
                    next = member.next
                    turn = member
                }
            }
            // Time does not go back where a member that waited was faster.
            now = max(now, next)
            for stage in stages { stage.broker.now = now }
            if let turn {
                stepCount += 1
                turn.step()
            } else if late == next {
                for stage in stages { stage.broker.applyLate() }
            } else if event == next {
                happen(events.removeFirst().event)
            } else {
                return
            }
        }
    }

    /// Lets all others go on for a while, sometimes for longer than a lease, while a request is under way.
    private func others(than connection: SimulatedConnection, _ broker: SimulatedBroker) {
        guard depth < 3 else { return }
        depth += 1
        let time = broker.pick(8) == 0 ? broker.pick(2_000...4_000) : broker.pick(1...300)
        broker.note("\(connection.member) waits for \(time / SimulatedBroker.millisecond) ms")
        advance(to: now + time)
        depth -= 1
    }

    // MARK: What happens

    private func join(_ stage: Stage) {
        // Not in the order of the names, which decides who proposes.
        let name = "m\(stage.broker.pick(10))\(memberCount)"
        memberCount += 1
        stage.broker.note("\(name) joins")
        stage.members.removeAll { $0.isGone && !$0.isBusy }
        stage.members.append(SimulatedMember(name, stage.settings, stage.work, in: stage.broker))
    }

    private func happen(_ event: Event) {
        let stage = stages.count == 1 ? stages[0] : stages[broker.pick(stages.count)]
        let (live, broker) = (stage.live, stage.broker)
        guard let one = live.isEmpty ? nil : live[broker.pick(live.count)] else { return join(stage) }
        switch event {
        case .join where live.count < stage.limit: join(stage)
        case .join: break
        case .grow: while stage.live.count < stage.limit - 1 { join(stage) }
        case .shrink: for member in live.dropFirst(2) { end(member, isKilled: broker.pick(2) == 0, of: stage) }
        case .kill, .leave:
            end(one, isKilled: event == .kill, of: stage)
            if broker.pick(3) > 0 { join(stage) }
        case .interrupt: one.connection.nextError = SimulatedConnection.end
        case .sleep:
            let time = broker.pick(300...6_000)
            broker.note("\(one.name) sleeps for \(time / SimulatedBroker.millisecond) ms")
            one.sleep(until: now + time)
        case .jump:
            let time = broker.pick(500...30_000)
            broker.note("\(one.name)'s clock jumps by \(time / SimulatedBroker.millisecond) ms")
            one.jump(time)
        case .jumpBack:
            let time = broker.pick(100...4_000)
            broker.note("\(one.name)'s clock goes back by \(time / SimulatedBroker.millisecond) ms")
            one.jump(-time)
        case .changeSpeed:
            one.changeSpeed(Int64(800 + broker.pick(450)))
            broker.note("\(one.name)'s clock changes its speed")
        case .stall:
            let time = broker.pick(1_000...15_000)
            broker.note("nothing comes to \(one.name) for \(time / SimulatedBroker.millisecond) ms")
            one.connection.isStalledUntil = now + time
        case .cutOff: one.connection.isDownUntil = now + broker.pick(200...4_000)
        case .election: broker.isDownUntil = now + broker.pick(200...1_500)
        }
    }

    private func end(_ member: SimulatedMember, isKilled: Bool, of stage: Stage) {
        let broker = stage.broker
        // In peace one member stays, to take the partitions that are let go.
        if isPeaceful, !stage.live.contains(where: { $0 !== member && !$0.isLeaving }) { return }
        broker.note("\(member.name) \(isKilled || member.isBusy ? "is killed" : "leaves")")
        // One that waits for an answer cannot leave meanwhile.
        guard !isKilled, !member.isBusy else { return member.kill() }
        // Who ends at once leaves what others have just let go for it.
        !isPeaceful && broker.pick(3) == 0 ? member.leave() : member.handOver()
    }
}
