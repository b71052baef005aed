import CWeir
import TestThreads
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct CRingTests {
    enum Step: Sendable {
        case push(claiming: Int, publishing: Int)
        case pop(peeking: Int, releasing: Int)

        static let all: [Step] = [
            .push(claiming: 1, publishing: 1), .push(claiming: 2, publishing: 2), .push(claiming: 3, publishing: 3),
            .push(claiming: 3, publishing: 1),
            .pop(peeking: 1, releasing: 1), .pop(peeking: 2, releasing: 2), .pop(peeking: 3, releasing: 3),
            .pop(peeking: 3, releasing: 1),
        ]
    }

    @Test(arguments: [1, 2, 4], [0, UInt64.max - 1, UInt64(UInt32.max)])
    func agreesWithAnArrayOnEveryShortHistory(capacity: Int, start: UInt64) {
        TestThreads.everySequence(of: Step.all, length: 5) { history in
            guard let ring = unsafe cweir_ring_create_at(capacity, 8, start) else {
                Issue.record("no ring")
                return
            }
            var model: [Int] = []
            var head = Int(start & UInt64(capacity - 1))
            var next = 0
            var agrees = true
            for step in history {
                switch step {
                case .push(let wanted, let published):
                    let tail = (head + model.count) % capacity
                    let run = unsafe cweir_ring_claim(ring, wanted)
                    let count = unsafe run.count
                    agrees = agrees && count == min(wanted, capacity - model.count, capacity - tail)
                    for offset in 0..<min(count, published) {
                        unsafe run.slots?.storeBytes(of: next, toByteOffset: offset * 8, as: Int.self)
                        model.append(next)
                        next += 1
                    }
                    unsafe cweir_ring_publish(ring, min(count, published))
                case .pop(let wanted, let released):
                    let run = unsafe cweir_ring_peek(ring, wanted)
                    let count = unsafe run.count
                    agrees = agrees && count == min(wanted, model.count, capacity - head)
                    for offset in 0..<min(count, model.count) {
                        let element = unsafe run.slots?.load(fromByteOffset: offset * 8, as: Int.self)
                        agrees = agrees && element == model[offset]
                    }
                    unsafe cweir_ring_release(ring, min(count, released))
                    model.removeFirst(min(count, released))
                    head = (head + min(count, released)) % capacity
                }
                agrees = unsafe agrees && cweir_ring_count(ring) == model.count
            }
            if !agrees { Issue.record("differs from the array: \(history)") }
            unsafe cweir_ring_destroy(ring)
        }
    }

    @Test func givesTheSameSlotsUntilTheyArePublishedOrReleased() throws {
        let ring = try unsafe #require(cweir_ring_create(4, 16))
        defer { unsafe cweir_ring_destroy(ring) }
        unsafe #expect(cweir_ring_claim(ring, 3).slots == cweir_ring_claim(ring, 1).slots)
        unsafe cweir_ring_publish(ring, 2)
        unsafe #expect(cweir_ring_peek(ring, 9).slots == cweir_ring_peek(ring, 1).slots)
        unsafe #expect(cweir_ring_peek(ring, 9).count == 2)
        unsafe #expect(cweir_ring_claim(ring, 0).count == 0)
        unsafe #expect(cweir_ring_peek(ring, 0).count == 0)
    }

    @Test(arguments: [0, 3, 6, 1000, Int.max])
    func refusesCapacitiesThatAreNotPowersOfTwo(capacity: Int) {
        let ring = unsafe cweir_ring_create(capacity, 8)
        let code = errno
        unsafe #expect(ring == nil)
        #expect(code == EINVAL)
    }

    @Test func refusesAStrideOfZero() {
        let ring = unsafe cweir_ring_create(8, 0)
        let code = errno
        unsafe #expect(ring == nil)
        #expect(code == EINVAL)
    }

    @Test func refusesMoreThanTheAddressSpace() {
        let ring = unsafe cweir_ring_create(1 << 62, 64)
        let code = errno
        unsafe #expect(ring == nil)
        #expect(code == ENOMEM)
    }

    @Test func destroysNothing() {
        cweir_ring_destroy(nil)
    }

    /// A pointer that is safe to share: one thread uses the producer's side, one the consumer's.
    @safe
    private struct Shared: @unchecked Sendable {
        let ring: UnsafeMutablePointer<cweir_ring_t>
    }

    @Test(arguments: [1, 8, 1024], [1, 7])
    func keepsTheOrderAcrossThreads(capacity: Int, batch: Int) throws {
        let ring = try unsafe #require(cweir_ring_create_at(capacity, 8, UInt64.max - 1000))
        defer { unsafe cweir_ring_destroy(ring) }
        let shared = unsafe Shared(ring: ring)
        let total = capacity == 1 ? 2_000 : 20_000
        TestThreads.run([
            {
                var next = 0
                while next < total {
                    let run = unsafe cweir_ring_claim(shared.ring, min(batch, total - next))
                    let count = unsafe run.count
                    if count == 0 { TestThreads.yield() }
                    for offset in 0..<count {
                        unsafe run.slots?.storeBytes(of: next + offset, toByteOffset: offset * 8, as: Int.self)
                    }
                    unsafe cweir_ring_publish(shared.ring, count)
                    next += count
                }
            },
            {
                var next = 0
                var inOrder = true
                while next < total {
                    let run = unsafe cweir_ring_peek(shared.ring, batch)
                    let count = unsafe run.count
                    if count == 0 { TestThreads.yield() }
                    for offset in 0..<count {
                        let element = unsafe run.slots?.load(fromByteOffset: offset * 8, as: Int.self)
                        inOrder = inOrder && element == next + offset
                    }
                    unsafe cweir_ring_release(shared.ring, count)
                    next += count
                }
                #expect(inOrder)
            },
        ])
        unsafe #expect(cweir_ring_count(ring) == 0)
    }
}
