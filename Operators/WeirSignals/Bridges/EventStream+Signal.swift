public import WeirCore

extension EventStream {
    /// The latest element, as a signal of the actor that asks for it.
    ///
    ///     actor Control {
    ///         func start() {
    ///             let pressure = readings.map(\.pressure).signal(initial: 0)
    ///             isDangerous = pressure.map { $0 > 9 }
    ///         }
    ///     }
    ///
    /// Elements come on whatever thread publishes them; the signal is set on the actor, soon after, to the newest of those
    /// that have come meanwhile. Code that is on no actor has nowhere to set it, and does not compile. The stream is
    /// detached when the signal goes away. After the completion the signal keeps its value; a failure is as an end.
    ///
    /// - Parameters:
    ///   - initial: The value before the first element.
    ///   - isolation: The actor; the one that calls.
    /// - Returns: The signal.
    public func signal(
        initial: Element,
        isolation: isolated any Actor = #isolation
    ) -> Signal<Element> where Element: Equatable {
        let signal = MutableSignal(initial)
        signal.follow(values(.newest(1)), isolation)
        return signal
    }

    /// Makes signals in the context of the stream: on the thread that publishes, one element at a time.
    ///
    ///     readings.hostSignals(initial: Reading.zero) { reading in
    ///         let pressure = reading.map(\.pressure)
    ///         let trend = Signal { pressure() - limit() }
    ///         return [trend.observe { if $0 > 0 { alarms.publish(Alarm(by: $0)) } }]
    ///     }
    ///
    /// For each element, the signals that depend on it are up to date, and their observers told, before `publish` returns.
    /// What `build` makes lives as long as the stream goes on, and is touched by one thread at a time: the compiler lets
    /// nothing in or out that is not `Sendable`. Watermarks are for operators; a signal has no use for them.
    ///
    /// - Parameters:
    ///   - initial: The value before the first element.
    ///   - build: Makes signals from the one that holds the latest element. What it returns is kept until the stream ends
    ///     or the subscription is cancelled.
    /// - Returns: The handle that ends it.
    @discardableResult
    public func hostSignals<Kept>(
        initial: Element,
        _ build: @Sendable (Signal<Element>) -> Kept
    ) -> Subscription where Element: Equatable {
        attach(
            HostedSignalSink(
                handle: SinkHandle {
                    let signal = MutableSignal(initial)
                    return Self.host(signal, build(signal))
                }
            )
        )
    }

    private static func host<Kept>(_ signal: MutableSignal<Element>, _ kept: Kept) -> SinkHandle<Element>.Closures {
        var hosted: (signal: MutableSignal<Element>, kept: Kept)? = (signal, kept)
        return (
            receive: { element, _ in hosted?.signal.set(element) },
            advance: { _ in },
            finish: { _ in hosted = nil }
        )
    }
}

/// Sets a signal that lives behind a handle.
struct HostedSignalSink<Input: Sendable>: Sink {
    let handle: SinkHandle<Input>

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        handle.receive(copy element, time)
    }

    mutating func advance(to watermark: Timestamp) {}

    mutating func finish(_ completion: Completion) {
        handle.finish(completion)
    }
}

extension AsyncSequence where Self: Sendable, Element: Sendable & Equatable {
    /// The latest element, as a signal of the actor that asks for it.
    ///
    /// The signal follows until the sequence ends, or the signal goes away; a failure is as an end.
    ///
    /// - Parameters:
    ///   - initial: The value before the first element.
    ///   - isolation: The actor; the one that calls.
    /// - Returns: The signal.
    public func signal(initial: Element, isolation: isolated any Actor = #isolation) -> Signal<Element> {
        let signal = MutableSignal(initial)
        signal.follow(self, isolation)
        return signal
    }
}

extension MutableSignal where Value: Sendable {
    /// Is set to the elements of a sequence as long as it lives.
    func follow<Elements: AsyncSequence & Sendable>(_ elements: Elements, _ isolation: isolated any Actor)
    where Elements.Element == Value {
        let task = Task { [weak self] in
            _ = isolation
            var iterator = elements.makeAsyncIterator()
            while let element = try? await iterator.next(isolation: isolation) {
                guard let self else { return }
                self.set(element)
            }
        }
        node.audience.atEnd { task.cancel() }
    }
}
