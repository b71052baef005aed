import Testing
import WeirCore
import WeirGroups

/// A worker at partitions, step by step.
struct GroupWorkerTests {
    private let second: Int64 = 1_000_000_000

    /// A broker with four messages of partition 0, and one of partition 1 where that is wanted.
    private func broker(other: Bool = false, partitionCount: Int = 2) -> SimulatedBroker {
        var messages = (1...4).map {
            SimulatedMessage(number: UInt64($0), partition: 0, payload: [UInt8($0), 7, 9], time: 0)
        }
        if other { messages.append(SimulatedMessage(number: 5, partition: 1, payload: [1, 2, 3], time: 0)) }
        let broker = SimulatedBroker(seed: 1, partitionCount: partitionCount, messages: messages)
        broker.now = 0
        return broker
    }

    private func worker(
        _ connection: SimulatedConnection,
        _ change: (inout GroupWorker.Settings) -> Void = { _ in }
    ) -> GroupWorker {
        var settings = GroupWorker.Settings()
        change(&settings)
        return GroupWorker(connection, settings) { SimulatedProcessor($0, $1) }
    }

    private func share(_ kept: Set<Int>, leaving: Set<Int> = []) -> GroupShare {
        var share = GroupShare()
        (share.kept, share.leaving) = (kept, leaving)
        return share
    }

    /// Steps, each tenth of a second, without a pause between them.
    @discardableResult
    private func run(
        _ worker: GroupWorker,
        _ share: GroupShare,
        _ tenths: ClosedRange<Int64>
    ) throws -> [Int] {
        var released: [Int] = []
        for tenth in tenths {
            let now = Timestamp(millisecondsSinceEpoch: tenth * 100)
            released += try worker.step(share, now, until: now)
        }
        return released
    }

    private func expectDone(_ broker: SimulatedBroker, _ location: SourceLocation = #_sourceLocation) {
        #expect(broker.failure == nil, sourceLocation: location)
        #expect(broker.isDone, sourceLocation: location)
        for (kept, reference) in zip(broker.kept, broker.references) {
            #expect(kept.outputs == reference.outputs, sourceLocation: location)
        }
    }

    @Test
    func anOutdatedCommitGivesUpThePartition() throws {
        let broker = broker()
        let (one, zombie) = (worker(SimulatedConnection("a", broker)), worker(SimulatedConnection("b", broker)))
        try run(zombie, share([0]), 0...8)
        try run(one, share([0]), 0...10)
        #expect(broker.applied.count == 1)
        try run(zombie, share([0]), 9...10)
        #expect(zombie.counts.refusedCommits == 1)
        #expect(zombie.partitions == [])
        expectDone(broker)
        // It goes on where the other one was.
        try run(zombie, share([0]), 11...11)
        #expect(zombie.counts.restores == 2)
        #expect(zombie.progress.map(\.position) == [4])
        #expect(zombie.counts.messages == 4)
    }

    /// A commit of its own that is not to be found: a server may lag behind for a while, and then it was removed.
    @Test func aCommitThatIsGoneEndsTheMember() throws {
        let broker = broker()
        let worker = worker(SimulatedConnection("a", broker))
        try run(worker, share([0]), 0...11)
        try run(worker, share([], leaving: [0]), 12...13)
        #expect(broker.applied.count == 1 && worker.partitions == [])
        broker.faults.stale = 1000
        try run(worker, share([0]), 14...500)
        #expect(worker.partitions == [])
        #expect(worker.trouble?.reason.hasPrefix("commit 1 of partition 0 is not to be found") == true)
        let error = #expect(throws: GroupError.self) { try run(worker, share([0]), 501...1000) }
        #expect(error?.kind == .refused && error?.reason.contains("--state-mismatch drop") == true)
        // One that is there after all counts anew.
        broker.faults.stale = 0
        try run(worker, share([0]), 1001...1300)
        #expect(worker.partitions == [0] && worker.counts.restores == 2)
    }

    /// Nothing depends on what is made ready in advance: it is tried again, and the partitions come without it.
    @Test(arguments: [GroupError.Kind.refused, .unreachable, .outdated])
    func whatCannotBeMadeReadyStopsNoMember(kind: GroupError.Kind) throws {
        let broker = broker(other: true)
        let connection = SimulatedConnection("a", broker)
        let worker = worker(connection)
        try run(worker, share([0]), 0...0)
        var share = share([0])
        share.coming = [1]
        connection.nextError = GroupError(kind, "no consumer can be made")
        try run(worker, share, 1...1)
        #expect(worker.prepared == [] && worker.trouble == nil && worker.partitions == [0])
        try run(worker, share, 2...9)
        #expect(worker.prepared == [1] && worker.counts.messages == 4)
        connection.nextError = SimulatedConnection.end
        share.coming = []
        let error = #expect(throws: GroupError.self) { try run(worker, share, 10...10) }
        #expect(error?.kind == .interrupted)
    }

    /// Partitions that do not come after all: the log does not make ready for them any more, also where it had only begun.
    @Test func whatDoesNotComeAfterAllIsNotMadeReady() throws {
        let broker = broker(other: true)
        let worker = worker(SimulatedConnection("a", broker))
        var notes: [String] = []
        broker.onNote = { if $0.contains("ready for") { notes.append($0) } }
        var share = share([0])
        share.coming = [1]
        broker.faults.delayed = 250
        try run(worker, share, 0...5)
        #expect(worker.prepared == [])
        #expect(!notes.isEmpty && notes.allSatisfy { $0.hasSuffix("not yet ready for [1]") }, "\(notes)")
        broker.faults.delayed = 0
        share.coming = []
        try run(worker, share, 6...9)
        #expect(notes.last?.hasSuffix("ready for []") == true, "\(notes)")
    }

    /// What is known may be lost: it is replaced, also where no message comes.
    @Test func whatWasLostIsReplaced() throws {
        let broker = broker()
        try run(worker(SimulatedConnection("a", broker)), share([0]), 0...20)
        broker.loseState(of: 0)
        let (count, next) = (broker.applied.count, worker(SimulatedConnection("b", broker)))
        try run(next, share([0]), 21...40)
        #expect(broker.applied.count == count + 1 && broker.applied.last?.state != nil)
        #expect(next.partitions == [0] && next.trouble == nil)
    }

    /// What it has slept through is no time in which nothing came: messages may wait on the way.
    @Test
    func aClockThatJumpsMakesNoPartitionIdle() throws {
        let broker = broker()
        let worker = worker(SimulatedConnection("a", broker))
        try run(worker, share([0]), 0...20)
        let count = broker.applied.count
        try run(worker, share([0]), 1_000...1_040)
        #expect(broker.applied.count == count)
        try run(worker, share([0]), 1_041...1_120)
        #expect(broker.applied.last?.mark?.isIdle ?? false)
    }

    /// With an answer that was lost, a commit that never came, and one that comes when another one was made.
    @Test(arguments: ["answer", "request", "late"])
    func anUnclearCommitGivesUpThePartition(what: String) throws {
        let broker = broker()
        let worker = worker(SimulatedConnection("a", broker))
        try run(worker, share([0]), 0...9)
        switch what {
        case "answer": broker.faults.answerLost = 1_000
        case "request": broker.faults.lost = 1_000
        default: broker.faults.late = 1_000
        }
        // What is late comes some time after this.
        try run(worker, share([0]), 10...10)
        broker.faults = SimulatedFaults()
        #expect(worker.counts.unclearCommits == 1)
        #expect(worker.partitions == [])
        #expect(worker.trouble?.kind == .unreachable)
        try run(worker, share([0]), 11...11)
        // Not before the pause is over.
        #expect(worker.partitions == [])
        try run(worker, share([0]), 12...12)
        #expect(worker.partitions == [0])
        #expect(worker.trouble == nil)
        // All come once more where nothing was kept.
        #expect(worker.counts.messages > 4 || what == "answer")
        if what == "late" {
            broker.now = 3 * second
            broker.applyLate()
            #expect(broker.lateCommits == 1)
        }
        try run(worker, share([0]), 13...30)
        #expect(worker.counts.refusedCommits == (what == "late" ? 1 : 0))
        expectDone(broker)
    }

    @Test
    func anUnclearCommitIsAlsoHandedOver() throws {
        let broker = broker()
        let (one, other) = (worker(SimulatedConnection("a", broker)), worker(SimulatedConnection("b", broker)))
        try run(one, share([0]), 0...5)
        broker.faults.late = 1_000
        #expect(try run(one, share([], leaving: [0]), 6...6) == [0])
        #expect(one.partitions == [])
        broker.faults.late = 0
        try run(other, share([0]), 7...9)
        // The commit of the first comes while the other one is at work.
        broker.now = 3 * second
        broker.applyLate()
        try run(other, share([0]), 10...20)
        #expect(other.counts.refusedCommits == 1)
        expectDone(broker)
    }

    @Test
    func whatLeavesIsCommittedAtOnce() throws {
        let broker = broker(other: true)
        let worker = worker(SimulatedConnection("a", broker))
        try run(worker, share([0, 1]), 0...5)
        #expect(broker.applied.isEmpty)
        #expect(try run(worker, share([1], leaving: [0]), 6...6) == [0])
        #expect(broker.applied.map(\.partition) == [0])
        #expect(worker.partitions == [1])
        #expect(worker.counts.handovers == 1)
        // Until the map says so, what was let go is said again.
        #expect(try run(worker, share([1], leaving: [0]), 7...7) == [0])
        #expect(worker.counts.handovers == 1)
        // What is another's without that is not committed.
        try run(worker, share([]), 8...30)
        #expect(broker.applied.count == 1)
        #expect(worker.partitions == [])
    }

    /// Who waits for the first does not wait for the others.
    @Test
    func whatKnowsMuchLeavesOneByOne() throws {
        let broker = broker(other: true)
        let worker = worker(SimulatedConnection("a", broker)) { $0.handoverByteCount = 1 }
        try run(worker, share([0, 1]), 0...10)
        #expect(broker.applied.map(\.partition) == [0, 1])
        #expect(try run(worker, share([], leaving: [0, 1]), 11...11) == [0])
        // The other one is worked at until it leaves.
        #expect(worker.partitions == [1])
        #expect(try run(worker, share([], leaving: [0, 1]), 12...12) == [0, 1])
        #expect(worker.partitions == [])
        #expect(worker.counts.handovers == 2)
    }

    /// It is ready for what comes as soon as it knows of that, and takes it with the next step.
    @Test
    func whatComesIsMadeReadyAndTakenAtOnce() throws {
        let broker = broker(other: true)
        let connection = SimulatedConnection("a", broker)
        let worker = worker(connection)
        var coming = share([1])
        coming.coming = [0]
        connection.nextError = SimulatedConnection.noAnswer
        try run(worker, coming, 0...0)
        #expect(worker.prepared == [])
        try run(worker, coming, 5...5)
        #expect(worker.prepared == [0])
        #expect(worker.partitions == [1])
        #expect(worker.progress.map(\.position) == [5])
        try run(worker, share([0, 1]), 6...6)
        #expect(worker.prepared == [])
        #expect(worker.partitions == [0, 1])
        try run(worker, share([0, 1]), 7...20)
        expectDone(broker)
    }

    @Test
    func idlePartitionsAreCommittedOnceWithoutState() throws {
        let broker = broker(other: true, partitionCount: 3)
        let worker = worker(SimulatedConnection("a", broker)) { $0.idleInterval = 3_000_000_000 }
        try run(worker, share([0, 1, 2]), 0...25)
        // Also the one to which nothing has come, for others wait for its mark of time; it may still come.
        #expect(broker.applied.map(\.partition) == [0, 1, 2])
        #expect(broker.applied.allSatisfy { $0.state != nil })
        #expect(broker.applied.map { $0.mark?.isIdle } == [false, false, false])
        try run(worker, share([0, 1, 2]), 26...45)
        // Once, that nothing has come since.
        #expect(broker.applied.dropFirst(3).map(\.partition).sorted() == [0, 1, 2])
        #expect(broker.applied.dropFirst(3).allSatisfy { $0.state == nil && $0.mark?.isIdle == true })
        #expect(broker.applied.map(\.position).max() == 5)
        #expect(broker.kept[2].place?.position == 5)
        #expect(broker.failure == nil)
        try run(worker, share([0, 1, 2]), 46...100)
        #expect(broker.applied.count == 6)
        expectDone(broker)
    }

    @Test
    func theStateOfAnIdlePartitionStaysAsItWas() throws {
        let messages = [(0, 1), (1, 1), (5, 0)].enumerated().map { index, place in
            SimulatedMessage(
                number: UInt64(index + 1),
                partition: place.1,
                payload: [UInt8(index), 3],
                time: Int64(place.0) * second
            )
        }
        let broker = SimulatedBroker(seed: 1, partitionCount: 2, messages: messages)
        let worker = worker(SimulatedConnection("a", broker)) { $0.idleInterval = 2_000_000_000 }
        for tenth in Int64(0)...100 {
            broker.now = tenth * 100_000_000
            try run(worker, share([0, 1]), tenth...tenth)
        }
        let idle = broker.applied.filter { $0.partition == 1 }.suffix(1)
        #expect(idle.map(\.position) == [3])
        #expect(idle.map(\.outputs) == [[]])
        #expect(idle.allSatisfy { $0.state == nil })
        expectDone(broker)
        // Another one goes on with the state of the commit before.
        let other = self.worker(SimulatedConnection("b", broker))
        try run(other, share([0, 1]), 101...101)
        #expect(other.progress.map(\.stateByteCount) == [16, 16])
        #expect(other.counts.messages == 0)
    }

    @Test
    func manyOutputsAreCommittedEarly() throws {
        let broker = broker()
        let worker = worker(SimulatedConnection("a", broker)) {
            $0.outputByteCount = 1
            $0.interval = 1_000_000_000_000
        }
        try run(worker, share([0]), 0...9)
        expectDone(broker)
        #expect(broker.applied.count == Int(worker.counts.commits))
        #expect(worker.counts.commits > 0)
    }

    @Test
    func whatWasMissedIsReadOnceMore() throws {
        let broker = broker()
        let worker = worker(SimulatedConnection("a", broker))
        broker.faults.gap = 1_000
        try run(worker, share([0]), 0...0)
        #expect(worker.trouble?.kind == .unreachable)
        #expect(worker.counts.messages == 1)
        broker.faults.gap = 0
        try run(worker, share([0]), 1...12)
        #expect(worker.trouble == nil)
        #expect(worker.counts.messages == 4)
        expectDone(broker)
    }

    /// What a connection has passed over for others says nothing of a partition that has come since.
    @Test
    func whatWasReadBeforeSaysNothingOfAPartitionThatComes() throws {
        let broker = broker(other: true)
        let connection = SimulatedConnection("a", broker)
        let worker = worker(connection) { $0.idleInterval = 0 }
        try run(worker, share([1]), 0...10)
        #expect(broker.applied.map(\.position) == [5])
        broker.onDelay = { _ in connection.nextError = SimulatedConnection.noAnswer }
        broker.faults.delayed = 1_000
        // The commit of the new partition is known, but it cannot be read.
        try run(worker, share([0, 1]), 11...11)
        #expect(worker.partitions == [0, 1])
        broker.faults.delayed = 0
        broker.isDownUntil = second
        try run(worker, share([0, 1]), 12...20)
        broker.isDownUntil = 0
        try worker.commitAll(Timestamp(secondsSinceEpoch: 3))
        #expect(broker.failure == nil)
        try run(worker, share([0, 1]), 31...50)
        expectDone(broker)
    }
}
