public import WeirCore
public import WeirTesting

/// An element with a text, which is not trivial.
public struct Labelled: Event, Hashable {
    public let timestamp: Timestamp
    public let value: Int
    public let label: String

    public init(timestamp: Timestamp, value: Int) {
        self.timestamp = timestamp
        self.value = value
        label = String(repeating: "é", count: value)
    }
}

/// Random streams by which each operator is interrupted at every position.
public enum RestoreTrials {
    /// - Parameters:
    ///   - seeds: One for each stream.
    ///   - channels: How many channels the pipeline has.
    /// - Returns: The streams.
    public static func random(seeds: Range<UInt64> = seeds(50), channels: Int = 1) -> [RestoreTrial<Labelled>] {
        seeds.map { seed in
            RestoreTrial<Labelled>(seed: seed, channels: channels) { _, time, generator in
                Labelled(timestamp: time, value: Int.random(in: 0...4, using: &generator))
            }
        }
    }

    /// What is different, first, when a pipeline on one channel is interrupted; `nil` if nothing is.
    public static func difference<Output: EventStream>(
        seeds: Range<UInt64> = seeds(50),
        counting counts: (Output) -> [UInt64] = { _ in [] },
        _ build: (EventChannel<Labelled>) -> Output
    ) -> String? {
        for trial in random(seeds: seeds) {
            if let difference = trial.difference(counting: counts, { build($0[0]) }) { return difference }
        }
        return nil
    }

    /// The same for a pipeline on several channels.
    public static func difference<Output: EventStream>(
        channels: Int,
        counting counts: (Output) -> [UInt64] = { _ in [] },
        _ build: ([EventChannel<Labelled>]) -> Output
    ) -> String? {
        for trial in random(channels: channels) {
            if let difference = trial.difference(counting: counts, build) { return difference }
        }
        return nil
    }
}
