public import WeirCore

/// A queue of limited length, and of the watermarks between the elements.
@frozen
@usableFromInline
struct BufferQueue<Element: Sendable>: Sendable {
    @usableFromInline let capacity: Int
    @usableFromInline var elements = Deque<Timed<Element>>()
    /// How many elements have been taken from the front.
    @usableFromInline var popped = 0
    /// The position of a watermark: the number of elements taken before it.
    @usableFromInline var marks: ContiguousArray<(place: Int, watermark: Timestamp)> = []

    @inlinable
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Sends the requested elements, and the watermarks that follow them.
    @inlinable
    mutating func pour(into outlet: Wire<Element>) {
        while true {
            if let mark = marks.first, mark.place <= popped {
                marks.removeFirst()
                outlet.advance(to: mark.watermark)
            } else if outlet.demand > 0, let element = pop() {
                outlet.push(element)
            } else {
                return
            }
        }
    }

    @inlinable
    mutating func append(_ watermark: Timestamp) {
        let place = popped + count
        if let last = marks.indices.last, marks[last].place == place {
            marks[last].watermark = max(marks[last].watermark, watermark)
        } else {
            marks.append((place, watermark))
        }
    }

    @inlinable var count: Int { elements.count }
    @inlinable var isFull: Bool { count == capacity }
    @inlinable var isEmpty: Bool { elements.isEmpty }

    @inlinable
    mutating func append(_ element: Timed<Element>) {
        elements.append(element)
    }

    @inlinable
    mutating func pop() -> Timed<Element>? {
        guard let element = elements.popFirst() else { return nil }
        popped += 1
        return element
    }

    @inlinable
    mutating func popLast() -> Timed<Element>? {
        guard !elements.isEmpty else { return nil }
        let element = elements.removeLast()
        // A watermark behind it comes behind what is the last one now.
        if let last = marks.last, last.place > popped + count { append(marks.removeLast().watermark) }
        return element
    }
}
