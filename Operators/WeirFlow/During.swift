public import WeirCore

extension EventStream {
    /// Runs a pipeline only from an element that opens it to one that closes it, each time anew.
    ///
    ///     let falls = readings.during(opensWhen: { $0.isDoorOpen }, closesWhen: { !$0.isDoorOpen }) { open in
    ///         open.falling(atLeast: 3, by: \.celsius)
    ///     }
    ///
    /// Goes by arrival. While it is closed, an element that satisfies `opens` opens it: the pipeline, built anew, gets that
    /// element and those that follow, up to and with the first later one that satisfies `closes`. Then the pipeline gets its
    /// completion, and its state is given up: partial matches do not reach from one time to the next. One that opens while
    /// it is open changes nothing. With `within` it also closes when the watermark, or an element, reaches that duration
    /// after the opening; such an element is not in it, and may open it again.
    ///
    /// Emits what the pipeline emits, when it does. Elements that come while it is closed go to ``During/outside``.
    /// Watermarks reach the pipeline while it is open, and pass; so does the completion. An element whose time would be over at
    /// the last watermark opens nothing. A pipeline that ends by itself, or fails, emits nothing more until the next opening.
    ///
    /// The pipeline is built on the stream that it is given alone, and runs on its thread. Operators that join, share,
    /// concatenate, retry or move streams trap there: put them before or behind.
    ///
    /// - Parameters:
    ///   - opens: Whether an element opens it; called while it is closed.
    ///   - closes: Whether an element closes it; called for those after the one that opened it.
    ///   - within: How long it can be open; positive.
    ///   - pipeline: Builds the pipeline; called at the beginning and after each closing.
    /// - Returns: What the pipeline emits.
    /// - Complexity: The pipeline's own cost per element; building it at each closing.
    public func during<Pipeline: EventStream>(
        opensWhen opens: @escaping @Sendable (Element) -> Bool,
        closesWhen closes: @escaping @Sendable (Element) -> Bool,
        within: Duration? = nil,
        _ pipeline: @escaping @Sendable (OpenStream<Element>) -> Pipeline
    ) -> During<Self, Pipeline> {
        let duration = within.map { Nanoseconds.positive($0, "how long it is open") } ?? .max
        return During(self, .conditions(opens: opens, closes: closes, duration: duration), pipeline)
    }

    /// Runs a pipeline only in certain stretches of event time, each time anew.
    ///
    ///     let hour: Int64 = 3_600_000_000_000
    ///     let office = readings.during({ time in
    ///         let days = Int64((Double(time.nanosecondsSinceEpoch) / Double(24 * hour)).rounded(.down))
    ///         let day = Timestamp(nanosecondsSinceEpoch: days * 24 * hour)
    ///         let hours = day + .seconds(9 * 3600)..<day + .seconds(17 * 3600)
    ///         return hours.contains(time) ? hours : nil
    ///     }) { open in
    ///         open.rising(atLeast: 3, by: \.celsius)
    ///     }
    ///
    /// The pipeline opens with the first element of a stretch, and gets its completion when an element or a watermark has
    /// come that is not before the end of the stretch. An element outside of all stretches, or of one that is over, goes to
    /// ``During/outside``. All else is as for `during(opensWhen:closesWhen:within:_:)`.
    ///
    /// - Parameters:
    ///   - stretch: The stretch of time that a time is in, always the same one; `nil` if it is in none.
    ///   - pipeline: Builds the pipeline; called at the beginning and after each closing.
    /// - Returns: What the pipeline emits.
    /// - Complexity: The pipeline's own cost per element; building it for each stretch that has elements.
    public func during<Pipeline: EventStream>(
        _ stretch: @escaping @Sendable (Timestamp) -> Range<Timestamp>?,
        _ pipeline: @escaping @Sendable (OpenStream<Element>) -> Pipeline
    ) -> During<Self, Pipeline> {
        During(self, .calendar(stretch), pipeline)
    }
}

/// What a pipeline emits that runs only at times; made by `during`.
public struct During<Upstream: EventStream, Pipeline: EventStream>: EventStream {
    public typealias Element = Pipeline.Element

    /// The elements that came while the pipeline did not run.
    public let outside = SideOutput<Upstream.Element>()

    private let upstream: Upstream
    private let rule: OpeningRule<Upstream.Element>
    private let pipeline: @Sendable (OpenStream<Upstream.Element>) -> Pipeline

    init(
        _ upstream: Upstream,
        _ rule: OpeningRule<Upstream.Element>,
        _ pipeline: @escaping @Sendable (OpenStream<Upstream.Element>) -> Pipeline
    ) {
        self.upstream = upstream
        self.rule = rule
        self.pipeline = pipeline
    }

    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        let downstream = SinkHandle(sink)
        let pipeline = pipeline
        let build: @Sendable (OpenStream<Upstream.Element>) -> Subscription = { open in
            pipeline(open).attach(GroupOutputSink(downstream))
        }
        return upstream.attach(DuringSink(rule, outside, build, downstream))
    }
}

/// The elements that come while a pipeline of `during` runs, to build the pipeline on.
///
/// Thread safety: for the pipeline alone, on the thread that runs it.
public final class OpenStream<Element: Sendable>: EventStream {
    fileprivate let sinks = SharedCell(driven: [SinkHandle<Element>]())

    /// Adds a sink; a pipeline may use the stream several times.
    ///
    /// - Parameter sink: The sink.
    /// - Returns: A handle without effect: the sink lives until the pipeline closes.
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        sinks.value.append(SinkHandle(sink))
        return Subscription()
    }
}

/// When a pipeline opens and closes.
enum OpeningRule<Element: Sendable>: Sendable {
    case conditions(
        opens: @Sendable (Element) -> Bool,
        closes: @Sendable (Element) -> Bool,
        duration: Int64
    )
    case calendar(@Sendable (Timestamp) -> Range<Timestamp>?)
}

/// Builds a pipeline when it opens, and gives it up when it closes.
struct DuringSink<Input: Sendable, Output: Sendable>: Sink {
    private let rule: OpeningRule<Input>
    private let outside: SideOutput<Input>
    private let build: @Sendable (OpenStream<Input>) -> Subscription
    private let downstream: SinkHandle<Output>

    // The pipeline that runs, or is to run next.
    private var pipeline: [SinkHandle<Input>] = []
    private var subscription = Subscription()
    private var isOpen = false
    // From when to when it is, or was last.
    private var start = Timestamp.distantPast
    private var end = Timestamp.distantPast
    private var watermark = Timestamp.distantPast

    init(
        _ rule: OpeningRule<Input>,
        _ outside: SideOutput<Input>,
        _ build: @escaping @Sendable (OpenStream<Input>) -> Subscription,
        _ downstream: SinkHandle<Output>
    ) {
        self.rule = rule
        self.outside = outside
        self.build = build
        self.downstream = downstream
        makePipeline()
    }

    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        let element = copy element
        if isOpen, time >= end { close(.finished) }
        let wasOpen = isOpen
        guard wasOpen ? time >= start || !isCalendar : opens(element, time) else {
            return outside.send(element, at: time)
        }
        for sink in pipeline { sink.receive(element, time) }
        if wasOpen, case .conditions(_, let closes, _) = rule, closes(element) { close(.finished) }
    }

    private var isCalendar: Bool {
        if case .calendar = rule { true } else { false }
    }

    /// Opens the pipeline, if an element does that.
    private mutating func opens(_ element: Input, _ time: Timestamp) -> Bool {
        switch rule {
        case .conditions(let opens, _, let duration):
            guard opens(element) else { return false }
            let over = duration == .max ? .distantFuture : time.shifted(byNanoseconds: duration)
            guard watermark < over else { return false }
            (start, end) = (time, over)
        case .calendar(let stretch):
            // A stretch that is over does not begin again.
            guard time >= end, let range = stretch(time), range.contains(time), watermark < range.upperBound else {
                return false
            }
            (start, end) = (range.lowerBound, range.upperBound)
        }
        isOpen = true
        if watermark > .distantPast { for sink in pipeline { sink.advance(watermark) } }
        return true
    }

    private mutating func makePipeline() {
        let stream = OpenStream<Input>()
        subscription = SinkTemplate.attachAlone { build(stream) }
        pipeline = stream.sinks.value
        precondition(!pipeline.isEmpty, "a pipeline of `during` begins at the stream that it is given")
    }

    private mutating func close(_ completion: Completion) {
        for sink in pipeline { sink.finish(completion) }
        subscription.cancel()
        isOpen = false
        makePipeline()
    }

    mutating func advance(to watermark: Timestamp) {
        self.watermark = watermark
        if isOpen {
            for sink in pipeline { sink.advance(min(watermark, end)) }
            if watermark >= end { close(.finished) }
        }
        downstream.advance(watermark)
    }

    mutating func finish(_ completion: Completion) {
        if isOpen { for sink in pipeline { sink.finish(completion) } }
        isOpen = false
        subscription.cancel()
        downstream.finish(completion)
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("during")
        try state.exchange(outside)
        try state.exchange(&start)
        try state.exchange(&end)
        try state.exchange(&watermark)
        try state.exchange(&isOpen)
        for sink in pipeline { try sink.exchangeState(&state) }
        try downstream.exchangeState(&state)
    }
}
