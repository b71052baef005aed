import WeirCore
import WeirGroups

/// A member of the simulation: what a program does that works in a group.
final class SimulatedMember {
    let name: String
    let connection: SimulatedConnection
    let worker: GroupWorker

    /// When it is its turn, in nanoseconds of the simulation.
    var nextMembership: Int64
    var nextWork: Int64

    /// Whether it waits for an answer while others go on.
    var isBusy = false

    /// Whether it has left, or was killed.
    private(set) var isGone = false

    /// Since when it hands over all that it has; `nil` where it stays.
    private var leavingSince: Int64?

    var isLeaving: Bool { leavingSince != nil }

    /// How long it waits for others before it ends.
    private static let longestEnd: Int64 = 5_000_000_000

    private(set) var share = GroupShare()
    private var membership: GroupMembership
    private var released: [Int] = []
    private let broker: SimulatedBroker

    /// Its clock runs at another speed, in thousandths, from another time on, and jumps.
    private var speed: Int64
    private var offset: Int64

    init(_ name: String, _ settings: GroupSettings, _ work: GroupWorker.Settings, in broker: SimulatedBroker) {
        self.name = name
        self.broker = broker
        connection = SimulatedConnection(name, broker)
        membership = GroupMembership(name, settings, in: connection)
        worker = GroupWorker(connection, work) { [broker] partition, state in
            broker.noteTake(of: partition)
            guard broker.sourceCount > 0 else {
                return SimulatedProcessor(partition, state, hasTimes: broker.tellsTime)
            }
            return SimulatedMerge(broker.sourceCount, state) { broker.fail($0) }
        }
        nextMembership = broker.now
        nextWork = broker.now
        speed = Int64(800 + broker.pick(450))
        offset = Int64(broker.pick(1_000)) * 1_000_000_000
    }

    private var clock: Timestamp { Timestamp(nanosecondsSinceEpoch: broker.now / 1_000 * speed + offset) }

    /// Whether it works at one of its partitions, or is about to.
    var next: Int64 { min(nextMembership, nextWork) }

    // MARK: What happens to it

    func jump(_ nanoseconds: Int64) { offset += nanoseconds }

    /// Lets its clock go on at another speed, without a jump.
    func changeSpeed(_ thousandths: Int64) {
        offset += broker.now / 1_000 * (speed - thousandths)
        speed = thousandths
    }

    func sleep(until time: Int64) {
        nextMembership = max(nextMembership, time)
        nextWork = max(nextWork, time)
    }

    func kill() {
        connection.isDead = true
        isGone = true
    }

    /// Hands over all that it has, as a program does that was told to end.
    func handOver() { leavingSince = leavingSince ?? broker.now }

    /// Ends at once, with what it has.
    func leave() {
        guard !isGone else { return }
        isGone = true
        do throws(GroupError) { try worker.commitAll(clock) } catch { end(error) }
        try? membership.leave()
    }

    // MARK: What it does

    func step() {
        isBusy = true
        defer { isBusy = false }
        let time = broker.now
        do throws(GroupError) {
            if nextMembership <= time {
                nextMembership = time + broker.pick(200...300)
                let letGo = released
                released = []
                share = try membership.step(
                    clock,
                    released: letGo,
                    prepared: worker.prepared,
                    isLeaving: isLeaving
                )
                if share.isChanging { nextMembership = time + broker.pick(5...30) }
                if let leavingSince {
                    let isDone = membership.heirs.isEmpty || share == GroupShare()
                    if isDone || leavingSince + Self.longestEnd < broker.now { leave() }
                }
            } else {
                nextWork = time + broker.pick(60...140)
                let now = clock
                let leaving = share.leaving.isEmpty ? [] : share.leaving.intersection(worker.partitions)
                released += try worker.step(share, now, until: now)
                if !leaving.isEmpty { broker.noteRelease(of: leaving.subtracting(worker.partitions)) }
            }
        } catch {
            end(error)
        }
        nextMembership = max(nextMembership, broker.now)
        nextWork = max(nextWork, broker.now)
    }

    private func end(_ error: GroupError) {
        switch error.kind {
        case .unreachable, .outdated: break
        case .interrupted: leave()
        case .refused: broker.fail("\(name) ends: \(error)")
        }
    }
}
