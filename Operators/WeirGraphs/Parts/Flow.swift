/// A part of a graph with one inlet and one outlet: a transformation of its elements.
///
///     let cleaned = Flow<Reading, Reading, Void>.filter { $0.isValid }.via(.throttle(1, per: .seconds(1)))
///     source.via(cleaned).to(sink).run()
///
/// A flow is a description; it may be part of many graphs, and many times of one. The handle controls it in a run, if
/// it has one.
public struct Flow<Input: Sendable, Output: Sendable, Handle: Sendable>: Sendable {
    @usableFromInline typealias Head =
        @Sendable (GraphBuilder) -> (inlet: Inlet<Input>, outlet: PortPlace, handle: Handle)

    @usableFromInline let head: Head
    /// The flows behind the head.
    @usableFromInline let tail: PartChain?

    @usableFromInline
    init(_ head: @escaping Head, _ tail: PartChain?) {
        self.head = head
        self.tail = tail
    }

    @usableFromInline
    init(unchecked make: @escaping @Sendable (GraphBuilder) -> (ports: FlowPorts<Input, Output>, handle: Handle)) {
        self.init(
            { builder in
                let (ports, handle) = make(builder)
                return (ports.inlet, ports.outlet.place, handle)
            },
            nil
        )
    }

    @usableFromInline
    func make(_ builder: GraphBuilder) -> (ports: FlowPorts<Input, Output>, handle: Handle) {
        let (inlet, first, handle) = head(builder)
        let last = tail?.add(behind: first, to: builder) ?? first
        return (FlowPorts(inlet, Outlet(builder, last.stage, last.port)), handle)
    }

    /// Creates a flow of connected parts.
    ///
    ///     let twice = try Flow<Int, Int, Void> { builder in
    ///         let split = builder.broadcast(Int.self, to: 2)
    ///         let merge = builder.merge(Int.self, from: 2)
    ///         split.outlets[0] --> merge.inlets[0]
    ///         split.outlets[1] --> merge.inlets[1]
    ///         return (FlowPorts(split.inlet, merge.outlet), ())
    ///     }
    ///
    /// - Parameter make: Puts the parts together, and returns the inlet and the outlet that are not connected, and the
    ///   handle.
    /// - Throws: ``GraphError`` when another port is not connected, or one twice; it names the port.
    public init(
        _ make: @escaping @Sendable (GraphBuilder) -> (ports: FlowPorts<Input, Output>, handle: Handle)
    ) throws(GraphError) {
        let builder = GraphBuilder()
        let ports = make(builder).ports
        try builder.check(exceptOutlet: ports.outlet.place, exceptInlet: ports.inlet.place)
        self.init(unchecked: make)
    }

    /// The flow with another one behind it.
    ///
    /// - Parameter flow: The other flow.
    /// - Returns: Both; the handle is this one's.
    @inlinable
    public func via<Next, Other>(_ flow: Flow<Output, Next, Other>) -> Flow<Input, Next, Handle> {
        Flow<Input, Next, Handle>(head, flow.chained(behind: tail))
    }

    /// The flow with another one behind it.
    ///
    /// - Parameters:
    ///   - flow: The other flow.
    ///   - combine: Makes the handle of the two.
    /// - Returns: Both.
    @inlinable
    public func via<Next, Other, Both: Sendable>(
        _ flow: Flow<Output, Next, Other>,
        keeping combine: @escaping @Sendable (Handle, Other) -> Both
    ) -> Flow<Input, Next, Both> {
        Flow<Input, Next, Both>(unchecked: { builder in
            let (first, handle) = make(builder)
            let (second, other) = flow.make(builder)
            builder.connect(first.outlet, to: second.inlet)
            return (FlowPorts(first.inlet, second.outlet), combine(handle, other))
        })
    }

    /// The flow with a sink behind it.
    ///
    /// - Parameter sink: The sink.
    /// - Returns: A sink of the flow's input.
    @inlinable
    public func to<Result>(_ sink: GraphSink<Output, Result>) -> GraphSink<Input, Result> {
        GraphSink<Input, Result>(unchecked: { builder in
            let ports = make(builder).ports
            let (inlet, result) = sink.make(builder)
            builder.connect(ports.outlet, to: inlet)
            return (ports.inlet, result)
        })
    }
}
