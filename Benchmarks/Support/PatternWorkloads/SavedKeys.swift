internal import CommonStream
internal import Comparing
internal import WeirCore
internal import WeirPatterns

/// Checkpoints of a pattern that has a partial match for each of many keys.
enum SavedKeys {
    private static func channel() -> EventChannel<StreamEvent> {
        let pattern = Pattern<StreamEvent>.first { $0.type == 0 }.followedBy { $0.type == 1 }
            .followedBy { $0.type == 2 }.within(.seconds(3600)).grouped(by: \.key)
        let channel = EventChannel<StreamEvent>()
        let limits = PatternLimits(partialMatches: 1 << 23, events: 1 << 23, groups: 1 << 23)
        channel.matches(of: pattern, PatternSettings(limits: limits)).subscribe { _ in }
        return channel
    }

    private static func filled(_ keyCount: Int) -> EventChannel<StreamEvent> {
        let channel = channel()
        for index in 0..<keyCount {
            let time = Timestamp(nanosecondsSinceEpoch: Int64(index) * 1000)
            channel.publish(StreamEvent(timestamp: time, key: UInt32(index), type: 0, value: 0))
        }
        return channel
    }

    /// How long publishers wait while the state is saved, for 100 MB of it.
    ///
    /// - Returns: Milliseconds.
    static func pausePerHundredMegabytes() throws -> Double {
        let channel = filled(ManyKeys.count)
        var bytes = 0
        // A millionth of the nanoseconds.
        let cost = try nanoseconds(per: 1_000_000) { bytes = try channel.checkpoint().bytes.count }
        return cost * 100_000_000 / Double(bytes)
    }

    /// How long it takes to give a million keys their partial matches back, checksums included.
    ///
    /// - Returns: Milliseconds.
    static func restoring() throws -> Double {
        let bytes = try filled(ManyKeys.count).checkpoint().bytes
        let other = channel()
        var report = RestoreReport?.none
        let cost = try nanoseconds(per: 1_000_000) { report = try other.restore(Checkpoint(bytes: bytes)) }
        guard report?.isComplete == true else { throw WrongResult(0, insteadOf: 1) }
        return cost
    }
}
