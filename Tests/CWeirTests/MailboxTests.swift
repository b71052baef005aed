import CWeir
import TestThreads
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct CMailboxTests {
    private static let highestQueue: UInt32 = 5
    private static let lowestQueue: UInt32 = 9

    /// Shared between threads; the functions called on it allow that.
    @safe
    private final class Shared: @unchecked Sendable {
        let mailbox: UnsafeMutablePointer<cweir_mailbox_t>

        init(_ mailbox: UnsafeMutablePointer<cweir_mailbox_t>) {
            unsafe self.mailbox = mailbox
        }
    }

    private static func create(capacities: [Int]) -> UnsafeMutablePointer<cweir_mailbox_t>? {
        let bounds = capacities.map { cweir_mailbox_bound_t(capacity: $0, drops_oldest: false) }
        return unsafe bounds.withUnsafeBufferPointer { bounds in
            guard let first = bounds.baseAddress else { return nil }
            return unsafe cweir_mailbox_create(first, 8)
        }
    }

    private static func take(_ mailbox: UnsafeMutablePointer<cweir_mailbox_t>) -> (Int, UInt32)? {
        let item = unsafe cweir_mailbox_take(mailbox)
        guard let slot = unsafe item.slot else { return nil }
        let element = unsafe slot.load(as: Int.self)
        unsafe cweir_mailbox_give_back(mailbox, item)
        return unsafe (element, item.lane)
    }

    private static func put(_ element: Int, _ lane: UInt32, _ mailbox: UnsafeMutablePointer<cweir_mailbox_t>) -> Bool {
        let item = unsafe cweir_mailbox_claim(mailbox, lane)
        unsafe item.slot?.storeBytes(of: element, as: Int.self)
        guard unsafe item.slot != nil else { return false }
        unsafe cweir_mailbox_publish(mailbox, item)
        return true
    }

    @Test func aSlowProducerHoldsUpItsQueueAlone() throws {
        let mailbox = try unsafe #require(Self.create(capacities: Array(repeating: 8, count: 10)))
        defer { unsafe cweir_mailbox_destroy(mailbox) }
        let slow = unsafe cweir_mailbox_claim(mailbox, Self.highestQueue)
        unsafe #expect(Self.put(1, Self.highestQueue, mailbox))
        unsafe #expect(Self.put(2, Self.lowestQueue, mailbox))
        unsafe #expect(Self.take(mailbox)?.0 == 2)
        // Longer than the consumer's patience: the slot that is being written keeps its bit.
        for _ in 0..<100 { unsafe #expect(Self.take(mailbox) == nil) }
        let soon = cweir_clock_monotonic() + 5_000_000
        unsafe #expect(cweir_mailbox_park(mailbox, soon, 0) == UInt32(CWEIR_MAILBOX_TIMED_OUT))
        unsafe slow.slot?.storeBytes(of: 0, as: Int.self)
        unsafe cweir_mailbox_publish(mailbox, slow)
        unsafe #expect(cweir_mailbox_park(mailbox, soon, 0) == UInt32(CWEIR_MAILBOX_READY))
        unsafe #expect(Self.take(mailbox)?.0 == 0)
        unsafe #expect(Self.take(mailbox)?.0 == 1)
        unsafe #expect(Self.take(mailbox) == nil)
    }

    /// The bit is cleared after a while, and has to be set again.
    @Test(arguments: 0..<UInt32(10))
    func anIdleLaneComesBack(lane: UInt32) throws {
        let mailbox = try unsafe #require(Self.create(capacities: Array(repeating: 8, count: 10)))
        defer { unsafe cweir_mailbox_destroy(mailbox) }
        for number in 0..<200 {
            for _ in 0..<number % 40 { unsafe #expect(Self.take(mailbox) == nil) }
            unsafe #expect(Self.put(number, lane, mailbox))
            let found = unsafe Self.take(mailbox)
            #expect(found?.0 == number && found?.1 == lane)
        }
    }

    /// Neither sleeps for good while the other writes or closes.
    @Test func aParkWaitsForWhatIsBeingWritten() throws {
        let mailbox = try unsafe #require(Self.create(capacities: Array(repeating: 8, count: 10)))
        defer { unsafe cweir_mailbox_destroy(mailbox) }
        let shared = unsafe Shared(mailbox)
        TestThreads.run([
            {
                let slow = unsafe cweir_mailbox_claim(shared.mailbox, Self.lowestQueue)
                unsafe cweir_mailbox_close(shared.mailbox)
                let end = cweir_clock_monotonic() + 10_000_000
                while cweir_clock_monotonic() < end { TestThreads.yield() }
                unsafe slow.slot?.storeBytes(of: 7, as: Int.self)
                unsafe cweir_mailbox_publish(shared.mailbox, slow)
            },
            {
                var elements: [Int] = []
                while unsafe !cweir_mailbox_is_closed(shared.mailbox) { TestThreads.yield() }
                while unsafe cweir_mailbox_park(shared.mailbox, .max, 0) != UInt32(CWEIR_MAILBOX_FINISHED) {
                    while let next = unsafe Self.take(shared.mailbox) { elements.append(next.0) }
                }
                #expect(elements == [7])
            },
        ])
    }

    @Test(arguments: [0, 3, 1000])
    func refusesBadCapacities(capacity: Int) {
        for lane in 0..<10 {
            var capacities = Array(repeating: 8, count: 10)
            capacities[lane] = capacity
            let mailbox = unsafe Self.create(capacities: capacities)
            let code = errno
            unsafe #expect(mailbox == nil)
            #expect(code == EINVAL)
        }
        cweir_mailbox_destroy(nil)
    }

    @Test func aSleepEndsAtItsDeadlineOrWhenTheWordDiffers() throws {
        let parking = try unsafe #require(cweir_parking_create())
        defer { unsafe cweir_parking_destroy(parking) }
        unsafe #expect(cweir_parking_sleep(parking, 1, .max))
        unsafe #expect(!cweir_parking_sleep(parking, 0, 0))
        let soon = cweir_clock_monotonic() + 2_000_000
        while unsafe cweir_parking_sleep(parking, 0, soon) {}
        #expect(cweir_clock_monotonic() >= soon)
        unsafe cweir_parking_wake(parking, true)
        unsafe #expect(cweir_parking_wakes(parking) == 1)
        unsafe #expect(cweir_parking_sleeps(parking) >= 3)
    }
}
