public import WeirCore
internal import WeirDispatch

extension EventStream {
    /// The latest element, as a signal of the calling actor.
    ///
    ///     actor Control {
    ///         var isDangerous: Signal<Bool>?
    ///         func start() {
    ///             let pressure = readings.map(\.pressure).signal(initial: 0)
    ///             isDangerous = pressure.map { $0 > 9 }
    ///         }
    ///     }
    ///
    /// Elements arrive on the thread that publishes them; the signal is set on the actor, soon after, to the newest
    /// element that has arrived. Code outside of an actor does not compile. The stream is detached when the signal is
    /// released. After the completion, also a failure, the signal keeps its value.
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
        signal.follow(droppingValues(.newest(1)), isolation)
        return signal
    }

    /// Creates signals in the context of the stream: on the thread that publishes, one element at a time.
    ///
    ///     readings.hostSignals(initial: Reading.zero) { reading, bag in
    ///         let pressure = reading.map(\.pressure)
    ///         let trend = Signal { pressure() - limit() }
    ///         trend.observe { if $0 > 0 { alarms.publish(Alarm(timestamp: now, value: $0)) } }.store(in: bag)
    ///     }
    ///
    /// For each element, the signals that depend on it are up to date, and their observers notified, before `publish`
    /// returns. The bag and the result of `build` live as long as the stream, and is used by one thread at a time: the
    /// compiler rejects captures and results that are not `Sendable`. Watermarks are ignored. A checkpoint has the latest
    /// element, and the sources that `build` returns, see ``SignalSources``; what is derived is computed again.
    ///
    /// - Parameters:
    ///   - initial: The value before the first element.
    ///   - build: Derives signals from the one that holds the latest element. Its result, and the bag that takes the
    ///     observations, are kept until the stream ends or the subscription is cancelled.
    /// - Returns: The handle that ends it.
    @discardableResult
    public func hostSignals<Kept>(
        initial: Element,
        _ build: @Sendable (Signal<Element>, ObservationBag) -> Kept
    ) -> Subscription where Element: Equatable {
        attach(
            HostedSignalSink(
                handle: SinkHandle {
                    let (signal, bag) = (MutableSignal(initial), ObservationBag())
                    return Self.host(signal, build(signal, bag), bag)
                }
            )
        )
    }

    private static func host<Kept>(
        _ signal: MutableSignal<Element>,
        _ kept: Kept,
        _ bag: ObservationBag
    ) -> SinkHandle<Element>.Closures {
        var hosted: (signal: MutableSignal<Element>, kept: Kept, bag: ObservationBag)? = (signal, kept, bag)
        return (
            receive: { element, _ in hosted?.signal.set(element) },
            advance: { _ in },
            finish: { _ in hosted = nil },
            exchange: { state throws(StateError) in
                guard let hosted else { return }
                try state.exchange(hosted.signal, hosted.kept as? any SignalSources)
            }
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

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try handle.exchangeState(&state)
    }
}

extension AsyncSequence where Self: Sendable, Element: Sendable & Equatable {
    /// The latest element, as a signal of the calling actor.
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
