import WeirCore
import WeirGroups

/// How often something goes wrong, in thousandths.
struct SimulatedFaults {
    /// A request gets lost.
    var lost = 0
    /// A request is applied, but its answer gets lost.
    var answerLost = 0
    /// A request is given up, and applied later.
    var late = 0
    /// A request is applied twice: at once, or once more later.
    var twice = 0
    /// Others go on before a request is applied, or before it is answered.
    var delayed = 0
    /// What is read is older than what was written last.
    var stale = 0
    /// A connection breaks while messages come, and some are lost.
    var gap = 0
    /// Messages come once more.
    var again = 0
    /// Nothing comes for a moment.
    var silent = 0
}

/// What a broken broker does wrong, to see that the simulation notices.
enum BrokerDefect: String, CaseIterable {
    case ignoresRevisions, losesOutputs, saysTooMuchWasRead, keepsUnclearCommitsTwice
}

/// A server that keeps the data of a group, in virtual time, and does all that the protocols allow to go wrong.
///
/// Each commit is compared with an uninterrupted run when it is applied, and not at the end alone: then the cause is near.
final class SimulatedBroker {
    /// The commits of a partition as they are kept.
    struct Kept {
        var place: PartitionPlace?
        var before: PartitionPlace?
        var outputs: [UInt8] = []
    }

    static let millisecond: Int64 = 1_000_000

    var random: SeededGenerator
    var faults = SimulatedFaults()
    var defect: BrokerDefect?

    /// Nanoseconds since the simulation began.
    var now: Int64 = 0 {
        didSet { while published < messages.count, messages[published].time <= now { published += 1 } }
    }

    private(set) var messages: [SimulatedMessage]
    let references: [PartitionReference]

    /// Of how many parts the input is, which are merged by their marks of time; 0 where it is none of a group.
    let sourceCount: Int

    /// Whether how far time is matters to those who read what is found.
    let tellsTime: Bool

    /// Called with each commit that is kept.
    var onCommit: (_ commit: PartitionCommit) -> Void = { _ in }

    /// How many messages there are by now.
    private(set) var published = 0
    private(set) var kept: [Kept]

    /// What went wrong first.
    private(set) var failure: String?

    /// Until when nobody reaches the broker.
    var isDownUntil: Int64 = 0

    /// Lets others go on while a request is under way.
    var onDelay: (_ connection: SimulatedConnection) -> Void = { _ in }

    /// Called with what happens, for people.
    var onNote: ((_ what: String) -> Void)?

    /// The commits that were kept, in their order, and how many were refused, or came late.
    private(set) var applied: [PartitionCommit] = []
    private(set) var refusedCommits = 0
    private(set) var lateCommits = 0

    /// When partitions were let go that nobody works at yet.
    private var releases: [Int: Int64] = [:]

    /// How many partitions were handed over, and for how long one of them stood still.
    private(set) var handoverCount = 0
    private(set) var longestStand: Int64 = 0

    private var snapshots: [[String: SharedValue]] = [[:]]
    private var lastRevision: UInt64 = 0
    private var pending: [(time: Int64, apply: () -> Void)] = []

    init(seed: UInt64, partitionCount: Int, messages: [SimulatedMessage], tellsTime: Bool = false) {
        random = SeededGenerator(seed: seed)
        self.messages = messages
        sourceCount = 0
        self.tellsTime = tellsTime
        references = (0..<partitionCount).map { PartitionReference($0, messages, hasTimes: tellsTime) }
        kept = [Kept](repeating: Kept(), count: partitionCount)
    }

    /// Creates a broker whose input is what another group finds, as one partition.
    init(seed: UInt64, merging first: SimulatedBroker) {
        random = SeededGenerator(seed: seed)
        messages = []
        sourceCount = first.references.count
        tellsTime = false
        references = [PartitionReference(merging: first.references)]
        kept = [Kept()]
        first.onCommit = { [unowned self] in append($0) }
    }

    /// Adds what a commit of the group before has found: messages of lines, of which the last one has a mark, and a head.
    private func append(_ commit: PartitionCommit) {
        var lines = SimulatedMerge.lines(of: commit.outputs[...])[...]
        func add(_ payload: ArraySlice<UInt8>, _ mark: TimeMark?, isHead: Bool = false) {
            var message = SimulatedMessage(
                number: UInt64(messages.count + 1),
                partition: 0,
                payload: Array(payload),
                time: now
            )
            (message.source, message.mark, message.isHead) = (commit.partition, mark, isHead)
            messages.append(message)
        }
        while !lines.isEmpty {
            let some = lines.prefix(1 + pick(3))
            lines = lines.dropFirst(some.count)
            let mark = lines.isEmpty ? commit.mark.map { TimeMark(time: $0.time, isIdle: false) } : nil
            add(ArraySlice(some.joined()), mark)
        }
        if let index = messages.lastIndex(where: { $0.isHead && $0.source == commit.partition }) {
            messages[index].isRemoved = true
        }
        add([], commit.mark, isHead: true)
        published = messages.count
    }

    /// The marks of those parts that have no lines behind a place, by what is known up to another.
    func marks(behind position: UInt64, upTo end: Int) -> [(source: Int, mark: TimeMark)] {
        var heads: [Int: TimeMark] = [:]
        for message in messages[..<end] where message.isHead { heads[message.source] = message.mark }
        let behind = Set(messages[..<end].filter { !$0.isHead && $0.number > position }.map(\.source))
        return heads.filter { !behind.contains($0.key) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // MARK: Chance

    /// A number from 0 up to a limit, without it.
    func pick(_ limit: Int) -> Int { Int(truncatingIfNeeded: random.next() % UInt64(limit)) }

    func pick(_ milliseconds: ClosedRange<Int>) -> Int64 {
        Int64(milliseconds.lowerBound + pick(milliseconds.count)) * Self.millisecond
    }

    func chance(_ thousandths: Int) -> Bool { thousandths > 0 && pick(1_000) < thousandths }

    // MARK: What comes later

    /// When the next late request is applied.
    var nextLate: Int64? { pending.map(\.time).min() }

    /// Applies the late requests that are due.
    func applyLate() {
        while let index = pending.indices.min(by: { pending[$0].time < pending[$1].time }), pending[index].time <= now {
            pending.remove(at: index).apply()
        }
    }

    func later(_ apply: @escaping () -> Void) { pending.append((now + pick(1...2_500), apply)) }

    func fail(_ what: @autoclosure () -> String) {
        guard failure == nil else { return }
        failure = what()
        note("WRONG: \(failure ?? "")")
    }

    func note(_ what: @autoclosure () -> String) {
        guard let onNote else { return }
        onNote("\(now / Self.millisecond) ms: \(sourceCount > 0 ? "merge: " : "")\(what())")
    }

    // MARK: Partitions that change hands

    func noteRelease(of partitions: Set<Int>) {
        for partition in partitions { releases[partition] = now }
    }

    func noteTake(of partition: Int) {
        guard let time = releases.removeValue(forKey: partition) else { return }
        handoverCount += 1
        longestStand = max(longestStand, now - time)
    }

    // MARK: Values

    /// The values, or those of some changes ago.
    func read() -> [String: SharedValue] {
        guard chance(faults.stale) else { return snapshots.last ?? [:] }
        return snapshots[max(0, snapshots.count - 2 - pick(10))]
    }

    /// Sets a value, or removes it.
    ///
    /// - Returns: Whether it had the revision that is given; 0 for no value.
    func write(_ key: String, _ bytes: [UInt8]?, ifRevision revision: UInt64? = nil) -> Bool {
        var values = snapshots.last ?? [:]
        if let revision, (values[key]?.revision ?? 0) != revision { return false }
        lastRevision += 1
        values[key] = bytes.map { SharedValue(bytes: $0, revision: lastRevision) }
        snapshots.append(values)
        return true
    }

    // MARK: Commits

    func commit(_ commit: PartitionCommit, isLate: Bool) -> Result<UInt64, GroupError> {
        let before = kept[commit.partition]
        let revision = before.place?.revision ?? 0
        let isIgnored = defect == .ignoresRevisions || defect == .keepsUnclearCommitsTwice && isLate
        guard commit.revision == revision || isIgnored else {
            refusedCommits += 1
            return .failure(GroupError(.outdated, "another commit came first"))
        }
        applied.append(commit)
        if isLate { lateCommits += 1 }
        lastRevision += 1
        kept[commit.partition].before = before.place
        kept[commit.partition].place = PartitionPlace(
            revision: lastRevision,
            position: commit.position,
            state: commit.state ?? before.place?.state ?? []
        )
        if defect != .losesOutputs || commit.position % 7 != 0 { kept[commit.partition].outputs += commit.outputs }
        check(commit.partition, before)
        onCommit(commit)
        return .success(lastRevision)
    }

    /// Loses what is known of a partition, and not its place.
    func loseState(of partition: Int) {
        guard let place = kept[partition].place else { return }
        kept[partition].place = PartitionPlace(revision: place.revision, position: place.position, state: nil)
    }

    /// Compares a partition with an uninterrupted run.
    private func check(_ partition: Int, _ before: Kept) {
        let (after, reference) = (kept[partition], references[partition])
        guard let place = after.place else { return }
        guard sourceCount == 0 else {
            // How far a merge is depends on what the marks say, and not on the place alone.
            if !reference.outputs.starts(with: after.outputs) {
                fail("the merge has other outputs at \(place.position)")
            }
            return
        }
        let (state, outputByteCount) = reference.after(place.position)
        let position = before.place?.position ?? 0
        if place.position < position {
            fail("partition \(partition) goes back from \(position) to \(place.position)")
        } else if place.position > UInt64(published) {
            fail("partition \(partition) is at \(place.position) where there are \(published) messages")
        } else if after.outputs[...] != reference.outputs.prefix(outputByteCount) {
            fail("partition \(partition) has other outputs at \(place.position)")
        } else if place.state != state {
            fail("partition \(partition) has another state at \(place.position)")
        }
    }

    /// Whether all messages that there will be were handled.
    var isDone: Bool {
        guard sourceCount == 0 else { return kept[0].outputs.count == references[0].outputs.count && pending.isEmpty }
        return isRead
    }

    private var isRead: Bool {
        published == messages.count && pending.isEmpty
            && zip(kept, references).allSatisfy { ($0.place?.position ?? 0) >= $1.lastNumber }
    }
}
