internal import CommonStream
internal import WeirCore

/// The streams of the workloads, made when they are first asked for.
enum Streams {
    static let common = CommonStream.tenMillionEvents

    /// The common stream with keys up to a million.
    static let manyKeys = CommonStream.events(10_000_000, keyCount: 1_000_000)

    /// The common stream, each event up to 100 ms late.
    static let disordered: [StreamEvent] = {
        var random = SplitMix64(seed: 7)
        // A counting sort by the time of arrival, which keeps the order of those that arrive together.
        var arrivals = Array(repeating: [Int32](), count: common.count + 100)
        for index in common.indices { arrivals[index + Int(random.next() % 100)].append(Int32(index)) }
        return arrivals.flatMap { $0.map { common[Int($0)] } }
    }()

    /// The first events of the common stream, for what takes long.
    static let aMillion = Array(common.prefix(1_000_000))
    static let aFew = Array(common.prefix(200_000))

    /// As many in one burst, a microsecond apart.
    static let burst = aFew.enumerated().map { index, event in
        StreamEvent(
            timestamp: Timestamp(nanosecondsSinceEpoch: Int64(index) * 1000),
            key: event.key,
            type: event.type,
            value: event.value
        )
    }
}

extension StreamEvent {
    /// The value by a way that expressions can only follow through the key path.
    var computedValue: Double { value }
}
