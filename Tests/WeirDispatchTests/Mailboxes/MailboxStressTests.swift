import Synchronization
import TestThreads
import Testing
import WeirCore
import WeirDispatch
import WeirTesting

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Several producers against one consumer, with every element accounted for.
@Suite struct MailboxStressTests {
    /// Ten million with WEIR_LONG_TESTS=1.
    private static let isLong = unsafe getenv("WEIR_LONG_TESTS") != nil

    /// What the consumer saw; read by the test after its thread has ended.
    private final class Seen: @unchecked Sendable {
        var times: [UInt8]
        var newest: [Int]
        var isInOrder = true

        init(total: Int, producers: Int) {
            times = Array(repeating: 0, count: total)
            newest = Array(repeating: -1, count: producers * 5)
        }
    }

    private final class Counter: Sendable {
        let value: Atomic<Int>

        init(_ start: Int) {
            value = Atomic(start)
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let producers: Int
        let capacity: Int
        let policy: OverflowPolicy
        let total: Int

        var testDescription: String { "\(producers) producers, capacity \(capacity), \(policy), \(total) elements" }
    }

    static let cases: [Case] = [
        Case(producers: 4, capacity: 1024, policy: .block, total: isLong ? 10_000_000 : 600_000),
        Case(producers: 8, capacity: 16, policy: .block, total: isLong ? 1_000_000 : 80_000),
        Case(producers: 4, capacity: 1, policy: .block, total: 20_000),
        Case(producers: 8, capacity: 64, policy: .dropNewest, total: isLong ? 10_000_000 : 200_000),
        Case(producers: 4, capacity: 64, policy: .dropOldest, total: isLong ? 10_000_000 : 200_000),
        Case(producers: 8, capacity: 2, policy: .dropOldest, total: 80_000),
        Case(producers: 4, capacity: 1, policy: .latest, total: isLong ? 10_000_000 : 100_000),
    ]

    @Test(arguments: cases)
    func losesAndDoublesNothingButWhatItCounts(_ setting: Case) throws {
        let each = setting.total / setting.producers
        let mailbox = try Mailbox<Int>(
            bounds: MailboxBounds(capacity: setting.capacity, overflowPolicy: setting.policy)
        )
        let seen = Seen(total: each * setting.producers, producers: setting.producers)
        let running = Counter(setting.producers)
        let refused = Counter(0)
        let producers = (0..<setting.producers).map { producer in
            { @Sendable () -> Void in
                var random = SeededGenerator(seed: UInt64(producer))
                var refusals = 0
                for number in 0..<each {
                    let draw = random.next()
                    let priority = Priority(rawValue: UInt8(draw % 5)) ?? .normal
                    let order: DispatchOrder = draw >> 40 & 3 == 0 ? .stack : .queue
                    if !mailbox.put(producer * each + number, priority: priority, order: order) { refusals += 1 }
                }
                refused.value.add(refusals, ordering: .relaxed)
                if running.value.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { mailbox.close() }
            }
        }
        let consumer = { @Sendable () -> Void in
            while true {
                while let next = unsafe mailbox.take() {
                    seen.times[next.element] &+= 1
                    guard next.order == .queue else { continue }
                    let place = next.element / each * 5 + Int(next.priority.rawValue)
                    seen.isInOrder = seen.isInOrder && next.element > seen.newest[place]
                    seen.newest[place] = next.element
                }
                if unsafe mailbox.park(spinning: .microseconds(5)) == .finished { return }
            }
        }
        TestThreads.run(producers + [consumer])
        let taken = seen.times.count { $0 == 1 }
        #expect(!seen.times.contains { $0 > 1 }, "an element came twice")
        #expect(seen.isInOrder, "elements of one producer and priority were overtaken in a queue")
        let total = mailbox.metrics.total
        #expect(total.pending == 0 && total.taken == UInt64(taken))
        #expect(total.droppedNewest == UInt64(refused.value.load(ordering: .relaxed)))
        #expect(total.dropped == total.droppedNewest + total.droppedOldest)
        #expect(UInt64(taken) + total.dropped == UInt64(seen.times.count))
        if setting.policy == .block { #expect(total.dropped == 0) }
        if setting.policy == .dropOldest || setting.policy == .latest { #expect(total.droppedNewest == 0) }
        for priority in Priority.allCases {
            for order in DispatchOrder.allCases {
                #expect(mailbox.metrics[priority, order].highWaterMark <= UInt64(setting.capacity))
            }
        }
    }

    /// Counting disturbs nobody, and never shows what cannot be.
    @Test func numbersCanBeReadAtAnyTime() throws {
        let mailbox = try Mailbox<Int>(bounds: MailboxBounds(capacity: 64))
        let each = 20_000
        let running = Counter(1)
        TestThreads.run([
            {
                for number in 0..<each { mailbox.put(number, order: number % 8 == 0 ? .stack : .queue) }
                mailbox.close()
            },
            {
                repeat { while unsafe mailbox.take() != nil {} } while unsafe mailbox.park() != .finished
                running.value.subtract(1, ordering: .releasing)
            },
            {
                var accepted: UInt64 = 0
                while running.value.load(ordering: .acquiring) > 0 {
                    let metrics = mailbox.metrics
                    #expect(metrics.total.accepted >= accepted && metrics.total.accepted <= UInt64(each))
                    #expect(metrics.total.highWaterMark <= 128)
                    accepted = metrics.total.accepted
                    TestThreads.yield()
                }
            },
        ])
        #expect(mailbox.metrics.total.taken == UInt64(each))
    }
}
