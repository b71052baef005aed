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

extension Source where Handle == Void {
    /// The elements of a sequence, as they are asked for; it may be infinite.
    ///
    /// - Parameters:
    ///   - elements: The sequence; each run starts it anew.
    ///   - time: The event time of an element; the epoch, unless told otherwise.
    @inlinable
    public init<Elements: Sequence & Sendable>(
        _ elements: Elements,
        at time: @escaping @Sendable (Element) -> Timestamp = { _ in .epoch }
    ) where Elements.Element == Element, Elements.Iterator: SendableMetatype {
        self.init(unchecked: { builder in
            let outlet = builder.addSource("source") { (_, outlet: Wire<Element>) in
                var iterator = elements.makeIterator()
                return {
                    while outlet.demand > 0, !outlet.isClosed {
                        var rest = iterator
                        var hasEnded = false
                        let demand = outlet.demand
                        outlet.push(upTo: demand) { output in
                            while !output.isFull {
                                guard let element = rest.next() else {
                                    hasEnded = true
                                    break
                                }
                                output.append(Timed(element, at: time(element)))
                            }
                        }
                        iterator = rest
                        if hasEnded { outlet.finish(.finished) }
                    }
                }
            }
            return (outlet, ())
        })
    }

    /// The events of a sequence with their times, as they are asked for.
    ///
    /// - Parameter events: The sequence; each run starts it anew.
    @inlinable
    public init<Events: Sequence & Sendable>(of events: Events)
    where Events.Element == Element, Events.Iterator: SendableMetatype, Element: Event {
        self.init(events) { $0.timestamp }
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
