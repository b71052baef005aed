import Testing
import WeirCore
import WeirDispatch
import WeirSelection
import WeirTesting

@Suite struct ThreadPoolTests {
    /// Each of the pieces waits until all are at work: only as many threads can do that.
    @Test func threadsAreAddedUpToTheLimit() {
        let pool = ThreadPool(name: "grows", limit: 4)
        let (begun, open, done) = (Tally(), Latch(), Tally())
        for _ in 0..<6 {
            pool.perform {
                begun.add()
                open.wait()
                done.add()
            }
        }
        #expect(DispatchTests.wait { begun.count == 4 })
        #expect(pool.threadCount == 4)
        #expect(pool.waitingCount == 2)
        open.open()
        #expect(DispatchTests.wait { done.count == 6 })
        #expect(pool.threadCount <= 4)
    }

    @Test func threadsEndWhenThereIsNothingToDo() {
        let pool = ThreadPool(name: "shrinks", limit: 3, idleTime: .milliseconds(1))
        for round in 1...50 {
            let done = Tally()
            for _ in 0..<6 { pool.perform { done.add() } }
            #expect(DispatchTests.wait { done.count == 6 }, "round \(round)")
            if round % 2 == 0 { #expect(DispatchTests.wait { pool.threadCount == 0 }, "round \(round)") }
        }
        #expect(pool.waitingCount == 0)
    }

    /// Between the rounds the thread goes to sleep.
    @Test func threadsMayStayForGood() {
        let pool = ThreadPool(name: "stays", limit: 1, idleTime: .seconds(Int64.max))
        for round in 1...200 {
            let done = Tally()
            pool.perform { done.add() }
            #expect(DispatchTests.wait { done.count == 1 }, "round \(round)")
        }
        #expect(pool.threadCount == 1)
    }

    @Test func aPoolGoesWithItsThreads() {
        weak var weakPool: ThreadPool?
        let done = Tally()
        do {
            let pool = ThreadPool(limit: 2, idleTime: .milliseconds(1))
            weakPool = pool
            for _ in 0..<10 { pool.perform { done.add() } }
        }
        #expect(DispatchTests.wait { weakPool == nil })
        #expect(done.count == 10)
    }

    /// Work of four contexts on three threads: each keeps its order, and runs one piece at a time.
    @Test func aContextKeepsTheOrderOfItsWork() {
        let pool = ThreadPool(limit: 3)
        let journals = (0..<4).map { _ in Journal<Int>() }
        let channels = (0..<4).map { _ in EventChannel<Int>() }
        for (channel, journal) in zip(channels, journals) {
            let running = Tally()
            channel.receive(on: .pool(pool), capacity: 64).subscribe { number in
                running.add()
                journal.add(running.count == 1 ? number : -1)
                running.add(-1)
            }
        }
        for number in 0..<10_000 {
            for channel in channels { channel.publish(number) }
        }
        // The thread that publishes is none of the pool, so it has waited for room.
        for journal in journals {
            #expect(DispatchTests.wait { journal.all.count == 10_000 })
            #expect(journal.all == Array(0..<10_000))
        }
    }

    /// Blocked work of one context does not keep another one from its work.
    @Test func contextsDoNotWaitForEachOther() {
        let (open, blocked, free) = (Latch(), Tally(), Tally())
        let pool = ThreadPool(limit: 2)
        let (first, second) = (Multicast<Int>(), Multicast<Int>())
        first.receive(on: .pool(pool)).subscribe { _ in
            open.wait()
            blocked.add()
        }
        second.receive(on: .pool(pool)).subscribe { _ in free.add() }
        first.send(1, at: .epoch)
        second.send(1, at: .epoch)
        #expect(DispatchTests.wait { free.count == 1 })
        #expect(blocked.count == 0)
        open.open()
        #expect(DispatchTests.wait { blocked.count == 1 })
    }

    /// A thread of the pool that sends to a full stage of the same pool does not wait for itself.
    @Test func aPoolDoesNotWaitForItself() {
        let pool = ThreadPool(limit: 1)
        let subject = Multicast<Int>()
        let received = subject.receive(on: .pool(pool), capacity: 4)
        let (seen, done) = (Tally(), Latch())
        received.subscribe { _ in seen.add() }
        pool.perform {
            for number in 0..<10 { subject.send(number, at: .epoch) }
            done.open()
        }
        #expect(done.wait())
        #expect(DispatchTests.wait { seen.count == 4 })
        #expect(received.dropped.count == 6)
    }

    @Test func sharedPoolsRunWorkThatBlocksBesideComputations() {
        let subject = Multicast<Int>()
        let journal = Journal<Int>()
        subject.receive(on: .blocking).map { $0 * 2 }.receive(on: .computation).subscribe { number in
            journal.add(number)
        }
        for number in 0..<100 { subject.send(number, at: .epoch) }
        #expect(DispatchTests.wait { journal.all.count == 100 })
        #expect(journal.all == (0..<100).map { $0 * 2 })
        #expect(ThreadPool.computation.limit >= 1)
        #expect(!ThreadPool.computation.isCurrent)
    }
}
