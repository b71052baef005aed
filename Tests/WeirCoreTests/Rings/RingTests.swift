import TestThreads
import Testing
import WeirCore

@Suite struct RingTests {
    enum Step: Sendable, CaseIterable {
        case push, push2, push3, produce2, produceOneOf2, pop, popInto2, consume2
    }

    @Test(arguments: [1, 2, 4])
    func agreesWithAnArrayOnEveryShortHistory(capacity: Int) throws {
        let census = Token.Census()
        TestThreads.everySequence(of: Step.allCases, length: 4) { tail in
            // Begins with writing, so that four more steps get far.
            for beginning in [Step.push, .push3, .produce2] {
                let agrees = Self.agrees([beginning] + tail, capacity: capacity, census: census)
                if !agrees { Issue.record("differs from the array: \(beginning), \(tail)") }
            }
        }
        #expect(census.count == 0)
    }

    private static func agrees(_ history: [Step], capacity: Int, census: Token.Census) -> Bool {
        guard let ends = try? Ring<Token>.makeEnds(capacity: capacity) else { return false }
        var producer = ends.producer
        var consumer = ends.consumer
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
            var counts = (expected: 0, found: 0)
            switch step {
            case .push:
                let new = tokens(1)
                counts = (min(1, room), producer.push(new[0]) ? 1 : 0)
                model += new.prefix(counts.expected)
            case .push2, .push3:
                let new = tokens(step == .push2 ? 2 : 3)
                counts = (min(new.count, room), producer.push(contentsOf: ContiguousArray(new).span))
                model += new.prefix(counts.expected)
            case .produce2, .produceOneOf2:
                let new = tokens(2)
                let places = min(2, room, capacity - (head + model.count) % capacity)
                counts.expected = step == .produce2 ? places : min(1, places)
                counts.found = producer.produce(upTo: 2) { batch in
                    for token in new.prefix(step == .produce2 ? batch.freeCapacity : 1) { batch.append(token) }
                }
                model += new.prefix(counts.expected)
            case .pop:
                expected = Array(model.prefix(1))
                if let token = consumer.pop() { found.append(token) }
            case .popInto2:
                expected = Array(model.prefix(2))
                found = Array(capacity: 2) { output in
                    counts.found = consumer.pop(into: &output)
                }
                counts.expected = expected.count
            case .consume2:
                expected = Array(model.prefix(min(2, capacity - head)))
                counts.found = consumer.consume(upTo: 2) { batch in
                    for index in batch.indices { found.append(batch[index]) }
                }
                counts.expected = expected.count
            }
            model.removeFirst(expected.count)
            head = (head + expected.count) % capacity
            guard expected == found, counts.expected == counts.found,
                producer.count == model.count, consumer.count == model.count
            else { return false }
        }
        return true
    }

    @Test(arguments: [true, false])
    func deinitialisesWhatIsLeft(producerFirst: Bool) throws {
        let census = Token.Census()
        do {
            let ends = try Ring<Token>.makeEnds(capacity: 8)
            var producer = ends.producer
            var consumer = ends.consumer
            for number in 0..<5 { producer.push(Token(number, in: census)) }
            for _ in 0..<5 { _ = consumer.pop() }
            #expect(census.count == 0)
            // Full, and across the wrap.
            for number in 0..<8 { producer.push(Token(number, in: census)) }
            let taken = producer.push(Token(8, in: census))
            #expect(!taken)
            #expect(census.count == 8)
            if producerFirst {
                _ = consume producer
                #expect(consumer.pop()?.number == 0)
                _ = consume consumer
            } else {
                _ = consume consumer
                #expect(census.count == 8)
                _ = consume producer
            }
            #expect(census.count == 0)
        }
    }

    @Test func holdsElementsWithoutSize() throws {
        let ends = try Ring<Void>.makeEnds(capacity: 2)
        var producer = ends.producer
        var consumer = ends.consumer
        var answers = [producer.push(()), producer.push(()), producer.push(())]
        #expect(answers == [true, true, false])
        answers = [consumer.pop() != nil, consumer.pop() != nil, consumer.pop() != nil]
        #expect(answers == [true, true, false])
    }

    @Test(arguments: [Int.min, -8, -1, 0, 3, 1000, (1 << 30) + 1, 1 << 31, .max])
    func refusesCapacitiesThatAreNotPowersOfTwo(capacity: Int) {
        #expect(throws: RingError.invalidCapacity(capacity)) { _ = try Ring<Int>.makeEnds(capacity: capacity) }
        #expect(throws: RingError.invalidCapacity(capacity)) { _ = try SharedRing<Int>(capacity: capacity) }
    }

    @Test func saysWhatIsWrong() {
        #expect(
            "\(RingError.invalidCapacity(3))"
                == "the capacity of a ring has to be a power of two between 1 and 2^30, not 3"
        )
        #expect("\(RingError.outOfMemory)" == "there is no memory for the slots of the ring")
    }

    @Test(arguments: [1, 4, 256])
    func keepsTheOrderAcrossThreads(capacity: Int) throws {
        let census = Token.Census()
        let total = capacity == 1 ? 2_000 : 12_000
        let log = RingLog()
        do {
            let box = try RingEndsBox<Token>(capacity: capacity)
            TestThreads.run([
                {
                    guard var producer = box.producer.take() else { return }
                    var next = 0
                    while next < total {
                        let written: Int
                        if next % 3 == 0 {
                            let tokens = (next..<min(total, next + 5)).map { Token($0, in: census) }
                            written = producer.push(contentsOf: ContiguousArray(tokens).span)
                        } else {
                            written = producer.push(Token(next, in: census)) ? 1 : 0
                        }
                        next += written
                        if written == 0 { TestThreads.yield() }
                    }
                },
                {
                    guard var consumer = box.consumer.take() else { return }
                    while log.elements.count < total {
                        var count = consumer.consume(upTo: 7) { batch in
                            for index in batch.indices { log.elements.append(batch[index].number) }
                        }
                        if let token = consumer.pop() {
                            log.elements.append(token.number)
                            count += 1
                        }
                        if count == 0 { TestThreads.yield() }
                    }
                },
            ])
        }
        #expect(log.elements == Array(0..<total))
        #expect(census.count == 0)
    }
}
