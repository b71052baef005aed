internal import AsyncAlgorithms
internal import CommonStream
internal import Comparing
internal import OpenCombine
internal import Synchronization

/// The same work with other libraries.
enum PeerWork {
    /// A longer one overflows the stack.
    static func openCombineChain(of length: Int) throws -> Double {
        let changes = 200
        let root = CurrentValueSubject<Int, Never>(0)
        var last: AnyPublisher<Int, Never> = root.eraseToAnyPublisher()
        for _ in 0..<length { last = last.map { $0 &+ 1 }.eraseToAnyPublisher() }
        var seen = 0
        let subscription = last.sink { seen = $0 }
        let cost = nanoseconds(per: changes) {
            for value in 1...changes { root.send(value) }
        }
        subscription.cancel()
        guard seen == changes + length else { throw WrongResult(seen, insteadOf: changes + length) }
        return cost / 1000
    }

    static func openCombine() throws -> Double {
        var last = 0.0
        let events = Numbers.events
        let cost = nanoseconds(per: events.count) {
            let source = Publishers.Sequence<[StreamEvent], Never>(sequence: events)
            let doubled = source.filter { $0.value > 0.1 }.map { (event: StreamEvent) -> Double in event.value * 2 }
            let small = doubled.map { (value: Double) -> Double in value + 1 }.filter { $0 < 2.9 }
            let sums = small.scan(0.0) { (sum: Double, value: Double) -> Double in sum + value }
            let subscription = sums.sink { last = $0 }
            subscription.cancel()
        }
        guard last == Numbers.sum else { throw WrongResult(last, insteadOf: Numbers.sum) }
        return cost
    }

    /// The five stages, over fewer events.
    static func asyncSequence() throws -> Double {
        let events = Numbers.events.prefix(200_000)
        let sum = Sum()
        let cost = nanoseconds(per: events.count) {
            wait(for: {
                let doubled = events.async.filter { $0.value > 0.1 }.map { $0.value * 2 }
                let sums = doubled.map { $0 + 1 }.filter { $0 < 2.9 }.reductions(0.0) { $0 + $1 }
                sum.set(await sums.reduce(0.0) { $1 })
            })
        }
        let expected = Numbers.sumByHand(events)
        guard sum.value == expected else { throw WrongResult(sum.value, insteadOf: expected) }
        return cost
    }

    /// Its buffer is unbounded: a bounded one drops.
    static func asyncStream() throws -> Double {
        let count = 500_000
        let done = Mutex(0)
        let cost = nanoseconds(per: count) {
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .unbounded)
            wait(for: {
                async let sum = stream.reduce(0, &+)
                for number in 0..<count { continuation.yield(number) }
                continuation.finish()
                let total = await sum
                done.withLock { $0 = total }
            })
        }
        let (sum, expected) = (done.withLock { $0 }, count * (count - 1) / 2)
        guard sum == expected else { throw WrongResult(sum, insteadOf: expected) }
        return cost
    }

    static func asyncChannel() throws -> Double {
        let count = 100_000
        let done = Mutex(0)
        let cost = nanoseconds(per: count) {
            let channel = AsyncChannel<Int>()
            wait(for: {
                async let sum = channel.reduce(0, &+)
                for number in 0..<count { await channel.send(number) }
                channel.finish()
                let total = await sum
                done.withLock { $0 = total }
            })
        }
        let (sum, expected) = (done.withLock { $0 }, count * (count - 1) / 2)
        guard sum == expected else { throw WrongResult(sum, insteadOf: expected) }
        return cost
    }
}
