public import WeirCore

/// An inner stream that runs.
@frozen
@usableFromInline
struct RunningInner<Outer: Sendable>: Sendable {
    @usableFromInline let element: Outer
    @usableFromInline let time: Timestamp
    @usableFromInline let number: UInt64
    // It is taken to emit nothing older.
    @usableFromInline var bound: Timestamp
    @usableFromInline var isIdle = false
    @usableFromInline var received: UInt64 = 0
    // How many of its elements were emitted before the state was saved.
    @usableFromInline var skipped: UInt64 = 0

    @inlinable
    init(_ element: Outer, _ time: Timestamp, _ number: UInt64) {
        self.element = element
        self.time = time
        self.number = number
        bound = time
    }
}

/// Which inner streams run, which elements wait, and how far all of them are.
@frozen
@usableFromInline
struct FlatMapState<Outer: Sendable, Downstream: Sink>: JunctionState {
    @usableFromInline typealias Signal = FlatMapSignal<Outer, Downstream.Input>

    @usableFromInline let settings: FlatMapSettings
    @usableFromInline let refused: SideOutput<Outer>
    @usableFromInline let replaced: SideOutput<Outer>
    @usableFromInline let starts: InnerStarts<Outer>
    // By place; those without a stream are free.
    @usableFromInline var running: [RunningInner<Outer>?] = []
    @usableFromInline var free: [Int] = []
    @usableFromInline var runningCount = 0
    @usableFromInline var idleCount = 0
    @usableFromInline var lastNumber: UInt64 = 0
    @usableFromInline var waiting = TimedQueue<Outer>()
    @usableFromInline var outerWatermark = Timestamp.distantPast
    @usableFromInline var isOuterIdle = false
    @usableFromInline var isOuterFinished = false
    // The earliest of what is waited for, as it was computed last: what is later cannot change it.
    @usableFromInline var earliest = Timestamp.distantPast
    // How many inner streams are there at least; 0 where that is not known.
    @usableFromInline var earliestCount = 0
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var isIdleTogether = false
    @usableFromInline var isFinished = false
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ settings: FlatMapSettings,
        _ refused: SideOutput<Outer>,
        _ replaced: SideOutput<Outer>,
        _ starts: InnerStarts<Outer>,
        _ downstream: consuming Downstream
    ) {
        self.settings = settings
        self.refused = refused
        self.replaced = replaced
        self.starts = starts
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: Signal, from input: Int, at time: Timestamp) {
        guard !isFinished else { return }
        switch signal {
        case .value(let value, let place):
            guard isRunning(place) else { return }
            running[place.slot]?.received += 1
            if let inner = running[place.slot], inner.received <= inner.skipped { return }
            downstream.receive(value, at: time)
        case .outer(let element): receive(outer: element, at: time)
        case .outerWatermark: advanceOuter(to: time)
        case .outerIdleness(let isIdle):
            isOuterIdle = isIdle && !isOuterFinished
            settleIdleness()
            settle(.distantPast)
        case .outerCompletion(.finished): finishOuter()
        case .watermark(let place): advance(place, to: time)
        case .idleness(let isIdle, let place): setIdle(place, isIdle)
        case .completion(.finished, let place): if isRunning(place) { end(place) }
        case .outerCompletion(let completion): finish(completion)
        case .completion(let completion, let place): if isRunning(place) { finish(completion) }
        }
    }

    @inlinable
    func isRunning(_ place: InnerPlace) -> Bool { running[place.slot]?.number == place.number }

    @inlinable
    mutating func advance(to watermark: Timestamp) {}

    @usableFromInline
    mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        isFinished = true
        running = []
        waiting.removeAll()
        downstream.finish(completion)
        starts.cancelAll()
    }

    // MARK: Elements of the outer stream

    @usableFromInline
    mutating func receive(outer element: Outer, at time: Timestamp) {
        guard !isOuterFinished else { return }
        if runningCount < settings.strategy.width {
            start(element, at: time)
            return
        }
        switch settings.strategy {
        case .first: refused.send(element, at: time)
        case .latest:
            // There is one.
            let before = running.first.flatMap { $0?.bound } ?? .distantPast
            for slot in running.indices { replace(slot) }
            start(element, at: time)
            settle(before)
        case .merge, .concat: wait(element, at: time)
        }
    }

    private mutating func replace(_ slot: Int) {
        guard let inner = running[slot] else { return }
        release(slot)
        starts.cancel(inner.number)
        replaced.send(inner.element, at: inner.time)
    }

    private mutating func wait(_ element: Outer, at time: Timestamp) {
        guard waiting.count >= settings.limit else {
            waiting.append(element, at: time)
            noteBound(time)
            return
        }
        switch settings.policy {
        case .dropOldest where !waiting.isEmpty:
            waiting.append(element, at: time)
            noteBound(time)
            var before = Timestamp.distantFuture
            // More than one where the state is of a pipeline with a greater limit.
            while waiting.count > settings.limit, let oldest = waiting.popFirst() {
                refused.send(oldest.element, at: oldest.time)
                before = min(before, oldest.time)
            }
            settle(before)
        case .dropOldest, .dropNewest:
            refused.send(element, at: time)
        case .fail:
            refused.send(element, at: time)
            finish(.failed(FlowError.overflow(limit: settings.limit)))
        }
    }

    private mutating func start(_ element: Outer, at time: Timestamp) {
        lastNumber += 1
        let inner = RunningInner(element, time, lastNumber)
        let slot: Int
        if let place = free.popLast() {
            slot = place
            running[slot] = inner
        } else {
            slot = running.count
            running.append(inner)
        }
        runningCount += 1
        noteBound(time)
        starts.add(element, InnerPlace(slot, lastNumber))
        settleIdleness()
    }

    private mutating func release(_ slot: Int) {
        guard let inner = running[slot] else { return }
        if inner.isIdle { idleCount -= 1 }
        earliestCount = 0
        running[slot] = nil
        free.append(slot)
        runningCount -= 1
    }

    @usableFromInline
    mutating func finishOuter() {
        guard !isOuterFinished else { return }
        isOuterFinished = true
        isOuterIdle = false
        if runningCount == 0 { return finish(.finished) }
        settleIdleness()
        settle(outerWatermark)
    }

    // MARK: Inner streams

    /// An inner stream has finished: the next element takes its place.
    @usableFromInline
    mutating func end(_ place: InnerPlace) {
        guard let inner = running[place.slot] else { return }
        release(place.slot)
        starts.cancel(inner.number)
        // More may run than should, where the state is of a pipeline with a greater limit.
        if runningCount < settings.strategy.width, let next = waiting.popFirst() {
            start(next.element, at: next.time)
        } else if isOuterFinished, runningCount == 0 {
            return finish(.finished)
        }
        settleIdleness()
        settle(inner.bound)
    }

    // MARK: Time

    @usableFromInline
    mutating func advanceOuter(to watermark: Timestamp) {
        guard watermark > outerWatermark, !isOuterFinished else { return }
        let before = outerWatermark
        outerWatermark = watermark
        settle(before)
    }

    @usableFromInline
    mutating func advance(_ place: InnerPlace, to watermark: Timestamp) {
        guard isRunning(place), let before = running[place.slot]?.bound, watermark > before else { return }
        running[place.slot]?.bound = watermark
        // Where many are at one time, as those of one source, each but the last would look at all others.
        if before == earliest, earliestCount > 1 {
            earliestCount -= 1
            return
        }
        settle(before)
    }

    @usableFromInline
    mutating func setIdle(_ place: InnerPlace, _ isIdle: Bool) {
        guard isRunning(place), running[place.slot]?.isIdle != isIdle else { return }
        running[place.slot]?.isIdle = isIdle
        earliestCount = 0
        idleCount += isIdle ? 1 : -1
        settleIdleness()
        settle(.distantPast)
    }

    @usableFromInline
    mutating func settleIdleness() {
        let isIdle = idleCount == runningCount && (isOuterIdle || (isOuterFinished && runningCount > 0))
        if isIdle != isIdleTogether {
            isIdleTogether = isIdle
            downstream.passOn(idleness: isIdle)
        }
    }

    /// Forwards the earliest of what is waited for, when what was last has moved.
    ///
    /// - Parameter before: Where the stream was that has moved, or the distant past.
    @usableFromInline
    mutating func settle(_ before: Timestamp) {
        guard before <= earliest, !isFinished else { return }
        let isAwaiting = findEarliest()
        guard isAwaiting, earliest > watermark else { return }
        watermark = earliest
        downstream.advance(to: earliest)
    }

    /// Notes something more that is waited for.
    private mutating func noteBound(_ time: Timestamp) {
        guard time < earliest else { return }
        (earliest, earliestCount) = (time, 0)
    }

    /// Computes the earliest of what is waited for, and returns whether anything is.
    @usableFromInline
    mutating func findEarliest() -> Bool {
        var now: Timestamp?
        if !isOuterFinished, !isOuterIdle { now = outerWatermark }
        var (least, count) = (Timestamp.distantFuture, 0)
        for case let inner? in running where !inner.isIdle {
            if inner.bound < least { (least, count) = (inner.bound, 0) }
            if inner.bound == least { count += 1 }
        }
        if count > 0 { now = min(now ?? least, least) }
        if let first = waiting.earliest { now = min(now ?? first, first) }
        earliest = now ?? .distantFuture
        earliestCount = least == earliest ? count : 0
        return now != nil
    }
}
