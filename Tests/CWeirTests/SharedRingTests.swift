import CWeir
import Synchronization
import TestThreads
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct CSharedRingTests {
    enum Step: Sendable, CaseIterable {
        case push1, push2, push3, claim2, publishLast, release1, release3, take2, hold1, giveBackFirst
    }

    /// What a slot is, and how the ring has to answer.
    struct Model {
        enum Slot: Equatable {
            case vacant, claimed, filled(Int), taken
        }

        var slots: [Slot]
        var tail: UInt64
        var head: UInt64

        init(capacity: Int, start: UInt64) {
            slots = Array(repeating: .vacant, count: capacity)
            tail = start
            head = start
        }

        func index(_ position: UInt64) -> Int { Int(position & UInt64(slots.count - 1)) }

        func run(at position: UInt64, wanted: Int, where matches: (Slot) -> Bool) -> Int {
            let first = index(position)
            return slots[first...].prefix(wanted).prefix(while: matches).count
        }

        func vacancies(_ wanted: Int) -> Int { run(at: tail, wanted: wanted) { $0 == .vacant } }

        func fillings(_ wanted: Int) -> Int {
            run(at: head, wanted: wanted) { if case .filled = $0 { true } else { false } }
        }
    }

    /// The ring beside its model; every step checks that they agree.
    @safe
    struct Pair {
        let ring: UnsafeMutablePointer<cweir_shared_ring_t>
        var model: Model
        var claimed: [(position: UInt64, count: Int)] = []
        var taken: [(position: UInt64, count: Int)] = []
        var next = 0
        var agrees = true

        mutating func claim(_ wanted: Int) {
            let expected = model.vacancies(wanted)
            let run = unsafe cweir_shared_ring_claim(ring, wanted)
            unsafe agrees = agrees && run.count == expected && (expected == 0 || run.position == model.tail)
            guard agrees, expected > 0 else { return }
            for offset in 0..<expected {
                unsafe run.slots.storeBytes(of: next, toByteOffset: offset * 8, as: Int.self)
                model.slots[model.index(model.tail &+ UInt64(offset))] = .claimed
                next += 1
            }
            claimed.append((model.tail, expected))
            model.tail &+= UInt64(expected)
        }

        mutating func publishLast() {
            guard let run = claimed.popLast() else { return }
            // Piece by piece, the later piece first.
            for offset in (0..<run.count).reversed() {
                let position = run.position &+ UInt64(offset)
                let index = model.index(position)
                // Claims hand out the numbers 0, 1, 2 ... in order of position, so this is what the slot holds.
                model.slots[index] = .filled(next - Int(truncatingIfNeeded: model.tail &- position))
                unsafe cweir_shared_ring_publish(ring, position, 1)
            }
        }

        mutating func check(_ run: cweir_shared_run_t, _ expected: Int) {
            unsafe agrees = agrees && run.count == expected && (expected == 0 || run.position == model.head)
            guard agrees else { return }
            for offset in 0..<expected {
                let element = unsafe run.slots.load(fromByteOffset: offset * 8, as: Int.self)
                agrees = agrees && model.slots[model.index(model.head &+ UInt64(offset))] == .filled(element)
            }
        }

        mutating func release(peeking wanted: Int) {
            // Peek and release are for the only consumer: not while slots are taken.
            guard taken.isEmpty else { return }
            let expected = model.fillings(wanted)
            unsafe check(cweir_shared_ring_peek(ring, wanted), expected)
            guard agrees else { return }
            for offset in 0..<expected { model.slots[model.index(model.head &+ UInt64(offset))] = .vacant }
            model.head &+= UInt64(expected)
            unsafe cweir_shared_ring_release(ring, expected)
        }

        mutating func take(_ wanted: Int) {
            let expected = model.fillings(wanted)
            unsafe check(cweir_shared_ring_take(ring, wanted), expected)
            guard agrees, expected > 0 else { return }
            for offset in 0..<expected { model.slots[model.index(model.head &+ UInt64(offset))] = .taken }
            taken.append((model.head, expected))
            model.head &+= UInt64(expected)
        }

        mutating func giveBack(at place: Int) {
            guard taken.indices.contains(place) else { return }
            let run = taken.remove(at: place)
            for offset in 0..<run.count { model.slots[model.index(run.position &+ UInt64(offset))] = .vacant }
            unsafe cweir_shared_ring_give_back(ring, run.position, run.count)
        }

        mutating func perform(_ step: Step) {
            switch step {
            case .push1:
                claim(1)
                publishLast()
            case .push2:
                claim(2)
                publishLast()
            case .push3:
                claim(3)
                publishLast()
            case .claim2: claim(2)
            case .publishLast: publishLast()
            case .release1: release(peeking: 1)
            case .release3: release(peeking: 3)
            case .take2:
                let before = taken.count
                take(2)
                if taken.count > before { giveBack(at: before) }
            case .hold1: take(1)
            case .giveBackFirst: giveBack(at: 0)
            }
            agrees = unsafe agrees && cweir_shared_ring_count(ring) == Int(model.tail &- model.head)
        }
    }

    /// Lap 2³¹ is where the 32-bit sequences wrap.
    @Test(arguments: [1, 2, 4], [0, UInt64.max - 1, 1])
    func agreesWithAModelOnEveryShortHistory(capacity: Int, start: UInt64) {
        let first = start == 1 ? (UInt64(1) << 31) * UInt64(capacity) - 2 : start
        TestThreads.everySequence(of: Step.allCases, length: 4) { tail in
            // Begins with every push in turn, so that four steps get far.
            for beginning in [Step.push1, .push3, .claim2] {
                guard let ring = unsafe cweir_shared_ring_create_at(capacity, 8, first) else {
                    Issue.record("no ring")
                    return
                }
                var pair = unsafe Pair(ring: ring, model: Model(capacity: capacity, start: first))
                pair.perform(beginning)
                for step in tail where pair.agrees { pair.perform(step) }
                if !pair.agrees { Issue.record("differs from the model: \(beginning), \(tail)") }
                unsafe cweir_shared_ring_destroy(ring)
            }
        }
    }

    @Test func aSlowProducerHoldsUpNoOther() throws {
        let ring = try unsafe #require(cweir_shared_ring_create(8, 8))
        defer { unsafe cweir_shared_ring_destroy(ring) }
        let slow = unsafe cweir_shared_ring_claim(ring, 1)
        for _ in 0..<7 {
            let run = unsafe cweir_shared_ring_claim(ring, 1)
            unsafe #expect(run.count == 1)
            unsafe cweir_shared_ring_publish(ring, run.position, run.count)
        }
        unsafe #expect(cweir_shared_ring_claim(ring, 1).count == 0)
        unsafe #expect(cweir_shared_ring_peek(ring, 8).count == 0)
        unsafe cweir_shared_ring_publish(ring, slow.position, slow.count)
        unsafe #expect(cweir_shared_ring_peek(ring, 8).count == 8)
    }

    @Test(arguments: [0, 3, 1000, 1 << 31])
    func refusesBadCapacities(capacity: Int) {
        let ring = unsafe cweir_shared_ring_create(capacity, 8)
        let code = errno
        unsafe #expect(ring == nil)
        #expect(code == EINVAL)
    }

    @Test func refusesMoreThanTheAddressSpace() {
        let ring = unsafe cweir_shared_ring_create(1 << 30, 1 << 40)
        let code = errno
        unsafe #expect(ring == nil)
        #expect(code == ENOMEM)
        cweir_shared_ring_destroy(nil)
    }

    /// Shared between threads; the functions called on it allow that.
    @safe
    private final class Shared: @unchecked Sendable {
        let ring: UnsafeMutablePointer<cweir_shared_ring_t>
        let left: Atomic<Int>

        init(_ ring: UnsafeMutablePointer<cweir_shared_ring_t>, left: Int) {
            unsafe self.ring = ring
            self.left = Atomic(left)
        }
    }

    /// What one consumer got; read by the test after its thread has ended.
    private final class Log: @unchecked Sendable {
        var elements: [Int] = []
    }

    @Test(arguments: [(2, 1), (4, 1), (2, 2), (3, 3)], [2, 64])
    func losesAndDoublesNothing(threads: (producers: Int, consumers: Int), capacity: Int) throws {
        // The sequences wrap after a thousand elements or so.
        let start = (UInt64(1) << 31) * UInt64(capacity) - 1000
        let ring = try unsafe #require(cweir_shared_ring_create_at(capacity, 8, start))
        defer { unsafe cweir_shared_ring_destroy(ring) }
        let each = capacity < 8 ? 1_000 : 6_000
        let shared = unsafe Shared(ring, left: each * threads.producers)
        let logs = (0..<threads.consumers).map { _ in Log() }
        let producers = (0..<threads.producers).map { producer in
            { @Sendable () -> Void in
                var next = 0
                while next < each {
                    let run = unsafe cweir_shared_ring_claim(shared.ring, min(1 + next % 7, each - next))
                    let count = unsafe run.count
                    if count == 0 { TestThreads.yield() }
                    for offset in 0..<count {
                        let element = producer * each + next + offset
                        unsafe run.slots.storeBytes(of: element, toByteOffset: offset * 8, as: Int.self)
                    }
                    unsafe cweir_shared_ring_publish(shared.ring, run.position, count)
                    next += count
                }
            }
        }
        let isOnly = threads.consumers == 1
        let consumers = logs.map { log in
            { @Sendable () -> Void in
                while shared.left.load(ordering: .relaxed) > 0 {
                    let run =
                        unsafe isOnly
                        ? cweir_shared_ring_peek(shared.ring, 5) : cweir_shared_ring_take(shared.ring, 5)
                    let count = unsafe run.count
                    guard count > 0 else {
                        TestThreads.yield()
                        continue
                    }
                    for offset in 0..<count {
                        unsafe log.elements.append(run.slots.load(fromByteOffset: offset * 8, as: Int.self))
                    }
                    if isOnly {
                        unsafe cweir_shared_ring_release(shared.ring, count)
                    } else {
                        unsafe cweir_shared_ring_give_back(shared.ring, run.position, count)
                    }
                    shared.left.subtract(count, ordering: .relaxed)
                }
            }
        }
        TestThreads.run(producers + consumers)
        #expect(logs.flatMap(\.elements).sorted() == Array(0..<each * threads.producers))
        for log in logs {
            for producer in 0..<threads.producers {
                let own = log.elements.filter { $0 / each == producer }
                #expect(own == own.sorted(), "elements of one producer were overtaken")
            }
        }
    }
}
