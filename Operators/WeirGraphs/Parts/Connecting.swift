precedencegroup GraphPrecedence {
    associativity: left
    higherThan: AssignmentPrecedence
    lowerThan: TernaryPrecedence
}

/// Connects parts of a graph that is being built.
infix operator --> : GraphPrecedence

extension Outlet {
    /// Connects an outlet to an inlet.
    @inlinable
    public static func --> (outlet: Outlet, inlet: Inlet<Element>) {
        outlet.builder.connect(outlet, to: inlet)
    }

    /// Connects an outlet to a part that is in the graph already.
    @inlinable
    public static func --> <Output>(outlet: Outlet, ports: FlowPorts<Element, Output>) -> Outlet<Output> {
        outlet.builder.connect(outlet, to: ports.inlet)
        return ports.outlet
    }

    /// Puts a flow into the graph behind an outlet.
    @inlinable
    public static func --> <Output, Handle>(outlet: Outlet, flow: Flow<Element, Output, Handle>) -> Outlet<Output> {
        outlet --> outlet.builder.add(flow)
    }

    /// Puts a sink into the graph behind an outlet, and gives its result.
    @inlinable
    @discardableResult
    public static func --> <Result>(outlet: Outlet, sink: GraphSink<Element, Result>) -> Result {
        let (inlet, result) = outlet.builder.add(sink)
        outlet.builder.connect(outlet, to: inlet)
        return result
    }
}
