import Synchronization
import TestThreads
import Testing

@testable import WeirCore

@Suite(.timeLimit(.minutes(10))) struct SnapshotTests {
    /// Knows, at least while its memory is not used anew, whether it was let go.
    final class Value: Sendable {
        private let token: Token
        private let mark = Atomic<UInt64>(Value.alive)
        private static let alive: UInt64 = 0x600D_600D_600D_600D

        init(_ number: Int, in census: Token.Census) { token = Token(number, in: census) }

        deinit { mark.store(0, ordering: .relaxed) }

        var isAlive: Bool { mark.load(ordering: .relaxed) == Self.alive }
    }

    let census = Token.Census()

    @Test func whatNobodyReadsGoesAtOnce() {
        let snapshot = Snapshot<Value>()
        #expect(snapshot.isEmpty)
        for number in 0..<100 {
            snapshot.replace(with: Value(number, in: census))
            #expect(census.count == 1)
        }
        snapshot.replace(with: nil)
        #expect(census.count == 0)
        #expect(snapshot.isEmpty)
    }

    @Test func whatIsReadGoesWithTheNextReplacement() {
        let snapshot = Snapshot<Value>()
        snapshot.replace(with: Value(0, in: census))
        snapshot.read { outer in
            snapshot.replace(with: Value(1, in: census))
            snapshot.read { inner in
                snapshot.replace(with: nil)
                #expect(outer.isAlive && inner.isAlive && inner !== outer)
            }
            #expect(census.count == 2)
        }
        snapshot.replace(with: nil)
        #expect(census.count == 0)
    }

    @Test func countsItsCountedReadsInAllPhases() {
        let snapshot = Snapshot<Value>()
        for number in 0..<10 {
            snapshot.read(isCounted: true) { _ in }
            snapshot.read { _ in }
            snapshot.replace(with: Value(number, in: census))
            snapshot.read(isCounted: true) { _ in }
            #expect(snapshot.countedReads == UInt64(2 * number + 2))
        }
    }

    @Test func readersOfBothPhasesAreWaitedFor() {
        let snapshot = Snapshot<Value>()
        snapshot.replace(with: Value(0, in: census))
        let (isReading, mayLeave) = (Latch(), Latch())
        TestThreads.run([
            {
                snapshot.read { value in
                    isReading.open()
                    mayLeave.wait()
                    #expect(value.isAlive)
                }
            },
            {
                isReading.wait()
                // Readers of the phases that follow come and go meanwhile.
                for number in 1...10 {
                    snapshot.read { _ in snapshot.replace(with: Value(number, in: census)) }
                }
                #expect(census.count >= 2)
                mayLeave.open()
            },
        ])
        snapshot.replace(with: nil)
        #expect(census.count == 0)
    }

    @Test func nothingGoesWhileItIsReadAndEverythingInTheEnd() {
        let rounds = DispatchTests.events / 50
        let (dead, left) = (Tally(), Tally())
        do {
            let snapshot = Snapshot<Value>()
            let writers = (0..<2).map { writer -> @Sendable () -> Void in
                { [census] in
                    for number in 0..<rounds {
                        snapshot.replace(with: number % 7 == writer ? nil : Value(number, in: census))
                    }
                    left.add()
                }
            }
            let readers = (0..<4).map { _ -> @Sendable () -> Void in
                {
                    while left.count < 2 {
                        snapshot.read { value in
                            if !value.isAlive { dead.add() }
                            snapshot.read { inner in if !inner.isAlive { dead.add() } }
                            if !value.isAlive { dead.add() }
                        }
                    }
                }
            }
            TestThreads.run(writers + readers)
            #expect(dead.count == 0)
            snapshot.replace(with: nil)
            #expect(census.count == 0)
        }
        #expect(census.count == 0)
    }

    @Test func whatIsLetGoMayReplaceInTurn() {
        let snapshot = Snapshot<AtTheEnd>()
        let ends = Tally()
        snapshot.replace(
            with: AtTheEnd { [weak snapshot] in
                ends.add()
                snapshot?.replace(with: AtTheEnd { ends.add() })
            }
        )
        snapshot.replace(with: nil)
        snapshot.replace(with: nil)
        #expect(ends.count == 2)
    }
}
