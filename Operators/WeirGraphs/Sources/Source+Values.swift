public import WeirCore

extension GraphBuilder {
    /// Adds a stage with one outlet.
    @inlinable
    func addSource<Element>(
        _ name: String,
        isExternal: Bool = false,
        _ make: @escaping @Sendable (StageContext, Wire<Element>) -> () -> Void
    ) -> Outlet<Element> {
        let stage = addStage(name, outlets: ["out"], isExternal: isExternal) { context in
            make(context, context.outlet(0, of: Element.self))
        }
        return Outlet(self, stage, 0)
    }
}

/// An iterator with one element of look-ahead, which tells whether an element is the last.
@frozen
@usableFromInline
struct Lookahead<Elements: IteratorProtocol> {
    @usableFromInline var iterator: Elements
    @usableFromInline var ahead: Elements.Element?

    @inlinable
    init(_ iterator: Elements) {
        self.iterator = iterator
    }

    @inlinable
    mutating func next() -> Elements.Element? {
        ahead.take() ?? iterator.next()
    }

    /// Whether there is no other element; makes the next one to know.
    @inlinable
    mutating func hasEnded() -> Bool {
        if ahead == nil { ahead = iterator.next() }
        return ahead == nil
    }
}

extension Wire {
    /// Sends as many elements of an iterator as are requested, and ends after the last without further demand.
    ///
    /// Always part of its caller, which knows what `time` does: a call for each element took as long as all the rest.
    @inline(__always)
    @inlinable
    func send<Elements: IteratorProtocol<Element>>(
        from elements: inout Lookahead<Elements>,
        at time: (borrowing Element) -> Timestamp
    ) {
        guard !isClosed else { return }
        guard demand > 0 else {
            if elements.hasEnded() { finish(.finished) }
            return
        }
        if let element = elements.ahead.take() { push(Timed(element, at: time(element))) }
        // Reads ahead in its next turn: sent elements must not wait for an element without demand.
        ready.add(producer)
        while demand > 0, !isClosed {
            var hasEnded = false
            // Not the whole demand, which may be without a bound.
            push(upTo: min(demand, 1024)) { output in
                while !output.isFull {
                    guard let element = elements.iterator.next() else {
                        hasEnded = true
                        break
                    }
                    output.append(Timed(element, at: time(element)))
                }
            }
            if hasEnded { finish(.finished) }
        }
    }
}

extension Source where Handle == Void {
    /// A source that goes through a sequence.
    ///
    /// `send` sends the requested elements of the iterator.
    @inlinable
    init<Elements: Sequence & Sendable>(
        through elements: Elements,
        _ send: @escaping @Sendable (inout Lookahead<Elements.Iterator>, Wire<Element>) -> Void
    ) where Elements.Element == Element, Elements.Iterator: SendableMetatype {
        self.init(unchecked: { builder in
            let outlet = builder.addSource("source") { (_, outlet: Wire<Element>) in
                var lookahead: Lookahead<Elements.Iterator>?
                return {
                    guard !outlet.isClosed else { return }
                    // Moved out, so that it is in one place only, and in a local. After a restart, what was sent is left out.
                    var rest = lookahead.take() ?? Lookahead(elements.makeIterator(after: outlet.sentCount))
                    send(&rest, outlet)
                    lookahead = rest
                }
            }
            return (outlet, ())
        })
    }

    /// The elements of a sequence, on demand, with the epoch as their event time; it may be infinite.
    ///
    /// Makes one element beforehand, when nothing else is to be done, so that it ends with the last one. After a restart from a
    /// checkpoint, it leaves out as many as were sent.
    ///
    /// - Parameter elements: The sequence; each run starts it again.
    @inlinable
    public init<Elements: Sequence & Sendable>(_ elements: Elements)
    where Elements.Element == Element, Elements.Iterator: SendableMetatype {
        self.init(through: elements) { elements, outlet in outlet.send(from: &elements) { _ in .epoch } }
    }

    /// The elements of a sequence, on demand; it may be infinite.
    ///
    /// Makes one element beforehand, when nothing else is to be done, so that it ends with the last one. After a restart from a
    /// checkpoint, it leaves out as many as were sent.
    ///
    /// - Parameters:
    ///   - elements: The sequence; each run starts it again.
    ///   - time: The event time of an element.
    @inlinable
    public init<Elements: Sequence & Sendable>(
        _ elements: Elements,
        at time: @escaping @Sendable (Element) -> Timestamp
    ) where Elements.Element == Element, Elements.Iterator: SendableMetatype {
        self.init(through: elements) { elements, outlet in outlet.send(from: &elements) { time(copy $0) } }
    }

    /// The events of a sequence with their times, on demand.
    ///
    /// Makes one element beforehand, when nothing else is to be done, so that it ends with the last one. After a restart from a
    /// checkpoint, it leaves out as many as were sent.
    ///
    /// - Parameter events: The sequence; each run starts it again.
    @inlinable
    public init<Events: Sequence & Sendable>(of events: Events)
    where Events.Element == Element, Events.Iterator: SendableMetatype, Element: Event {
        self.init(through: events) { elements, outlet in outlet.send(from: &elements) { $0.timestamp } }
    }

    /// A source that ends at once.
    @inlinable
    public static func empty() -> Source {
        ending(.finished)
    }

    /// A source that fails at once.
    ///
    /// - Parameter error: The failure.
    /// - Returns: The source.
    @inlinable
    public static func failing(_ error: any Error) -> Source {
        ending(.failed(error))
    }

    @inlinable
    static func ending(_ completion: Completion) -> Source {
        Source(unchecked: { builder in
            (builder.addSource("source") { (_, outlet: Wire<Element>) in { outlet.finish(completion) } }, ())
        })
    }

    /// A source that never sends anything and never ends.
    @inlinable
    public static func never() -> Source {
        Source(unchecked: { builder in
            (builder.addSource("source", isExternal: true) { (_, _: Wire<Element>) in {} }, ())
        })
    }

    /// An element for each tick of a clock; ticks without demand are dropped.
    ///
    /// - Parameters:
    ///   - interval: How long from one tick to the next; positive.
    ///   - element: Makes the element for a tick's time, which is the element's.
    /// - Returns: The source.
    public static func ticks(
        every interval: Duration,
        _ element: @escaping @Sendable (Timestamp) -> Element
    ) -> Source {
        precondition(interval > .zero, "ticks: interval must be positive, but is \(interval)")
        return Source(unchecked: { builder in
            let outlet = builder.addSource("ticks") { (context: StageContext, outlet: Wire<Element>) in
                let next = context.keep(Timestamp?.none)
                var alarm: Timestamp?
                var isOver = false
                return {
                    if outlet.isClosed || isOver { return }
                    let now = context.settings.clock.now()
                    if let due = next.value {
                        guard due <= now else {
                            // Where nothing wakes the stage, because of a restart.
                            if alarm == nil { context.wake(at: due) }
                            alarm = due
                            return
                        }
                        if outlet.demand > 0 { outlet.push(Timed(element(due), at: due)) }
                    }
                    guard let due = now.tick(after: next.value ?? now, every: interval) else {
                        isOver = true
                        return
                    }
                    next.value = due
                    alarm = due
                    context.wake(at: due)
                }
            }
            return (outlet, ())
        })
    }
}

extension Timestamp {
    /// The first tick after this time, counted from one that is not after it; `nil` where it is beyond the end of time.
    fileprivate func tick(after tick: Timestamp, every interval: Duration) -> Timestamp? {
        let interval = max(1, interval.wholeNanoseconds)
        let last = Nanoseconds.floor(nanosecondsSinceEpoch, to: interval, from: tick.nanosecondsSinceEpoch)
        let (next, isBeyond) = last.addingReportingOverflow(interval)
        return isBeyond ? nil : Timestamp(nanosecondsSinceEpoch: next)
    }
}

extension StageContext {
    /// Wakes the stage at a time.
    @usableFromInline
    func wake(at time: Timestamp) {
        island.run.wake(island, index, at: time)
    }

    /// Makes the stage look again; from any thread.
    @usableFromInline
    func waker() -> Waker {
        Waker(island, index)
    }
}
