internal import CommonStream
public import Comparing

extension OperatorWorkloads {
    /// The cost of an event against the length of a window, and against how many keys there are.
    public static let scaling = windowLengths + keyCounts

    private static let windowLengths = [10, 100, 1000, 10_000, 100_000].flatMap { length in
        let name = "sliding maximum of \(length)"
        let limit = "\(name), loop"
        let reference = Once { Loops.slidingMaxima(Streams.aMillion, length) }
        return [
            point(limit, "elements in a window", "by hand", length, reference) {
                Loops.slidingMaxima(Streams.aMillion, length)
            },
            point(name, "elements in a window", "Weir", length, against: limit, reference) {
                Pipelines.slidingMaxima(Streams.aMillion, length).tally
            },
            point("\(name), Deque", "elements in a window", "Deque", length, against: name, isPeer: true, reference) {
                PeerContainers.slidingMaximaWithDeque(Streams.aMillion, length)
            },
        ]
    }

    private static let keyCounts = [1, 10, 1000, 100_000, 1_000_000].flatMap { count in
        let name = "sums of \(count) \(count == 1 ? "key" : "keys")"
        let limit = "\(name), by hand"
        let events = Once { CommonStream.events(1_000_000, keyCount: UInt64(count)) }
        let reference = Once { CommonStream.Loops.sumsByKey(events.value, keyCount: count) }
        return [
            point(limit, "keys", "by hand, a hash table", count, reference) {
                Loops.sumsByKeyHashed(events.value, keyCount: count)
            },
            point(name, "keys", "Weir", count, against: limit, reference) {
                Pipelines.sumsByKey(events.value, keyCount: count).tally
            },
            point("\(name), Dictionary", "keys", "Dictionary", count, against: name, isPeer: true, reference) {
                Loops.sumsByKeyInDictionary(events.value)
            },
        ]
    }

    private static func point(
        _ name: String,
        _ axis: String,
        _ series: String,
        _ size: Int,
        against limit: String? = nil,
        isPeer: Bool = false,
        _ reference: Once<Tally>,
        _ body: @escaping @Sendable () -> Tally
    ) -> Workload {
        Workload(
            name,
            in: .nanosecondsPerElement,
            against: limit,
            isPeer: isPeer,
            point: ChartPoint(axis, series, Double(size))
        ) { try measure(reference.value, 1_000_000, body) }
    }
}

/// Something that is made when it is first asked for.
private final class Once<Value: Sendable>: @unchecked Sendable {
    // Workloads run one after the other, so nobody else asks meanwhile.
    private(set) lazy var value = make()
    private let make: @Sendable () -> Value

    init(_ make: @escaping @Sendable () -> Value) {
        self.make = make
    }
}
