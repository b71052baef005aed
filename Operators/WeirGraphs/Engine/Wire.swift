public import WeirCore

/// The half of a wire that does not know what goes through it.
@usableFromInline
class AnyWire {
    /// What the producing stage's port and the consuming stage's port are called.
    final let outletName: String
    final let inletName: String
    @usableFromInline final let ready: ReadyStages
    @usableFromInline final let producer: Int
    @usableFromInline final let consumer: Int

    /// How many elements the consumer has asked for and was not given.
    @usableFromInline final var demand = 0
    /// How many elements wait for the consumer.
    @usableFromInline final var count = 0
    /// How the producer ended; comes after what waits.
    @usableFromInline final var completion: Completion?
    @usableFromInline final var isCancelled = false

    @usableFromInline
    init(_ ends: WireEnds) {
        outletName = ends.outletName
        inletName = ends.inletName
        ready = ends.ready
        producer = ends.producer
        consumer = ends.consumer
    }

    /// Whether nothing goes through the wire any more.
    final var isOver: Bool { isCancelled || (completion != nil && count == 0) }

    // MARK: For the producer

    /// Ends the wire; what waits is still taken.
    @inlinable
    final func finish(_ how: Completion) {
        guard completion == nil, !isCancelled else { return }
        completion = how
        ready.add(consumer)
    }

    // MARK: For the consumer

    /// Asks for more, so that what waits and what was asked for come to `total`.
    @inlinable
    final func request(upTo total: Int) {
        let missing = total - count - demand
        guard missing > 0, completion == nil, !isCancelled else { return }
        demand += missing
        ready.add(producer)
    }

    /// Takes no more; what waits is let go.
    @inlinable
    final func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        discard()
        ready.add(producer)
    }

    /// Ends the wire at both ends at once.
    final func abort(_ error: any Error) {
        guard !isOver else { return }
        discard()
        completion = .failed(error)
        ready.add(consumer)
        ready.add(producer)
    }

    @usableFromInline
    func discard() {
        count = 0
        demand = 0
    }
}

/// What a wire connects.
@usableFromInline
struct WireEnds {
    let outletName: String
    let inletName: String
    let ready: ReadyStages
    let producer: Int
    let consumer: Int
}

/// The connection of two ports of an island: elements wait in it that the consumer has asked for, and no others.
///
/// Watermarks go between elements; they are not asked for, and of several in one place the last one stays.
@usableFromInline
final class Wire<Element: Sendable>: AnyWire {
    @usableFromInline var waiting: ContiguousArray<Timed<Element>> = []
    @usableFromInline var first = 0
    // Where a watermark stands: how many of the waiting elements, from `first` on, come before it.
    @usableFromInline var marks: ContiguousArray<(offset: Int, watermark: Timestamp)> = []

    @usableFromInline
    override func discard() {
        super.discard()
        waiting = []
        first = 0
        marks = []
    }

    // MARK: For the producer

    /// Whether the producer has no reason to go on.
    @inlinable var isClosed: Bool { isCancelled || completion != nil }

    /// Sends an element that was asked for.
    @inlinable
    func push(_ element: Timed<Element>) {
        guard !isClosed else { return }
        precondition(demand > 0, "a stage sends more than it was asked for")
        demand -= 1
        count += 1
        waiting.append(element)
        ready.add(consumer)
    }

    /// Sends up to `limit` elements that were asked for.
    @inlinable
    func push(upTo limit: Int, _ body: (inout OutputSpan<Timed<Element>>) -> Void) {
        guard limit > 0, !isClosed else { return }
        precondition(limit <= demand, "a stage sends more than it was asked for")
        let before = waiting.count
        waiting.append(addingCapacity: limit, initializingWith: body)
        let sent = waiting.count - before
        guard sent > 0 else { return }
        demand -= sent
        count += sent
        ready.add(consumer)
    }

    /// Sends all of an array that was asked for, by exchanging it for an empty one, where nothing waits.
    @inlinable
    func takesOver(_ elements: inout ContiguousArray<Timed<Element>>) -> Bool {
        guard count == 0, !isClosed else { return false }
        precondition(elements.count <= demand, "a stage sends more than it was asked for")
        swap(&elements, &waiting)
        first = 0
        count = waiting.count
        demand -= count
        ready.add(consumer)
        return true
    }

    @inlinable
    func advance(to watermark: Timestamp) {
        guard !isClosed else { return }
        if let last = marks.indices.last, marks[last].offset == count {
            marks[last].watermark = max(marks[last].watermark, watermark)
        } else {
            marks.append((count, watermark))
        }
        ready.add(consumer)
    }

    /// Whether it is worth while to ask for what is left of the demand: else the consumer has enough to do, and batches
    /// would get smaller and smaller.
    @inlinable var wantsMore: Bool { count == 0 || demand >= count }

    // MARK: For the consumer

    /// How many elements wait before the next watermark.
    @inlinable var available: Int { marks.first?.offset ?? count }

    /// Whether the producer has ended and everything before that was taken.
    @inlinable var isDrained: Bool { completion != nil && count == 0 && marks.isEmpty }

    /// Takes elements, at most as many as are available.
    @inlinable
    func take(_ number: Int, _ body: (_ elements: ContiguousArray<Timed<Element>>, _ range: Range<Int>) -> Void) {
        // In a local, or every access would be checked.
        var elements: ContiguousArray<Timed<Element>> = []
        swap(&elements, &waiting)
        body(elements, first..<first + number)
        swap(&elements, &waiting)
        drop(number)
    }

    /// Takes as many of the available elements as `body` says.
    @inlinable
    func takeSome(
        _ number: Int,
        _ body: (_ elements: ContiguousArray<Timed<Element>>, _ range: Range<Int>) -> Int
    ) {
        var elements: ContiguousArray<Timed<Element>> = []
        swap(&elements, &waiting)
        let taken = body(elements, first..<first + number)
        swap(&elements, &waiting)
        drop(taken)
    }

    @inlinable
    func takeFirst() -> Timed<Element> {
        let element = waiting[first]
        drop(1)
        return element
    }

    /// The next element, which stays.
    @inlinable var peek: Timed<Element>? { available > 0 ? waiting[first] : nil }

    @inlinable
    func drop(_ number: Int) {
        first += number
        count -= number
        if count == 0 {
            waiting.removeAll(keepingCapacity: true)
            first = 0
            // The producer may have put off what was left of the demand.
            if demand > 0 { ready.add(producer) }
        } else if first >= 1024 {
            waiting.removeFirst(first)
            first = 0
        }
        for index in marks.indices { marks[index].offset -= number }
    }

    /// The watermark that is next, which stays.
    @inlinable var peekWatermark: Timestamp? { marks.first?.offset == 0 ? marks.first?.watermark : nil }

    /// Takes the watermark that is next, if one is.
    @inlinable
    func takeWatermark() -> Timestamp? {
        guard marks.first?.offset == 0 else { return nil }
        return marks.removeFirst().watermark
    }
}
