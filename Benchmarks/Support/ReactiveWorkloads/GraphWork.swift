internal import CommonStream
internal import Comparing
internal import WeirCore
internal import WeirGraphs
internal import WeirSelection

/// Two filters, two maps and a running sum: as a pipeline, and in graphs.
enum GraphWork {
    private static func measure(_ body: (Sum) -> Void) throws -> Double {
        let sum = Sum()
        let cost = nanoseconds(per: Numbers.events.count) { body(sum) }
        try sum.check()
        return cost
    }

    static func loop() throws -> Double {
        try measure { sum in sum.set(Numbers.sumByHand(Numbers.events)) }
    }

    static func pipeline() throws -> Double {
        try measure { sum in
            let channel = EventChannel<StreamEvent>()
            let result = TallyResult()
            channel.filter { $0.value > 0.1 }.map { $0.value * 2 }.map { $0 + 1 }.filter { $0 < 2.9 }
                .scan(into: 0.0) { $0 += $1 }
                .attach(LastValueSink(result))
            channel.publish(inBatches: ContiguousArray(Numbers.events).span)
            channel.finish()
            sum.set(result.tally.sum)
        }
    }

    static func fused() throws -> Double {
        try measure { sum in
            let flow = Source(of: Numbers.events).operators { events in
                events.filter { $0.value > 0.1 }.map { $0.value * 2 }.map { $0 + 1 }.filter { $0 < 2.9 }
                    .scan(into: 0.0) { $0 += $1 }
            }
            flow.to(.fold(into: 0.0) { $0 = $1 }).run().whenComplete { sum.set((try? $0.get()) ?? 0) }
        }
    }

    static func apart() throws -> Double {
        try measure { sum in
            let doubled = Source(of: Numbers.events).filter { $0.value > 0.1 }.map { $0.value * 2 }
            let flow = doubled.map { $0 + 1 }.filter { $0 < 2.9 }.scan(into: 0.0) { $0 += $1 }
            flow.to(.fold(into: 0.0) { $0 = $1 }).run().whenComplete { sum.set((try? $0.get()) ?? 0) }
        }
    }

    static func boundary() throws -> Double {
        let count = Numbers.events.count
        var total = 0
        let cost = try nanoseconds(per: count) {
            total = try Source(0..<count).async(capacity: 1024).to(.fold(into: 0) { $0 &+= $1 }).run().wait()
        }
        let expected = count * (count - 1) / 2
        guard total == expected else { throw WrongResult(total, insteadOf: expected) }
        return cost
    }
}
