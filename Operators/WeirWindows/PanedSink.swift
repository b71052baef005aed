public import WeirAggregates
public import WeirCore

/// Keeps an aggregate for each pane, and merges those of a window when it emits.
@frozen
@usableFromInline
struct PanedSink<Base: MergeableAggregate, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<Base.Output> {
    @usableFromInline typealias Input = Base.Input

    @usableFromInline let initial: Base
    @usableFromInline let size: Int64
    @usableFromInline let slide: Int64
    @usableFromInline let width: Int64
    @usableFromInline var origin: Int64?
    @usableFromInline let settings: WindowSettings
    @usableFromInline let sides: WindowSides<Input>
    @usableFromInline var downstream: Downstream

    // By start.
    @usableFromInline var panes: ContiguousArray<Cell<Base>> = []
    @usableFromInline var watermark = Int64.min
    // Older elements are late.
    @usableFromInline var oldest = Int64.min
    // When the watermark has something to do.
    @usableFromInline var nextDue = Int64.max
    @usableFromInline var nextResult = Int64.min
    @usableFromInline var held = 0
    // The pane of the last element, for the next one; empty when there is more to do than to add.
    @usableFromInline var recentStart = Int64.max
    @usableFromInline var recentEnd = Int64.min
    @usableFromInline var recentIndex = 0

    @inlinable
    init(
        _ initial: Base,
        _ size: Int64,
        _ slide: Int64,
        _ origin: WindowOrigin,
        _ settings: WindowSettings,
        _ sides: WindowSides<Input>,
        _ downstream: consuming Downstream
    ) {
        self.initial = initial
        self.size = size
        self.slide = slide
        self.origin = origin.nanoseconds
        self.settings = settings
        self.sides = sides
        self.downstream = downstream
        var (divisor, remainder) = (size, slide)
        while remainder != 0 { (divisor, remainder) = (remainder, divisor % remainder) }
        width = divisor
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let nanoseconds = time.nanosecondsSinceEpoch
        if nanoseconds >= recentStart, nanoseconds < recentEnd {
            panes[recentIndex].aggregate.add(element, at: time)
        } else {
            place(element, time)
        }
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        let nanoseconds = watermark.nanosecondsSinceEpoch
        guard nanoseconds > self.watermark else { return }
        let before = self.watermark
        self.watermark = nanoseconds
        oldest = Nanoseconds.difference(nanoseconds, settings.lateness)
        if recentStart < max(oldest, nanoseconds) { recentStart = max(oldest, nanoseconds) }
        if nanoseconds >= nextDue { emitDue(before) }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion {
            forEachWindow(endingAfter: watermark) { sink, range, start in
                sink.emit(range, start, .closing)
                return true
            }
        }
        panes = []
        forgetRecent()
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("panes")
        state.require(size)
        state.require(slide)
        try sides.exchangeState(&state)
        try state.exchange(&recentStart)
        try state.exchange(&recentEnd)
        try state.exchange(&recentIndex)
        try state.exchange(&origin)
        try state.exchange(&watermark)
        try state.exchange(&oldest)
        try state.exchange(&nextDue)
        try state.exchange(&nextResult)
        try state.exchange(&held)
        try state.exchange(&panes, like: Cell(0, 0, initial)) { pane, state throws(StateError) in
            try pane.exchangeState(&state)
        }
        try downstream.exchangeState(&state)
    }

    /// Adds an element to its pane.
    @inlinable
    @inline(never)
    mutating func place(_ element: borrowing Input, _ time: Timestamp) {
        let nanoseconds = time.nanosecondsSinceEpoch
        let start = Nanoseconds.floor(nanoseconds, to: width, from: origin ?? nanoseconds)
        // At the very end of time, where no window can end after the element, it would be in none that is still to close.
        guard nanoseconds >= oldest, oldest < .max, start < .max else { return sides.late.send(copy element, at: time) }
        if origin == nil { origin = nanoseconds }
        forgetRecent()
        var index = panes.index(ofStart: start)
        let isMissing = index == panes.count || panes[index].start != start
        if isMissing ? panes.count >= settings.limit.windows : false {
            return sides.refused.send(copy element, at: time)
        }
        if Base.keepsElements {
            if held >= settings.limit.elements { return sides.refused.send(copy element, at: time) }
            held += 1
        }
        if isMissing {
            panes.insert(Cell(start, Nanoseconds.sum(start, width), initial), at: index)
            nextDue = min(nextDue, firstEnd(containing: start, after: watermark))
            if settings.period > 0 {
                if nextResult <= watermark { nextResult = resultTime(after: watermark) }
                nextDue = min(nextDue, nextResult)
            }
        }
        panes[index].aggregate.add(element, at: time)
        panes[index].isChanged = true
        if Base.keepsElements { panes[index].count += 1 }
        if watermark == .min { noteStall(nanoseconds) }
        emitWindows(around: start, nanoseconds)
        index = panes.index(ofStart: start)
        if settings.emitsOnlyOnClose, !Base.keepsElements {
            // An element before the watermark may be in windows that are closed, which must emit again.
            (recentStart, recentEnd) = (max(start, oldest, watermark), panes[index].end)
            recentIndex = index
        }
    }

    /// Tells that no watermark has come, when an element is more than a window's length behind the end of a window.
    @inlinable
    @inline(never)
    func noteStall(_ nanoseconds: Int64) {
        guard let first = panes.first else { return }
        let end = Nanoseconds.sum(firstStart(containing: first.start), size)
        guard Nanoseconds.difference(nanoseconds, end) > size else { return }
        let now = Timestamp(nanoseconds)
        sides.stalls.sendFirst(WatermarkStall(since: Timestamp(end), until: now), at: now)
    }

    @inlinable
    mutating func forgetRecent() {
        (recentStart, recentEnd) = (.max, .min)
    }

    @inlinable
    func resultTime(after watermark: Int64) -> Int64 {
        Nanoseconds.sum(Nanoseconds.floor(watermark, to: settings.period), settings.period)
    }

    /// The start of the first window that a pane is in.
    @inlinable
    func firstStart(containing pane: Int64) -> Int64 {
        let last = Nanoseconds.floor(pane, to: slide, from: origin ?? 0)
        return Nanoseconds.difference(last, (size - 1 - (pane - last)) / slide * slide)
    }

    /// The end of the last window that a pane is in.
    @inlinable
    func lastEnd(containing pane: Int64) -> Int64 {
        Nanoseconds.sum(Nanoseconds.floor(pane, to: slide, from: origin ?? 0), size)
    }

    /// The end of the first window that a pane is in and that ends after `time`; or the end of time.
    @inlinable
    func firstEnd(containing pane: Int64, after time: Int64) -> Int64 {
        guard lastEnd(containing: pane) > time else { return .max }
        var start = firstStart(containing: pane)
        let end = Nanoseconds.sum(start, size)
        if end <= time { start += ((time - end) / slide + 1) * slide }
        return Nanoseconds.sum(start, size)
    }

    /// Calls `body` with the panes and the start of each window that holds something and ends after `time`, in order,
    /// until it returns `false`.
    @inlinable
    mutating func forEachWindow(endingAfter time: Int64, _ body: (inout Self, Range<Int>, Int64) -> Bool) {
        var (low, after) = (0, time)
        while low < panes.count {
            let end = firstEnd(containing: panes[low].start, after: after)
            guard end != .max || lastEnd(containing: panes[low].start) > after else {
                low += 1
                continue
            }
            let start = Nanoseconds.difference(end, size)
            var high = low
            while high < panes.count, panes[high].start < end { high += 1 }
            while low < high, panes[low].start < start { low += 1 }
            guard body(&self, low..<high, start) else { return }
            after = end
            if end == .max { return }
        }
    }

    /// Emits the closed windows that an element has changed, or all that it has changed.
    @inlinable
    mutating func emitWindows(around pane: Int64, _ nanoseconds: Int64) {
        var start = firstStart(containing: pane)
        guard settings.emitsOnEveryElement || Nanoseconds.sum(start, size) <= watermark else { return }
        while start <= pane {
            let end = Nanoseconds.sum(start, size)
            let range = panes.index(ofStart: start)..<panes.index(ofStart: end)
            if end <= watermark {
                // A window without pending results is skipped.
                if end > oldest { emit(range, start, .late) }
            } else if settings.emitsOnEveryElement {
                emit(range, start, .early, at: max(nanoseconds, watermark))
            }
            let next = Nanoseconds.sum(start, slide)
            if next == start { return }
            start = next
        }
    }

    /// Closes the windows that the watermark has reached, emits early results, and removes expired windows.
    @inlinable
    @inline(never)
    mutating func emitDue(_ before: Int64) {
        forgetRecent()
        let emitsEarly = settings.period > 0 && watermark >= nextResult
        var next = Int64.max
        forEachWindow(endingAfter: before) { sink, range, start in
            let end = Nanoseconds.sum(start, sink.size)
            if end <= sink.watermark {
                sink.emit(range, start, .closing)
                return true
            }
            next = min(next, end)
            guard emitsEarly else { return false }
            if sink.panes[range].contains(where: \.isChanged) { sink.emit(range, start, .early, at: sink.watermark) }
            return true
        }
        if emitsEarly {
            for index in panes.indices { panes[index].isChanged = false }
            nextResult = resultTime(after: watermark)
        }
        var first = 0
        while first < panes.count, lastEnd(containing: panes[first].start) <= oldest {
            if Base.keepsElements { held -= panes[first].count }
            first += 1
        }
        panes.removeFirst(first)
        nextDue = next
        if let pane = panes.first {
            nextDue = min(nextDue, Nanoseconds.sum(lastEnd(containing: pane.start), settings.lateness))
            if settings.period > 0 { nextDue = min(nextDue, nextResult) }
        }
    }

    @inlinable
    mutating func emit(_ range: Range<Int>, _ start: Int64, _ phase: WindowPhase, at nanoseconds: Int64? = nil) {
        var aggregate = initial
        for index in range { aggregate.merge(panes[index].aggregate) }
        let end = Nanoseconds.sum(start, size)
        let result = WindowResult(
            start: Timestamp(start),
            end: Timestamp(end),
            value: aggregate.result(),
            phase: phase
        )
        let time = nanoseconds ?? (phase == .late ? max(end - 1, watermark) : end - 1)
        downstream.receive(result, at: Timestamp(time))
    }
}
