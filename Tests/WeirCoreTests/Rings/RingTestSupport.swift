import WeirCore

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
