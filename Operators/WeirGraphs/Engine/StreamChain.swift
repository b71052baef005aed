public import WeirCore

/// The stream that a chain of operators inside a graph begins with.
@frozen
public struct ChainEntry<Element: Sendable>: EventStream {
    @usableFromInline let box: ChainBox<Element>

    @usableFromInline
    init(_ box: ChainBox<Element>) {
        self.box = box
    }

    /// Attaches a sink; the chain has one.
    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let state = SharedCell(driven: sink)
        let subscription = Subscription()
        box.put(
            ChainHandle(
                receive: { elements, range in
                    state.withLocal { sink in
                        for index in range where !subscription.isCancelled {
                            sink.receive(elements[index].element, at: elements[index].time)
                        }
                    }
                },
                advance: { watermark in state.withLocal { $0.advance(to: watermark) } },
                finish: { completion in state.withLocal { $0.finish(completion) } },
                exchange: { (exchange: inout StateExchange) throws(StateError) in
                    try state.value.exchangeState(&exchange)
                }
            )
        )
        return subscription
    }
}

/// What drives a chain; formed where its type is known.
@usableFromInline
final class ChainHandle<Element: Sendable> {
    @usableFromInline let receive: (ContiguousArray<Timed<Element>>, Range<Int>) -> Void
    @usableFromInline let advance: (Timestamp) -> Void
    @usableFromInline let finish: (Completion) -> Void
    @usableFromInline let exchange: StageState.Exchange

    @usableFromInline
    init(
        receive: @escaping (ContiguousArray<Timed<Element>>, Range<Int>) -> Void,
        advance: @escaping (Timestamp) -> Void,
        finish: @escaping (Completion) -> Void,
        exchange: @escaping StageState.Exchange
    ) {
        self.receive = receive
        self.advance = advance
        self.finish = finish
        self.exchange = exchange
    }
}

/// Where a chain's entry leaves what drives the chain.
@usableFromInline
final class ChainBox<Element: Sendable>: Sendable {
    private let handle = SharedCell<ChainHandle<Element>?>(driven: nil)

    @usableFromInline
    init() {}

    @usableFromInline
    func put(_ new: ChainHandle<Element>) {
        precondition(
            handle.value == nil,
            "a chain of operators in a graph begins once; share the stream behind its entry"
        )
        handle.value = new
    }

    @usableFromInline
    func take() -> ChainHandle<Element> {
        guard let taken = handle.value else {
            preconditionFailure("a chain of operators in a graph must start at the stream that it is given")
        }
        handle.value = nil
        return taken
    }
}

/// The outputs of a chain that were not sent yet.
@frozen
@usableFromInline
struct ChainOutput<Element: Sendable>: ~Copyable {
    @usableFromInline var elements = DrivenBuffer<Timed<Element>>()
    /// The position of a watermark: the number of elements before it.
    @usableFromInline var marks: ContiguousArray<(place: Int, watermark: Timestamp)> = []
    @usableFromInline var completion: Completion?

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool { elements.count == 0 && marks.isEmpty }

    /// Sends the requested elements.
    @inlinable
    mutating func pour(into outlet: Wire<Element>) {
        while !isEmpty {
            let number = min((marks.first?.place ?? elements.end) - elements.first, outlet.demand)
            if number > 0 {
                outlet.push(upTo: number) { output in elements.take(number, into: &output) }
            } else if let mark = marks.first, mark.place == elements.first {
                marks.removeFirst()
                outlet.advance(to: mark.watermark)
            } else {
                return
            }
        }
        elements.rewind()
    }

    /// Saves what was not sent, or gives it back.
    @usableFromInline
    mutating func exchangeState(_ exchange: inout StateExchange) throws(StateError) {
        var waiting: ContiguousArray<Timed<Element>> = []
        var marks = marks.map { (place: $0.place - elements.first, watermark: $0.watermark) }
        if exchange.isSaving, elements.count > 0 {
            // Taken out and put back: they have one owner.
            let number = elements.count
            waiting.append(addingCapacity: number) { output in elements.take(number, into: &output) }
            elements.rewind()
            for element in waiting { elements.append(element) }
            self.marks = ContiguousArray(marks)
        }
        try exchange.exchange(&waiting)
        try exchange.exchange(&marks)
        try exchange.exchange(&completion)
        guard exchange.isRestoring else { return }
        guard marks.allSatisfy({ (0...waiting.count).contains($0.place) }) else {
            throw .damaged("a watermark of a chain is out of place", offset: 0)
        }
        elements.rewind()
        for element in waiting { elements.append(element) }
        self.marks = ContiguousArray(marks)
    }
}

/// Stores the outputs of a chain for the stage that drives it.
@frozen
@usableFromInline
struct ChainExitSink<Input: Sendable>: Sink {
    @usableFromInline let output: SharedCell<ChainOutput<Input>>

    @inlinable
    init(_ output: SharedCell<ChainOutput<Input>>) {
        self.output = output
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        output.value.elements.append(Timed(copy element, at: time))
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        output.value.marks.append((output.value.elements.end, watermark))
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if output.value.completion == nil { output.value.completion = completion }
    }

    /// The stage saves what was not sent.
    @inlinable
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {}
}
