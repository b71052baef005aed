public import WeirCore

/// Takes the events of a pattern, with either strategy.
///
/// Copies of the sink share one state.
@frozen
@usableFromInline
struct PatternSink<Strategy: PatternStrategy & ~Copyable, Key: Hashable & Sendable, Output: PatternOutput>: Sink
where Output.Element == Strategy.Element {
    @usableFromInline typealias Input = Strategy.Element

    @usableFromInline let front: SharedCell<PatternFront<Strategy, Key, Output>>

    @inlinable
    init(_ front: consuming PatternFront<Strategy, Key, Output>) {
        self.front = SharedCell(front)
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        front.withValue(element) { front, element in front.receive(element, at: time) }
    }

    @inlinable
    var wantsPrefetch: Bool { front.withValue { $0.wantsPrefetch } }

    @inlinable
    func prefetch(for element: borrowing Input, isNear: Bool) {
        front.withValue(element) { front, element in front.prefetch(for: element, isNear: isNear) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        front.withValue { $0.advance(toWatermark: watermark) }
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        front.withValue { $0.finish(completion) }
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try front.value.exchangeState(&state)
    }
}
