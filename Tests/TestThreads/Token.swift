internal import Synchronization

/// An element whose instances are counted.
package final class Token: Sendable, Equatable, CustomStringConvertible {
    /// How many tokens are alive.
    package final class Census: Sendable {
        fileprivate let alive = Atomic(0)

        package init() {}

        package var count: Int { alive.load(ordering: .relaxed) }
    }

    package let number: Int
    private let census: Census

    package init(_ number: Int, in census: Census) {
        self.number = number
        self.census = census
        census.alive.add(1, ordering: .relaxed)
    }

    deinit {
        census.alive.subtract(1, ordering: .relaxed)
    }

    package static func == (one: Token, other: Token) -> Bool { one.number == other.number }

    package var description: String { "\(number)" }
}

/// What one thread of a test saw; read by the test after the thread has ended.
package final class RingLog: @unchecked Sendable {
    package var elements: [Int] = []

    package init() {}
}
