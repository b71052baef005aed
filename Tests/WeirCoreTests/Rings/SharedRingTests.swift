import Synchronization
import TestThreads
import Testing
import WeirCore

@Suite struct SharedRingTests {
    enum Step: Sendable, CaseIterable {
        case push, push2, push3, pop, consume2, drain2, pushDroppingOldest
    }

    @Test(arguments: [1, 2, 4])
    func agreesWithAnArrayOnEveryShortHistory(capacity: Int) {
        let census = Token.Census()
        TestThreads.everySequence(of: Step.allCases, length: 4) { tail in
            // Begins with writing, so that four more steps get far.
            for beginning in [Step.push, .push2, .push3] {
                let agrees = Self.agrees([beginning] + tail, capacity: capacity, census: census)
                if !agrees { Issue.record("differs from the array: \(beginning), \(tail)") }
            }
        }
        #expect(census.count == 0)
    }

    private static func agrees(_ history: [Step], capacity: Int, census: Token.Census) -> Bool {
        guard let ring = try? SharedRing<Token>(capacity: capacity) else { return false }
        var model: [Token] = []
        var head = 0
        var next = 0
        func tokens(_ count: Int) -> [Token] {
            next += count
            return (next - count..<next).map { Token($0, in: census) }
        }
        for step in history {
            let room = capacity - model.count
            var expected: [Token] = []
            var found: [Token] = []
            var written = (expected: 0, found: 0)
            func collect(_ batch: Span<Token>) {
                for index in batch.indices { found.append(batch[index]) }
            }
            switch step {
            case .push:
                let new = tokens(1)
                written = (min(1, room), ring.push(new[0]) ? 1 : 0)
                model += new.prefix(written.expected)
            case .push2, .push3:
                let new = tokens(step == .push2 ? 2 : 3)
                written = (min(new.count, room), ring.push(contentsOf: ContiguousArray(new).span))
                model += new.prefix(written.expected)
            case .pushDroppingOldest:
                let new = tokens(1)
                if room == 0 { expected = [model[0]] }
                model += new
                if !ring.push(new[0]) {
                    if let oldest = ring.pop() { found.append(oldest) }
                    written = (1, ring.push(new[0]) ? 1 : 0)
                }
            case .pop:
                expected = Array(model.prefix(1))
                if let token = ring.pop() { found.append(token) }
            case .consume2, .drain2:
                expected = Array(model.prefix(min(2, capacity - head)))
                let count =
                    unsafe step == .drain2
                    ? ring.drain(upTo: 2, collect) : ring.consume(upTo: 2, collect)
                written = (expected.count, count)
            }
            model.removeFirst(expected.count)
            head = (head + expected.count) % capacity
            guard expected == found, written.expected == written.found, ring.count == model.count else { return false }
        }
        return true
    }

    @Test func deinitialisesWhatIsLeft() throws {
        let census = Token.Census()
        do {
            let ring = try SharedRing<Token>(capacity: 4)
            for number in 0..<3 { ring.push(Token(number, in: census)) }
            for _ in 0..<3 { _ = ring.pop() }
            #expect(census.count == 0)
            // Full, and across the wrap.
            for number in 0..<5 { ring.push(Token(number, in: census)) }
            #expect(census.count == 4)
        }
        #expect(census.count == 0)
    }

    @Test func aBatchInUseBlocksNeitherPushNorPop() throws {
        let ring = try SharedRing<Int>(capacity: 4)
        for number in 0..<3 { ring.push(number) }
        var inner: [Int?] = []
        let count = ring.consume(upTo: 2) { batch in
            inner = [ring.push(3) ? 3 : nil, ring.pop(), ring.pop(), ring.pop()]
            #expect(batch[0] == 0 && batch[1] == 1)
        }
        #expect(count == 2)
        #expect(inner == [3, 2, 3, nil])
    }

    @Test(arguments: [(2, 1), (4, 1), (2, 2), (4, 3)], [2, 128])
    func losesAndDoublesNothing(threads: (producers: Int, consumers: Int), capacity: Int) throws {
        let census = Token.Census()
        let each = capacity < 8 ? 1_000 : 4_000
        let logs = (0..<threads.consumers).map { _ in RingLog() }
        do {
            let ring = try SharedRing<Token>(capacity: capacity)
            let left = Counter(each * threads.producers)
            let isOnly = threads.consumers == 1
            let producers = (0..<threads.producers).map { producer in
                { @Sendable () -> Void in
                    var next = 0
                    while next < each {
                        let written: Int
                        if next % 4 == 0 {
                            let tokens = (next..<min(each, next + 6)).map { Token(producer * each + $0, in: census) }
                            written = ring.push(contentsOf: ContiguousArray(tokens).span)
                        } else {
                            written = ring.push(Token(producer * each + next, in: census)) ? 1 : 0
                        }
                        next += written
                        if written == 0 { TestThreads.yield() }
                    }
                }
            }
            let consumers = logs.map { log in
                { @Sendable () -> Void in
                    func collect(_ batch: Span<Token>) {
                        for index in batch.indices { log.elements.append(batch[index].number) }
                    }
                    while left.value.load(ordering: .relaxed) > 0 {
                        var count = unsafe isOnly ? ring.drain(upTo: 5, collect) : ring.consume(upTo: 5, collect)
                        if let token = ring.pop() {
                            log.elements.append(token.number)
                            count += 1
                        }
                        left.value.subtract(count, ordering: .relaxed)
                        if count == 0 { TestThreads.yield() }
                    }
                }
            }
            TestThreads.run(producers + consumers)
        }
        #expect(logs.flatMap(\.elements).sorted() == Array(0..<each * threads.producers))
        #expect(census.count == 0)
        for log in logs {
            for producer in 0..<threads.producers {
                let own = log.elements.filter { $0 / each == producer }
                #expect(own == own.sorted(), "elements of one producer were overtaken")
            }
        }
    }

    @Test func producersMayDropTheOldest() throws {
        let each = 4_000
        let logs = (0..<3).map { _ in RingLog() }
        let ring = try SharedRing<Int>(capacity: 16)
        let running = Counter(2)
        let producers = (0..<2).map { producer in
            { @Sendable () -> Void in
                for number in 0..<each {
                    while !ring.push(producer * each + number) {
                        if let dropped = ring.pop() { logs[producer].elements.append(dropped) }
                    }
                }
                running.value.subtract(1, ordering: .releasing)
            }
        }
        TestThreads.run(
            producers + [
                {
                    var isLast = false
                    while !isLast {
                        isLast = running.value.load(ordering: .acquiring) == 0
                        while let element = ring.pop() { logs[2].elements.append(element) }
                        TestThreads.yield()
                    }
                }
            ]
        )
        #expect(logs.flatMap(\.elements).sorted() == Array(0..<2 * each))
    }

    private final class Counter: Sendable {
        let value: Atomic<Int>

        init(_ start: Int) {
            value = Atomic(start)
        }
    }
}
