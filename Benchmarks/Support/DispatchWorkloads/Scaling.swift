internal import CBench
public import Comparing
internal import Crew
internal import Synchronization
internal import WeirCore
internal import WeirDispatch

extension DispatchWorkloads {
    /// The cost of an event against how many subscribers there are, and against how many threads send.
    public static let scaling = subscribers + threads

    private static let subscribers = [1, 10, 100, 1000].flatMap { count in
        let name = "channel, \(count) \(count == 1 ? "subscriber" : "subscribers"), each"
        let limit = "\(count) \(count == 1 ? "closure" : "closures") in an array, each"
        return [
            point(limit, "subscribers", "by hand, closures", count) { Inline.byHand(count) },
            point(name, "subscribers", "Weir", count, against: limit) { Inline.publish(to: count, .subscribers) },
            point("OpenCombine, \(count), each", "subscribers", "OpenCombine", count, against: name, isPeer: true) {
                Peers.subject(subscribers: count)
            },
        ]
    }

    private static let threads = [1, 2, 4, 8].flatMap { count in
        let name = "\(count) \(count == 1 ? "thread" : "threads") → processor"
        let limit = "\(count) \(count == 1 ? "thread" : "threads"): an atomic add each"
        return [
            point(limit, "sending threads", "by hand, an atomic add", count) { additions(by: count) },
            point(name, "sending threads", "Weir", count, against: limit) {
                try Throughput.processor(events, producers: count, spinning: EventProcessor.defaultPatience)
            },
            point("\(count) → DispatchQueue", "sending threads", "DispatchQueue", count, against: name, isPeer: true) {
                Peers.serialQueue(events, producers: count)
            },
        ]
    }

    private static let events = 400_000

    /// All threads add to one number: what agreeing on an order costs at least.
    private static func additions(by threads: Int) -> Double {
        let sum = Atomic<UInt64>(0)
        let each = 4_000_000 / threads
        // Half of them on each core, so that the line goes to and fro.
        let time = nanoseconds(per: each * threads) {
            parallel(onCores: (0..<Int32(threads)).map { $0 % 2 }) { _ in
                for number in 0..<UInt64(each) { sum.wrappingAdd(number, ordering: .relaxed) }
            }
        }
        let expected = UInt64(threads) * (UInt64(each) * UInt64(each - 1) / 2)
        check(sum.load(ordering: .relaxed) == expected, "additions were lost")
        return time
    }

    private static func point(
        _ name: String,
        _ axis: String,
        _ series: String,
        _ size: Int,
        against limit: String? = nil,
        isPeer: Bool = false,
        _ run: @escaping @Sendable () throws -> Double
    ) -> Workload {
        Workload(
            name,
            in: .nanosecondsPerElement,
            against: limit,
            isPeer: isPeer,
            point: ChartPoint(axis, series, Double(size)),
            run: run
        )
    }
}
