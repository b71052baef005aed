/// A part of a graph with one outlet: where elements come from.
///
///     Source(1...10).via(.filter { $0 % 2 == 0 }).to(.forEach { print($0) }).run()
///
/// A source is a description; each run starts it anew. The handle is what a run gives to control it by, if anything.
public struct Source<Element: Sendable, Handle: Sendable>: Sendable {
    @usableFromInline let make: @Sendable (GraphBuilder) -> (outlet: Outlet<Element>, handle: Handle)

    @usableFromInline
    init(unchecked make: @escaping @Sendable (GraphBuilder) -> (outlet: Outlet<Element>, handle: Handle)) {
        self.make = make
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
        try builder.check(exceptOutlet: (outlet.stage, outlet.port))
        self.make = make
    }

    /// The source with a flow behind it.
    ///
    /// - Parameter flow: The flow.
    /// - Returns: The source of what the flow gives; its handle is this one's.
    @inlinable
    public func via<Output, Other>(_ flow: Flow<Element, Output, Other>) -> Source<Output, Handle> {
        via(flow) { handle, _ in handle }
    }

    /// The source with a flow behind it.
    ///
    /// - Parameters:
    ///   - flow: The flow.
    ///   - combine: Makes the handle of the two.
    /// - Returns: The source of what the flow gives.
    @inlinable
    public func via<Output, Other, Both: Sendable>(
        _ flow: Flow<Element, Output, Other>,
        keeping combine: @escaping @Sendable (Handle, Other) -> Both
    ) -> Source<Output, Both> {
        let make = make
        return Source<Output, Both>(unchecked: { builder in
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
    ///   - combine: Makes of the source's handle and the sink's result what a run gives.
    /// - Returns: The graph.
    @inlinable
    public func to<Result, Both: Sendable>(
        _ sink: GraphSink<Element, Result>,
        keeping combine: @escaping @Sendable (Handle, Result) -> Both
    ) -> Graph<Both> {
        let make = make
        return Graph(unchecked: { builder in
            let (outlet, handle) = make(builder)
            let (inlet, result) = sink.make(builder)
            builder.connect(outlet, to: inlet)
            return combine(handle, result)
        })
    }
}
