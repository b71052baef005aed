public import WeirCore

/// The part of a wire that does not depend on its element type.
@usableFromInline
class AnyWire {
    /// The names of the producing and the consuming port.
    final let outletName: String
    final let inletName: String
    @usableFromInline final let ready: ReadyStages
    @usableFromInline final let producer: Int
    @usableFromInline final let consumer: Int

    /// The state that both ends read often.
    @frozen
    @usableFromInline
    struct State {
        @usableFromInline var demand = 0
        @usableFromInline var count = 0
        @usableFromInline var completion: Completion?
        @usableFromInline var isCancelled = false

        @inlinable
        init() {}
    }

    @usableFromInline final let state = UncheckedCell(State())

    @usableFromInline
    init(_ ends: WireEnds) {
        outletName = ends.outletName
        inletName = ends.inletName
        ready = ends.ready
        producer = ends.producer
        consumer = ends.consumer
    }

    /// The open demand of the consumer.
    @inlinable final var demand: Int { state.value.demand }

    /// How many elements wait for the consumer.
    @inlinable final var count: Int { state.value.count }

    /// The completion of the producer; follows the waiting elements.
    @inlinable final var completion: Completion? { state.value.completion }

    @inlinable final var isCancelled: Bool { state.value.isCancelled }

    @inlinable final var hasEnded: Bool { state.value.completion != nil }

    /// Whether nothing goes through the wire any more.
    final var isOver: Bool { isCancelled || (hasEnded && count == 0) }

    // MARK: For the producer

    /// Ends the wire; waiting elements are still taken.
    @inlinable
    final func finish(_ how: Completion) {
        guard !hasEnded, !isCancelled else { return }
        state.value.completion = how
        ready.add(consumer)
    }

    // MARK: For the consumer

    /// Raises the demand so that it and the waiting elements add up to `total`.
    @inlinable
    final func request(upTo total: Int) {
        let missing = total - count - demand
        guard missing > 0, !hasEnded, !isCancelled else { return }
        state.value.demand += missing
        ready.add(producer)
    }

    /// Cancels the wire; waiting elements are discarded.
    @inlinable
    final func cancel() {
        guard !isCancelled else { return }
        state.value.isCancelled = true
        discard()
        ready.add(producer)
    }

    /// Ends the wire at both ends at once.
    final func abort(_ error: any Error) {
        guard !isOver else { return }
        discard()
        state.value.completion = .failed(error)
        ready.add(consumer)
        ready.add(producer)
    }

    @usableFromInline
    func discard() {
        state.value.count = 0
        state.value.demand = 0
    }

    /// Saves what waits, what is requested and how the wire has ended, or gives it back.
    func exchangeState(_ exchange: inout StateExchange) throws(StateError) {
        try exchange.exchange(&state.value.demand)
        guard state.value.demand >= 0 else { throw .damaged("\(inletName) requests less than nothing", offset: 0) }
        try exchange.exchange(&state.value.completion)
        try exchange.exchange(&state.value.isCancelled)
    }
}

/// The ports that a wire connects.
@usableFromInline
struct WireEnds {
    let outletName: String
    let inletName: String
    let ready: ReadyStages
    let producer: Int
    let consumer: Int
}

/// The connection of two ports of an island: it holds at most the elements that the consumer has requested.
///
/// Watermarks are sent between elements without demand; of several in one place the last one stays.
@usableFromInline
final class Wire<Element: Sendable>: AnyWire {
    @frozen
    @usableFromInline
    struct Content {
        @usableFromInline var waiting: ContiguousArray<Timed<Element>> = []
        @usableFromInline var first = 0
        /// How many elements were taken.
        @usableFromInline var taken = 0
        /// The position of a watermark: the number of elements taken before it.
        @usableFromInline var marks: ContiguousArray<(place: Int, watermark: Timestamp)> = []

        @inlinable
        init() {}
    }

    @usableFromInline let content = UncheckedCell(Content())

    @usableFromInline
    override func discard() {
        super.discard()
        content.value = Content()
    }

    override func exchangeState(_ exchange: inout StateExchange) throws(StateError) {
        try super.exchangeState(&exchange)
        var waiting = exchange.isSaving ? ContiguousArray(content.value.waiting[content.value.first...]) : []
        var (taken, marks) = (content.value.taken, content.value.marks)
        try exchange.exchange(&waiting)
        try exchange.exchange(&taken)
        try exchange.exchange(&marks)
        guard exchange.isRestoring else { return }
        let places = taken...max(taken, taken &+ waiting.count)
        guard taken >= 0, marks.allSatisfy({ places.contains($0.place) }) else {
            throw .damaged("the watermarks of \(inletName) are out of place", offset: 0)
        }
        state.value.count = waiting.count
        content.value.waiting = waiting
        content.value.first = 0
        content.value.taken = taken
        content.value.marks = marks
    }

    // MARK: For the producer

    /// How many elements were sent, with those before a restart.
    @inlinable var sentCount: Int { content.value.taken + count }

    /// Whether the producer has no reason to go on.
    @inlinable var isClosed: Bool { isCancelled || hasEnded }

    /// Sends a requested element.
    @inlinable
    func push(_ element: Timed<Element>) {
        guard !isClosed else { return }
        precondition(demand > 0, "a stage sends more elements than were requested")
        state.value.demand -= 1
        state.value.count += 1
        content.value.waiting.append(element)
        ready.add(consumer)
    }

    /// Sends up to `limit` requested elements.
    @inlinable
    func push(upTo limit: Int, _ body: (inout OutputSpan<Timed<Element>>) -> Void) {
        guard limit > 0, !isClosed else { return }
        precondition(limit <= demand, "a stage sends more elements than were requested")
        // In a local, because `body` is foreign.
        var waiting: ContiguousArray<Timed<Element>> = []
        swap(&waiting, &content.value.waiting)
        let before = waiting.count
        waiting.append(addingCapacity: limit, initializingWith: body)
        let sent = waiting.count - before
        swap(&waiting, &content.value.waiting)
        guard sent > 0 else { return }
        state.value.demand -= sent
        state.value.count += sent
        ready.add(consumer)
    }

    @inlinable
    func advance(to watermark: Timestamp) {
        guard !isClosed else { return }
        let place = content.value.taken + count
        if let last = content.value.marks.indices.last, content.value.marks[last].place == place {
            content.value.marks[last].watermark = max(content.value.marks[last].watermark, watermark)
        } else {
            content.value.marks.append((place, watermark))
        }
        ready.add(consumer)
    }

    /// Whether to forward the rest of the demand.
    ///
    /// Not while the consumer still has enough elements, because batches
    /// would get ever smaller.
    @inlinable var wantsMore: Bool { count == 0 || demand >= count }

    // MARK: For the consumer

    /// How many elements wait before the next watermark.
    @inlinable var available: Int {
        guard let mark = content.value.marks.first else { return count }
        return mark.place - content.value.taken
    }

    /// Whether the producer has ended and everything before that was taken.
    @inlinable var isDrained: Bool { hasEnded && count == 0 && content.value.marks.isEmpty }

    /// Takes elements, at most as many as are available.
    @inlinable
    func take(_ number: Int, _ body: (_ elements: ContiguousArray<Timed<Element>>, _ range: Range<Int>) -> Void) {
        takeSome(number) { elements, range in
            body(elements, range)
            return number
        }
    }

    /// Takes as many of the available elements as `body` returns.
    @inlinable
    func takeSome(
        _ number: Int,
        _ body: (_ elements: ContiguousArray<Timed<Element>>, _ range: Range<Int>) -> Int
    ) {
        // In a local, because `body` is foreign.
        var elements: ContiguousArray<Timed<Element>> = []
        swap(&elements, &content.value.waiting)
        let first = content.value.first
        let taken = body(elements, first..<first + number)
        swap(&elements, &content.value.waiting)
        drop(taken)
    }

    @inlinable
    func takeFirst() -> Timed<Element> {
        let element = content.value.waiting[content.value.first]
        drop(1)
        return element
    }

    /// The next element, which stays.
    @inlinable var peek: Timed<Element>? { available > 0 ? content.value.waiting[content.value.first] : nil }

    @inlinable
    func drop(_ number: Int) {
        content.value.first += number
        content.value.taken += number
        state.value.count -= number
        if count == 0 {
            content.value.waiting.removeAll(keepingCapacity: true)
            content.value.first = 0
            // The producer may have deferred the rest of the demand.
            if demand > 0 { ready.add(producer) }
        } else if content.value.first >= 1024 {
            content.value.waiting.removeFirst(content.value.first)
            content.value.first = 0
        }
    }

    /// The watermark that is next, which stays.
    @inlinable var peekWatermark: Timestamp? {
        guard let mark = content.value.marks.first, mark.place == content.value.taken else { return nil }
        return mark.watermark
    }

    /// Takes the watermark that is next, if one is.
    @inlinable
    func takeWatermark() -> Timestamp? {
        guard let watermark = peekWatermark else { return nil }
        content.value.marks.removeFirst()
        return watermark
    }
}
