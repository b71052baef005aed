import Synchronization
import WeirCore

/// An element whose instances are counted.
final class Token: Sendable, Equatable, CustomStringConvertible {
    /// How many tokens are alive.
    final class Census: Sendable {
        fileprivate let alive = Atomic(0)

        var count: Int { alive.load(ordering: .relaxed) }
    }

    let number: Int
    private let census: Census

    init(_ number: Int, in census: Census) {
        self.number = number
        self.census = census
        census.alive.add(1, ordering: .relaxed)
    }

    deinit {
        census.alive.subtract(1, ordering: .relaxed)
    }

    static func == (one: Token, other: Token) -> Bool { one.number == other.number }

    var description: String { "\(number)" }
}

/// What one thread of a test saw; read by the test after the thread has ended.
final class RingLog: @unchecked Sendable {
    var elements: [Int] = []
}

/// Carries the ends of a ring to the threads that use them, each taken once.
final class RingEndsBox<Element: Sendable>: @unchecked Sendable {
    var producer: RingProducer<Element>?
    var consumer: RingConsumer<Element>?

    init(capacity: Int) throws {
        let ends = try Ring<Element>.makeEnds(capacity: capacity)
        producer = consume ends.producer
        consumer = consume ends.consumer
    }
}
