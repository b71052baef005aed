public import Synchronization

/// Forwards one stream of signals to any number of sinks, which come and go; used by subjects and shared streams.
///
/// Sinks run one at a time, in the order in which they were attached, on the thread that sends, or on the one that is
/// at it already: see ``Junction``. A sink that comes after the completion gets the completion at once.
///
/// Thread safety: all members, from any thread, also from inside a sink.
///
/// - Complexity: O(*s*) per signal for *s* sinks, without allocation or lock.
public final class Multicast<Element: Sendable>: EventStream, SinkSource {
    @usableFromInline let junction: Junction<MulticastState<Element>>
    @usableFromInline let attachedCount = Atomic<UInt64>(0)
    package let departed = DepartedSinks()

    /// Creates a multicast without sinks.
    ///
    /// - Parameters:
    ///   - replay: What a new sink starts with.
    ///   - capacity: How many signals may wait while another one is being handled; a power of two.
    public init(replaying replay: MulticastReplay<Element> = .nothing, capacity: Int = 1024) {
        junction = Junction(MulticastState(replay, departed), inputs: 1, capacity: capacity)
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let attached = AttachedSink(sink, reserveNumber())
        let junction = junction
        let subscription = Subscription { [weak junction, weak attached] in
            guard let attached else { return }
            attached.cancel()
            junction?.receive(.detach(attached), from: 0, at: .distantPast)
        }
        junction.receive(.attach(attached), from: 0, at: .distantPast)
        return subscription
    }

    @usableFromInline
    func reserveNumber() -> UInt64 {
        SinkNumbers.number(in: self) { attachedCount.wrappingAdd(1, ordering: .relaxed).newValue }.number
    }

    /// Sends an element.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - time: Its event time.
    @inlinable
    public func send(_ element: Element, at time: Timestamp) {
        junction.receive(.element(element), from: 0, at: time)
    }

    /// Announces that no element older than `watermark` will follow.
    ///
    /// - Parameter watermark: One that is not after the last is ignored.
    public func advance(to watermark: Timestamp) {
        junction.receive(.watermark, from: 0, at: watermark)
    }

    /// Saves what is remembered and the states of all sinks, or gives them back to sinks that were attached in the same order.
    ///
    /// - Parameter state: Takes the fields, and says what goes on.
    /// - Throws: ``StateError``.
    public func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try junction.exchangeState(&state)
    }

    /// Ends the stream; what is sent afterwards is ignored.
    ///
    /// - Parameter completion: Whether the stream ended or broke off. Only the first call counts.
    public func finish(_ completion: Completion = .finished) {
        junction.receive(.completion(completion), from: 0, at: .distantFuture)
    }
}

/// What the sinks of a ``Multicast`` start with.
@frozen
public enum MulticastReplay<Element: Sendable>: Sendable {
    /// What is sent from then on.
    case nothing
    /// The last elements that were sent, at most this number, also after the completion.
    case last(Int)
    /// A value, as long as nothing was sent; then the last element that was. Nothing after the completion.
    case current(Element, Timestamp)
    /// Nothing: it gets the last element, alone, with the completion; also when it comes later.
    case onlyLast
}

/// A sink of a multicast.
@usableFromInline
final class AttachedSink<Input: Sendable>: Sendable {
    @usableFromInline let handle: SinkHandle<Input>
    @usableFromInline let subscription = Subscription()

    // In the order in which the sinks were attached, from 1.
    @usableFromInline let number: UInt64

    @inlinable
    init<S: Sink>(_ sink: consuming S, _ number: UInt64) where S.Input == Input {
        self.number = number
        handle = SinkHandle(sink)
    }

    @usableFromInline
    func cancel() { subscription.cancel() }
}

/// What a multicast remembers, and what it does with each signal.
@frozen
@usableFromInline
struct MulticastState<Element: Sendable>: JunctionState {
    @frozen
    @usableFromInline
    enum Signal: Sendable {
        case element(Element)
        case watermark
        case completion(Completion)
        case attach(AttachedSink<Element>)
        case detach(AttachedSink<Element>)
    }

    @usableFromInline let replay: MulticastReplay<Element>
    @usableFromInline var sinks: [AttachedSink<Element>] = []
    // The last elements, oldest at `oldest` once there are as many as may be.
    @usableFromInline var remembered: [(element: Element, time: Timestamp)] = []
    @usableFromInline var oldest = 0
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline var completion: Completion?
    // The number of the sink that was attached last.
    @usableFromInline var lastNumber: UInt64 = 0

    @usableFromInline let departed: DepartedSinks

    @usableFromInline
    init(_ replay: MulticastReplay<Element>, _ departed: DepartedSinks) {
        self.replay = replay
        self.departed = departed
        switch replay {
        case .last(let limit): precondition(limit > 0, "a stream that replays has to remember an element, not \(limit)")
        case .current(let element, let time): remembered = [(element, time)]
        case .nothing, .onlyLast: break
        }
    }

    @inlinable
    mutating func receive(_ signal: Signal, from input: Int, at time: Timestamp) {
        switch signal {
        case .element(let element): receive(element, at: time)
        case .watermark: advance(to: time)
        case .completion(let completion): finish(completion)
        case .attach(let sink): attach(sink)
        case .detach(let sink): sinks.removeAll { $0 === sink }
        }
    }

    @inlinable
    mutating func receive(_ element: Element, at time: Timestamp) {
        guard completion == nil else { return }
        switch replay {
        case .nothing: break
        case .last(let limit): remember(element, time, limit)
        case .current: remember(element, time, 1)
        case .onlyLast:
            remember(element, time, 1)
            return
        }
        for sink in sinks where !sink.subscription.isCancelled { sink.handle.receive(element, time) }
    }

    @inlinable
    mutating func remember(_ element: Element, _ time: Timestamp, _ limit: Int) {
        if remembered.count < limit {
            remembered.append((element, time))
        } else {
            remembered[oldest] = (element, time)
            oldest = oldest + 1 == limit ? 0 : oldest + 1
        }
    }

    @usableFromInline
    mutating func advance(to watermark: Timestamp) {
        guard completion == nil, watermark > self.watermark else { return }
        self.watermark = watermark
        // The one element that is still to come is not to be late.
        if case .onlyLast = replay { return }
        for sink in sinks where !sink.subscription.isCancelled { sink.handle.advance(watermark) }
    }

    @usableFromInline
    mutating func finish(_ completion: Completion) {
        guard self.completion == nil else { return }
        self.completion = completion
        if !completion.isFinished, case .onlyLast = replay { remembered = [] }
        if case .current = replay { remembered = [] }
        let sinks = sinks
        self.sinks = []
        for sink in sinks { end(sink, completion, withLast: false) }
    }

    @usableFromInline
    mutating func attach(_ sink: AttachedSink<Element>) {
        lastNumber = max(lastNumber, sink.number)
        guard !sink.subscription.isCancelled else { return }
        if let completion {
            end(sink, completion, withLast: true)
            return
        }
        // One that takes the place of another is where that was.
        sinks.insert(sink, at: sinks.lastIndex { $0.number < sink.number }.map { $0 + 1 } ?? 0)
        if case .onlyLast = replay { return }
        sendRemembered(to: sink)
        if watermark > .distantPast { sink.handle.advance(watermark) }
    }

    private func sendRemembered(to sink: AttachedSink<Element>) {
        for element in remembered[oldest...] + remembered[..<oldest] where !sink.subscription.isCancelled {
            sink.handle.receive(element.element, element.time)
        }
    }

    private func end(_ sink: AttachedSink<Element>, _ completion: Completion, withLast isNew: Bool) {
        switch replay {
        case .onlyLast: sendRemembered(to: sink)
        case .last where isNew: sendRemembered(to: sink)
        case .last, .nothing, .current: break
        }
        if !sink.subscription.isCancelled { sink.handle.finish(completion) }
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("share")
        if case .last(let limit) = replay { state.require(limit) }
        if case .nothing = replay {} else { try state.exchange(&remembered) }
        try state.exchange(&oldest)
        try state.exchange(&watermark)
        try state.exchange(&completion)
        try state.exchangeSinks(departed, last: lastNumber) {
            sinks.filter { !$0.subscription.isCancelled }.map { ($0.number, $0.handle.exchangeState) }
        } detach: { ended in
            lastNumber = max(lastNumber, ended.last)
            for sink in sinks where ended.contains(sink.number) { sink.cancel() }
        }
        sinks.removeAll { $0.subscription.isCancelled }
    }
}
