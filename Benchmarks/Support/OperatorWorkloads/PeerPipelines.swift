internal import AsyncAlgorithms
internal import CommonStream
internal import Comparing
internal import OpenCombine

/// The workloads with other libraries, over fewer events where they take long.
enum PeerPipelines {
    /// W1.
    static func runningSumOfOpenCombine(_ events: [StreamEvent]) -> Tally {
        var tally = Tally()
        let source = Publishers.Sequence<[StreamEvent], Never>(sequence: events)
        let doubled = source.filter { $0.value > 0.5 }.map { (event: StreamEvent) -> Double in event.value * 2 }
        let sums = doubled.scan(0.0) { (sum: Double, value: Double) -> Double in sum + value }
        let subscription = sums.sink { tally = Tally(count: tally.count + 1, sum: $0) }
        subscription.cancel()
        return tally
    }

    /// W1.
    static func runningSumOfAsyncSequence(_ events: [StreamEvent]) -> Tally {
        wait(for: {
            var tally = Tally()
            let sums = events.async.filter { $0.value > 0.5 }.map { $0.value * 2 }.reductions(0.0) { $0 + $1 }
            for await sum in sums { tally = Tally(count: tally.count + 1, sum: sum) }
            return tally
        })
    }

    /// Both streams, each in its own order.
    static func mergeOfAsyncAlgorithms(_ first: [StreamEvent], _ second: [StreamEvent]) -> Tally {
        wait(for: {
            var tally = Tally()
            for await event in merge(first.async, second.async) { tally.add(event.value) }
            return tally
        })
    }

    /// The last of a burst; the pause itself is part of the time.
    static func debounceOfAsyncAlgorithms(_ events: [StreamEvent]) -> Tally {
        wait(for: {
            var tally = Tally()
            for await event in events.async.debounce(for: .milliseconds(20)) {
                // Where the machine stopped in the burst, what came before the stop is let through, too.
                tally = Tally(count: 1, sum: event.value)
            }
            return tally
        })
    }
}
