/// How long to wait before the next attempt: from 20 ms twice as long each time, up to a limit, and a random part less, so
/// that many who failed at once do not come back at once.
package struct Backoff: Sendable {
    private let longest: Int64
    private var current: Int64 = first

    private static let first: Int64 = 20_000_000

    /// Creates the first wait.
    package init(longest: Duration) {
        self.longest = max(Self.first, longest.inNanoseconds)
    }

    /// The wait before the next attempt, in nanoseconds.
    package mutating func next() -> Int64 {
        let wait = current
        current = min(longest, current * 2)
        return wait - Int64.random(in: 0...wait / 4)
    }

    /// Starts again with the shortest wait.
    package mutating func reset() {
        current = Self.first
    }
}
