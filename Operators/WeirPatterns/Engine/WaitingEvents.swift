public import WeirCore

/// Events that wait for the watermark, as a binary heap by time, equal times in the order of arrival.
///
/// A heap, and no `TimeOrderedQueue`: streams of patterns may be out of order by any number of events.
@frozen
@usableFromInline
struct WaitingEvents<Element: Sendable>: Sendable {
    @frozen
    @usableFromInline
    struct Waiting: Sendable {
        @usableFromInline let element: Element
        @usableFromInline let time: Timestamp
        @usableFromInline let arrival: UInt64

        @inlinable
        init(_ element: Element, _ time: Timestamp, _ arrival: UInt64) {
            self.element = element
            self.time = time
            self.arrival = arrival
        }

        @inlinable
        func isBefore(_ other: Waiting) -> Bool {
            time < other.time || (time == other.time && arrival < other.arrival)
        }
    }

    @usableFromInline var heap: [Waiting] = []
    @usableFromInline var arrivals: UInt64 = 0

    @inlinable
    init() {}

    @inlinable
    mutating func push(_ element: Element, _ time: Timestamp) {
        let waiting = Waiting(element, time, arrivals)
        arrivals &+= 1
        var place = heap.count
        heap.append(waiting)
        while place > 0 {
            let parent = (place - 1) / 2
            guard waiting.isBefore(heap[parent]) else { break }
            heap[place] = heap[parent]
            place = parent
        }
        heap[place] = waiting
    }

    /// The earliest event, if it is older than a time.
    @inlinable
    mutating func pop(before time: Timestamp) -> Waiting? {
        guard let first = heap.first, first.time < time else { return nil }
        return pop()
    }

    /// Puts an event in its place, and returns the one that there is no room for then.
    @usableFromInline
    mutating func push(_ element: Element, _ time: Timestamp, policy: LimitPolicy) -> Waiting? {
        guard policy == .dropOldest else { return Waiting(element, time, arrivals) }
        push(element, time)
        return pop()
    }

    /// The earliest event.
    @inlinable
    mutating func pop() -> Waiting? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        var place = 0
        while place < heap.count / 2 {
            var child = 2 * place + 1
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(last) else { break }
            heap[place] = heap[child]
            place = child
        }
        heap[place] = last
        return first
    }
}

/// Keeps events until the watermark is later than they are, and hands them on in the order of their times.
///
/// What is older than the watermark is late; what a limit leaves no room for is refused.
@frozen
@usableFromInline
struct WaitingSink<Downstream: Sink>: Sink {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline var waiting = WaitingEvents<Input>()
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var isFinished = false
    @usableFromInline let limits: PatternLimits
    @usableFromInline let sides: PatternSides<Input>
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ limits: PatternLimits, _ sides: PatternSides<Input>, _ downstream: consuming Downstream) {
        self.limits = limits
        self.sides = sides
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard !isFinished else { return }
        guard time >= watermark else {
            sides.late.send(copy element, at: time)
            return
        }
        if waiting.heap.count < limits.waiting {
            waiting.push(copy element, time)
        } else {
            receiveWithoutRoom(copy element, time)
        }
    }

    @usableFromInline
    mutating func receiveWithoutRoom(_ element: Input, _ time: Timestamp) {
        if let refused = waiting.push(element, time, policy: limits.policy) {
            sides.refused.send(refused.element, at: refused.time)
        }
        guard limits.policy == .fail else { return }
        isFinished = true
        downstream.finish(.failed(PatternFailure.limitReached("\(limits.waiting) waiting events")))
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        guard !isFinished, watermark > self.watermark else { return }
        self.watermark = watermark
        while let next = waiting.pop(before: watermark) { downstream.receive(next.element, at: next.time) }
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        guard !isFinished else { return }
        isFinished = true
        if case .finished = completion {
            while let next = waiting.pop() { downstream.receive(next.element, at: next.time) }
        }
        waiting = WaitingEvents()
        downstream.finish(completion)
    }
}
