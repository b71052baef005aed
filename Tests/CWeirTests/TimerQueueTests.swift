import CWeir
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct CTimerQueueTests {
    @Test func popsInTheOrderOfDeadlinesThenOfAdding() throws {
        let queue = try unsafe #require(cweir_timer_queue_create(8, 8, 8))
        defer { unsafe cweir_timer_queue_destroy(queue) }
        for (number, deadline) in [5, 3, 5, Int64.min, 3, Int64.max].enumerated() {
            unsafe add(queue, deadline, number)
        }
        unsafe #expect(cweir_timer_queue_count(queue) == 6)
        unsafe #expect(popAll(queue, upTo: 4).map(\.number) == [3, 1, 4])
        unsafe #expect(popAll(queue, upTo: .max).map(\.number) == [0, 2, 5])
        unsafe #expect(cweir_timer_queue_count(queue) == 0)
    }

    @Test func theTieBreakHas64Bits() throws {
        let queue = try unsafe #require(cweir_timer_queue_create(8, 8, 8))
        defer { unsafe cweir_timer_queue_destroy(queue) }
        unsafe cweir_timer_queue_skip(queue, UInt64(UInt32.max) - 2)
        for number in 0..<6 { unsafe add(queue, 1, number) }
        unsafe #expect(popAll(queue, upTo: 1).map(\.number) == Array(0..<6))
    }

    @Test func recognisesStaleHandles() throws {
        let queue = try unsafe #require(cweir_timer_queue_create(2, 8, 8))
        defer { unsafe cweir_timer_queue_destroy(queue) }
        let none = cweir_timer_t()
        unsafe #expect(cweir_timer_queue_cancel(queue, none) == nil)
        let first = unsafe add(queue, 1, 0)
        unsafe #expect(cweir_timer_queue_find(queue, first) != nil)
        unsafe #expect(cweir_timer_queue_cancel(queue, first) != nil)
        unsafe #expect(cweir_timer_queue_cancel(queue, first) == nil)
        let second = unsafe add(queue, 1, 1)
        #expect(second.slot == first.slot)
        unsafe #expect(cweir_timer_queue_find(queue, first) == nil)
        var moved = second
        unsafe #expect(cweir_timer_queue_reschedule(queue, &moved, 9))
        unsafe #expect(cweir_timer_queue_cancel(queue, second) == nil)
        let outside = cweir_timer_t(sequence: moved.sequence, slot: 1 << 30)
        unsafe #expect(cweir_timer_queue_cancel(queue, outside) == nil)
        unsafe #expect(popAll(queue, upTo: 9).map(\.deadline) == [9])
        unsafe #expect(cweir_timer_queue_reschedule(queue, &moved, 10) == false)
    }

    @Test func isFullAtItsLimit() throws {
        let queue = try unsafe #require(cweir_timer_queue_create(1500, 8, 8))
        defer { unsafe cweir_timer_queue_destroy(queue) }
        for number in 0..<1500 { unsafe add(queue, Int64(number), number) }
        var timer = cweir_timer_t()
        let refused = unsafe cweir_timer_queue_add(queue, 0, &timer)
        let code = errno
        unsafe #expect(refused == nil)
        #expect(code == ENOSPC)
        unsafe #expect(popAll(queue, upTo: .max).count == 1500)
        unsafe add(queue, 0, 0)
        unsafe #expect(cweir_timer_queue_count(queue) == 1)
    }

    @Test(arguments: [1, 2, 4, 8, 16, 32, 64, 128])
    func alignsPayloadsAndLeavesThemWhereTheyAre(alignment: Int) throws {
        let queue = try unsafe #require(cweir_timer_queue_create(5000, alignment + 1, alignment))
        defer { unsafe cweir_timer_queue_destroy(queue) }
        var timers: [cweir_timer_t] = []
        var places: [UInt] = []
        for number in 0..<5000 {
            var timer = cweir_timer_t()
            let payload = unsafe cweir_timer_queue_add(queue, Int64(number * 7919 % 5000), &timer)
            timers.append(timer)
            places.append(UInt(bitPattern: payload))
        }
        #expect(places.allSatisfy { $0 != 0 && $0 % UInt(alignment) == 0 })
        let sorted = places.sorted()
        #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $1 - $0 >= UInt(alignment + 1) })
        #expect(
            zip(timers, places).allSatisfy { unsafe UInt(bitPattern: cweir_timer_queue_find(queue, $0)) == $1 }
        )
    }

    @Test(arguments: [(0, 8, 8), (1 << 32, 8, 8), (8, 8, 3), (8, 8, 0), (8, 8, 256), (8, 1 << 32, 8)])
    func refusesWhatItCannotBe(limit: Int, size: Int, alignment: Int) {
        let queue = unsafe cweir_timer_queue_create(limit, size, alignment)
        let code = errno
        unsafe #expect(queue == nil)
        #expect(code == EINVAL)
    }

    @Test func destroysNothing() {
        cweir_timer_queue_destroy(nil)
    }

    @Test func removesAllInAnyOrder() throws {
        let queue = try unsafe #require(cweir_timer_queue_create(3000, 8, 8))
        defer { unsafe cweir_timer_queue_destroy(queue) }
        for number in 0..<3000 { unsafe add(queue, Int64(number % 17) << (number % 50), number) }
        _ = unsafe popAll(queue, upTo: 10)
        var left = unsafe cweir_timer_queue_count(queue)
        var cursor: UInt32 = 0
        while unsafe cweir_timer_queue_remove_any(queue, &cursor) != nil { left -= 1 }
        #expect(left == 0)
        unsafe #expect(cweir_timer_queue_count(queue) == 0)
        var deadline: Int64 = 0
        unsafe #expect(cweir_timer_queue_peek(queue, &deadline) == false)
    }

    @discardableResult
    private func add(_ queue: OpaquePointer, _ deadline: Int64, _ number: Int) -> cweir_timer_t {
        var timer = cweir_timer_t()
        let payload = unsafe cweir_timer_queue_add(queue, deadline, &timer)
        unsafe payload?.storeBytes(of: number, as: Int.self)
        return timer
    }

    private func popAll(_ queue: OpaquePointer, upTo latest: Int64) -> [(deadline: Int64, number: Int)] {
        var popped: [(Int64, Int)] = []
        var deadline: Int64 = 0
        while let payload = unsafe cweir_timer_queue_pop(queue, latest, &deadline) {
            popped.append((deadline, unsafe payload.load(as: Int.self)))
        }
        return popped
    }
}
