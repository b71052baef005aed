internal import WeirCore
public import WeirDispatch

/// Where a stage puts elements for an iteration, and what wakes the stage when there is room for more.
private final class GraphValues<Element: Sendable>: Sendable {
    let buffer: ValueBuffer<Element>
    private let wake: WakerSlot

    init(capacity: Int) {
        let wake = WakerSlot()
        self.wake = wake
        buffer = ValueBuffer(capacity: capacity) { wake() }
    }

    deinit {
        buffer.end()
    }

    func setWaker(_ waker: Waker) {
        wake.waker.withLock { $0 = waker }
    }
}

/// A place for a waker that is known when the graph runs.
private final class WakerSlot: Sendable {
    let waker = Locked<Waker?>(nil)

    func callAsFunction() {
        waker.withLock { $0 }?()
    }
}

extension ValueBuffer {
    /// Takes what has come through a wire, and requests as many elements as there is room for.
    fileprivate func step(_ inlet: Wire<Element>) {
        guard !inlet.isCancelled else { return }
        while true {
            if inlet.available > 0 {
                // There is room: no more were requested.
                _ = add(inlet.takeFirst().element, waitingForRoom: true)
            } else if inlet.takeWatermark() == nil {
                break
            }
        }
        guard let room = waitForRoom() else { return inlet.cancel() }
        if inlet.isDrained, let completion = inlet.completion {
            finish(completion)
            inlet.cancel()
        } else {
            inlet.request(upTo: room)
        }
    }
}

extension GraphSink where Result == ValueSequence<AsyncThrowingStream<Element, any Error>> {
    /// Hands elements to an asynchronous sequence, whose iteration asks for them.
    ///
    ///     let sums = Source(1...).scan(into: 0) { $0 += $1 }.to(.values(capacity: 16)).run()
    ///     for try await sum in sums where sum > 1_000 { break }
    ///
    /// Requests as many elements as there is room for, so an iteration that is slow slows the sources. Takes no
    /// watermarks.
    ///
    /// The sequence is for one iteration. It ends after the last element, and throws what the graph fails with, or
    /// `CancellationError` when it is interrupted. When the iteration ends earlier, by `break` or because its task is
    /// cancelled, or when the sequence goes away, the sources are cancelled. A graph without boundaries goes on, on
    /// the thread that takes an element, when half of the room is free.
    ///
    /// - Parameter capacity: How many elements may wait for the iteration; positive.
    /// - Returns: The sink; its result is the sequence.
    public static func values(capacity: Int = 64) -> GraphSink {
        GraphSink(unchecked: { builder in
            let values = GraphValues<Element>(capacity: capacity)
            let buffer = values.buffer
            let stage = builder.addStage("values", inlets: ["in"], isExternal: true) { [weak values] context in
                let inlet = context.inlet(0, of: Element.self)
                values?.setWaker(context.waker())
                context.state.addField { state throws(StateError) in try buffer.exchangeState(&state) }
                return { buffer.step(inlet) }
            }
            let stream = AsyncThrowingStream { try await values.buffer.next() }
            return (Inlet(builder, stage, 0), ValueSequence(stream) { values.buffer.end() })
        })
    }
}

extension Source {
    /// Runs the source, and hands its elements to an asynchronous sequence, whose iteration asks for them.
    ///
    ///     for try await reading in Source(awaiting: notifications, at: \.timestamp).filter({ $0.celsius > 30 }).values() {
    ///         print(reading)
    ///     }
    ///
    /// Runs the graph when it is called. Demand, the end and cancellation are those of `GraphSink/values(capacity:)`.
    ///
    /// - Parameters:
    ///   - capacity: How many elements may wait for the iteration; positive.
    ///   - settings: How to run the graph.
    /// - Returns: The elements.
    public func values(
        capacity: Int = 64,
        _ settings: GraphSettings = GraphSettings()
    ) -> ValueSequence<AsyncThrowingStream<Element, any Error>> {
        to(.values(capacity: capacity)).run(settings)
    }
}
