/// A part of a graph with one outlet: where elements come from.
///
///     Source(1...10).via(.filter { $0 % 2 == 0 }).to(.forEach { print($0) }).run()
///
/// A source is a description; each run starts it again. The handle controls it in a run, if it has one.
public struct Source<Element: Sendable, Handle: Sendable>: Sendable {
    @usableFromInline let head: @Sendable (GraphBuilder) -> (outlet: PortPlace, handle: Handle)
    /// The flows behind the head.
    @usableFromInline let tail: PartChain?

    @usableFromInline
    init(
        _ head: @escaping @Sendable (GraphBuilder) -> (outlet: PortPlace, handle: Handle),
        _ tail: PartChain?
    ) {
        self.head = head
        self.tail = tail
    }

    @usableFromInline
    init(unchecked make: @escaping @Sendable (GraphBuilder) -> (outlet: Outlet<Element>, handle: Handle)) {
        self.init(
            { builder in
                let (outlet, handle) = make(builder)
                return (outlet.place, handle)
            },
            nil
        )
    }

    @usableFromInline
    func make(_ builder: GraphBuilder) -> (outlet: Outlet<Element>, handle: Handle) {
        let (first, handle) = head(builder)
        let last = tail?.add(behind: first, to: builder) ?? first
        return (Outlet(builder, last.stage, last.port), handle)
    }

    /// Creates a source of connected parts.
    ///
    /// - Parameter make: Puts the parts together, and returns the one outlet that is not connected, and the handle.
    /// - Throws: ``GraphError`` when another port is not connected, or one twice; it names the port.
    public init(
        _ make: @escaping @Sendable (GraphBuilder) -> (outlet: Outlet<Element>, handle: Handle)
    ) throws(GraphError) {
        let builder = GraphBuilder()
        let outlet = make(builder).outlet
        try builder.check(exceptOutlet: outlet.place)
        self.init(unchecked: make)
    }

    /// The source with a flow behind it.
    ///
    /// - Parameter flow: The flow.
    /// - Returns: The source of the flow's output, with this source's handle.
    @inlinable
    public func via<Output, Other>(_ flow: Flow<Element, Output, Other>) -> Source<Output, Handle> {
        Source<Output, Handle>(head, flow.chained(behind: tail))
    }

    /// The source with a flow behind it.
    ///
    /// - Parameters:
    ///   - flow: The flow.
    ///   - combine: Makes the handle of the two.
    /// - Returns: The source of the flow's output.
    @inlinable
    public func via<Output, Other, Both: Sendable>(
        _ flow: Flow<Element, Output, Other>,
        keeping combine: @escaping @Sendable (Handle, Other) -> Both
    ) -> Source<Output, Both> {
        Source<Output, Both>(unchecked: { builder in
            let (outlet, handle) = make(builder)
            let (ports, other) = flow.make(builder)
            builder.connect(outlet, to: ports.inlet)
            return (ports.outlet, combine(handle, other))
        })
    }

    /// The source with a sink behind it: a complete graph.
    ///
    /// - Parameter sink: The sink.
    /// - Returns: The graph; a run gives the sink's result.
    @inlinable
    public func to<Result>(_ sink: GraphSink<Element, Result>) -> Graph<Result> {
        to(sink) { _, result in result }
    }

    /// The source with a sink behind it: a complete graph.
    ///
    /// - Parameters:
    ///   - sink: The sink.
    ///   - combine: Combines the source's handle and the sink's result into the result of a run.
    /// - Returns: The graph.
    @inlinable
    public func to<Result, Both: Sendable>(
        _ sink: GraphSink<Element, Result>,
        keeping combine: @escaping @Sendable (Handle, Result) -> Both
    ) -> Graph<Both> {
        Graph(unchecked: { builder in
            let (outlet, handle) = make(builder)
            let (inlet, result) = sink.make(builder)
            builder.connect(outlet, to: inlet)
            return combine(handle, result)
        })
    }
}
