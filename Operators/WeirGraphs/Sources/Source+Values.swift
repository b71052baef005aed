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

extension Wire {
    /// Sends as many elements of an iterator as were asked for, and ends after the last.
    ///
    /// Always part of its caller, which knows what `time` does: a call for each element took as long as all the rest.
    @inline(__always)
    @inlinable
    func send<Elements: IteratorProtocol<Element>>(
        from iterator: inout Elements,
        at time: (borrowing Element) -> Timestamp
    ) {
        while demand > 0, !isClosed {
            var hasEnded = false
            push(upTo: demand) { output in
                while !output.isFull {
                    guard let element = iterator.next() else {
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
    /// `send` sends what was asked for from the iterator.
    @inlinable
    init<Elements: Sequence & Sendable>(
        through elements: Elements,
        _ send: @escaping @Sendable (inout Elements.Iterator, Wire<Element>) -> Void
    ) where Elements.Element == Element, Elements.Iterator: SendableMetatype {
        self.init(unchecked: { builder in
            let outlet = builder.addSource("source") { (_, outlet: Wire<Element>) in
                var iterator: Elements.Iterator? = elements.makeIterator()
                return {
                    // Moved out, so that it is in one place only, and in a local.
                    guard var rest = iterator.take() else { return }
                    send(&rest, outlet)
                    iterator = rest
                }
            }
            return (outlet, ())
        })
    }

    /// The elements of a sequence, as they are asked for, with the epoch as their event time; it may be infinite.
    ///
    /// - Parameter elements: The sequence; each run starts it anew.
    @inlinable
    public init<Elements: Sequence & Sendable>(_ elements: Elements)
    where Elements.Element == Element, Elements.Iterator: SendableMetatype {
        self.init(through: elements) { iterator, outlet in outlet.send(from: &iterator) { _ in .epoch } }
    }

    /// The elements of a sequence, as they are asked for; it may be infinite.
    ///
    /// - Parameters:
    ///   - elements: The sequence; each run starts it anew.
    ///   - time: The event time of an element.
    @inlinable
    public init<Elements: Sequence & Sendable>(
        _ elements: Elements,
        at time: @escaping @Sendable (Element) -> Timestamp
    ) where Elements.Element == Element, Elements.Iterator: SendableMetatype {
        self.init(through: elements) { iterator, outlet in outlet.send(from: &iterator) { time(copy $0) } }
    }

    /// The events of a sequence with their times, as they are asked for.
    ///
    /// - Parameter events: The sequence; each run starts it anew.
    @inlinable
    public init<Events: Sequence & Sendable>(of events: Events)
    where Events.Element == Element, Events.Iterator: SendableMetatype, Element: Event {
        self.init(through: events) { iterator, outlet in outlet.send(from: &iterator) { $0.timestamp } }
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

    /// An element of each tick of a clock, for which somebody has asked; ticks for which nobody has are left out.
    ///
    /// - Parameters:
    ///   - interval: How long from one tick to the next; positive.
    ///   - element: Makes the element for a tick's time, which is the element's.
    /// - Returns: The source.
    public static func ticks(
        every interval: Duration,
        _ element: @escaping @Sendable (Timestamp) -> Element
    ) -> Source {
        precondition(interval > .zero, "ticks need a positive interval, not \(interval)")
        return Source(unchecked: { builder in
            let outlet = builder.addSource("ticks") { (context: StageContext, outlet: Wire<Element>) in
                var next: Timestamp?
                return {
                    if outlet.isClosed { return }
                    let now = context.settings.clock.now()
                    guard var due = next else {
                        next = now + interval
                        context.wake(at: now + interval)
                        return
                    }
                    guard due <= now else { return }
                    if outlet.demand > 0 { outlet.push(Timed(element(due), at: due)) }
                    while due <= now { due = due + interval }
                    next = due
                    context.wake(at: due)
                }
            }
            return (outlet, ())
        })
    }
}

extension StageContext {
    /// Makes the stage look again at a time.
    @usableFromInline
    func wake(at time: Timestamp) {
        island.run.wake(island, index, at: time)
    }

    /// Makes the stage look again; from any thread.
    @usableFromInline
    func waker() -> Waker {
        Waker(island: island, index: index)
    }
}
