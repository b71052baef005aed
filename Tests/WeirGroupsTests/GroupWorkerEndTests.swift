import Testing
import WeirCore
import WeirGroups

/// What cannot go on ends, and leaves nothing wrong behind.
struct GroupWorkerEndTests {
    /// A processor that fails when it is told to.
    private final class Failing: PartitionProcessor {
        enum Step { case process, save }

        var step: Step?
        private let inner: SimulatedProcessor

        init(_ inner: SimulatedProcessor) { self.inner = inner }

        static let error = GroupError(.refused, "it can never work")

        func take(_ payload: ArraySlice<UInt8>) { inner.take(payload) }
        func process() throws(GroupError) {
            if step == .process { throw Self.error }
            inner.process()
        }
        var outputByteCount: Int { inner.outputByteCount }
        func takeOutputs() -> [UInt8] { inner.takeOutputs() }
        func save() throws(GroupError) -> [UInt8] {
            if step == .save { throw Self.error }
            return inner.save()
        }
    }

    private final class Scene {
        var processors: [Int: Failing] = [:]
        let broker: SimulatedBroker
        let connection: SimulatedConnection
        private(set) lazy var worker = GroupWorker(connection, GroupWorker.Settings()) { [unowned self] in
            let processor = Failing(SimulatedProcessor($0, $1))
            processors[$0] = processor
            return processor
        }

        init() {
            let messages = (1...9).map {
                SimulatedMessage(number: UInt64($0), partition: $0 % 3, payload: [UInt8($0), 3, 4, 5], time: 0)
            }
            broker = SimulatedBroker(seed: 1, partitionCount: 3, messages: messages)
            connection = SimulatedConnection("a", broker)
            broker.now = 0
        }

        func step(_ milliseconds: Int64) throws {
            var share = GroupShare()
            share.kept = [0, 1, 2]
            let now = Timestamp(millisecondsSinceEpoch: milliseconds)
            _ = try worker.step(share, now, until: now)
        }

        /// Ends, and lets another one do the rest.
        func end() throws {
            try? worker.commitAll(Timestamp(secondsSinceEpoch: 3))
            #expect(broker.failure == nil)
            let other = GroupWorker(SimulatedConnection("b", broker), GroupWorker.Settings()) {
                SimulatedProcessor($0, $1)
            }
            var share = GroupShare()
            share.kept = [0, 1, 2]
            for second in Int64(0)...5 {
                _ = try other.step(share, Timestamp(secondsSinceEpoch: second), until: .epoch)
            }
            #expect(broker.failure == nil)
            #expect(broker.kept.map(\.outputs) == broker.references.map(\.outputs))
        }
    }

    @Test
    func aProcessorThatCannotBeMadeEnds() throws {
        let scene = Scene()
        let worker = GroupWorker(scene.connection, GroupWorker.Settings()) { _, _ throws(GroupError) in
            throw Failing.error
        }
        var share = GroupShare()
        share.kept = [1]
        let error = #expect(throws: GroupError.self) { try worker.step(share, .epoch, until: .epoch) }
        #expect(error == Failing.error)
    }

    @Test(arguments: 0..<3)
    func messagesThatAProcessorRefusesAreNotCommitted(partition: Int) throws {
        let scene = Scene()
        let worker = GroupWorker(scene.connection, GroupWorker.Settings()) { number, state in
            let processor = Failing(SimulatedProcessor(number, state))
            if number == partition { processor.step = .process }
            return processor
        }
        var share = GroupShare()
        share.kept = [0, 1, 2]
        let error = #expect(throws: GroupError.self) {
            for _ in 0..<5 { _ = try worker.step(share, .epoch, until: .epoch) }
        }
        #expect(error == Failing.error)
        try worker.commitAll(.epoch)
        #expect(scene.broker.failure == nil)
        #expect(scene.broker.applied.count == 2)
        try scene.end()
    }

    @Test(arguments: 0..<3)
    func outputsOfWhatCannotBeSavedAreNotLost(partition: Int) throws {
        let scene = Scene()
        try scene.step(0)
        try scene.step(100)
        scene.processors[partition]?.step = .save
        #expect(throws: Failing.error) { try scene.worker.commitAll(Timestamp(secondsSinceEpoch: 2)) }
        scene.processors[partition]?.step = nil
        try scene.end()
    }

    /// Also where they were kept all the same.
    @Test(arguments: [GroupError.Kind.refused, .interrupted])
    func outputsOfARefusedCommitAreNotLost(kind: GroupError.Kind) throws {
        let scene = Scene()
        try scene.step(0)
        try scene.step(100)
        scene.connection.nextError = GroupError(kind, "no more")
        let error = #expect(throws: GroupError.self) { try scene.worker.commitAll(Timestamp(secondsSinceEpoch: 2)) }
        #expect(error?.kind == kind)
        // The others were kept.
        #expect(scene.broker.applied.filter { $0.partition > 0 }.count == 2)
        #expect(scene.worker.counts.commits == 2)
        #expect(scene.worker.partitions == [1, 2])
        try scene.end()
    }

    @Test
    func whatCameBeforeTheEndIsHandled() throws {
        let scene = Scene()
        try scene.step(0)
        scene.connection.nextError = SimulatedConnection.end
        #expect(throws: SimulatedConnection.end) { try scene.step(100) }
        try scene.end()
    }
}
