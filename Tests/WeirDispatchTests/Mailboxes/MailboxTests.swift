import TestThreads
import Testing
import WeirCore
import WeirDispatch
import WeirTesting

@Suite struct MailboxTests {
    enum Step: Sendable, CaseIterable {
        case queueHighest, queueLow, stackHighest, stackLow, take, close
    }

    private static let policies: [OverflowPolicy] = [.block, .dropNewest, .dropOldest, .latest, .fail]

    @Test(arguments: [1, 2], policies)
    func agreesWithTheModelOnEveryShortHistory(capacity: Int, policy: OverflowPolicy) {
        let census = Token.Census()
        TestThreads.everySequence(of: Step.allCases, length: 5) { history in
            let bounds = MailboxBounds(capacity: capacity, overflowPolicy: policy)
            guard var pair = try? MailboxPair(bounds: bounds, census: census) else {
                Issue.record("no mailbox")
                return
            }
            for step in history {
                switch step {
                case .queueHighest: pair.put(.highest, .queue)
                case .queueLow: pair.put(.low, .queue)
                case .stackHighest: pair.put(.highest, .stack)
                case .stackLow: pair.put(.low, .stack)
                case .take: pair.take()
                case .close: pair.close()
                }
            }
            pair.compareNumbers()
            if !pair.agrees { Issue.record("differs from the model: \(history)") }
        }
        #expect(census.count == 0)
    }

    @Test(arguments: 1...12)
    func agreesWithTheModelOnLongHistories(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let census = Token.Census()
        do {
            var bounds = MailboxBounds()
            for priority in Priority.allCases {
                for order in DispatchOrder.allCases {
                    // Failing ends a history, so not before half of it.
                    bounds[priority, order] = MailboxBound(
                        capacity: 1 << Int.random(in: 0...3, using: &random),
                        overflowPolicy: Self.policies.dropLast().randomElement(using: &random) ?? .block
                    )
                }
            }
            var pair = try MailboxPair(bounds: bounds, census: census)
            // From mostly full to mostly empty and back.
            for index in 0..<20_000 {
                let puts = (index / 500) % 2 == 0 ? 6 : 4
                if Int.random(in: 0..<10, using: &random) < puts {
                    let priority = Priority.allCases.randomElement(using: &random) ?? .normal
                    pair.put(priority, Bool.random(using: &random) ? .queue : .stack)
                } else {
                    pair.take()
                }
                if index % 100 == 0 { pair.compareNumbers() }
                guard pair.agrees else {
                    Issue.record("differs from the model after \(index) steps, seed \(seed), \(bounds)")
                    return
                }
            }
            for _ in 0..<100 { pair.take() }
            pair.compareNumbers()
            #expect(pair.agrees, "seed \(seed)")
        }
        #expect(census.count == 0)
    }

    /// In EventDrivenSwift it came at position 464: there, priorities hold inside one batch only.
    @Test func theHighestComesNextBehindFiveHundredOfTheLowest() throws {
        let mailbox = try Mailbox<Int>()
        for number in 0..<500 { mailbox.put(number, priority: .lowest) }
        for number in 0..<10 { unsafe #expect(mailbox.take()?.element == number) }
        mailbox.put(-1, priority: .highest)
        unsafe #expect(mailbox.take()?.element == -1)
        unsafe #expect(mailbox.take()?.element == 10)
        mailbox.put(-2, priority: .lowest, order: .stack)
        mailbox.put(-3, priority: .highest)
        unsafe #expect(mailbox.take()?.element == -2)
        unsafe #expect(mailbox.take()?.element == -3)
        unsafe #expect(mailbox.take()?.element == 11)
    }

    @Test func deinitialisesWhatIsLeft() throws {
        let census = Token.Census()
        do {
            let mailbox = try Mailbox<Token>(bounds: MailboxBounds(capacity: 4, overflowPolicy: .dropOldest))
            for number in 0..<30 {
                mailbox.put(Token(number, in: census), priority: number % 2 == 0 ? .high : .low, order: .stack)
                mailbox.put(Token(number, in: census), priority: number % 3 == 0 ? .highest : .lowest)
            }
            #expect(census.count == 16)
            mailbox.close()
            mailbox.put(Token(31, in: census))
            #expect(census.count == 16)
        }
        #expect(census.count == 0)
    }

    @Test func failsWithTheFirstOverflow() throws {
        var bounds = MailboxBounds()
        bounds[.low, .stack] = MailboxBound(capacity: 2, overflowPolicy: .fail)
        let mailbox = try Mailbox<Int>(bounds: bounds)
        #expect(mailbox.put(1, priority: .low, order: .stack) && mailbox.put(2, priority: .low, order: .stack))
        #expect(mailbox.failure == nil)
        #expect(!mailbox.put(3, priority: .low, order: .stack))
        #expect(mailbox.failure == .overflow(priority: .low, order: .stack, capacity: 2))
        #expect(!mailbox.put(4))
        unsafe #expect(mailbox.take()?.element == 2)
        unsafe #expect(mailbox.park() == .ready)
        unsafe #expect(mailbox.take()?.element == 1)
        unsafe #expect(mailbox.park() == .finished)
        #expect(mailbox.metrics.total.dropped == 2)
        #expect(mailbox.metrics.total.taken == 2)
    }

    @Test(arguments: [Int.min, -1, 0, 3, 1000, (1 << 30) + 1, .max])
    func refusesCapacitiesThatAreNotPowersOfTwo(capacity: Int) {
        var bounds = MailboxBounds()
        bounds[.lowest, .stack].capacity = capacity
        #expect(throws: MailboxError.invalidCapacity(capacity)) { _ = try Mailbox<Int>(bounds: bounds) }
    }

    @Test func saysWhatIsWrong() {
        #expect(
            "\(MailboxError.invalidCapacity(3))"
                == "the capacity of a mailbox has to be a power of two between 1 and 2^30, not 3"
        )
        #expect("\(MailboxError.outOfMemory)" == "there is no memory for the slots of the mailbox")
        #expect(
            "\(MailboxError.overflow(priority: .high, order: .queue, capacity: 8))"
                == "more than 8 elements were waiting in the queue of priority high, whose overflow policy is to fail; "
                + "give it a larger capacity or another policy"
        )
    }

    @Test func prioritiesAreOrdered() {
        #expect(Priority.allCases.sorted(by: >) == [.highest, .high, .normal, .low, .lowest])
        #expect(Priority.highest > .lowest)
    }

    @Test func holdsElementsWithoutSize() throws {
        let mailbox = try Mailbox<Void>(bounds: MailboxBounds(capacity: 2, overflowPolicy: .dropNewest))
        #expect([mailbox.put(()), mailbox.put(()), mailbox.put(())] == [true, true, false])
        #expect(mailbox.metrics[.normal, .queue].highWaterMark == 2)
    }
}
