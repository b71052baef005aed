public import WeirAggregates
public import WeirCore

/// Keeps an aggregate for each window that is open.
@frozen
public struct AlignedSink<Base: Aggregate, Downstream: Sink>: Sink
where Downstream.Input == WindowResult<Base.Output> {
    public typealias Input = Base.Input

    @usableFromInline let initial: Base
    @usableFromInline let size: Int64
    @usableFromInline let slide: Int64
    @usableFromInline let settings: WindowSettings
    @usableFromInline let sides: WindowSides<Input>
    @usableFromInline var downstream: Downstream

    // By start, and so by end; those that are closed come first.
    @usableFromInline var cells: ContiguousArray<Cell<Base>> = []
    @usableFromInline var watermark = Int64.min
    // What is older is late.
    @usableFromInline var oldest = Int64.min
    // When the watermark has something to do.
    @usableFromInline var nextDue = Int64.max
    @usableFromInline var nextResult = Int64.min
    @usableFromInline var held = 0
    // The window of the last element, for the next one; empty when there is more to do than to add.
    @usableFromInline var recentStart = Int64.max
    @usableFromInline var recentEnd = Int64.min
    @usableFromInline var recentIndex = 0

    @inlinable
    init(
        _ initial: Base,
        _ size: Int64,
        _ slide: Int64,
        _ settings: WindowSettings,
        _ sides: WindowSides<Input>,
        _ downstream: consuming Downstream
    ) {
        self.initial = initial
        self.size = size
        self.slide = slide
        self.settings = settings
        self.sides = sides
        self.downstream = downstream
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let nanoseconds = time.nanosecondsSinceEpoch
        if nanoseconds >= recentStart, nanoseconds < recentEnd {
            cells[recentIndex].aggregate.add(element, at: time)
        } else {
            place(element, time)
        }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        let nanoseconds = watermark.nanosecondsSinceEpoch
        guard nanoseconds > self.watermark else { return }
        self.watermark = nanoseconds
        oldest = Nanoseconds.difference(nanoseconds, settings.lateness)
        if recentStart < oldest { recentStart = oldest }
        if nanoseconds >= nextDue { emitDue() }
        downstream.advance(to: watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        if case .finished = completion {
            for index in cells.indices where !cells[index].isClosed { emit(index, .closing) }
        }
        cells = []
        forgetRecent()
        downstream.finish(completion)
    }

    /// Adds an element to all its windows.
    @inlinable
    @inline(never)
    mutating func place(_ element: borrowing Input, _ time: Timestamp) {
        let nanoseconds = time.nanosecondsSinceEpoch
        guard nanoseconds >= oldest else { return sides.late.send(copy element, at: time) }
        forgetRecent()
        let last = Nanoseconds.floor(nanoseconds, to: slide)
        // The start of the first window that the element is in; differences do not overflow where sums would.
        let first = Nanoseconds.difference(last, (size - 1 - (nanoseconds - last)) / slide * slide)
        guard makeRoom(first, last) else { return sides.refused.send(copy element, at: time) }
        var index = cells.index(ofStart: first)
        while index < cells.count, cells[index].start <= last {
            cells[index].aggregate.add(element, at: time)
            cells[index].isChanged = true
            if Base.keepsElements {
                cells[index].count += 1
                held += 1
            }
            if cells[index].isClosed {
                emit(index, .late)
            } else if settings.emitsOnEveryElement {
                emit(index, .early, at: max(nanoseconds, watermark))
            }
            index += 1
        }
        if size == slide, settings.emitsOnlyOnClose, !Base.keepsElements, !cells[index - 1].isClosed {
            recentIndex = index - 1
            recentStart = max(cells[recentIndex].start, oldest)
            recentEnd = cells[recentIndex].end
        }
    }

    @inlinable
    mutating func forgetRecent() {
        (recentStart, recentEnd) = (.max, .min)
    }

    /// Makes the windows that start from `first` to `last`, where they are missing and the limit allows it.
    @inlinable
    mutating func makeRoom(_ first: Int64, _ last: Int64) -> Bool {
        let needed = Int((last - first) / slide) + 1
        var index = cells.index(ofStart: first)
        let present = cells[index...].prefix { $0.start <= last }.count
        guard cells.count + needed - present <= settings.limit.windows else { return false }
        if Base.keepsElements, held + needed > settings.limit.elements { return false }
        guard present < needed else { return true }
        var start = first
        for _ in 0..<needed {
            if index == cells.count || cells[index].start != start {
                var cell = Cell(start, Nanoseconds.sum(start, size), initial)
                cell.isClosed = cell.end <= watermark
                cells.insert(cell, at: index)
                if !cell.isClosed { nextDue = min(nextDue, cell.end) }
            }
            index += 1
            start = Nanoseconds.sum(start, slide)
        }
        if settings.period > 0 {
            if nextResult <= watermark { nextResult = resultTime(after: watermark) }
            nextDue = min(nextDue, nextResult)
        }
        return true
    }

    @inlinable
    func resultTime(after watermark: Int64) -> Int64 {
        Nanoseconds.sum(Nanoseconds.floor(watermark, to: settings.period), settings.period)
    }

    /// Closes the windows that the watermark has reached, emits early results, and forgets what nobody needs.
    @inlinable
    @inline(never)
    mutating func emitDue() {
        forgetRecent()
        var index = 0
        while index < cells.count, cells[index].end <= watermark {
            if !cells[index].isClosed {
                cells[index].isClosed = true
                emit(index, .closing)
            }
            index += 1
        }
        if settings.period > 0, watermark >= nextResult {
            for open in index..<cells.count where cells[open].isChanged { emit(open, .early, at: watermark) }
            nextResult = resultTime(after: watermark)
        }
        let first = cells.firstIndex { $0.end > oldest } ?? cells.count
        if Base.keepsElements { held -= cells[..<first].reduce(0) { $0 + $1.count } }
        cells.removeFirst(first)
        nextDue = index - first < cells.count ? cells[index - first].end : .max
        if let cell = cells.first { nextDue = min(nextDue, Nanoseconds.sum(cell.end, settings.lateness)) }
        if settings.period > 0, !cells.isEmpty { nextDue = min(nextDue, nextResult) }
    }

    @inlinable
    mutating func emit(_ index: Int, _ phase: WindowPhase, at nanoseconds: Int64? = nil) {
        cells[index].isChanged = false
        let (start, end) = (cells[index].start, cells[index].end)
        let result = WindowResult(
            start: Timestamp(start),
            end: Timestamp(end),
            value: cells[index].aggregate.result(),
            phase: phase
        )
        let time = nanoseconds ?? (phase == .late ? max(end - 1, watermark) : end - 1)
        downstream.receive(result, at: Timestamp(time))
    }
}
