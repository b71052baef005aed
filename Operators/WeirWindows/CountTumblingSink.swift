public import WeirAggregates
public import WeirCore

/// Emits an aggregate of each run of a fixed number of elements.
@frozen
@usableFromInline
struct CountTumblingSink<Base: Aggregate, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<Base.Output> {
    @usableFromInline typealias Input = Base.Input

    @usableFromInline var run: CountRun<Base>
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ initial: Base, _ size: Int, _ downstream: consuming Downstream) {
        run = CountRun(initial, size)
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        if run.add(element, at: time) { close(at: time) }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        self.watermark = watermark
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion, run.count > 0 { close(at: max(run.end, watermark)) }
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("tumbling")
        try run.exchangeState(&state)
        try state.exchange(&watermark)
        try downstream.exchangeState(&state)
    }

    @inlinable
    mutating func close(at time: Timestamp) {
        downstream.receive(run.result(.closing), at: time)
        run.startOver()
    }
}

/// Emits an aggregate of each run of a fixed number of elements, and early results.
@frozen
@usableFromInline
struct CountGrowingSink<Base: Aggregate, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<Base.Output> {
    @usableFromInline typealias Input = Base.Input

    @usableFromInline let settings: WindowSettings
    @usableFromInline var run: CountRun<Base>
    @usableFromInline var isChanged = false
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var nextResult = Int64.min
    @usableFromInline var watch: StallWatch
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ initial: Base,
        _ size: Int,
        _ settings: WindowSettings,
        _ stalls: SideOutput<WatermarkStall>,
        _ downstream: consuming Downstream
    ) {
        run = CountRun(initial, size)
        self.settings = settings
        watch = StallWatch(stalls)
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        isChanged = true
        if settings.period > 0 {
            if run.count == 0 { watch.expectResult(after: time, settings.period) }
            watch.look(at: time)
        }
        if run.add(element, at: time) {
            close(at: time)
        } else if settings.emitsOnEveryElement {
            emit(.early, at: max(time, watermark))
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        if watermark > self.watermark { self.watermark = watermark }
        watch.end()
        if settings.isDue(at: watermark, &nextResult), isChanged { emit(.early, at: watermark) }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion, run.count > 0 { close(at: max(run.end, watermark)) }
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("tumbling")
        try run.exchangeState(&state)
        try state.exchange(&isChanged)
        try state.exchange(&watermark)
        try state.exchange(&nextResult)
        try watch.exchangeState(&state)
        try downstream.exchangeState(&state)
    }

    @inlinable
    mutating func close(at time: Timestamp) {
        emit(.closing, at: time)
        run.startOver()
        watch.reset()
    }

    @inlinable
    mutating func emit(_ phase: WindowPhase, at time: Timestamp) {
        isChanged = false
        downstream.receive(run.result(phase), at: time)
    }
}
