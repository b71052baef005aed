package import WeirCore

/// Works at a member's share of the partitions: messages in, commits out.
///
/// Each partition has a processor of its own. What it finds is kept together with what it knows and the place in the input,
/// or not at all. Where a commit was refused, or nobody knows what became of it, the processor is given up and another one
/// goes on from the last commit: there is one way to go on, after each failure the same.
///
/// Thread safety: one thread at a time. Time is handed in, but for the waiting of the log.
package final class GroupWorker {
    /// When to commit.
    package struct Settings: Sendable {
        /// How long after a commit the next one is made where there is something new, in nanoseconds.
        package var interval: Int64 = 1_000_000_000

        /// How long a partition without messages goes on with the commit before, in nanoseconds.
        package var idleInterval: Int64 = 10_000_000_000

        /// How many bytes of outputs wait, at most, before they are committed.
        package var outputByteCount = 4 << 20

        /// How many bytes of states are handed over at a time, at least one state: the next ones are worked at meanwhile.
        package var handoverByteCount = 8 << 20

        /// How long to wait after something could not be reached, in nanoseconds; twice as long each time, up to a limit.
        package var pause: Int64 = 200_000_000
        package var longestPause: Int64 = 5_000_000_000

        package init() {}
    }

    /// What was counted.
    package struct Counts: Sendable, Equatable {
        package var messages: UInt64 = 0
        package var commits: UInt64 = 0

        /// Commits that another member's had overtaken.
        package var refusedCommits: UInt64 = 0

        /// Commits of which it is not known what became.
        package var unclearCommits: UInt64 = 0

        /// Partitions that were begun or gone on with.
        package var restores: UInt64 = 0

        /// Partitions that were handed over.
        package var handovers: UInt64 = 0

        /// Outputs of commits that the log could not keep.
        package var lostOutputs: UInt64 = 0

        package init() {}
    }

    /// How far a partition is.
    package struct Progress: Sendable {
        package let partition: Int
        package let position: UInt64
        package let lastCommit: Timestamp
        package let stateByteCount: Int
    }

    /// What is known of a partition that is worked at.
    private final class Work {
        let partition: Int
        let processor: any PartitionProcessor
        var revision: UInt64
        var position: UInt64
        var committedPosition: UInt64
        var lastCommit: Timestamp
        var stateByteCount: Int
        var isTouched = false

        /// Whether something was handled since the last commit.
        var isDirty = false

        /// When the last message was handled, or the partition was begun, in time awake.
        var lastMessage: Int64

        /// Whether the last commit says that nothing has come for a while.
        var isIdle = false

        init(
            _ partition: Int,
            _ processor: any PartitionProcessor,
            from place: PartitionPlace?,
            _ now: Timestamp,
            awake: Int64
        ) {
            self.partition = partition
            self.processor = processor
            revision = place?.revision ?? 0
            position = place?.position ?? 0
            committedPosition = position
            (lastCommit, lastMessage) = (now, awake)
            stateByteCount = place?.state?.count ?? 0
            // What was lost is replaced, also where no message comes.
            isDirty = place != nil && place?.state == nil
        }
    }

    private let log: any PartitionLog
    private let settings: Settings
    private let makeProcessor: (_ partition: Int, _ state: [UInt8]?) throws(GroupError) -> any PartitionProcessor
    private var work: [Int: Work] = [:]
    private var touched: [Work] = []

    /// The share whose partitions are all worked at, and no others; `nil` where something is to be done.
    private var settled: GroupShare?

    /// What was let go, and is said again until the share says so.
    private var told: Set<Int> = []

    /// Partitions that are to come, and for which everything is ready that can be before their owner lets go.
    package private(set) var prepared: Set<Int> = []

    /// Those that the log was asked last to make ready for.
    private var preparing: Set<Int> = []

    /// How many bytes of outputs wait for a commit.
    private var outputByteCount = 0
    private var nextCommit: Timestamp?

    /// How long this worker has been awake, in nanoseconds.
    ///
    /// What a process, a machine or a clock leaves out at once says nothing about messages: they may wait on the way.
    private var awake: Int64 = 0
    private var lastStep: Timestamp?
    private static let longestStep: Int64 = 1_000_000_000
    private var nextAttempt: Timestamp?
    private var failureCount = 0

    /// The last commits that this worker knows of.
    private var revisions: [Int: UInt64] = [:]

    /// Since when one of them is not to be found, in time awake, and for how long that may be so.
    private var missingSince: Int64?
    private static let longestLag: Int64 = 60_000_000_000
    private var isReading = false

    package private(set) var counts = Counts()

    /// Until when nothing is tried, after something could not be reached.
    package var pauseEnd: Timestamp? { nextAttempt }

    /// Why something could not be reached the last time, until it could.
    package private(set) var trouble: GroupError?

    /// Creates a worker without partitions.
    ///
    /// - Parameters:
    ///   - log: Where messages come from and commits go.
    ///   - settings: When to commit.
    ///   - makeProcessor: Makes what handles a partition, which goes on with what the last commit says, if there is one.
    package init(
        _ log: any PartitionLog,
        _ settings: Settings,
        makeProcessor: @escaping (_ partition: Int, _ state: [UInt8]?) throws(GroupError) -> any PartitionProcessor
    ) {
        self.log = log
        self.settings = settings
        self.makeProcessor = makeProcessor
        log.observeMarks { [unowned self] partition, number, source, mark in
            // A mark may be of the message before it, which has the same number.
            note(number, of: partition, isSecond: true) { $0.take(mark, of: source) }
        }
    }

    /// The partitions that are worked at.
    package var partitions: Set<Int> { Set(work.keys) }

    /// How far each partition is, in their order.
    package var progress: [Progress] {
        work.sorted { $0.key < $1.key }.map { partition, work in
            Progress(
                partition: partition,
                position: max(work.position, frontier(of: partition)),
                lastCommit: work.lastCommit,
                stateByteCount: work.stateByteCount
            )
        }
    }

    /// Works for a while: takes what is new in the share, lets go of the rest, handles messages and commits.
    ///
    /// - Parameters:
    ///   - share: The partitions of this member.
    ///   - now: The time.
    ///   - limit: Until when to wait for messages.
    /// - Returns: The partitions that others can have now.
    /// - Throws: ``GroupError`` where it cannot go on. What cannot be reached is tried again, by later calls.
    package func step(_ share: GroupShare, _ now: Timestamp, until limit: Timestamp) throws(GroupError) -> [Int] {
        if let lastStep { awake += max(0, min((now - lastStep).wholeNanoseconds, Self.longestStep)) }
        lastStep = now
        var released: [Int] = []
        // Equal sets are found to be so at once where they are the same.
        if settled == share { settled = share }
        if settled != share {
            // Until all of it is done: a part of a share is no share, also where the one before comes back.
            settled = nil
            // What is another's by now: a commit would be refused.
            for partition in partitions.subtracting(share.kept).subtracting(share.leaving) { give(up: partition) }
            released = try handOver(share.leaving, now)
        }
        let isTold = told.isSuperset(of: released)
        told = Set(released)
        if nextAttempt.map({ $0 <= now }) ?? true {
            do throws(GroupError) {
                if settled != share {
                    try acquire(share.kept, now)
                    settled = share.leaving.isEmpty ? share : nil
                }
                if !isReading { try read() }
                try prepare(share.coming)
                trouble = nil
                nextAttempt = nil
                // Who waits for what was released learns of it at once.
                try receive(until: isTold ? min(limit, nextCommit ?? limit) : now)
            } catch {
                // What came before it is handled, also where that is the end.
                try process()
                try pause(error, now)
            }
        }
        try process()
        try commitIfDue(now)
        return released
    }

    /// Commits all that was handled; to be called before the end.
    ///
    /// Where something could not be reached, ``trouble`` says so: others find again what was not kept.
    ///
    /// - Throws: ``GroupError`` where something cannot be saved.
    package func commitAll(_ now: Timestamp) throws(GroupError) {
        try process()
        try commit(work.keys.filter { work[$0]?.isDirty ?? false }.sorted(), now)
    }

    // MARK: Partitions that come and go

    private func acquire(_ partitions: Set<Int>, _ now: Timestamp) throws(GroupError) {
        let new = partitions.subtracting(self.partitions)
        guard !new.isEmpty else { return }
        let places = try log.lastCommits(of: new)
        for partition in new.sorted() {
            let place = places[partition]
            if let known = revisions[partition], place?.revision ?? 0 < known {
                let since = missingSince ?? awake
                missingSince = since
                let words = "commit \(known) of partition \(partition) is not to be found"
                guard awake - since >= Self.longestLag else {
                    throw GroupError(.unreachable, "\(words): a server lags behind, or it was removed")
                }
                throw GroupError(
                    .refused,
                    "\(words): another program has removed it; end all members, and start them with --state-mismatch drop, "
                        + "with which the partition begins anew"
                )
            }
            work[partition] = Work(
                partition,
                try makeProcessor(partition, place?.state),
                from: place,
                now,
                awake: awake
            )
            counts.restores += 1
            isReading = false
        }
        missingSince = nil
    }

    /// Has the log make ready for partitions that are to come: it takes longer than they are to pause.
    private func prepare(_ partitions: Set<Int>) throws(GroupError) {
        guard prepared != partitions || preparing != partitions else { return }
        (prepared, preparing) = ([], partitions)
        do throws(GroupError) {
            if try log.prepare(partitions) { prepared = partitions }
        } catch {
            // Nothing depends on it, and it is tried again.
            guard error.kind != .interrupted else { throw error }
        }
    }

    private func handOver(_ partitions: Set<Int>, _ now: Timestamp) throws(GroupError) -> [Int] {
        guard !partitions.isEmpty else { return [] }
        var own: [Int] = []
        var byteCount = 0
        for work in work.values.sorted(by: { $0.partition < $1.partition }) where partitions.contains(work.partition) {
            byteCount += work.stateByteCount
            guard own.isEmpty || byteCount <= settings.handoverByteCount else { break }
            own.append(work.partition)
        }
        try commit(own.filter { work[$0]?.isDirty ?? false }, now, isHandover: true)
        for partition in own { give(up: partition) }
        counts.handovers += UInt64(own.count)
        return partitions.subtracting(self.partitions).sorted()
    }

    private func give(up partition: Int) {
        guard let work = work.removeValue(forKey: partition) else { return }
        outputByteCount -= work.processor.outputByteCount
        settled = nil
        isReading = false
    }

    private func read() throws(GroupError) {
        isReading = false
        try log.read(work.mapValues { $0.position })
        isReading = true
    }

    /// Up to which number there is nothing left of a partition, as far as that is known.
    ///
    /// What the log says is of what it reads: not of a partition that has come since, nor of what a broken connection missed.
    private func frontier(of partition: Int) -> UInt64 { isReading ? log.frontier(of: partition) : 0 }

    private func pause(_ error: GroupError, _ now: Timestamp) throws(GroupError) {
        // What came meanwhile may be missing.
        isReading = false
        guard error.kind == .unreachable || error.kind == .outdated else { throw error }
        beginPause(error, now)
    }

    private func beginPause(_ error: GroupError, _ now: Timestamp) {
        trouble = error
        let pause = settings.pause << Int64(min(failureCount, 10))
        failureCount += 1
        nextAttempt = now.shifted(byNanoseconds: min(pause, settings.longestPause))
    }

    // MARK: Messages

    private func receive(until limit: Timestamp) throws(GroupError) {
        try log.receive(until: limit) { partition, number, payload in
            if note(number, of: partition, { $0.take(payload) }) { counts.messages += 1 }
        }
    }

    /// Notes a message, unless it was handled.
    @discardableResult
    private func note(
        _ number: UInt64,
        of partition: Int,
        isSecond: Bool = false,
        _ take: (any PartitionProcessor) -> Void
    ) -> Bool {
        guard let work = work[partition], number > work.position || isSecond && number == work.position else {
            return false
        }
        take(work.processor)
        work.position = number
        if !work.isTouched { touched.append(work) }
        (work.isTouched, work.isDirty) = (true, true)
        return true
    }

    private func process() throws(GroupError) {
        var failure: GroupError?
        for work in touched {
            work.isTouched = false
            // It may have been given up.
            guard self.work[work.partition] === work else { continue }
            let before = work.processor.outputByteCount
            do throws(GroupError) {
                try work.processor.process()
                outputByteCount += work.processor.outputByteCount - before
            } catch {
                outputByteCount += work.processor.outputByteCount - before
                // Its position is that of what it took, and not of what it handled.
                give(up: work.partition)
                failure = failure ?? error
            }
        }
        touched.removeAll(keepingCapacity: true)
        if let failure { throw failure }
    }

    // MARK: Commits

    private func commitIfDue(_ now: Timestamp) throws(GroupError) {
        guard nextCommit.map({ $0 <= now }) ?? false || outputByteCount >= settings.outputByteCount else {
            nextCommit = nextCommit ?? now.shifted(byNanoseconds: settings.interval)
            return
        }
        nextCommit = now.shifted(byNanoseconds: settings.interval)
        for work in work.values where work.isDirty { work.lastMessage = awake }
        try passTime()
        let due = work.filter { partition, work in
            // Also what nothing has come for is begun: others may wait for its marks of time.
            work.isDirty || work.revision == 0 || isIdle(work) && !work.isIdle
                || (now - work.lastCommit).wholeNanoseconds >= settings.idleInterval
                    && frontier(of: partition) > work.committedPosition
        }
        try commit(due.keys.sorted(), now)
    }

    /// Lets time pass where nothing comes and something waits.
    private func passTime() throws(GroupError) {
        guard isReading, log.isCaughtUp else { return }
        for work in work.values where !work.isDirty && work.processor.isWaiting {
            let before = work.processor.outputByteCount
            try work.processor.passTime()
            outputByteCount += work.processor.outputByteCount - before
            work.isDirty = true
        }
    }

    /// Whether nothing has come for a partition within the idle interval: others do not wait for it then.
    private func isIdle(_ work: Work) -> Bool {
        isReading && log.isCaughtUp && !work.isDirty && !work.processor.isWaiting
            && awake - work.lastMessage >= settings.idleInterval
    }

    private func commit(_ partitions: [Int], _ now: Timestamp, isHandover: Bool = false) throws(GroupError) {
        var commits: [PartitionCommit] = []
        for partition in partitions {
            guard let work = work[partition] else { continue }
            outputByteCount -= work.processor.outputByteCount
            let outputs = work.processor.takeOutputs()
            var state: [UInt8]?
            do throws(GroupError) {
                if work.isDirty || work.revision == 0 { state = try work.processor.save() }
            } catch {
                // Nor are those whose outputs were taken already of any use.
                for partition in commits.map(\.partition) + [partition] { give(up: partition) }
                throw error
            }
            commits.append(
                PartitionCommit(
                    partition: partition,
                    revision: work.revision,
                    position: max(work.position, frontier(of: partition)),
                    outputs: outputs,
                    state: state,
                    mark: TimeMark(time: work.processor.time ?? .min, isIdle: isIdle(work)),
                    isHandover: isHandover
                )
            )
        }
        guard !commits.isEmpty else { return }
        var failure: GroupError?
        var unclear: GroupError?
        for (commit, result) in zip(commits, log.commit(commits)) {
            switch result {
            case .success(let revision): note(commit, revision, now)
            case .failure(let error):
                switch error.kind {
                case .outdated: counts.refusedCommits += 1
                case .unreachable:
                    counts.unclearCommits += 1
                    unclear = error
                case .interrupted, .refused: failure = failure ?? error
                }
                // Its outputs are gone: a later commit, as at the end, would be without them.
                give(up: commit.partition)
            }
        }
        counts.lostOutputs = log.lostOutputCount
        if let unclear { beginPause(unclear, now) } else { failureCount = 0 }
        if let failure { throw failure }
    }

    private func note(_ commit: PartitionCommit, _ revision: UInt64, _ now: Timestamp) {
        counts.commits += 1
        revisions[commit.partition] = revision
        guard let work = work[commit.partition] else { return }
        work.revision = revision
        (work.position, work.committedPosition) = (commit.position, commit.position)
        work.lastCommit = now
        work.isDirty = false
        work.isIdle = commit.mark?.isIdle ?? false
        if let state = commit.state { work.stateByteCount = state.count }
    }
}
