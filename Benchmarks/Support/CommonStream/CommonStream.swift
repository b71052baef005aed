internal import WeirCore

/// The stream that every engine is measured on, so that results can be compared.
///
/// Event *i* takes one draw *r* of splitmix64 seeded with 42: the timestamp is *i* milliseconds, the key *r* mod 1000,
/// the type (*r* >> 32) & 3, the value (*r* >> 11) · 2⁻⁵³.
public enum CommonStream {
    /// The first ten million events, made when they are first asked for.
    public static let tenMillionEvents = events(10_000_000)

    /// Makes the first events.
    ///
    /// - Parameters:
    ///   - count: How many; not negative.
    ///   - keyCount: How many keys there can be; positive.
    /// - Returns: The events in order.
    public static func events(_ count: Int, keyCount: UInt64 = 1000) -> [StreamEvent] {
        var generator = Generator(keyCount: keyCount)
        return (0..<count).map { _ in generator.next() }
    }

    /// Makes the events one after the other, for streams that are too long for the memory.
    public struct Generator: Sendable {
        private var random = SplitMix64(seed: 42)
        private var index: Int64 = 0
        private let keyCount: UInt64

        /// Creates a generator that starts at the first event.
        ///
        /// - Parameter keyCount: How many keys there can be; positive.
        public init(keyCount: UInt64 = 1000) {
            self.keyCount = keyCount
        }

        /// Makes the next event.
        public mutating func next() -> StreamEvent {
            let draw = random.next()
            defer { index += 1 }
            return StreamEvent(
                timestamp: Timestamp(millisecondsSinceEpoch: index),
                key: UInt32(truncatingIfNeeded: draw % keyCount),
                type: UInt8(truncatingIfNeeded: (draw >> 32) & 3),
                value: Double(draw >> 11) * 0x1p-53
            )
        }
    }
}
