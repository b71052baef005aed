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
    @usableFromInline var windows: OpenWindows<Base, Downstream>
    // The window of the last element, for the next one; empty when there is more to do than to add.
    @usableFromInline var recentStart = Int64.max
    @usableFromInline var recentEnd = Int64.min
    // Its aggregate is here as long as it has an index.
    @usableFromInline var recentIndex: Int?
    @usableFromInline var recent: Base

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
        recent = initial
        self.size = size
        self.slide = slide
        self.settings = settings
        self.sides = sides
        windows = OpenWindows(settings, downstream)
    }

    @inlinable
    public mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let nanoseconds = time.nanosecondsSinceEpoch
        if nanoseconds >= recentStart, nanoseconds < recentEnd {
            recent.add(element, at: time)
        } else {
            place(element, time)
        }
    }

    @inlinable
    public mutating func advance(to watermark: Timestamp) {
        guard windows.move(to: watermark) else { return }
        if recentStart < windows.oldest { recentStart = windows.oldest }
        if windows.isDue {
            forgetRecent()
            windows.emitDue()
        }
        windows.downstream.advance(to: watermark)
    }

    @inlinable
    public mutating func finish(_ completion: Completion) {
        forgetRecent()
        windows.finish(completion)
    }

    /// Adds an element to all its windows.
    @inlinable
    @inline(never)
    mutating func place(_ element: borrowing Input, _ time: Timestamp) {
        let nanoseconds = time.nanosecondsSinceEpoch
        guard nanoseconds >= windows.oldest else { return sides.late.send(copy element, at: time) }
        forgetRecent()
        let last = Nanoseconds.floor(nanoseconds, to: slide)
        // The start of the first window that the element is in; differences do not overflow where sums would.
        let first = Nanoseconds.difference(last, (size - 1 - (nanoseconds - last)) / slide * slide)
        guard makeRoom(first, last) else { return sides.refused.send(copy element, at: time) }
        var index = windows.cells.index(ofStart: first)
        while index < windows.cells.count, windows.cells[index].start <= last {
            windows.cells[index].aggregate.add(element, at: time)
            windows.cells[index].isChanged = true
            if Base.keepsElements {
                windows.cells[index].count += 1
                windows.held += 1
            }
            windows.emitChange(of: index, nanoseconds)
            index += 1
        }
        if size == slide, settings.emitsOnlyOnClose, !Base.keepsElements, !windows.cells[index - 1].isClosed {
            remember(index - 1)
        }
    }

    /// Takes a window's aggregate out of the array, whose checks would cost more than adding an element.
    @inlinable
    mutating func remember(_ index: Int) {
        recentIndex = index
        swap(&recent, &windows.cells[index].aggregate)
        recentStart = max(windows.cells[index].start, windows.oldest)
        recentEnd = windows.cells[index].end
    }

    @inlinable
    mutating func forgetRecent() {
        guard let index = recentIndex else { return }
        swap(&recent, &windows.cells[index].aggregate)
        recentIndex = nil
        (recentStart, recentEnd) = (.max, .min)
    }

    /// Makes the windows that start from `first` to `last`, where they are missing and the limit allows it.
    @inlinable
    mutating func makeRoom(_ first: Int64, _ last: Int64) -> Bool {
        let needed = Int((last - first) / slide) + 1
        var index = windows.cells.index(ofStart: first)
        let present = windows.cells[index...].prefix { $0.start <= last }.count
        guard windows.cells.count + needed - present <= settings.limit.windows else { return false }
        if Base.keepsElements, windows.held + needed > settings.limit.elements { return false }
        guard present < needed else { return true }
        var start = first
        for _ in 0..<needed {
            if index == windows.cells.count || windows.cells[index].start != start {
                windows.insert(start, Nanoseconds.sum(start, size), initial, at: index)
            }
            index += 1
            start = Nanoseconds.sum(start, slide)
        }
        windows.scheduleResults()
        return true
    }
}
