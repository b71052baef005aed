public import WeirAggregates
public import WeirCore

/// Emits an aggregate of each run of a fixed number of elements.
@frozen
@usableFromInline
struct CountTumblingSink<Base: Aggregate, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<Base.Output> {
    @usableFromInline typealias Input = Base.Input

    @usableFromInline let initial: Base
    @usableFromInline let size: Int
    @usableFromInline var aggregate: Base
    @usableFromInline var count = 0
    @usableFromInline var start = Timestamp.distantFuture
    @usableFromInline var end = Timestamp.distantPast
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ initial: Base, _ size: Int, _ downstream: consuming Downstream) {
        self.initial = initial
        self.size = size
        aggregate = initial
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        aggregate.add(element, at: time)
        if time < start { start = time }
        if time > end { end = time }
        count += 1
        if count == size { emit(at: time) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        self.watermark = watermark
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion, count > 0 { emit(at: max(end, watermark)) }
        downstream.finish(completion)
    }

    @inlinable
    mutating func emit(at time: Timestamp) {
        downstream.receive(WindowResult(start: start, end: end, value: aggregate.result()), at: time)
        aggregate = initial
        count = 0
        (start, end) = (.distantFuture, .distantPast)
    }
}

/// Emits an aggregate of each run of a fixed number of elements, and early results.
@frozen
@usableFromInline
struct CountGrowingSink<Base: Aggregate, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<Base.Output> {
    @usableFromInline typealias Input = Base.Input

    @usableFromInline let initial: Base
    @usableFromInline let size: Int
    @usableFromInline let settings: WindowSettings
    @usableFromInline var aggregate: Base
    @usableFromInline var count = 0
    @usableFromInline var isChanged = false
    @usableFromInline var start = Timestamp.distantFuture
    @usableFromInline var end = Timestamp.distantPast
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var nextResult = Int64.min
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ initial: Base, _ size: Int, _ settings: WindowSettings, _ downstream: consuming Downstream) {
        self.initial = initial
        self.size = size
        self.settings = settings
        aggregate = initial
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        aggregate.add(element, at: time)
        if time < start { start = time }
        if time > end { end = time }
        count += 1
        isChanged = true
        if count == size {
            close(at: time)
        } else if settings.emitsOnEveryElement {
            emit(.early, at: max(time, watermark))
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if watermark > self.watermark { self.watermark = watermark }
        if settings.isDue(at: watermark, &nextResult), isChanged { emit(.early, at: watermark) }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion, count > 0 { close(at: max(end, watermark)) }
        downstream.finish(completion)
    }

    @inlinable
    mutating func close(at time: Timestamp) {
        emit(.closing, at: time)
        aggregate = initial
        count = 0
        (start, end) = (.distantFuture, .distantPast)
    }

    @inlinable
    mutating func emit(_ phase: WindowPhase, at time: Timestamp) {
        isChanged = false
        let result = WindowResult(start: start, end: end, value: aggregate.result(), phase: phase)
        downstream.receive(result, at: time)
    }
}
