import Synchronization
import TestThreads
import Testing
import WeirCore
import WeirDispatch

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Real threads that sleep and wake; the only tests of the mailbox that take real time.
@Suite struct MailboxParkingTests {
    private final class Flag: Sendable {
        let value = Atomic(0)

        func wait(for wanted: Int) {
            while value.load(ordering: .acquiring) < wanted { TestThreads.yield() }
        }

        func raise() { value.add(1, ordering: .releasing) }
    }

    /// Returns when the consumer has gone to sleep: some time after it said so, as the kernel does not tell.
    private static func waitUntilParked<Element>(_ mailbox: Mailbox<Element>, sleeps: UInt32 = 1) {
        while mailbox.metrics.sleeps < sleeps { TestThreads.yield() }
        let end = MonotonicClock().now() + .milliseconds(50)
        while MonotonicClock().now() < end { TestThreads.yield() }
    }

    /// In EventDrivenSwift a burst of N costs N wake-ups.
    @Test func aBurstWakesOnce() throws {
        let mailbox = try Mailbox<Int>(bounds: MailboxBounds(capacity: 1024))
        let over = Flag()
        let log = RingLog()
        TestThreads.run([
            {
                while true {
                    while let next = unsafe mailbox.take() {
                        // The first one takes longer than the burst.
                        over.wait(for: 2)
                        log.elements.append(next.element)
                    }
                    if unsafe mailbox.park() == .finished { return }
                }
            },
            {
                Self.waitUntilParked(mailbox)
                for number in 0..<1000 {
                    mailbox.put(number, priority: number % 2 == 0 ? .low : .high, order: .queue)
                }
                over.raise()
            },
            {
                Self.waitUntilParked(mailbox)
                for number in 1000..<2000 {
                    mailbox.put(number, priority: .normal, order: number % 2 == 0 ? .queue : .stack)
                }
                over.raise()
                over.wait(for: 2)
                // The consumer may have drained all and gone to sleep again, for which nobody has woken it.
                let metrics = mailbox.metrics
                #expect(metrics.wakeUps == 1)
                #expect(metrics.sleeps <= 2)
                mailbox.close()
            },
        ])
        #expect(log.elements.sorted() == Array(0..<2000))
    }

    #if os(Linux)
        @Test func idlingUsesNoProcessor() throws {
            let mailbox = try Mailbox<Int>()
            TestThreads.run([
                {
                    _ = unsafe mailbox.take()
                    let before = Self.usage()
                    let start = MonotonicClock().now()
                    unsafe #expect(mailbox.park(until: start + .seconds(2)) == .timedOut)
                    #expect(MonotonicClock().now() - start >= .seconds(2))
                    let after = Self.usage()
                    // Going to sleep is the one switch of its own. Awake, before and after, the machine's other work and
                    // the sanitizer may add one or two; a thread that polled, even every 100 ms, would have twenty.
                    #expect(after.voluntary - before.voluntary <= 4)
                    #expect(after.involuntary - before.involuntary <= 4)
                    // A loop that spins would take two seconds.
                    #expect(after.microseconds - before.microseconds < 100_000)
                    #expect(mailbox.metrics.sleeps == 1)
                    #expect(mailbox.metrics.wakeUps == 0)
                }
            ])
        }

        /// What the calling thread has used.
        private static func usage() -> (voluntary: Int, involuntary: Int, microseconds: Int) {
            var usage = rusage()
            // RUSAGE_THREAD, which the module map hides.
            unsafe getrusage(1, &usage)
            let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
            let microseconds = Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
            return (usage.ru_nvcsw, usage.ru_nivcsw, seconds * 1_000_000 + microseconds)
        }
    #endif

    @Test func aParkEndsAtItsDeadlineOrWhenNudged() throws {
        let mailbox = try Mailbox<Int>()
        let start = MonotonicClock().now()
        unsafe #expect(mailbox.park(until: start + .milliseconds(20)) == .timedOut)
        #expect(MonotonicClock().now() - start >= .milliseconds(20))
        unsafe #expect(mailbox.park(until: start, spinning: .microseconds(50)) == .timedOut)
        mailbox.nudge()
        unsafe #expect(mailbox.park() == .ready)
        unsafe #expect(mailbox.park(until: .epoch) == .timedOut)
        mailbox.put(1)
        unsafe #expect(mailbox.park(until: .epoch) == .ready)
        // The parks above may have slept more than once.
        let slept = mailbox.metrics.sleeps
        let awakenings = RingLog()
        TestThreads.run([
            {
                _ = unsafe mailbox.take()
                if unsafe mailbox.park() == .ready { awakenings.elements.append(1) }
            },
            {
                Self.waitUntilParked(mailbox, sleeps: slept + 1)
                mailbox.nudge()
            },
        ])
        #expect(awakenings.elements == [1])
        #expect(mailbox.metrics.wakeUps == 1)
    }

    /// In EventDrivenSwift the thread waits for ever, and leaks.
    @Test func closeWakesTheConsumer() throws {
        let mailbox = try Mailbox<Int>()
        TestThreads.run([
            { unsafe #expect(mailbox.park() == .finished) },
            {
                Self.waitUntilParked(mailbox)
                mailbox.close()
            },
        ])
        unsafe #expect(mailbox.park() == .finished)
        #expect(!mailbox.put(1))
        #expect(mailbox.metrics.total.droppedWhenClosed == 1)
    }

    @Test(arguments: DispatchOrder.allCases)
    func closeWakesBlockedProducers(order: DispatchOrder) throws {
        let mailbox = try Mailbox<Int>(bounds: MailboxBounds(capacity: 2))
        let answers = Flag()
        let producer = { @Sendable () -> Void in
            while mailbox.put(1, priority: .low, order: order) {}
            answers.raise()
        }
        TestThreads.run([
            producer, producer, producer,
            {
                while mailbox.metrics.total.pending < 2 { TestThreads.yield() }
                // Long enough for all to sleep, mostly.
                let start = MonotonicClock().now()
                while MonotonicClock().now() - start < .milliseconds(30) { TestThreads.yield() }
                #expect(answers.value.load(ordering: .relaxed) == 0)
                mailbox.close()
                answers.wait(for: 3)
            },
        ])
        #expect(mailbox.metrics.total.pending == 2)
        #expect(mailbox.metrics.total.droppedWhenClosed == 3)
    }

    @Test(arguments: DispatchOrder.allCases)
    func theConsumerDoesNotWaitForItself(order: DispatchOrder) throws {
        let mailbox = try Mailbox<Int>(bounds: MailboxBounds(capacity: 1))
        unsafe mailbox.park(until: .epoch)
        #expect(mailbox.put(1, order: order))
        #expect(!mailbox.put(2, order: order))
        #expect(mailbox.metrics[.normal, order].droppedOwn == 1)
        unsafe #expect(mailbox.take()?.element == 1)
        #expect(mailbox.put(3, order: order))
    }

    /// A wake-up that is lost makes this wait for ever.
    @Test(arguments: [0, 2])
    func losesNoWakeUp(spinning microseconds: Int) throws {
        let there = try Mailbox<Int>(bounds: MailboxBounds(capacity: 1))
        let back = try Mailbox<Int>(bounds: MailboxBounds(capacity: 1))
        let rounds = 20_000
        let echo = { @Sendable (from: Mailbox<Int>, to: Mailbox<Int>) -> Void in
            while true {
                while let next = unsafe from.take() {
                    if next.element == rounds {
                        to.close()
                    } else {
                        let number = next.element + 1
                        let order: DispatchOrder = number % 3 == 0 ? .stack : .queue
                        to.put(number, priority: Priority(rawValue: UInt8(number % 5)) ?? .normal, order: order)
                    }
                }
                if unsafe from.park(spinning: .microseconds(microseconds)) == .finished {
                    to.close()
                    return
                }
            }
        }
        there.put(0)
        TestThreads.run([{ echo(there, back) }, { echo(back, there) }])
        #expect(there.metrics.total.taken + back.metrics.total.taken == UInt64(rounds) + 1)
    }

    @Test func aParkerKeepsOnePermit() {
        let parker = Parker()
        #expect(!parker.park(until: MonotonicClock().now() + .milliseconds(5)))
        parker.unpark()
        parker.unpark()
        #expect(parker.park())
        #expect(!parker.park(until: .epoch))
        let other = Parker()
        let log = RingLog()
        TestThreads.run([
            {
                for _ in 0..<5_000 {
                    parker.park()
                    log.elements.append(1)
                    other.unpark()
                }
            },
            {
                for _ in 0..<5_000 {
                    parker.unpark()
                    other.park()
                    log.elements.append(2)
                }
            },
        ])
        #expect(log.elements.count == 10_000)
        #expect(log.elements.prefix(4) == [1, 2, 1, 2])
    }
}
