public import WeirCore

/// What enters and leaves a window over a stream; made by `retaining`.
@frozen
public struct RetainedElements<Upstream: EventStream, Rule: Retention>: EventStream
where Rule.Element == Upstream.Element {
    public typealias Element = WindowChange<Upstream.Element>

    @usableFromInline let upstream: Upstream
    @usableFromInline let rule: Rule

    /// The elements older than the watermark, where the rule goes by event time.
    public let late: SideOutput<Upstream.Element>

    /// The elements that left before their turn, because there were too many; they are among the changes, too.
    public let early: SideOutput<Upstream.Element>

    @inlinable
    init(_ upstream: Upstream, _ rule: Rule) {
        self.upstream = upstream
        self.rule = rule
        (late, early) = (SideOutput(), SideOutput())
    }

    @inlinable
    @discardableResult
    public func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Element {
        upstream.attach(RetainingSink(rule, late, early, sink))
    }
}

extension RetainedElements: GroupableStream where Upstream: GroupableStream {}

/// Sends what a rule lets in and out.
@frozen
@usableFromInline
struct RetainingSink<Rule: Retention, Downstream: Sink>: Sink where Downstream.Input == WindowChange<Rule.Element> {
    @usableFromInline typealias Input = Rule.Element

    @usableFromInline var rule: Rule
    @usableFromInline var changes = RetentionChanges<Input>()
    @usableFromInline var watermark = Timestamp.distantPast
    @usableFromInline let late: SideOutput<Input>
    @usableFromInline let early: SideOutput<Input>
    @usableFromInline var downstream: Downstream

    @inlinable
    init(_ rule: Rule, _ late: SideOutput<Input>, _ early: SideOutput<Input>, _ downstream: consuming Downstream) {
        self.rule = rule
        self.late = late
        self.early = early
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ element: borrowing Input, at time: Timestamp) {
        guard !rule.isTimed || time >= watermark else { return late.send(copy element, at: time) }
        rule.receive(copy element, at: time, &changes)
        send()
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        self.watermark = max(self.watermark, watermark)
        rule.advance(to: self.watermark, &changes)
        send()
        downstream.advance(to: watermark)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    /// Sends what has changed, and keeps the memory.
    @inlinable
    mutating func send() {
        for index in changes.waiting.indices {
            downstream.receive(changes.waiting[index].change, at: changes.waiting[index].time)
        }
        changes.waiting.removeAll(keepingCapacity: true)
        guard !changes.early.isEmpty else { return }
        for (element, time) in changes.early { early.send(element, at: time) }
        changes.early.removeAll(keepingCapacity: true)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("retaining")
        try state.exchange(late)
        try state.exchange(early)
        try state.exchange(&watermark)
        try rule.exchangeState(&state)
        try downstream.exchangeState(&state)
    }
}
